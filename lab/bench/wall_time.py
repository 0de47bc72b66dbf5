# SPDX-License-Identifier: Apache-2.0
"""How the wall time of the quick thesis depends on how its boards are run.

    scripts/bench.sh snapshots [--cells N] [--record]    from snapshots, beside boots
    scripts/bench.sh clocks [--cells N] [--record]       on the clock that counts cycles, beside the
                                                         one that counts instructions

All cells are measured twice on this machine, two at a time, after each kind of board has left its
snapshots.  Records must be the same whether boards boot or not.

Needs a machine that does nothing else.  Ends with status 1 when the goal is missed or a record
differs; --record keeps the figures for recorded/benchmarks and docs/virtual-time.md.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fake_watcher import Notes

from firesteel.base.checkout import RECORDED
from firesteel.boards.profile import Clock
from firesteel.boards.run import RunBoards, run_from_snapshots, run_topology
from firesteel.cli.bench import make_runner
from firesteel.model.cell import Cell
from firesteel.run.experiment.collection import load
from firesteel.run.loop import Options, execute
from firesteel.store.store import Store
from tools.benchmark import Figure, benchmark, conclude


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


def figures(question: Question, before: float, after: float, same: int, count: int) -> list[Figure]:
    """What came out of both ways: their seconds, and of how many cells the records are the same."""
    one, other = question.one.title, question.other.title
    found = [
        Figure(what=one, value=before, unit="s"),
        Figure(what=other, value=after, unit="s"),
        Figure(what=f"{other}, as a share", value=after / before, unit="", most=question.goal),
    ]
    if question.same:
        found.append(Figure(what="records that are the same", value=same, unit="", least=count))
    return found


def main(arguments: Sequence[str]) -> int:
    """Measures, and says what came out; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("question", choices=QUESTIONS)
    parser.add_argument("--cells", type=int, metavar="N", help="only the first so many")
    parser.add_argument("--record", action="store_const", const=RECORDED, help="keep the figures")
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
    found = figures(question, before, after, same, count)
    return conclude(benchmark(asked.question, count, found), asked.record)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
