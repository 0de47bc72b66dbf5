# SPDX-License-Identifier: Apache-2.0
"""What serves handshakes, of TLS and of tunnels: how they are counted and timed."""

import math
import re
import statistics
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, get_args

from firesteel.boards.job import JobFile
from firesteel.model.figure import t_quantile
from firesteel.protocols import pki
from firesteel.protocols.window import CellFailure


@dataclass(frozen=True)
class Rate:
    """Events a second; `uncertainty` is half of the 95 % interval."""

    value: float
    uncertainty: float


def of_turns(times: Sequence[Sequence[float]], parts: int, *, shared: bool) -> Rate:
    """For several clients that come in turn: when each was done, in seconds; the first time is
    before the window.

    All rounds by the time that they took is a client's rate, whatever the window.  How sure it is
    follows from the course of time: the rounds of all clients, in up to `parts` parts.  If the
    clients do not share a fully loaded server (`shared`), each follows its own clock.  Then their
    rates give another interval, and the larger of both counts.
    """
    clients = [each for each in times if len(each) > 1]
    if not clients:
        return Rate(0.0, 0.0)
    rounds = sum(len(each) - 1 for each in clients)
    value = len(clients) * rounds / sum(each[-1] - each[0] for each in clients)
    share = _share(_in_parts(clients, parts))
    if not shared:
        rates = [(len(each) - 1) / (each[-1] - each[0]) for each in clients]
        share = max(share, _share(rates))
    return Rate(value, value * share)


def _in_parts(times: Sequence[Sequence[float]], parts: int) -> list[float]:
    """A client's rate in up to `parts` parts of as many rounds, the mean of all clients."""
    gaps = [[later - sooner for sooner, later in pairwise(each)] for each in times]
    whole = min(len(each) for each in gaps)
    parts = min(parts, whole)
    cuts = [round(number * whole / parts) for number in range(parts + 1)]
    return [
        1 / statistics.mean(statistics.mean(each[first:last]) for each in gaps)
        for first, last in pairwise(cuts)
    ]


def of_counts(counts: Sequence[tuple[float, int]]) -> Rate:
    """Of how many there had been at some instants, in seconds, the same time apart.

    It is no surer than one that is under way at an end.
    """
    (begun, first), *_, (ended, last) = counts
    value = (last - first) / (ended - begun)
    rates = [(more - less) / (later - sooner) for (sooner, less), (later, more) in pairwise(counts)]
    return Rate(value, max(value * _share(rates), 1 / (ended - begun)))


def _share(values: Sequence[float]) -> float:
    """Half of the 95 % interval of their mean, as a share of it (Student's t); all of it where a
    single value says nothing.
    """
    n, mean = len(values), statistics.mean(values)
    if n < 2 or mean == 0:
        return 1.0
    return t_quantile(n - 1) * statistics.stdev(values) / math.sqrt(n) / mean


Key = Literal[pki.Key, "x25519"]
"""Kinds of the server's key: of a certificate, or a key without one."""

PARTS = 5
"""Parts of the time in which all clients are measured, which show how certain their rate is."""

SUITE = "aes-256-gcm:gcm"
"""What clients ask for that connect again and again."""

_CONNECTIONS = re.compile(r"^(\d+) connections in \d+ real seconds", re.MULTILINE)


@dataclass(frozen=True)
class Ends:
    """The nodes with the server and with the clients, how many clients there are, and the cell's
    seed.
    """

    server: str
    client: str
    clients: int
    seed: int


@dataclass(frozen=True)
class Clients:
    """What many clients at once reported: their handshakes, and how many a second, if the server
    was not saturated, and if it was.
    """

    count: int
    rate: Rate
    rate_saturated: Rate


class TlsServer(ABC):
    """One program, by its handshakes.

    `program` is the script of `board/jobs/handshakes/` that serves and starts clients.  It reads
    `scripts` there and `shared_scripts` of `board/jobs/`, and `variables` are their input.
    `key_exchange` is the group or algorithm of the key exchange, `suites` are the suites for
    measured handshakes.  `work` is the public-key core's least count of operations for a handshake,
    by the kind of the server's key (`rsa`, `ecdsa`).  `work_is_opening`: this count only proves
    that the device was opened, because handshakes need no core.  `keys_meaning` is what the
    reference says of the server's keys.
    """

    program: str
    scripts: tuple[str, ...] = ()
    shared_scripts: tuple[str, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    key_exchange: str
    keys_meaning: str
    suites: tuple[str, ...]
    work: Mapping[str, tuple[str, int]]
    work_is_opening: bool = False

    def files(self, _node: str, _ends: Ends) -> dict[str, JobFile]:
        """Files that one of both nodes needs in addition to certificates and their keys, by guest
        path.
        """
        return {}

    def counted(self, _proof: str) -> int | None:
        """The server's own count of handshakes since its boot, from its node's proof.  None where
        it does not count.

        Raises `CellFailure` when the count is missing.
        """
        return None

    @property
    def keys(self) -> tuple[Key, ...]:
        """The kinds of key that the program may have: `work` knows their algorithms."""
        return tuple(key for key in get_args(Key) if pki.algorithm(key) in self.work)

    def check_suites(self, name: str, suites: tuple[str, ...]) -> None:
        """Raises `ValueError` when handshakes of the protocol of that name are asked for with a
        suite that makes no difference to them.
        """
        if not set(suites) <= set(self.suites):
            raise ValueError(
                f'protocol "{name}" measures handshakes only with suite '
                f'"{" or ".join(self.suites)}"; no packet uses the tunnel, so no suite would differ'
            )

    @property
    def is_hybrid(self) -> bool:
        """Whether keys are agreed on by a post-quantum hybrid, whose half is ML-KEM."""
        return "mlkem" in self.key_exchange.lower()

    @abstractmethod
    def alone(self, text: str) -> int:
        """The number of handshakes that a single client reports."""

    @abstractmethod
    def seconds_alone(self, text: str, key: Key, elapsed: float) -> float:
        """The time of a single operation on an idle machine; `elapsed` is the time of all."""

    @abstractmethod
    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        """What many clients report; `part_at` is when part N of the window began, in seconds.

        Raises `CellFailure` when they do not.
        """


class STime(TlsServer):
    """A server whose clients connect again and again, as `openssl s_time` does, and are counted;
    with TLS 1.3 and one group, unless `key_exchange` says more.

    Clients offer OpenSSL's default groups; if the group is not among these (`by_itself`), clients
    offer only that group.
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

    def seconds_alone(self, text: str, _key: Key, elapsed: float) -> float:
        """There are as many as there are in a time."""
        return elapsed / self.alone(text)

    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        """How many connections there were at the end of each part, as the clients' node counts."""
        lines = text.split()
        if len(lines) != PARTS + 1 or not all(line.isdecimal() for line in lines):
            raise CellFailure(f"The clients' connections with {key} are missing: {lines[:2]}")
        counts = [int(line) for line in lines]
        rate = of_counts([(part_at(part), count) for part, count in enumerate(counts)])
        return Clients(counts[-1] - counts[0], rate, rate)


class MadeTunnels(STime):
    """A server whose clients make a tunnel again and again, and count what they made
    (board/jobs/handshakes/tunnels.sh): from a client's first packet on until it has gone.
    """

    scripts = ("tunnels.sh", *STime.scripts)

    def alone(self, text: str) -> int:
        """The client has a line for each."""
        return len(text.splitlines())
