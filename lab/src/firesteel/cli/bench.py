# SPDX-License-Identifier: Apache-2.0
"""The benches on which commands measure cells, and their options: boards of this machine, or of
machines that work for a scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import RequestError
from firesteel.boards.files import sweep
from firesteel.boards.profile import Clock
from firesteel.boards.real import is_real
from firesteel.boards.run import RunBoards, run_from_snapshots
from firesteel.build.cache import NotBuiltError, nothing_is_built
from firesteel.cli.common import stops
from firesteel.cli.machines import cluster_at
from firesteel.judge.places import Places
from firesteel.machines.task import Tls
from firesteel.model.cell import Cell
from firesteel.run.estimate import Estimate, cost_estimate
from firesteel.run.experiment.collection import Collection, load
from firesteel.run.experiment.experiment import Elsewhere, Experiment
from firesteel.run.experiment.sweep import NO_SWEEP, Sweep
from firesteel.run.loop import Options, Runner, Subject, default_jobs, execute
from firesteel.show.screen import Screen
from firesteel.store.journal import Journal
from firesteel.store.record import Record
from firesteel.store.store import Store

if TYPE_CHECKING:
    from firesteel.boards.catalog import Catalog
    from firesteel.build.artifacts import Libcrypto
    from firesteel.machines.cluster import Cluster


_MOST_LISTED = 20
"""Cells that a dry run lists."""


@dataclass(frozen=True)
class Measuring:
    """Options of every command that measures."""

    quick: bool = False
    only: list[str] | None = None
    seeds: int | None = None
    board: str | None = None
    link: str | None = None
    peer: str | None = None
    jobs: int | None = None
    store: Path | None = None
    clock: Clock | None = None
    dry_run: bool = False
    on: str | None = None
    tls: Tls = field(default_factory=Tls)

    def load(self, experiment: str, sweep: Sweep = NO_SWEEP) -> Experiment | Collection:
        """The experiment or collection of that name or in that file, on the boards asked for."""
        elsewhere = Elsewhere.of(self.board, self.link, self.peer, self.clock)
        return load(experiment, clock=self.clock, sweep=sweep, elsewhere=elsewhere)

    @contextmanager
    def bench(
        self,
        told: Experiment | Collection,
        cells: Sequence[Cell],
        store: Store,
        runs: Store | None = None,
        fresh: bool = False,
        said: Mapping[str, object] | None = None,
    ) -> Iterator[Bench]:
        """Where these cells are measured, for the `with` block: the boards of this machine, or
        those behind the scheduler.  Runs are kept in `runs`, or in the store; remains of killed
        runs there are removed.  `said` are further options of the command.

        Raises `RequestError` for files of TLS without a scheduler, and for options that contradict
        each other.
        """
        if self.on and self.jobs:
            raise RequestError(
                "--jobs applies to this machine; with --on each worker has its own number."
            )
        real = self._is_real(cells)
        jobs = 1 if real else self.jobs or default_jobs(cells)
        names = ("board", "link", "peer", "clock", "seeds", "only")
        given = {f"--{name}": getattr(self, name) for name in names} | {**(said or {})}
        asked = (
            (option, f"{each}")
            for option, value in given.items()
            for each in (value if isinstance(value, list) else [value])
            if each is not None
        )
        options = Options(quick=self.quick, fresh=fresh, jobs=jobs, said=tuple(asked))
        runs = runs or store
        sweep(runs.all_logs())
        with cluster_at(self.on, self.tls) as cluster:
            yield Bench(told, options, store, runs, cluster, real)

    def _is_real(self, cells: Sequence[Cell]) -> bool:
        """Whether cells are measured on real machines; `RequestError` for what these have not, and
        where other cells of the same run are not.
        """
        real = {any(map(is_real, cell.profiles.values())) for cell in cells}
        if real == {True, False}:
            raise RequestError(
                "Some cells are of real machines and some of virtual boards; measure them in "
                "separate runs."
            )
        given = {"--on": self.on, "--jobs": self.jobs, "--clock": self.clock}
        for option, value in given.items():
            if True in real and value:
                raise RequestError(f"{option} is for virtual boards; leave it out.")
        return True in real


@dataclass(frozen=True)
class Bench:
    """Where the cells of a command are measured, and with what options."""

    told: Experiment | Collection
    options: Options
    store: Store
    runs: Store
    cluster: Cluster | None
    real: bool = False
    """Whether these cells are of real machines, which are measured one after the other."""

    @cached_property
    def runner(self) -> Runner:
        """What measures them, once for all cells that a record stands for."""
        # It loads all workloads, which most commands do without.
        from firesteel.run.board_runner import EquivalenceRunner
        from firesteel.run.real_runner import RealRunner

        catalog = self.told.catalog
        if self.real:
            return RealRunner(catalog)
        patch = self.told.libcrypto if isinstance(self.told, Collection) else None
        boards = self.cluster.run if self.cluster else run_from_snapshots
        return EquivalenceRunner(make_runner(catalog, patch, boards), catalog)

    def prepare(self, cells: Sequence[Cell], *, dry: bool = False) -> Estimate | None:
        """Makes ready what cells are measured with.  In a dry run nothing is built: where something
        is missing, it says what is known without, and gives that.
        """
        try:
            with nothing_is_built() if dry else nullcontext():
                self.runner.prepare(cells)
        except NotBuiltError as missing:
            told = self.estimate([cells], known=False)
            typer.echo(f"{told.sentence} How many are new is not known yet: {missing}")
            return told
        return None

    def foretell(self, cells: Sequence[Cell], *, dry: bool = False) -> Estimate:
        """Says what measuring these cells will take, before it starts: on standard error, or as the
        result of a dry run, also which they are, if they are few.
        """
        if unprepared := self.prepare(cells, dry=dry):
            return unprepared
        told = self.estimate([cells])
        typer.echo(told.sentence, err=not dry)
        if dry and len(cells) <= _MOST_LISTED:
            places = Places.of_cells(cells)
            typer.echo("\n".join(map(places.of_cell, cells)))
        return told

    def estimate(
        self, batches: Sequence[Sequence[Cell]], most: int | None = None, *, known: bool = True
    ) -> Estimate:
        """What these batches of cells will take, or so many of them, one after the other; not
        `known` is which of them are new.
        """
        jobs = self._options_for([cell for batch in batches for cell in batch]).jobs
        stores = (self.store, Store(RECORDED))
        runner, fresh = self.runner if known else None, self.options.fresh
        return cost_estimate(batches, runner, stores, jobs, most=most, fresh=fresh)

    def recorded(self, cells: Sequence[Cell]) -> list[Record] | None:
        """The records of cells that the runner is prepared for; None where one is not there."""
        keys = [self.runner.inputs(cell).key for cell in cells]
        found = [self.store.get(key, cell) for key, cell in zip(keys, cells, strict=True)]
        there = [each for each in found if each is not None]
        return there if len(there) == len(found) else None

    def measure(
        self,
        subject: Subject,
        cells: Sequence[Cell],
        what_is_kept: Callable[[Journal], str] = lambda _: (
            "are finished and kept. The same command continues from there."
        ),
    ) -> Journal:
        """Measures cells, shows how far it is, and keeps the run; after a Ctrl-C it says what is
        kept, and ends the command.
        """
        options = self._options_for(cells)
        screen = Screen(Console(stderr=True), self.store, options.jobs)
        with stops(what_is_kept), screen:
            return execute(subject, cells, options, self.runner, self.runs, screen, self.cluster)

    def _options_for(self, cells: Sequence[Cell]) -> Options:
        """With as many cells side by side as there are machines for at this moment."""
        if not self.cluster:
            return self.options
        self.cluster.expect([len(cell.profiles) for cell in cells])
        return replace(self.options, jobs=self.cluster.at_once())


def make_runner(
    catalog: Catalog, patch: Libcrypto | None, boards: RunBoards = run_from_snapshots
) -> Runner:
    """What cells are measured with, on the boards of that catalog, which `boards` runs."""
    from firesteel.run.board_runner import BoardRunner

    return BoardRunner(catalog, patch, boards)
