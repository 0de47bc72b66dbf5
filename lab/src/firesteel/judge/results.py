# SPDX-License-Identifier: Apache-2.0
"""The results of a run, read from the store for showing: journal, records and tidy figures.

A configuration that was measured with several seeds has several records.  For each figure, the mean
is shown.  `spread` contains the intervals, and `samples` contains every single value.

For a very large run, only as many cells are shown as people can read (`drawn`).  Hashes of the
cells choose them, so the choice is the same each time and follows no pattern of a sweep.  Cells
that are compared stay together: usually all cells of one place.  If a place has more cells than can
be shown, a configuration stays together with all its seeds and implementations, and with the
place's cells without a tunnel.

`Coordinates` are where a record stands in a sweep, by what it says of its boards and links; so any
records can be seen as a sweep of any numbers.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import polars as pl

from firesteel.boards.numbers import Path, base_of
from firesteel.boards.profile import Clock, Cpu
from firesteel.judge.intervals import BY_SEED, SPREAD_COLUMNS, spreads
from firesteel.judge.places import Places
from firesteel.judge.rows import Result, grouped, read_results, where_columns
from firesteel.judge.spread import load_spread
from firesteel.judge.verdict import Offload, offloads
from firesteel.model import names
from firesteel.model.cell import NO_TUNNEL, Place
from firesteel.model.identity import by_key
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.store.setup import Setup, distinct
from firesteel.store.store import LATEST, Store
from firesteel.table import (
    BOARD,
    CELL_COLUMNS,
    FIGURE_COLUMNS,
    KEY_COLUMNS,
    SWEPT,
    WHERE,
    samples_of,
)

MOST = 1000
"""How many cells are shown: the report of so many is a file of some megabytes."""


def drawn(entries: Sequence[Entry], most: int = MOST) -> list[Entry]:
    """So many of the entries at most, in their order; all if there are no more."""
    if len(entries) <= most:
        return list(entries)
    keys = [_key(entry) for entry in entries]
    ordered = sorted(range(len(entries)), key=lambda number: (keys[number], number))
    taken: list[int] = []
    for _, group in groupby(ordered, key=keys.__getitem__):
        those = list(group)
        if len(taken) + len(those) > most:
            break
        taken += those
    return [entries[number] for number in sorted(taken or ordered[:most])]


def _key(entry: Entry) -> tuple[bytes, bool, bytes]:
    """What is drawn together has the same: by place, then what has no tunnel, then the others."""
    cell = entry.cell
    place = (cell.topology, *map("=".join, sorted(cell.profiles.items())), cell.link)
    suite = (cell.protocol, cell.cipher, cell.mac, cell.habits)
    configuration = (*suite, cell.pinned) if cell.pinned else suite
    return _hash(place), cell.protocol != NO_TUNNEL, _hash(configuration)


def _hash(words: Iterable[str]) -> bytes:
    return hashlib.sha256("\n".join(words).encode()).digest()


@dataclass(frozen=True)
class Results:
    """A run's journal, the records of its finished cells, and all their figures.

    `samples` has a row for each figure of each record, with `cell` (everything about the cell
    except its seed), `seed` and the figure's `uncertainty`.  `spread` has a row for each figure,
    with the columns of `judge.intervals` and the mean as `value`.  `figures` contains the same rows
    without these columns, and `means` contains the rows as objects.  If a run is too large to be
    shown as a whole, `left_out` counts the finished cells whose records were not read.
    """

    journal: Journal
    records: tuple[Record, ...]
    figures: pl.DataFrame
    spread: pl.DataFrame
    samples: pl.DataFrame
    left_out: int = 0

    @property
    def part(self) -> str:
        """How much of the run this is, and where the rest is, if it is not all."""
        if not self.left_out:
            return ""
        shown = len(self.records)
        return (
            f"{shown:,} of {shown + self.left_out:,} finished cells are shown. The choice is the "
            "same each time and spread evenly over all cells; cells that are compared stay "
            f"together. `firesteel show {self.journal.name} --part samples` writes every figure."
        )

    @property
    def keys(self) -> set[str]:
        """The addresses of its records."""
        return {record.key for record in self.records}

    @cached_property
    def means(self) -> tuple[Result, ...]:
        """Each figure with all its seeds and its label, in the order of `spread`."""
        found = read_results(self.spread)
        return tuple(Places.of(found).labelled(found))

    @cached_property
    def offloads(self) -> tuple[Offload, ...]:
        """All pairs of software and hardware."""
        return tuple(offloads(self.means))

    @property
    def tidy(self) -> pl.DataFrame:
        """All figures for other programs.  Columns for the place are added if nothing else
        distinguishes some rows, and columns for intervals if a figure has one.
        """
        return self.spread.select(*self.figures.columns, *self._where, *self._intervals)

    @property
    def with_boards(self) -> pl.DataFrame:
        """The same with the board of each figure."""
        where = self._where or (BOARD,)
        if not self._intervals:
            return self.spread.select(*FIGURE_COLUMNS, *CELL_COLUMNS, *where)
        return self.spread.select(*KEY_COLUMNS, *CELL_COLUMNS, *where, "value", *self._intervals)

    @property
    def _where(self) -> tuple[str, ...]:
        return where_columns(result.identity for result in self.means)

    @property
    def _intervals(self) -> tuple[str, ...]:
        return () if self.spread["ci95_low"].is_null().all() else SPREAD_COLUMNS

    @property
    def converged(self) -> bool:
        """Whether all figures have."""
        return all(result.converged for result in self.means)

    @property
    def spread_said(self) -> str:
        """What ± behind its figures of one seed means; nothing where none follows from a spread."""
        assumed = any(result.interval in ("kind", "assumed") for result in self.means)
        spread = load_spread() if assumed else None
        return spread.said if spread else ""

    @property
    def seeds(self) -> list[int]:
        """The seeds of all cells, sorted."""
        return sorted({entry.cell.seed for entry in self.journal.entries})

    @property
    def measured_on(self) -> list[str]:
        """The boards and links on which its cells were measured, a sentence each.  For a sweep,
        these are each board and its links as first measured, and the ranges of the others.
        """
        by_board = grouped(self.records, lambda each: base_of(each.cell.place.board))
        told = []
        for records in by_board.values():
            measured = [(each.setup, each.cell.measured) for each in records]
            said = distinct(measured)
            if len(said) > 1 and self.journal.varied:
                ranges = (_range(path, measured) for path in self.journal.varied)
                said = [said[0], f"{len(said)} such boards and links, by {'; '.join(ranges)}"]
            told += said
        return list(dict.fromkeys(told))

    @property
    def measured_cpus(self) -> tuple[tuple[str, Cpu], ...]:
        """The measured boards with their CPUs, each once."""
        return cpus_of(self.records)

    @property
    def clocks(self) -> dict[str, Clock]:
        """What the clocks of the measured boards count, by the profiles' names."""
        return {name: cpu.clock for name, cpu in self.measured_cpus}

    @property
    def failed(self) -> list[Entry]:
        """Cells that were measured and failed."""
        return [entry for entry in self.journal.entries if entry.state == "failed"]

    @property
    def waiting(self) -> list[Entry]:
        """Cells that an interrupted run did not come to."""
        return [entry for entry in self.journal.entries if entry.state == "waiting"]

    @property
    def missing(self) -> int:
        """How many cells have no figures."""
        return len(self.failed) + len(self.waiting)


