# SPDX-License-Identifier: Apache-2.0
"""Runs of the calibration whose boards take exactly as long as published, times a factor."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from made_runs import results_of

from firesteel.analysis.intervals import Sample
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result
from firesteel.board.profile import Cpu
from firesteel.model.identity import Identity
from firesteel.replication.processor import Cost, Processor, load_processors

Longer = Callable[[Cost], float | None]
"""How many times as long as published an operation takes; None where it is not measured."""


def processor(name: str = "cortex-a9") -> Processor:
    return next(each for each in load_processors() if each.name == name)


class Run(Results):
    """Results with figures and CPUs of their own, under a name."""

    def __init__(
        self, base: Results, name: str, means: tuple[Result, ...], cpus: Mapping[str, Cpu | None]
    ) -> None:
        super().__init__(
            base.journal.model_copy(update={"name": name}),
            *(base.records, base.figures, base.spread, base.samples),
        )
        self.__dict__["means"] = means
        self.__dict__["cpus"] = tuple(cpus.items())

    @property
    def measured_cpus(self) -> tuple[tuple[str, Cpu | None], ...]:
        cpus: tuple[tuple[str, Cpu | None], ...] = self.__dict__["cpus"]
        return cpus


def run(
    tmp_path: Path,
    longer: Longer,
    board: str = "socrates",
    name: str = "2026-01-01-calibration",
    cpu: Cpu | None = None,
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
        identity = Identity("x", cost.parameter, "bare-board", "none", "none", "software")
        identity = replace(identity, board=board)
        found.append(Result(identity, metric, value, Sample.of([value])))
    return found
