# SPDX-License-Identifier: Apache-2.0
"""What snapshots save of the wall time of quick cells of the thesis.

    scripts/bench.sh snapshots [--cells N]

1. Each kind of board is run once, so that it has left its snapshot.
2. The cells are measured twice on this machine, two at a time: their boards boot, and start from
   snapshots.  Both must give the same records.

Needs a machine that does nothing else.  Ends with status 1 when the goal is missed or a record
differs.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fake_watcher import Notes

from firesteel.board.run import RunBoards, run_from_snapshots, run_topology
from firesteel.campaign.run import Options, execute
from firesteel.cli.bench import make_runner
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import Experiment
from firesteel.model.cell import Cell
from firesteel.store.journal import Journal
from firesteel.store.store import Store

_GOAL = 0.5
"""Of the time with boots."""


def measure(
    told: Experiment | Collection, cells: Sequence[Cell], boards: RunBoards, store: Store
) -> tuple[Journal, float]:
    """The run of all cells, and its wall seconds."""
    runner = make_runner(told.catalog, None, boards)
    began = time.monotonic()
    journal = execute(told, cells, Options(quick=True, jobs=2), runner, store, Notes())
    seconds = time.monotonic() - began
    if failed := [entry.problem for entry in journal.entries if entry.state != "done"]:
        raise SystemExit(f"{len(failed)} cells failed: {failed[0]}")
    return journal, seconds


def one_of_each(told: Experiment | Collection, cells: Sequence[Cell]) -> list[Cell]:
    """The first cell on each kind of boards."""
    runner = make_runner(told.catalog, None, run_topology)
    runner.prepare(cells)
    kinds: dict[tuple[str, int], Cell] = {}
    for cell in cells:
        kinds.setdefault((runner.inputs(cell).versions.boards, cell.seed), cell)
    return list(kinds.values())


def main(arguments: Sequence[str]) -> int:
    """Measures, and says what came out; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cells", type=int, help="only the first so many")
    told = load("thesis")
    cells = told.cells(quick=True)[: parser.parse_args(arguments).cells]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        measure(told, one_of_each(told, cells), run_from_snapshots, Store(directory / "first"))
        booted, snapped = Store(directory / "booted"), Store(directory / "from-snapshots")
        with_boots, before = measure(told, cells, run_topology, booted)
        _, after = measure(told, cells, run_from_snapshots, snapped)
        keys = [entry.key for entry in with_boots.entries]
        pairs = ((booted.record_path(key), snapped.record_path(key)) for key in keys)
        same = sum(one.read_bytes() == other.read_bytes() for one, other in pairs)
    print(f"{len(cells)} quick cells of the thesis, two at a time")
    print(f"with boots: {before:.0f} s; from snapshots: {after:.0f} s")
    print(f"from snapshots takes {after / before:.2f} of the time (goal: at most {_GOAL:g})")
    print(f"records that are the same to the last byte: {same} of {len(cells)}")
    return 0 if after <= _GOAL * before and same == len(cells) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
