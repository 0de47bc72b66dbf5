# SPDX-License-Identifier: Apache-2.0
"""What serves handshakes, of TLS and of tunnels: how they are counted and timed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from firesteel.board.job import JobFile
from firesteel.protocols import pki
from firesteel.protocols.rate import Rate
from firesteel.protocols.use import Purpose, Use

Key = Literal[pki.Key, "x25519"]
"""Kinds of the server's key: of a certificate, or a key by itself, which has none."""

PARTS = 5
"""Of the time in which all clients are measured, to know how sure their rate is."""


@dataclass(frozen=True)
class Ends:
    """The nodes with the server and with the clients, how many clients there are, and the cell's
    seed.
    """

    server: str
    client: str
    clients: int
    seed: int


class Clients(ABC):
    """What many clients at once reported."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Their handshakes."""

    @abstractmethod
    def rate(self, *, shared: bool) -> Rate:
        """Handshakes a second; `shared` says that the server was saturated."""


class TlsServer(ABC):
    """One program, by its handshakes.

    `program` is the script of `board/jobs/handshakes/` that serves and has clients, `scripts` those
    that it reads there and `shared_scripts` those of `board/jobs/`, and `variables` what they are
    told.  `key_exchange` is what keys are agreed on
    by, `suites` those that handshakes are measured with; `work` is what the public-key core counts
    of a handshake and how many there are at the least, by the kind of the server's key (`rsa`,
    `ecdsa`); `work_is_opening` says that this only shows that the device was opened, as handshakes
    have nothing for the cores.  `keys_meaning` is what the reference says of the server's keys.
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

    def files(self, node: str, ends: Ends) -> dict[str, JobFile]:
        """What one of both nodes needs besides certificates and their keys, by guest path."""
        del node, ends
        return {}

    def counted(self, proof: str) -> int | None:
        """How many handshakes the server has had since its boot, as it counts them itself: in what
        its node sends as proof.  None where it does not count.

        Raises `CellFailure` when the count is missing.
        """
        del proof
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

    def use(self, purpose: Purpose) -> Use:
        """What connections are used for.  A hybrid keeps what is said secret for longer, so it is
        compared with hybrids.
        """
        return Use(purpose, "hybrid" if self.is_hybrid else "")

    @abstractmethod
    def alone(self, text: str) -> int:
        """How many handshakes one client reports that is alone."""

    @abstractmethod
    def seconds_alone(self, text: str, key: Key, elapsed: float) -> float:
        """What one of them takes when nothing else is to be done; `elapsed` is what all did."""

    @abstractmethod
    def together(self, text: str, key: Key, part_at: Callable[[int], float]) -> Clients:
        """What many clients report; `part_at` is when part N of the window began, in seconds.

        Raises `CellFailure` when they do not.
        """
