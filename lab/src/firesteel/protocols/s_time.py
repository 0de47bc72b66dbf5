# SPDX-License-Identifier: Apache-2.0
"""Servers whose clients connect again and again, as `openssl s_time` does, and are counted."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firesteel.protocols.failure import CellFailure
from firesteel.protocols.rate import Rate, of_counts
from firesteel.protocols.tls_server import PARTS, Clients, Key, TlsServer

SUITE = "aes-256-gcm:gcm"
"""What such clients ask for."""

_CONNECTIONS = re.compile(r"^(\d+) connections in \d+ real seconds", re.MULTILINE)


@dataclass(frozen=True)
class _Clients(Clients):
    """How many connections the clients had begun, and when, in seconds."""

    opened: Sequence[tuple[float, int]]

    @property
    def count(self) -> int:
        (_, first), *_, (_, last) = self.opened
        return last - first

    def rate(self, *, shared: bool) -> Rate:
        del shared
        return of_counts(self.opened)


class STime(TlsServer):
    """A server with TLS 1.3 and one group; `program` and `work` are as of every `TlsServer`.

    Clients offer the groups that OpenSSL offers by itself; where the group is not one of these
    (`by_itself`), clients offer it alone.
    """

    keys_meaning = "Key of the certificate, with TLS 1.3."
    suites = (SUITE,)

    scripts: tuple[str, ...] = ("s_time.sh",)

    def __init__(
        self,
        program: str,
        work: Mapping[str, tuple[str, int]],
        group: str = "X25519",
        *,
        by_itself: bool = True,
    ) -> None:
        self.program = program
        self.work = work
        self.key_exchange = f"TLS 1.3 with {group}"
        self.variables = {"GROUP": group, "CLIENT_GROUPS": "" if by_itself else group}

    def alone(self, text: str) -> int:
        """What s_time says."""
        found = _CONNECTIONS.search(text)
        return int(found[1]) if found else 0

    def seconds_alone(self, text: str, key: Key, elapsed: float) -> float:
        """There are as many as there are in a time."""
        del key
        return elapsed / self.alone(text)

    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        """What the node with the clients counted at the end of each part."""
        lines = text.split()
        if len(lines) != PARTS + 1 or not all(line.isdecimal() for line in lines):
            raise CellFailure(f"The clients' connections with {key} are missing: {lines[:2]}")
        return _Clients([(part_at(part), int(line)) for part, line in enumerate(lines)])
