# SPDX-License-Identifier: Apache-2.0
"""Runs of the calibration: boards that take as long as published, times a factor; and boards whose
instructions were counted, with counts made up.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from made_runs import results_of

from firesteel.boards.profile import EVENTS, INSTRUCTIONS, UNITS, Cpu, load_profile
from firesteel.boards.result import Mark, NodeResult, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.judge.intervals import Sample
from firesteel.judge.results import Results
from firesteel.judge.rows import Result
from firesteel.model.identity import Identity
from firesteel.store.store import Store
from research.processor import Cost, Processor, load_priors, load_processors

NAMES = INSTRUCTIONS + EVENTS
"""All that is counted on a board of 32 bits."""

Longer = Callable[[Cost], float | None]
"""How many times as long as published an operation takes; None where it is not measured."""


def processor(name: str = "cortex-a9") -> Processor:
    return next(each for each in load_processors() if each.name == name)


_FLAT = load_profile("socrates").on_clock("flat").cpu


class Run(Results):
    """Results with figures and CPUs of their own, under a name."""

    def __init__(
        self, base: Results, name: str, means: tuple[Result, ...], cpus: Mapping[str, Cpu]
    ) -> None:
        super().__init__(
            base.journal.model_copy(update={"name": name}),
            *(base.records, base.figures, base.spread, base.samples),
        )
        self.__dict__["means"] = means
        self.__dict__["cpus"] = tuple(cpus.items())

    @property
    def measured_cpus(self) -> tuple[tuple[str, Cpu], ...]:
        cpus: tuple[tuple[str, Cpu], ...] = self.__dict__["cpus"]
        return cpus


def run(
    tmp_path: Path,
    longer: Longer,
    board: str = "socrates",
    name: str = "2026-01-01-calibration",
    cpu: Cpu = _FLAT,
) -> Run:
    base = results_of(tmp_path, keep=lambda cell: cell.protocol == "none")
    return Run(base, name, tuple(means(longer, board)), {board: cpu})


def means(longer: Longer, board: str = "socrates") -> list[Result]:
    """What the board measured, in the metrics that microbenchmarks have."""
    of = processor()
    found = []
    for cost in of.costs:
        factor = longer(cost)
        if factor is None or cost.unit == "DMIPS/MHz":
            continue
        published = cost.at(of.file.clock_hz)
        values = {
            "ns": ("operation_time", published * factor),
            "MB/s": ("throughput", published / factor),
            "cycles/byte": ("throughput", of.file.clock_hz / 1e6 / (published * factor)),
        }
        metric, value = values[cost.unit]
        found.append(_result(cost, board, metric, value))
    return found


def _result(cost: Cost, board: str, metric: str, value: float) -> Result:
    identity = Identity("x", cost.parameter, "bare-board", "none", "none", "software")
    return Result(replace(identity, board=board), metric, value, Sample.of([value]))


BOARD = load_profile("am437x")
HERTZ = BOARD.cpu.hertz or 0
OPERATIONS = 10**9
"""In each window."""


PRIORS = load_priors(processor())


def as_prior(factor: float = 1.0) -> dict[str, float]:
    """Costs that are so many times their priors."""
    return {name: prior.at(HERTZ) * factor for name, prior in PRIORS.items()}


def published(cost: Cost) -> float:
    """Cycles at 1 GHz that a row should come to."""
    value = cost.at(HERTZ)
    if cost.unit == "ns":
        return value * HERTZ / 1e9
    return HERTZ / (value * 1e6) if cost.unit == "MB/s" else value


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

    def __init__(self, root: Path, run: TopologyRun) -> None:
        super().__init__(root)
        self._run = run

    def observations(self, key: str) -> TopologyRun:
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
    nanoseconds = cycles * 1e9 / HERTZ
    metric, value = (
        ("operation_time", nanoseconds) if cost.unit == "ns" else ("throughput", 1e3 / nanoseconds)
    )
    return _result(cost, "am437x", metric, value)
