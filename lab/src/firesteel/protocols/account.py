# SPDX-License-Identifier: Apache-2.0
"""The stack's own account of a cell: what driver and provider left to software by choice.

Where the cores did less than they could, this tells a choice from a fault.  The driver counts bytes
by the path that they took, the provider requests of each program by the reason why software did
them.
"""

import re
from dataclasses import dataclass
from typing import Literal

from firesteel.board.result import NodeResult
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.provider_statistics import Statistics, StatisticsError, Work

Engine = Literal["aes", "hash", "pk"]
"""What the provider's kinds of work need of the cores."""

_PATH = re.compile(r"^(\S+) (software-small|software-full) (\d+) (\d+)$", re.MULTILINE)
"""Algorithm, path, requests, bytes: as driver/debugfs.c writes them."""

_ENGINES: dict[str, Engine] = {
    **dict.fromkeys(("ecb", "cbc", "ctr", "cfb", "ofb", "gcm", "ccm", "xts", "cts"), "aes"),
    **dict.fromkeys(("digest", "hmac"), "hash"),
    **dict.fromkeys(("rsa", "dh", "ecdsa", "ecdh", "x25519", "ed25519"), "pk"),
}
"""By kind of work (provider/base/work.h); CMAC is made of either."""


@dataclass(frozen=True)
class Account:
    """What was counted on one node from before the first measurement to after the last.

    `left` are bytes that the kernel's driver left to software because the core would have cost more
    time, or because its queue was full.  `chosen` has, of programs, the requests that the provider
    left to software because they are faster there, and `other` those for any other reason: the core
    does not do such work, may not, or failed.
    """

    left: int
    chosen: dict[Engine, int]
    other: dict[Engine, int]

    def is_chosen(self, engine: Engine) -> bool:
        """Whether what programs asked of that engine went to software by choice."""
        return self.chosen[engine] > 0 and self.other[engine] == 0


def account_of(node: NodeResult) -> Account:
    """The account of a node; an empty one where it gave none, as nodes without cores and records
    of before 2026-11-26.

    Raises `CellFailure` where a part of it is missing or damaged.
    """
    driver = _item(node, "driver")
    programs = _item(node, "programs")
    before, after = (_left(text.decode(errors="replace")) for text in driver)
    chosen, other = _empty(), _empty()
    for data, sign in zip(programs, (-1, 1), strict=True):
        for work in _works(node, data):
            if engine := _ENGINES.get(work.name):
                chosen[engine] += sign * work.small
                other[engine] += sign * (work.software - work.small)
    return Account(after - before, chosen, other)


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


def _empty() -> dict[Engine, int]:
    return {"aes": 0, "hash": 0, "pk": 0}


def _works(node: NodeResult, data: bytes) -> list[Work]:
    """Of all programs, whose files stand one behind the other."""
    try:
        return [work for each in Statistics.all_of(data, node.name) for work in each.works]
    except StatisticsError as error:
        raise CellFailure(f"Node {node.name}: the provider's statistics: {error}") from None