def cpus_of(records: Iterable[Record]) -> tuple[tuple[str, Cpu], ...]:
    """The boards that records were measured on, each once: the profile's name and its CPU."""
    places = ((each.cell.measured, each) for each in records)
    found = ((each.cell.profiles[at], each.setup.profiles[at].cpu) for at, each in places)
    return tuple(dict.fromkeys(found))


def load_results(store: Store, run: str = LATEST, most: int | None = None) -> Results:
    """The results of that run; `FiresteelError` when there is none or a record is damaged.

    Of one with more finished cells than `most` some are drawn (`drawn`).
    """
    journal = store.journal(run)
    finished = [entry for entry in journal.entries if entry.state == "done"]
    taken = finished if most is None else drawn(finished, most)
    results = of_records(journal, store.each_record(journal, taken))
    return replace(results, left_out=len(finished) - len(taken))


def of_records(journal: Journal, records: Iterable[Record]) -> Results:
    """The results of a run that has these records."""
    records = tuple(records)
    samples = samples_of(records)
    spread = spread_of(samples)
    figures = spread.select(*FIGURE_COLUMNS, *CELL_COLUMNS)
    return Results(journal, records, figures, spread, samples)


def spread_of(samples: pl.DataFrame) -> pl.DataFrame:
    """A row for each figure, as in `Results.spread`."""
    of = (*CELL_COLUMNS, *WHERE, SWEPT)
    found = spreads(samples, [*KEY_COLUMNS, *of, "cell"])
    return found.select(*FIGURE_COLUMNS, *of, *SPREAD_COLUMNS, BY_SEED)


def _range(path: str, measured: Iterable[tuple[Setup, str]]) -> str:
    """What a number is that varies, and from where to where."""
    numbers = (setup.number(node, path) for setup, node in measured)
    there = sorted({each for each in numbers if each is not None})
    of = Path.of(path)
    ends = " to ".join(map(of.said, dict.fromkeys((there[0], there[-1])))) if there else ""
    return names.listed(of.title, ends)


Coordinates = tuple[float | None, ...]
"""A number for each path, in the unit of its key; None where there is none."""


def coordinates(record: Record, paths: Sequence[str]) -> Coordinates:
    """Where a record stands."""
    return tuple(record.setup.number(record.cell.measured, path) for path in paths)


def by_place(records: Iterable[Record], paths: Sequence[str]) -> dict[Place, Coordinates]:
    """Where the places of a run stand."""
    first = by_key(records, lambda record: record.cell.place)
    return {place: coordinates(record, paths) for place, record in first.items()}
