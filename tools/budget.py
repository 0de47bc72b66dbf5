# SPDX-License-Identifier: Apache-2.0
"""What it takes to measure all of `recorded/runs.toml`: the estimates of `--dry-run`."""

import tempfile
from collections.abc import Sequence

from typer.testing import CliRunner

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.cli import app
from firesteel.run.estimate import Estimate, Eta, new_cells
from firesteel.store.store import Store
from tools.runs import Run, load_designs, load_runs, load_studies

_FORM = "{:<13}{:<27}{:>8}{:>7}{:>9}"


def budget() -> str:
    """A table of all runs, studies and questions of design, by set, with the sum of each set.

    A row is as in an empty store.  In a sum, cells that share a record count once, because they are
    measured once.  A question of design counts with the most that its search may take.  Raises
    `FiresteelError` when one has a mistake.
    """
    asked = {"run": load_runs(), "sensitivity": load_studies(), "design": load_designs()}
    sets: dict[str, list[tuple[Run, Estimate]]] = {}
    for command, runs in asked.items():
        for run in runs:
            sets.setdefault(run.set, []).append((run, _estimate(command, run)))
    eta = Eta([Store(RECORDED)])
    lines = [_FORM.format("set", "run", "cells", "seeds", "minutes")]
    for name, those in sets.items():
        for run, told in those:
            cells = [cell for batch in told.batches for _, cell in batch]
            seeds, minutes = len({cell.seed for cell in cells}), _minutes([told], eta)
            lines.append(_FORM.format(name, run.name, len(cells), seeds, minutes))
        lines += [_sum(name, [told for _, told in those], eta), ""]
    every = [told for those in sets.values() for _, told in those]
    return "\n".join([*lines, _sum("all", every, eta)])


def _estimate(command: str, run: Run) -> Estimate:
    """What the command tells in a dry run."""
    with tempfile.TemporaryDirectory() as empty:
        words = [command, run.experiment, *run.options, "--dry-run", "--store", empty]
        done = CliRunner().invoke(app, words, standalone_mode=False)
    if isinstance(told := done.return_value, Estimate):
        return told
    raise FiresteelError(f"`{run.name}` of {run.set}: {done.exception}")


def _sum(name: str, those: Sequence[Estimate], eta: Eta) -> str:
    """What is measured for all of these, one after the other."""
    cells = sum(map(len, new_cells(batch for told in those for batch in told.batches)))
    return _FORM.format(name, "sum", cells, "", _minutes(those, eta))


def _minutes(those: Sequence[Estimate], eta: Eta) -> str:
    """For records that are not there yet; `unknown` where no cell was measured before."""
    new = new_cells(batch for told in those for batch in told.batches)
    jobs = [told.jobs for told in those for _ in told.batches]
    times = [eta.together(cells, at_once) for cells, at_once in zip(new, jobs, strict=True)]
    known = [each for each in times if each is not None]
    return "unknown" if len(known) < len(times) else f"{sum(known) / 60:.0f}"
