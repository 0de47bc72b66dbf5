# SPDX-License-Identifier: Apache-2.0
"""Which verdicts hang on what clocks count."""

from pathlib import Path

import pytest
from advice_store import CPU_TIME, RATE, Runs, cell

from firesteel.boards.profile import Clock, Cpu, load_profile
from firesteel.judge.results import load_results
from firesteel.judge.robustness import OtherClock, differ_in_clock, other_clock
from firesteel.store.store import Store

FLAT = load_profile("socrates").cpu.on_clock("flat")
CYCLES = FLAT.on_clock("cycles")


def add(runs: Runs, hardware: float, clock: Clock = "cycles") -> str:
    """A run in which hardware transfers that many MB/s, and software 4."""
    figures = [
        (cell(implementation), {RATE: rate, CPU_TIME: 1 / rate})
        for implementation, rate in (("software", 4.0), ("hardware", hardware))
    ]
    emulator = f"{runs.count:064x}"  # records of equal inputs are equal
    return runs.add(*figures, qemu=emulator, clock=clock)


def other(runs: Runs, run: str, recorded: Runs | None = None) -> OtherClock | None:
    """What the other clock says of a run."""
    return other_clock(
        runs.store, load_results(runs.store, run), recorded.store if recorded else None
    )


def test_verdicts_that_both_clocks_give_are_counted(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    flat = add(runs, 8.0, "flat")
    found = other(runs, add(runs, 6.0))
    assert found
    assert (found.run, found.clock) == (flat, "flat")
    said, differs = found.sentence.split(". ", 1)
    assert said == "On the clock `flat` 1 of 1 verdicts are the same"
    assert differs.startswith("The runs also differ in: emulator (QEMU, build 0000000 → ")


def test_a_twin_of_a_recorded_run_is_that_of_a_run_with_equal_records_alone(
    tmp_path: Path,
) -> None:
    """As of a newcomer's run, whose store has no other."""
    recorded, own = Runs(Store(tmp_path / "recorded")), Runs(Store(tmp_path / "own"))
    run = add(own, 6.0)
    add(recorded, 6.0)
    flat = add(recorded, 8.0, "flat")
    assert other(own, run) is None
    found = other(own, run, recorded)
    assert found
    assert (found.run, len(found.both), found.recorded) == (flat, 1, True)
    own.count = 7
    assert other(own, add(own, 6.0), recorded), "another build of the emulator did the same"
    assert other(own, add(own, 6.1), recorded) is None, "and this one did not"


def test_a_verdict_that_changes_is_named(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    add(runs, 8.0, "flat")
    found = other(runs, add(runs, 3.0))
    assert found
    assert "0 of 1 verdicts are the same; not those of " in found.sentence
    assert "helps there, loses here" in found.sentence


@pytest.mark.parametrize(
    ("one", "apart"),
    [
        (FLAT, True),
        (CYCLES, False),
        (FLAT.model_copy(update={"instructions_per_second": 10**9}), False),
    ],
)
def test_a_board_that_differs_in_more_than_its_clock_is_another(one: Cpu, apart: bool) -> None:
    assert differ_in_clock([("socrates", one)], [("socrates", CYCLES)]) == apart
    assert not differ_in_clock([("socrates", one)], [("other", CYCLES)])
