# SPDX-License-Identifier: Apache-2.0
"""The boards of a run's cells whose records were measured on others, for which they stand."""

from collections.abc import Callable
from functools import lru_cache

from firesteel.model.cell import Cell
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.store.setup import Setup

_KNOWN = 64
"""Boards that are remembered: a sweep has all cells of some boards before those of others."""

_Where = tuple[str, int | None, tuple[tuple[str, str], ...]]


class Boards:
    """What the run's cells say of their boards, as far as some were measured on these; each is
    looked up when a record needs it.
    """

    def __init__(self, journal: Journal, read: Callable[[Entry], Record]) -> None:
        self._journal = journal
        self._read = read
        self._entries: dict[_Where, list[Entry]] = {}
        self._setup = lru_cache(maxsize=_KNOWN)(self._look_up)

    def on_its_own(self, record: Record) -> Record:
        """The record with the boards of its cell, if it stands for that with others."""
        if not record.stands:
            return record
        setup = self._setup(_where(record.inputs.cell))
        if setup is None:
            return record
        measurement = record.measurement.model_copy(update={"setup": setup})
        return record.model_copy(update={"measurement": measurement})

    def _look_up(self, where: _Where) -> Setup | None:
        if not self._entries:
            for entry in self._journal.entries:
                if entry.state == "done":
                    self._entries.setdefault(_where(entry.cell), []).append(entry)
        records = map(self._read, self._entries.get(where, ()))
        return next((each.measurement.setup for each in records if not each.stands), None)


def _where(cell: Cell) -> _Where:
    return cell.topology, cell.link_rate_bit_s, tuple(sorted(cell.profiles.items()))
