# SPDX-License-Identifier: Apache-2.0
"""Two measures of a change that must not change what is measured, or of how the lab hangs together.

`same`: whether two stores have equal figures, in every digit, of the cells that both have; measure
before and after the change, then compare.  The figures of both are derived by the parsers of this
checkout, so it does not show what a change of parsers does.

`crossings`: how often the making of a figure of a page calls a function of Python of another
package of `firesteel` than the caller's, where `tools` counts as one.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.model.figure import Figure
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.store import Store
from tools.figures import rendered


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
    yield from _of(_values(one.figures), _values(other.figures))
    yield from _of(one.proof, other.proof)
    if one.trace != other.trace:
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


Crossing = tuple[str, str, str]
"""From which package to which, and the function."""


def crossings(expression: str, store: Path) -> Counter[Crossing]:
    """Those of the making of the figure that the expression asks for."""
    found: Counter[Crossing] = Counter()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_back:
            caller, called = _package(frame.f_back), _package(frame)
            if caller and called and caller != called:
                found[caller, called, frame.f_code.co_qualname] += 1

    sys.setprofile(look)
    try:
        rendered(f"<!-- {{{{ {expression} }}}} --><!--/-->", Store(store))
    finally:
        sys.setprofile(None)
    return found


def say_crossings(expression: str) -> None:
    """Prints them, the most frequent first, and their number; and that of a store without an index,
    where the run's rows are made from what was observed.
    """
    crossings(expression, RECORDED)  # All is imported by this, and rows are kept.
    found = crossings(expression, RECORDED)
    for (caller, called, function), count in found.most_common():
        print(f"{count:6,}  {caller} -> {called}.{function}")
    with TemporaryDirectory() as directory:
        for part in ("records", "observations", "runs"):
            (Path(directory) / part).symlink_to(RECORDED / part)
        first = crossings(expression, Path(directory))
    print(f"{found.total():6,}  in all; {first.total():,} the first time, when rows are made")


def _package(frame: FrameType) -> str:
    """The package of the lab that a function is of; nothing if it is of none."""
    top, _, rest = frame.f_globals.get("__name__", "").partition(".")
    return rest.partition(".")[0] if top == "firesteel" else top if top == "tools" else ""
