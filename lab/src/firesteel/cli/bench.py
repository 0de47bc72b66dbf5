# SPDX-License-Identifier: Apache-2.0
"""What commands measure cells with: the boards of this machine, or those of the machines that work
for a scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import RequestError
from firesteel.board.catalog import Catalog
from firesteel.board.run import RunBoards, run_from_snapshots
from firesteel.campaign.equivalence import EquivalenceRunner
from firesteel.campaign.estimate import cost_estimate
from firesteel.campaign.run import Options, Subject, default_jobs, execute
from firesteel.campaign.runner import Runner
from firesteel.cli.common import stops
from firesteel.cli.machines import cluster_at
from firesteel.experiment.collection import Collection
from firesteel.experiment.experiment import Experiment
from firesteel.machines.tls import Tls
from firesteel.model.cell import Cell
from firesteel.store.journal import Journal
from firesteel.store.libcrypto import Libcrypto
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.terminal.screen import Screen

if TYPE_CHECKING:
    from firesteel.machines.cluster import Cluster


class Bench:
    """Where the cells of a command are measured, and with what options."""

    def __init__(
        self,
        told: Experiment | Collection,
        options: Options,
        store: Store,
        cluster: Cluster | None,
    ) -> None:
        patch = told.libcrypto if isinstance(told, Collection) else None
        boards = cluster.run if cluster else run_from_snapshots
        self._options = options
        self.runner = EquivalenceRunner(make_runner(told.catalog, patch, boards), told.catalog)
        self._store = store
        self._cluster = cluster

    @property
    def _stores(self) -> tuple[Store, Store]:
        """Those of which is known what cells take."""
        return self._store, Store(RECORDED)

    def foretell(self, cells: Sequence[Cell]) -> None:
        """Says on standard error what measuring these cells will take, before it starts."""
        self.runner.prepare(cells)
        options = self._options_for(cells)
        told = cost_estimate([cells], self.runner, self._stores, options.jobs, fresh=options.fresh)
        typer.echo(told.sentence, err=True)

    def foretell_some(self, batches: Sequence[Sequence[Cell]], sure: int, most: int) -> str:
        """The same of batches of cells one after the other, as a sentence: of the first ones, which
        are `sure` to be needed, and others, so that there are no more than `most`.
        """
        jobs = self._options_for([cell for batch in batches for cell in batch]).jobs
        return cost_estimate(
            batches, self.runner, self._stores, jobs, sure=sure, most=most
        ).sentence

    def recorded(self, cells: Sequence[Cell]) -> list[Record] | None:
        """The records of cells that the runner is prepared for; None where one is not there."""
        keys = [self.runner.inputs(cell).key for cell in cells]
        found = [self._store.get(key, cell) for key, cell in zip(keys, cells, strict=True)]
        there = [each for each in found if each is not None]
        return there if len(there) == len(found) else None

    def measure(
        self,
        subject: Subject,
        cells: Sequence[Cell],
        runs: Store,
        what_is_kept: Callable[[Journal], str],
    ) -> Journal:
        """Measures cells, shows how far it is, and keeps the run among `runs` of the store; after a
        Ctrl-C it says `what_is_kept`, and ends the command.
        """
        options = self._options_for(cells)
        screen = Screen(Console(stderr=True), self._store, options.jobs)
        with stops(what_is_kept), screen:
            if self._cluster:
                screen.remark(self._cluster.greeting)
            return execute(subject, cells, options, self.runner, runs, screen, self._cluster)

    def _options_for(self, cells: Sequence[Cell]) -> Options:
        """With as many cells side by side as there are machines for at this moment."""
        if not self._cluster:
            return self._options
        self._cluster.expect([len(cell.profiles) for cell in cells])
        return replace(self._options, jobs=self._cluster.at_once())


@contextmanager
def bench_at(
    on: str | None, tls: Tls, told: Experiment | Collection, options: Options, store: Store
) -> Iterator[Bench]:
    """The boards of this machine, or those behind the scheduler `on`, for the `with` block.

    Raises `RequestError` for files of TLS without a scheduler.
    """
    with cluster_at(on, tls) as cluster:
        yield Bench(told, options, store, cluster)


def options_for(
    cells: Sequence[Cell], *, quick: bool, jobs: int | None, on: str | None, fresh: bool = False
) -> Options:
    """How to measure those cells; `RequestError` where what was said contradicts itself."""
    if on and jobs:
        raise RequestError("--jobs is for this machine; with --on each worker has its own.")
    return Options(quick=quick, fresh=fresh, jobs=jobs or default_jobs(cells))


def make_runner(
    catalog: Catalog, patch: Libcrypto | None, boards: RunBoards = run_from_snapshots
) -> Runner:
    """What cells are measured with, on the boards of that catalog, which `boards` runs."""
    # It loads all workloads, which most commands do without.
    from firesteel.campaign.board_runner import BoardRunner

    return BoardRunner(catalog, patch, boards)
