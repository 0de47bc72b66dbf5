# SPDX-License-Identifier: Apache-2.0
"""The driver's own account of a cell: what it left to software, and what programs did with cores.

Where the cores did less than they could, this tells a choice from a fault.  The kernel's driver
counts bytes by the path that they took.  The library counts within its programs alone; of these is
known only how often they opened a core, and that the driver saw no fault of theirs.
"""

import re
from dataclasses import dataclass

from firesteel.board.result import NodeResult
from firesteel.protocols.failure import CellFailure

_PATH = re.compile(r"^(\S+) (software-small|software-full) (\d+) (\d+)$", re.MULTILINE)
"""Algorithm, path, requests, bytes: as driver/debugfs.c writes them."""

_OPENS = re.compile(r"^\S+ (cm|pk) opens (\d+) ", re.MULTILINE)

_FAULTS = re.compile(r"^\S+ (cm|pk) .*?\bfaults (\d+)\b", re.MULTILINE)

_REFUSED = re.compile(r"^\S+ (cm|pk) .*?\brefused (\d+)\b", re.MULTILINE)


@dataclass(frozen=True)
class Account:
    """What the driver counted of one node, from before the first measurement to after the last.

    `left` are bytes that the kernel's driver left to software because the core would have cost more
    time, or because its queue was full.  `opened` has the cores (`cm`, the symmetric ones behind
    CryptoMaster, and `pk`) that programs had opened by then, without a fault and without being
    refused one.
    """

    left: int
    opened: frozenset[str]


def account_of(node: NodeResult) -> Account:
    """The account of a node; an empty one where its driver gave none, as records of before
    2026-11-26.

    Raises `CellFailure` when there is one for one of both instants alone.
    """
    items = [node.data.get(f"account.{when}") for when in ("before", "after")]
    if items == [None, None]:
        return Account(0, frozenset())
    if None in items:
        raise CellFailure(f"Node {node.name} sent one of two accounts of its driver.")
    before, after = (item.decode(errors="replace") for item in items if item is not None)
    return Account(_left(after) - _left(before), _opened(after))


def _left(text: str) -> int:
    return sum(int(size) for _, _, _, size in _PATH.findall(text))


def _opened(text: str) -> frozenset[str]:
    opens = _counts(_OPENS, text)
    troubled = _counts(_FAULTS, text) | _counts(_REFUSED, text)
    return frozenset(opens - troubled)


def _counts(pattern: re.Pattern[str], text: str) -> set[str]:
    """The cores of which such a count is not zero."""
    return {core for core, count in pattern.findall(text) if int(count)}
