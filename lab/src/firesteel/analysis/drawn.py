# SPDX-License-Identifier: Apache-2.0
"""Which cells of a very large run are shown: as many as can be read, spread evenly over all.

They are drawn by hashes of what they are, so they are the same each time, and no pattern in a sweep
meets a pattern in the choice.  What is compared stays together: all that was measured in one place,
or, of a place with more cells than can be shown, a configuration with all its seeds and
implementations; what was measured there without a tunnel comes with them.  Of a grid whole values
are left out instead (`analysis.grid`).
"""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import groupby

from firesteel.analysis.grid import Grid
from firesteel.model.cell import NO_TUNNEL
from firesteel.store.journal import Entry

MOST = 1000
"""How many cells are shown: the report of so many is a file of some megabytes."""

_Key = tuple[bytes, bool, bytes]


def drawn(entries: Sequence[Entry], most: int = MOST, grid: Grid | None = None) -> list[Entry]:
    """So many of the entries at most, in their order; all if there are no more.  `grid` is what
    their run is, if it is one.
    """
    if len(entries) <= most:
        return list(entries)
    if grid and (thinned := grid.thinned(entries, most)) is not None:
        return thinned
    keys = [_key(entry) for entry in entries]
    ordered = sorted(range(len(entries)), key=lambda number: (keys[number], number))
    taken: list[int] = []
    for _, group in groupby(ordered, key=keys.__getitem__):
        those = list(group)
        if len(taken) + len(those) > most:
            break
        taken += those
    return [entries[number] for number in sorted(taken or ordered[:most])]


def _key(entry: Entry) -> _Key:
    """What is drawn together has the same: by place, then what has no tunnel, then the others."""
    cell = entry.cell
    place = (cell.topology, *map("=".join, sorted(cell.profiles.items())), cell.link)
    configuration = (cell.protocol, cell.cipher, cell.mac, cell.habits)
    return _hash(place), cell.protocol != NO_TUNNEL, _hash(configuration)


def _hash(words: Iterable[str]) -> bytes:
    return hashlib.sha256("\n".join(words).encode()).digest()
