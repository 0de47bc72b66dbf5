# SPDX-License-Identifier: Apache-2.0
"""Measures again everything that `recorded/runs.toml` names.  It keeps the records of runs and of
questions of design, but only the results of studies.

`spread_file` is how far figures differ between the seeds of those that have several.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import polars as pl

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge import sensitivity as study
from firesteel.judge.spread import KIND, SPREAD_FILE
from firesteel.judge.verdict import BUSY, USE
from firesteel.model.metrics import AT_LINK
from firesteel.search import design as design_file
from firesteel.store.journal import Journal
from firesteel.store.store import Store, usual_store
from firesteel.table import CPUS, KEY_COLUMNS, rows
from tools.runs import RUNS, Run, load_designs, load_runs, load_studies

_HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# How far figures differ between seeds, on boards with one CPU and with several: by workload,
# protocol and metric the standard deviation of the logarithms in percent, pooled over the cells of
# these runs, and its degrees of freedom.
# `scripts/figures.sh write` makes this file.
"""


def spread_file(store: Store) -> dict[Path, str]:
    """The file that figures of one seed take their intervals from, by all runs that are recorded
    with several seeds; nothing while none is.
    """
    journals = [store.journal(name) for name in sorted(store.run_names())]
    several = [each for each in journals if len({entry.cell.seed for entry in each.entries}) > 1]
    if not several:
        return {}
    measured = max(each.started[:10] for each in several)
    quoted = ", ".join(f'"{each.name}"' for each in several)
    lines = [_HEAD, f"runs = [{quoted}]", f"measured = {measured}"]
    # Runs may share cells.
    samples = pl.concat([rows(store, each.name) for each in several]).unique()
    for boards, counted in (("one_cpu", pl.col(CPUS) == 1), ("several_cpus", pl.col(CPUS) > 1)):
        lines += _kinds(boards, deviations(samples.filter(counted)))
    return {SPREAD_FILE: "\n".join((*lines, ""))}


def _kinds(boards: str, found: pl.DataFrame) -> Iterator[str]:
    """Lines of the file: a table for each workload and protocol."""
    rows_of = found.sort(KIND).rows()
    for (workload, protocol), those in groupby(rows_of, key=lambda row: row[:2]):
        yield from ("", f"[{boards}.{workload}.{protocol}]")
        yield from (f"{metric} = [{each:.3g}, {freedom}]" for *_, metric, each, freedom in those)


def deviations(samples: pl.DataFrame) -> pl.DataFrame:
    """For each kind of figure the pooled standard deviation of the logarithms between the seeds of
    a cell, in percent, and its degrees of freedom.

    A figure of 0 has no logarithm.  Rows that fill the link, and the CPU use of a processor that is
    busy all the time, differ less than others would.  All these are left out.  Cells of one kind
    whose seeds give the same figures are the same software on boards that differ in their cores,
    and count once.
    """
    value, row = pl.col("value"), ("experiment", "parameter", "cell")
    full = samples.filter(pl.col("metric") == "link_use", value >= 100 * AT_LINK)
    samples = samples.join(full, on=row, how="anti")
    logarithms = pl.when(value.min() == value.max()).then(0.0).otherwise(value.log().var())
    freedom = (value.len() - 1).cast(pl.Int64)
    cells = samples.group_by(*KEY_COLUMNS, "cell").agg(
        (logarithms * freedom).alias("squares"),
        freedom.alias("freedom"),
        (value.min() > 0).alias("positive"),
        pl.struct("seed", "value").sort_by("seed").alias("figures"),
        ((pl.col("metric").first() == USE) & (value.max() > BUSY)).alias("busy"),
    )
    pooled = 100 * (pl.col("squares").sum() / pl.col("freedom").sum()).sqrt()
    return (
        cells.filter("positive", ~pl.col("busy"), pl.col("freedom") > 0)
        .unique([*KIND, "figures"])
        .group_by(KIND)
        .agg(pooled.alias("percent"), pl.col("freedom").sum())
    )


def measure(wanted: Sequence[str]) -> None:
    """Measures all runs, studies and questions of design, or the wanted ones, in the usual store.
    `set=NAME` is all of that set.  Cells that are recorded with the same inputs are not measured.

    Raises `FiresteelError` for a name that nothing has, and when one fails.
    """
    runs, studies, designs = load_runs(), load_studies(), load_designs()
    every = (*runs, *studies, *designs)
    known = [run.name for run in every] + list(dict.fromkeys(_set_of(run) for run in every))
    for name in wanted:
        if name not in known:
            raise FiresteelError(f"{RUNS} has no run `{name}`; there are: {', '.join(known)}.")
    _lend()
    for command, told, take in (
        ("run", runs, _take),
        ("sensitivity", studies, _take_study),
        ("design", designs, _take_design),
    ):
        for run in told:
            if not wanted or run.name in wanted or _set_of(run) in wanted:
                _execute(command, run)
                take(run)
    _sweep()


