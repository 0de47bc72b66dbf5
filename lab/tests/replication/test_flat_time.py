# SPDX-License-Identifier: Apache-2.0
"""What flat time does to figures is told with numbers that are worked out, wherever figures are."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import page_of, results_of

from firesteel.board.profile import load_profile
from firesteel.replication.method import (
    Cycles,
    counted,
    flat_time,
    load_cycles,
    method,
    method_in_short,
)
from firesteel.store.record import Record

FLAT = load_profile("socrates").cpu.on_clock("flat")


def test_cycles_are_instructions_at_the_board_s_rate() -> None:
    for cycles in load_cycles():
        _check(cycles)


def _check(cycles: Cycles) -> None:
    cpu = load_profile(cycles.board.profile).cpu.on_clock("flat")
    rate, told = cpu.rate, flat_time([(cycles.board.profile, cpu)])
    for algorithm in cycles.algorithms:
        bytes_per_second = rate / algorithm.instructions_per_byte
        charged = cycles.charged(algorithm)
        assert charged * bytes_per_second == pytest.approx(cycles.board.clock_hz)
        assert f"{charged:.0f} for {algorithm.name}" in told
        speed = algorithm.published
        assert speed.cycles * speed.bytes_per_second == pytest.approx(speed.clock_hz)
        assert f"{speed.cycles:.0f} are published" in told
        assert charged / speed.cycles <= cycles.most
    assert f"{cycles.most:.1f} times" in told


def test_a_board_of_another_cpu_is_not_told_of_the_file_s() -> None:
    own = FLAT
    its = flat_time([("socrates", own)])
    faster = own.model_copy(update={"instructions_per_second": own.rate + 1})
    model = "cortex-a7" if own.model == "cortex-a15" else "cortex-a15"
    other = own.model_copy(update={"model": model})
    for cpu in (faster, other, None):
        told = method([("mysoc", cpu)])
        assert told.endswith(" not known.")
        assert "board mysoc" in told
        assert "socrates" not in told
        assert "not known" in method_in_short([("mysoc", cpu)])
        assert "times too long" not in method_in_short([("mysoc", cpu)])
    assert method([("mysoc", own)]).endswith(its.replace("board socrates", "board mysoc"))
    both = method([("socrates", own), ("mysoc", other)])
    assert its in both
    assert "board mysoc" in both
    assert both.endswith(" not known.")
    assert "times too long" in method_in_short([("mysoc", own)])


def test_a_board_that_counts_cycles_is_told_of_as_such() -> None:
    flat, cycles = FLAT, load_profile("socrates").cpu
    assert cycles.clock == "cycles", "which is the default"
    for said in (method([("socrates", cycles)]), method_in_short([("socrates", cycles)])):
        assert "approximates cycles" in said
        assert "not cycles" not in said
        assert "times too" not in said
    both = method([("socrates", flat), ("mysoc", cycles)])
    assert flat_time([("socrates", flat)]) in both
    assert "Virtual time approximates cycles on the board mysoc: " in both
    assert counted([("socrates", flat)]) == "instructions, not cycles"
    assert counted([("socrates", cycles)]) == "approximate cycles"


def test_a_report_speaks_of_the_board_that_was_measured(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.protocol == "none", clock="flat")
    told = flat_time(results.measured_cpus)
    assert told in page_of(results)
    assert results.measured_cpus == (("socrates", FLAT),)
    mine = replace(results, records=tuple(map(on_mysoc, results.records)))
    assert told not in page_of(mine)
    assert mine.measured_cpus[0][0] == "mysoc"
    assert flat_time(mine.measured_cpus) in page_of(mine)


def on_mysoc(record: Record) -> Record:
    cell, setup = record.inputs.cell, record.measurement.setup
    assert setup
    board = setup.profiles[cell.measured]
    cpu = board.cpu.model_copy(update={"instructions_per_second": 10**9})
    profiles = setup.profiles | {cell.measured: board.model_copy(update={"cpu": cpu})}
    setup = setup.model_copy(update={"profiles": profiles})
    cell = cell.model_copy(update={"profiles": cell.profiles | {cell.measured: "mysoc"}})
    return record.model_copy(
        update={
            "inputs": record.inputs.model_copy(update={"cell": cell}),
            "measurement": record.measurement.model_copy(update={"setup": setup}),
        }
    )


def test_the_method_says_it() -> None:
    its = flat_time([("socrates", FLAT)])
    assert method([("socrates", FLAT)]).endswith(its)
    assert method([("socrates", FLAT)]) != its


def test_a_run_without_a_record_speaks_of_both_clocks() -> None:
    for said in (method([]), method_in_short([])):
        assert "counts instructions, or approximates cycles" in said
        assert "not cycles" not in said
    assert counted([]) == "instructions, or approximate cycles"
