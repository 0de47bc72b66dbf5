# SPDX-License-Identifier: Apache-2.0
"""What it takes to measure all of `recorded/runs.toml`: the estimates of `--dry-run`."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.run.experiment.collection import load
from tools.runs import Run, load_designs, load_runs, load_studies

_MINUTES = {"d": 1440.0, "h": 60.0, "min": 1.0, "s": 1 / 60}
_ESTIMATE = re.compile(r"([\d,]+) cells?[ ,].*; time: (?:about )?(.*?); space: ")
_FORM = "{:<13}{:<27}{:>8}{:>7}{:>9}"


@dataclass(frozen=True)
class Cost:
    """What measuring one takes in an empty store; `minutes` is None where no such cell was measured
    before.
    """

    run: Run
    cells: int
    seeds: int
    minutes: float | None

    def __str__(self) -> str:
        told = "unknown" if self.minutes is None else f"{self.minutes:.0f}"
        return _FORM.format(self.run.set, self.run.name, self.cells, self.seeds, told)


def budget() -> str:
    """A table of all runs, studies and questions of design, by set, with the sum of each set.

    A cell that several share counts in each.  A question of design counts with the most that its
    search may take.  Raises `FiresteelError` when one has a mistake.
    """
    asked = [
        (command, run)
        for command, runs in (
            ("run", load_runs()),
            ("sensitivity", load_studies()),
            ("design", load_designs()),
        )
        for run in runs
    ]
    with tempfile.TemporaryDirectory() as empty, ThreadPoolExecutor(os.cpu_count()) as pool:
        costs = list(pool.map(lambda each: _cost(each[0], each[1], Path(empty)), asked))
    order = list(dict.fromkeys(each.run.set for each in costs))
    costs.sort(key=lambda each: order.index(each.run.set))
    lines = [_FORM.format("set", "run", "cells", "seeds", "minutes")]
    for name, those in groupby(costs, key=lambda each: each.run.set):
        of_set = list(those)
        lines += [*map(str, of_set), _sum(name, of_set), ""]
    return "\n".join([*lines, _sum("all", costs)])


def _cost(command: str, run: Run, empty: Path) -> Cost:
    """What the command says in a dry run."""
    lab = [str(CHECKOUT / "firesteel"), command, run.experiment, *run.options]
    done = subprocess.run(
        [*lab, "--dry-run", "--store", str(empty / run.name)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = _ESTIMATE.search(done.stderr)
    if done.returncode or not found:
        raise FiresteelError(f"`{run.name}` of {run.set}: {done.stderr.strip()}")
    times = re.findall(r"(\d+) (d|h|min|s)\b", found[2])
    minutes = sum(int(number) * _MINUTES[unit] for number, unit in times) if times else None
    return Cost(run, int(found[1].replace(",", "")), _seeds(run), minutes)


def _seeds(run: Run) -> int:
    """The most seeds that a configuration has."""
    if "--seeds" in run.options:
        return int(run.options[run.options.index("--seeds") + 1])
    return len({cell.seed for cell in load(run.experiment).cells("--quick" in run.options)})


def _sum(name: str, costs: Sequence[Cost]) -> str:
    """Of the minutes that are known."""
    minutes = sum(each.minutes or 0.0 for each in costs)
    return _FORM.format(name, "sum", sum(each.cells for each in costs), "", f"{minutes:.0f}")
