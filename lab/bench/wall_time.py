# SPDX-License-Identifier: Apache-2.0
"""How the wall time of the quick thesis depends on how its boards are run.

    scripts/bench.sh snapshots [--cells N]    from snapshots, beside boots
    scripts/bench.sh clocks [--cells N]       on the clock that counts cycles, beside the other one

All cells are measured twice on this machine, two at a time, after each kind of board has left its
snapshots.  Records must be the same whether boards boot or not.

Needs a machine that does nothing else.  Ends with status 1 when the goal is missed or a record
differs.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fake_watcher import Notes

from firesteel.board.profile import Clock
from firesteel.board.run import RunBoards, run_from_snapshots, run_topology
from firesteel.campaign.run import Options, execute
from firesteel.cli.bench import make_runner
from firesteel.experiment.collection import load
from firesteel.model.cell import Cell
from firesteel.store.store import Store


@dataclass(frozen=True)
class Way:
    """A way to run the boards of the thesis."""

    title: str
    clock: Clock
    boards: RunBoards = run_from_snapshots


@dataclass(frozen=True)
class Question:
    """Two ways, how many times as long the second may take as the first, and whether both must give
    the same records.
    """

    one: Way
    other: Way
    goal: float
    same: bool


QUESTIONS = {
    "snapshots": Question(
        Way("with boots", "cycles", run_topology), Way("from snapshots", "cycles"), 0.5, same=True
    ),
    "clocks": Question(
        Way("on the clock flat", "flat"), Way("on the clock cycles", "cycles"), 1.35, same=False
    ),
}


class Measured:
    """Cells of the quick thesis, measured in a way; `count` takes the first so many."""

    def __init__(self, way: Way, count: int | None, directory: Path) -> None:
        self._way = way
        self._told = load("thesis", clock=way.clock)
        self._store = Store(directory)
        self.cells = self._told.cells(quick=True)[:count]

    def warm(self) -> None:
        """Runs one cell on each kind of board, so that all have left snapshots."""
        runner = make_runner(self._told.catalog, None)
        runner.prepare(self.cells)
        kinds: dict[tuple[str, int], Cell] = {}
        for cell in self.cells:
            kinds.setdefault((runner.inputs(cell).versions.boards, cell.seed), cell)
        self._execute(list(kinds.values()), run_from_snapshots, self._store.root / "warm")

    def seconds(self) -> float:
        """Wall time of all cells."""
        began = time.monotonic()
        self.keys = self._execute(self.cells, self._way.boards, self._store.root)
        return time.monotonic() - began

    def record(self, key: str) -> bytes:
        """A cell's record."""
        return self._store.record_path(key).read_bytes()

    def _execute(self, cells: Sequence[Cell], boards: RunBoards, place: Path) -> list[str]:
        runner = make_runner(self._told.catalog, None, boards)
        options = Options(quick=True, jobs=2)
        journal = execute(self._told, cells, options, runner, Store(place), Notes())
        if failed := [entry.problem for entry in journal.entries if entry.state != "done"]:
            raise SystemExit(f"{len(failed)} cells failed: {failed[0]}")
        return [entry.key for entry in journal.entries]


def main(arguments: Sequence[str]) -> int:
    """Measures, and says what came out; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("--cells", type=int, help="only the first so many")
    asked = parser.parse_args(arguments)
    question = QUESTIONS[asked.question]
    with tempfile.TemporaryDirectory() as name:
        ways = (question.one, question.other)
        one, other = (Measured(way, asked.cells, Path(name) / way.title) for way in ways)
        one.warm()
        other.warm()
        before, after = one.seconds(), other.seconds()
        same = sum(one.record(key) == other.record(key) for key in one.keys if question.same)
    count = len(one.cells)
    print(f"{count} quick cells of the thesis, two at a time")
    print(f"{question.one.title}: {before:.0f} s; {question.other.title}: {after:.0f} s")
    print(f"{question.other.title}: {after / before:.2f} of it (goal: at most {question.goal:g})")
    if question.same:
        print(f"records that are the same to the last byte: {same} of {count}")
    return 0 if after <= question.goal * before and (same == count or not question.same) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
