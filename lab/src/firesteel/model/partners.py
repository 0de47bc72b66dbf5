# SPDX-License-Identifier: Apache-2.0
"""What is held beside what: the one way in which partners are found, be they figures, records or
cells.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def by_key(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, Item]:
    """The items by what they are; of several that are the same the first."""
    found: dict[Key, Item] = {}
    for item in items:
        found.setdefault(key(item), item)
    return found


def with_partners(
    items: Iterable[Item], partner: Callable[[Item], Key | None], among: Mapping[Key, Item]
) -> Iterator[tuple[Item, Item]]:
    """Each item that has its partner, behind it; `partner` says what that is, None where an item
    has none.
    """
    for item in items:
        wanted = partner(item)
        found = None if wanted is None else among.get(wanted)
        if found is not None:
            yield found, item
