# SPDX-License-Identifier: Apache-2.0
"""Whether two stores have equal figures, in every digit, of the cells that both have: measure
before and after a change that must not change what is measured, then compare.

The figures of both are derived by the parsers of this checkout, so it does not show what a change
of parsers does.
"""

from collections.abc import Iterator

from firesteel.base.errors import FiresteelError
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.store import Store


def compare_stores(store: Store, other: Store) -> int:
    """Prints a line for each run of `store`, whose cells may be in any run of `other`, and one for
    each difference; the exit status.

    Raises `FiresteelError` when a record of either is damaged, and when they share no cell.
    """
    there = {_key(record): record for name in other.run_names() for record in _records(other, name)}
    shared = differences = 0
    for name in store.run_names():
        records = _records(store, name)
        pairs = [(record, there[of]) for record in records if (of := _key(record)) in there]
        told = [
            f"{one.cell.label}: {what}" for one, its in pairs for what in _differences(one, its)
        ]
        figures = sum(len(record.figures) for record, _ in pairs)
        said = f"{len(told)} differences" if told else "all equal"
        print(f"{name}: {len(pairs)} cells, {figures} figures, {said}", end="")
        missing = len(records) - len(pairs)
        print(f"; {missing} cells are not in the other store" if missing else "")
        for each in told:
            print(f"  {each}")
        shared, differences = shared + len(pairs), differences + len(told)
    if not shared:
        raise FiresteelError(f"{store.root} and {other.root} share no cell; nothing was compared.")
    return 1 if differences else 0


def _records(store: Store, run: str) -> list[Record]:
    return list(store.records(store.journal(run)))


def _key(record: Record) -> str:
    """What a record is of: its cell, and the libcrypto that programs had."""
    return f"{record.cell.model_dump_json()} {libcrypto_of([record])}"


def _differences(one: Record, other: Record) -> Iterator[str]:
    before, after = map(_values, (one, other))
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name} is {before.get(name)} and {after.get(name)}"
    if one.trace != other.trace:
        yield "the traces differ"


def _values(record: Record) -> dict[str, object]:
    """Figures, and what proves that the cores were used."""
    figures = {
        f"{each.workload} {each.parameter.text} {each.metric}": (each.value, each.uncertainty)
        for each in record.figures
    }
    return {**figures, **record.proof}
