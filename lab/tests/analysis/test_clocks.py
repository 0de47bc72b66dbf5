# SPDX-License-Identifier: Apache-2.0
"""Which verdicts hang on what clocks count."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from advice_store import CPU_TIME, RATE, Runs, cell

from firesteel.analysis.results import Results, load_results
from firesteel.analysis.robustness import other_clock
from firesteel.board.profile import Cpu, load_profile
from firesteel.store.store import Store

FLAT = load_profile("socrates").cpu.on_clock("flat")
CYCLES = FLAT.on_clock("cycles")


def boards(monkeypatch: pytest.MonkeyPatch, cpus: Mapping[str, Cpu]) -> None:
    """The CPU of each run's board, by the run's name."""

    def measured(results: Results) -> tuple[tuple[str, Cpu], ...]:
        return (("socrates", cpus[results.journal.name]),)

    monkeypatch.setattr(Results, "measured_cpus", property(measured))


def add(runs: Runs, hardware: float, kernel: float | None = None) -> str:
    """A run in which hardware transfers that many MB/s, by way of the kernel, too, if it is asked
    for, and software 4.
    """
    rates = {"software": 4.0, "hardware": hardware, "hardware-kernel": kernel}
    figures = [
        (cell(implementation), {RATE: rate, CPU_TIME: 1 / rate})
        for implementation, rate in rates.items()
        if rate is not None
    ]
    emulator = f"{runs.count:064x}"  # records of equal inputs are equal
    return runs.add(*figures, qemu=emulator)


def test_verdicts_that_both_clocks_give_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(Store(tmp_path))
    flat, cycles = add(runs, 8.0), add(runs, 6.0)
    boards(monkeypatch, {flat: FLAT, cycles: CYCLES})
    found = other_clock(runs.store, load_results(runs.store, cycles))
    assert found
    assert (found.run, found.clock) == (flat, "flat")
    assert found.sentence == "On the clock `flat` 1 of 1 verdicts are the same."


def test_a_twin_of_a_recorded_run_with_the_same_records_is_this_ones_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a newcomer's run, whose store has no other."""
    recorded, own = Runs(Store(tmp_path / "recorded")), Runs(Store(tmp_path / "own"))
    run = add(own, 6.0)
    same, flat = add(recorded, 6.0), add(recorded, 8.0)
    boards(monkeypatch, {run: CYCLES, same: CYCLES, flat: FLAT})
    results = load_results(own.store, run)
    assert other_clock(own.store, results) is None
    found = other_clock(own.store, results, recorded.store)
    assert found
    assert (found.run, len(found.both), found.recorded) == (flat, 1, True)


def test_a_twin_of_a_recorded_run_with_other_records_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded, own = Runs(Store(tmp_path / "recorded")), Runs(Store(tmp_path / "own"))
    run = add(own, 6.0)
    recorded.count = 7  # so that it makes records of another emulator
    other, flat = add(recorded, 6.0), add(recorded, 8.0)
    boards(monkeypatch, {run: CYCLES, other: CYCLES, flat: FLAT})
    assert other_clock(own.store, load_results(own.store, run), recorded.store) is None


def test_a_verdict_that_changes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(Store(tmp_path))
    flat, cycles = add(runs, 8.0), add(runs, 3.0)
    boards(monkeypatch, {flat: FLAT, cycles: CYCLES})
    found = other_clock(runs.store, load_results(runs.store, cycles))
    assert found
    assert "0 of 1 verdicts are the same; not those of " in found.sentence
    assert "helps there, loses here" in found.sentence


def test_a_board_that_differs_in_more_than_its_clock_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(Store(tmp_path))
    flat, cycles = add(runs, 8.0), add(runs, 6.0)
    faster = FLAT.model_copy(update={"instructions_per_second": 10**9})
    for other in (faster, CYCLES):
        boards(monkeypatch, {flat: other, cycles: CYCLES})
        assert other_clock(runs.store, load_results(runs.store, cycles)) is None
