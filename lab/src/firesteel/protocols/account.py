# SPDX-License-Identifier: Apache-2.0
"""The stack's own account of a cell: what driver and provider left to software by choice.

Where the cores did less than they could, this tells a choice from a fault.  The driver counts bytes
by the path that they took, the provider requests of each program by the reason why software did
them.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from firesteel.board.result import NodeResult
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.provider_statistics import Statistics, StatisticsError

_PATH = re.compile(r"^(\S+) (software-small|software-full) (\d+) (\d+)$", re.MULTILINE)
"""Algorithm, path, requests, bytes: as driver/debugfs.c writes them."""


@dataclass(frozen=True)
class Account:
    """What was counted on one node from before the first measurement to after the last.

    `left` are bytes that the kernel's driver left to software because the core would have cost more
    time, or because its queue was full.  The others are of programs, by the kind of work that the
    provider knows (`cbc`, `rsa`; provider/base/work.h): `small` has the requests that it left to
    software because they are faster there (or faster than to wait for the core), `other` those for
    any other reason (the core does not do them, may not, or failed), and `never` the kinds that it
    did not offer to a program, because the core is slower whatever the size.
    """

    left: int
    small: Counter[str]
    other: Counter[str]
    never: frozenset[str]

    def is_chosen(self, works: Collection[str]) -> bool:
        """Whether programs had software for work of these kinds, and for no other reason than that
        it is faster.
        """
        asked = any(self.small[work] > 0 or work in self.never for work in works)
        return asked and not any(self.other[work] for work in works)


def account_of(node: NodeResult) -> Account:
    """The account of a node; an empty one where it gave none, as nodes without cores and records
    of before 2026-11-26.

    Raises `CellFailure` where a part of it is missing or damaged.
    """
    before, after = (_left(text.decode(errors="replace")) for text in _item(node, "driver"))
    earlier, later = (_programs(node, data) for data in _item(node, "programs"))
    small: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for programs, sign in ((earlier, -1), (later, 1)):
        for work in (work for program in programs for work in program.works):
            small[work.name] += sign * work.chosen
            other[work.name] += sign * (work.software - work.chosen)
    never = {
        work.name
        for program in later
        for work in program.works
        if program.device and work.break_even is None
    }
    return Account(after - before, small, other, frozenset(never))


def _item(node: NodeResult, name: str) -> tuple[bytes, bytes]:
    """Before and after; both empty where there is neither."""
    before, after = (node.data.get(f"{name}.{when}") for when in ("before", "after"))
    if before is None and after is None:
        return b"", b""
    if before is None or after is None:
        raise CellFailure(f"Node {node.name} sent one of two accounts of its {name}.")
    return before, after


def _left(text: str) -> int:
    return sum(int(size) for _, _, _, size in _PATH.findall(text))


def _programs(node: NodeResult, data: bytes) -> list[Statistics]:
    """Of all programs, whose files stand one behind the other."""
    try:
        return Statistics.all_of(data, node.name)
    except StatisticsError as error:
        raise CellFailure(f"Node {node.name}: the provider's statistics: {error}") from None
