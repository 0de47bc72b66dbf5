# SPDX-License-Identifier: Apache-2.0
"""Whether two stores have equal figures, in every digit, of the cells that both have.

A change that must not change figures is shown by it: measure before and after, then compare.  The
figures of both are derived by the parsers of this checkout, so it does not show what a change of
parsers does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.model.figure import Figure
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.store import Store


@dataclass(frozen=True)
class Same:
    """What came of one run: how many cells both stores have, how many figures and counters these
    have, and what differs, in words.
    """

    run: str
    cells: int
    figures: int
    missing: int
    differences: tuple[str, ...]

    def __str__(self) -> str:
        said = f"{self.run}: {self.cells} cells, {self.figures} figures, "
        said += f"{len(self.differences)} differences" if self.differences else "all equal"
        return f"{said}; {self.missing} cells are not in the other store" if self.missing else said


def compare_stores(store: Store, other: Store) -> list[Same]:
    """A result for each run of `store`, whose cells may be in any run of `other`.

    Raises `FiresteelError` when a record of either is damaged, and when they share no cell.
    """
    found = list(_runs(store, _by_cell(other)))
    if not any(same.cells for same in found):
        raise FiresteelError(f"{store.root} and {other.root} share no cell; nothing was compared.")
    return found


def _runs(store: Store, there: Mapping[str, Record]) -> Iterator[Same]:
    for name in store.run_names():
        records = store.records(store.journal(name))
        pairs = [(record, there[key]) for record in records if (key := _key(record)) in there]
        found = [
            f"{record.inputs.cell.label}: {what}"
            for record, its in pairs
            for what in _differences(record, its)
        ]
        figures = sum(len(record.measurement.figures) for record, _ in pairs)
        yield Same(name, len(pairs), figures, len(records) - len(pairs), tuple(found))


def _by_cell(store: Store) -> dict[str, Record]:
    return {
        _key(record): record
        for name in store.run_names()
        for record in store.records(store.journal(name))
    }


def _key(record: Record) -> str:
    """What a record is of: its cell, and the libcrypto that programs had."""
    return f"{record.inputs.cell.model_dump_json()} {libcrypto_of([record])}"


def _differences(one: Record, other: Record) -> Iterator[str]:
    yield from _of(_values(one.measurement.figures), _values(other.measurement.figures))
    yield from _of(one.measurement.proof, other.measurement.proof)
    if one.measurement.trace != other.measurement.trace:
        yield "the traces differ"


def _of(one: Mapping[str, object], other: Mapping[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*one, *other)):
        if one.get(name) != other.get(name):
            yield f"{name} is {one.get(name)} and {other.get(name)}"


def _values(figures: tuple[Figure, ...]) -> dict[str, object]:
    return {
        f"{each.workload} {each.parameter.text} {each.metric}": (each.value, each.uncertainty)
        for each in figures
    }
