# SPDX-License-Identifier: Apache-2.0
"""What a benchmark of `lab/bench/` measured: said with its goals, and kept for pages.

    recorded/benchmarks/NAME.json

What comes out depends on the machine, of which the file has the number of CPUs.
"""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from firesteel.base.envelope import Kind, read_text
from firesteel.base.files import write_whole
from firesteel.base.toml import Table
from tools.tables import table

_KIND = Kind("benchmark's record", 1, "measure it again: `scripts/bench.sh NAME --record`")


class Figure(Table):
    """What was measured, in a unit, and the goal: at the most, or at the least, if there is one."""

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def missed(self) -> bool:
        """Whether there is a goal, and the value does not reach it."""
        above = self.most is not None and not self.value <= self.most
        return above or (self.least is not None and not self.value >= self.least)

    @property
    def said(self) -> tuple[str, str, str, str]:
        """What, the value, and without a goal empty: the goal, and whether it is met."""
        goals = (
            f"at {word} {_number(goal)} {self.unit}".strip()
            for word, goal in (("most", self.most), ("least", self.least))
            if goal is not None
        )
        goal = next(goals, "")
        met = "missed" if self.missed else "met"
        return self.what, f"{_number(self.value)} {self.unit}".strip(), goal, met if goal else ""


class Benchmark(Table):
    """All figures of a benchmark, of how many cells, and what measured them."""

    name: str
    cells: int
    cpus: int
    python: str
    figures: tuple[Figure, ...]

    @property
    def sheet(self) -> str:
        """For a page."""
        cpus = "1 CPU" if self.cpus == 1 else f"{self.cpus} CPUs"
        told = f"{self.cells:,} cells, on a machine with {cpus} and Python {self.python}:"
        rows = (each.said for each in self.figures)
        return f"{told}\n\n{table(('what', 'measured', 'goal', ''), rows)}"


def benchmark(name: str, cells: int, figures: Sequence[Figure]) -> Benchmark:
    """What was measured on this machine."""
    cpus = len(os.sched_getaffinity(0))
    python = ".".join(platform.python_version_tuple()[:2])
    return Benchmark(name=name, cells=cells, cpus=cpus, python=python, figures=tuple(figures))


def conclude(found: Benchmark, keep: Path | None) -> int:
    """Prints it, keeps it in the store `keep` if there is one, and gives the exit status."""
    width = max(len(figure.what) for figure in found.figures)
    for what, value, goal, verdict in (figure.said for figure in found.figures):
        print(f"{what:<{width}}  {value:>14}{f'  {goal}: {verdict}' if goal else ''}")
    if keep:
        save(keep, found)
    missed = sum(figure.missed for figure in found.figures)
    if missed:
        print(f"{missed} of the goals missed.")
    return 1 if missed else 0


def save(store: Path, found: Benchmark) -> None:
    """Writes the file, with no more digits than the next measurement would have again."""
    rounded = (
        each.model_copy(update={"value": float(f"{each.value:.3g}")}) for each in found.figures
    )
    content = found.model_copy(update={"figures": tuple(rounded)})
    text = content.model_dump_json(indent=1, exclude_none=True)
    path = _path(store, found.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.replace("{", f'{{\n "format": {_KIND.format},', 1).encode() + b"\n")


def load(store: Path, name: str) -> Benchmark | None:
    """What was kept; None if nothing was.

    Raises `FiresteelError` when the file is damaged or of another format.
    """
    path = _path(store, name)
    text, where = read_text(path), str(path)
    if text is None:
        return None
    return _KIND.validate(_KIND.load(text, where), Benchmark, where, strict=False)


def _path(store: Path, name: str) -> Path:
    return store / "benchmarks" / f"{name}.json"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
