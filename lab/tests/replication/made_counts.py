# SPDX-License-Identifier: Apache-2.0
"""Runs of the calibration on a board whose instructions were counted, with counts made up."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from made_runs import results_of
from replication.made_calibration import Run, processor

from firesteel.analysis.intervals import Sample
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result
from firesteel.board.processor import UNITS
from firesteel.board.profile import Cpu, load_profile
from firesteel.board.result import Mark, NodeResult, TopologyRun
from firesteel.board.topology import load_topology
from firesteel.model.identity import Identity
from firesteel.replication.counted import NAMES
from firesteel.replication.processor import Cost
from firesteel.store.store import Store

BOARD = load_profile("am437x")
OPERATIONS = 10**9
"""In each window."""


def published(cost: Cost) -> float:
    """Cycles at 1 GHz that a row should come to."""
    hertz = BOARD.cpu.hertz or 0
    value = cost.at(hertz)
    if cost.unit == "ns":
        return value * hertz / 1e9
    return hertz / (value * 1e6) if cost.unit == "MB/s" else value


def made_counts(cost: Cost, true: Mapping[str, float]) -> dict[str, float]:
    """How often the row's operation has each class: some of them, so that it comes to what is
    published at these costs.
    """
    dice = random.Random(cost.id)
    names = dice.sample(NAMES, 8)
    shares = [dice.random() + 0.1 for _ in names]
    return {
        name: share / sum(shares) * published(cost) / true[name]
        for name, share in zip(names, shares, strict=True)
    }


def board_costs(cpu: Cpu) -> dict[str, float]:
    """What each class costs the board, in cycles."""
    told = dict(entry.split(":") for entry in (cpu.costs or "").split("/"))
    return {name: int(told[name]) / UNITS for name in NAMES}


class CountedStore(Store):
    """A store that has the made-up observations of every record."""

    def __init__(self, root: Path, run: TopologyRun | None) -> None:
        super().__init__(root)
        self._run = run

    def observations(self, key: str) -> TopologyRun | None:
        del key
        return self._run


def mark(name: str, time_ns: int, cycles: Mapping[str, int] | None) -> Mark:
    return Mark(name, time_ns, 0, 0, 0, 0, cycles=dict(cycles) if cycles is not None else None)


def counted_run(
    tmp_path: Path, true: Mapping[str, float], cpu: Cpu = BOARD.cpu, *, counts: bool = True
) -> tuple[Results, Store]:
    """A run on AM437x, and the store that has its observations, of all rows that one can measure.

    The board's figures are what its own costs make of the counts.  Of rows of one operation the
    counts are those of the first.
    """
    have = board_costs(BOARD.cpu)
    means, marks, windows = [], [], set()
    for cost in processor().costs:
        if cost.unit == "DMIPS/MHz" or cost.window in windows:
            continue
        windows.add(cost.window)
        of = made_counts(cost, true)
        cycles = sum(count * have[name] for name, count in of.items())
        means.append(_figure(cost, cycles))
        whole = {name: round(of.get(name, 0) * OPERATIONS) for name in NAMES}
        start = dict.fromkeys(["units", *NAMES], 5)
        end = {"units": 5 + round(cycles * UNITS * OPERATIONS)}
        end |= {name: 5 + count for name, count in whole.items()}
        marks += [
            mark(f"{cost.window}.begin", 0, start if counts else None),
            mark(f"{cost.window}.end", 1, end if counts else None),
        ]
    node = NodeResult("board", tuple(marks), {}, "", BOARD)
    run = TopologyRun({"board": node}, "", load_topology("one-board"))
    base = results_of(tmp_path, keep=lambda cell: cell.protocol == "none")
    return Run(base, "made", tuple(means), {"am437x": cpu}), CountedStore(tmp_path, run)


def _figure(cost: Cost, cycles: float) -> Result:
    hertz = BOARD.cpu.hertz or 0
    nanoseconds = cycles * 1e9 / hertz
    metric, value = (
        ("operation_time", nanoseconds) if cost.unit == "ns" else ("throughput", 1e3 / nanoseconds)
    )
    identity = Identity("x", cost.parameter, "bare-board", "none", "none", "software")
    identity = replace(identity, board="am437x")
    return Result(identity, metric, value, Sample.of([value]))