def _set_of(run: Run) -> str:
    """How its set is asked for, as runs have the names of sets."""
    return f"set={run.set}"


def _execute(command: str, run: Run) -> None:
    """It goes on for an hour, so it ends when this is ended.  Its status is also 1 where nothing
    meets what a question of design requires, which is an answer.
    """
    lab = [str(CHECKOUT / "firesteel"), command, run.experiment, *run.options]
    status = subprocess.run(["setpriv", "--pdeathsig", "TERM", *lab], check=False).returncode
    if status not in (0, 1 if command == "design" else 0):
        raise FiresteelError(f"The run `{run.name}` failed; nothing of it is kept.")


def _stores() -> tuple[Store, Store]:
    """Where it was measured, and where pages have it from."""
    return Store(usual_store()), Store(RECORDED)


def _lend() -> None:
    """Gives the usual store the records that it does not have."""
    usual, recorded = _stores()
    for key in sorted(recorded.keys() - usual.keys()):
        usual.adopt(recorded, key)


def _latest(store: Store, run: Run) -> Journal:
    """The latest journal of a store, which must be of the experiment that was just measured.

    Raises `FiresteelError` when another command measured something in the store meanwhile.
    """
    found = store.journal()
    if found.experiment != run.experiment:
        raise FiresteelError(
            f"The latest run in {store.root} is of `{found.experiment}`, not of "
            f"`{run.experiment}`: another command measured there meanwhile. Nothing of it is kept."
        )
    return found


def _take(run: Run) -> None:
    """Copies the latest run, under its name in pages."""
    usual, recorded = _stores()
    measured = _latest(usual, run)
    recorded.save(measured.model_copy(update={"name": run.name}))
    for entry in measured.entries:
        if entry.state == "done":
            recorded.adopt(usual, entry.key)
    target = recorded.runs / run.name / "profiles"
    shutil.rmtree(target, ignore_errors=True)
    if (source := usual.runs / measured.name / "profiles").is_dir():
        shutil.copytree(source, target)


def _take_study(run: Run) -> None:
    """Copies the latest study, under its name in pages."""
    usual, recorded = _stores()
    journal = _latest(usual.sensitivity, run)
    found = study.load(usual, journal.name)
    if found is None:
        raise FiresteelError(
            f"The study `{run.name}` has not come to its end; nothing of it is kept."
        )
    recorded.sensitivity.save(journal.model_copy(update={"name": run.name}))
    study.save(recorded, found.model_copy(update={"run": run.name}))


def _take_design(asked: Run) -> None:
    """Copies the latest question of design with its runs: the last has the name in pages, those
    before it have a number behind it.
    """
    (usual, recorded), name = _stores(), asked.name
    found = design_file.load(usual, _latest(usual.design, asked).name)
    if found is None:
        raise FiresteelError(f"The question `{name}` was not answered; nothing of it is kept.")
    before = design_file.load(recorded, name)
    for run in before.order if before else ():
        shutil.rmtree(recorded.design.runs / run)
    names = {run: f"{name}-{number}" for number, run in enumerate(found.order, 1)}
    names[found.run] = name
    for run, called in names.items():
        journal = usual.design.journal(run)
        recorded.design.save(journal.model_copy(update={"name": called}))
        for entry in journal.entries:
            recorded.adopt(usual, entry.key)
    design_file.save(recorded, found.renamed(names))


def _sweep() -> None:
    """Removes runs, studies and questions that are no longer named, and records that none has."""
    store = Store(RECORDED)
    designs = [design_file.load(store, run.name) for run in load_designs()]
    for place, named in (
        (store, [run.name for run in load_runs()]),
        (store.sensitivity, [run.name for run in load_studies()]),
        (store.design, [run for each in designs if each for run in each.order]),
    ):
        for name in set(place.run_names()).difference(named):
            shutil.rmtree(place.runs / name)
    used = {
        entry.key
        for place in (store, store.design)
        for name in place.run_names()
        for entry in place.journal(name).entries
    }
    for kept in ("records", "observations"):
        for path in (store.root / kept).rglob("*.json*"):
            if path.name.partition(".")[0] not in used:
                path.unlink()
