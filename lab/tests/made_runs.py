# SPDX-License-Identifier: Apache-2.0
"""Runs with figures made up, as a report or a comparison reads them from the store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import process_time

import polars as pl
from fake_runner import FakeRunner
from fake_watcher import Notes
from made_results import with_swept

from firesteel.boards.profile import Clock
from firesteel.judge.results import Results, load_results, of_records
from firesteel.model.cell import Cell
from firesteel.run.experiment.collection import load
from firesteel.run.loop import Options, execute
from firesteel.show.report.write import render
from firesteel.store.journal import Entry
from firesteel.store.store import Store
from firesteel.table import CELL_COLUMNS, FIGURE_COLUMNS, UNCERTAINTY


@dataclass(frozen=True)
class Rendered:
    """A report of so many cells, and the CPU time that it took."""

    page: str
    cells: int
    seconds: float

    @property
    def seconds_each(self) -> float:
        """For a cell."""
        return self.seconds / self.cells


def rendered(results: Results) -> Rendered:
    """The report of these, timed."""
    start = process_time()
    page = render(results)
    return Rendered(page, len(results.records), process_time() - start)


def results_of(
    tmp_path: Path,
    keep: Callable[[Cell], bool] = lambda _: True,
    fail: Sequence[str] = (),
    experiment: str = "quickstart",
    clock: Clock | None = None,
    *,
    quick: bool = True,
) -> Results:
    """A run of these cells; with a `clock`, on boards that have it instead of their own."""
    loaded = load(experiment)
    cells = [cell for cell in loaded.cells(quick=quick) if keep(cell)]
    store, runner = Store(tmp_path), FakeRunner(fail=fail, clock=clock)
    execute(loaded, cells, Options(quick=quick), runner, store, Notes())
    return load_results(store)


def page_of(results: Results) -> str:
    return render(results)


def many(tmp_path: Path, boards: int = 6) -> Results:
    """Some two hundred cells a board, of configurations made up and figures like those of a few;
    more than a thousand on six.
    """
    few = results_of(tmp_path, lambda cell: cell.cipher == "aes-256-cbc", experiment="openvpn")
    by_way = {str(record.cell.implementation): record for record in few.records}
    ciphers = [f"aes-{bits}-{mode}" for bits in (128, 256) for mode in ("cbc", "ctr", "gcm", "xts")]
    ways = [("software", None), *(("hardware", how) for how in ("adaptive", "irq", "poll"))]
    parts = product(("openvpn", "ipsec", "nginx"), ciphers, ("none", "sha256"), ways, range(boards))
    records = []
    for number, (protocol, cipher, mac, (how, completion), board) in enumerate(parts):
        what = {"protocol": protocol, "cipher": cipher, "mac": mac, "implementation": how}
        record = by_way[how]
        profiles = {"board": f"board-{board}", "peer": "peer"}
        cell = record.cell.model_copy(
            update={**what, "completion": completion, "profiles": profiles}
        )
        figures = tuple(
            figure.model_copy(update={**what, "value": figure.value * (1 + number % 7 / 10)})
            for figure in record.figures
        )
        records.append(record.model_copy(update={"cell": cell, "figures": figures}))
    entries = [Entry(cell=record.cell, key=record.key, state="done") for record in records]
    journal = few.journal.model_copy(update={"entries": entries})
    return by_board(of_records(journal, records))


def with_figures(results: Results, figures: pl.DataFrame) -> Results:
    """The results with other figures, of one seed and exact, and of the board `socrates` unless
    they say.
    """
    if "board" not in figures.columns:
        figures = figures.with_columns(pl.lit("socrates").alias("board"))
    tidy = figures.select(*FIGURE_COLUMNS, *CELL_COLUMNS)
    if "converged" not in figures.columns:
        unknown = pl.lit(None, pl.Float64)
        seed = pl.struct(
            pl.lit(1).alias("seed"),
            "value",
            pl.lit(0.0).alias(UNCERTAINTY),
            pl.lit(None, pl.Int64).alias("freedom"),
        )
        figures = figures.with_columns(
            seeds=1,
            converged=pl.lit(value=True),
            ci95_low=unknown,
            ci95_high=unknown,
            by_seed=pl.concat_list(seed),
        )
    return replace(results, figures=tidy, spread=with_swept(figures))


def by_board(results: Results) -> Results:
    """With the board of every figure, however the results were loaded."""
    return with_figures(results, results.spread)
