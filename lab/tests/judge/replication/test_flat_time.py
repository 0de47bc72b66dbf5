# SPDX-License-Identifier: Apache-2.0
"""What virtual time does to figures is told with numbers that are worked out."""

import pytest

from firesteel.boards.profile import load_profile
from firesteel.judge.replication.method import (
    Cycles,
    Error,
    counted,
    errors_in_words,
    flat_time,
    load_cycles,
    method,
    method_in_short,
)

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
    for cpu in (faster, other):
        told = method([("mysoc", cpu)])
        assert told.endswith(" not known.")
        assert "board mysoc" in told
        assert "socrates" not in told
        assert "takes nobody knows how many times" in method_in_short([("mysoc", cpu)])
    assert method([("mysoc", own)]).endswith(its.replace("board socrates", "board mysoc"))
    both = method([("socrates", own), ("mysoc", other)])
    assert its in both
    assert "board mysoc" in both
    assert both.endswith(" not known.")
    assert "takes up to " in method_in_short([("mysoc", own)])


def test_a_board_that_counts_cycles_is_told_of_as_such() -> None:
    flat, cycles = FLAT, load_profile("socrates").cpu
    assert cycles.clock == "cycles", "which is the default"
    for said in (method([("socrates", cycles)]), method_in_short([("socrates", cycles)])):
        assert "approximates cycles" in said
        assert "not cycles" not in said
        assert "times too" not in said
    both = method([("socrates", flat), ("mysoc", cycles)])
    assert flat_time([("socrates", flat)]) in both
    assert "Virtual time approximates cycles on the board mysoc. " in both
    assert counted([("socrates", flat)]) == "instructions, not cycles"
    assert counted([("socrates", cycles)]) == "approximate cycles"


def test_a_run_without_a_record_speaks_of_both_clocks() -> None:
    for said in (method([]), method_in_short([])):
        assert "counts instructions, or approximates cycles" in said
        assert "not cycles" not in said
    assert counted([]) == "instructions, or approximate cycles"


@pytest.mark.parametrize(
    ("error", "missed"),
    [
        (Error(rows=4, mean=4.1, median=3.0, worst=15.0, goal=15, median_goal=6), ""),
        (Error(rows=4, mean=4.1, median=3.0, worst=15.4, goal=15), "worst 15.4 %, goal ≤ 15 %"),
        (
            Error(rows=4, mean=7.0, median=6.5, worst=10.0, goal=15, median_goal=6),
            "median 6.5 %, goal ≤ 6 %",
        ),
        (
            Error(rows=4, mean=17.5, median=16.6, worst=47.5, goal=20, median_goal=15),
            "worst 48 %, goal ≤ 20 %; median 17 %, goal ≤ 15 %",
        ),
        (
            Error(rows=4, mean=4.1, median=3.0, worst=22.0, goal=25, first_goal=20),
            "worst 22.0 %, goal ≤ 25 %, formerly ≤ 20 %",
        ),
    ],
)
def test_an_error_is_quoted_with_the_goals_that_it_missed(error: Error, missed: str) -> None:
    told = errors_in_words({"cortex-a9": {"compiled": error}})
    assert f"compiled {error.mean:.0f} % and {error.worst:.0f} %" in told
    all_met = "All kinds meet their error goals."
    goals = f"These kinds miss their error goals: compiled ({missed})." if missed else all_met
    assert goals in told
    assert "errors are 7 % (mean) and 14 % (worst)" in told
    assert "13 % to 17 %" in told


def test_each_of_several_processors_is_quoted_with_its_own_errors() -> None:
    error = Error(rows=4, mean=4.1, median=3.0, worst=15.4, goal=16)
    told = errors_in_words({"cortex-a9": {"compiled": error}, "cortex-a53": {}})
    assert "Errors on cortex-a9 for published figures that the fit did not use" in told
    assert "How far figures on cortex-a53 are off is not known." in told
