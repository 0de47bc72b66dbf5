# SPDX-License-Identifier: Apache-2.0
"""What every protocol says of itself; each is one object in a module of its own.

A protocol is what carries or encrypts the data of a cell: a program, or a part of the kernel.
Where it runs is its class: `protocols.between_hosts` has those that carry traffic, and the
tunnels among them; `OneBoard` is for those that need no network.
"""

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from typing import Protocol as Interface

from firesteel.base.errors import FiresteelError
from firesteel.board.job import JobFile
from firesteel.board.profile import Profile
from firesteel.build.artifacts import Artifact
from firesteel.model.cell import ABSENT, IN_SOFTWARE, Cell, Habit, Implementation
from firesteel.protocols import words
from firesteel.protocols.setup import Setup, by_driver, by_provider
from firesteel.protocols.tls_server import TlsServer
from firesteel.protocols.use import Purpose, Use

_ON_NO_CORE = ("chacha20-poly1305:poly1305", "adiantum:none")
"""Suites that programs or the kernel have and no core computes: software to compare with."""


class Built(Interface):
    """What is built for a node, when it is first asked for."""

    @property
    def provider(self) -> Artifact:
        """The OpenSSL provider."""

    @property
    def openssh(self) -> Artifact:
        """OpenSSH with a MAC `none`."""

    @property
    def openvpn_dco(self) -> Artifact:
        """The kernel modules of OpenVPN's data channel offload."""

    @property
    def lighttpd(self) -> Artifact:
        """A web server with wolfSSL: lighttpd."""

    @property
    def wolfssl_front_end(self) -> Artifact:
        """The front end of wolfSSL."""


def suites_in(known: Mapping[tuple[str, str], Any]) -> tuple[str, ...]:
    """The suites of a table by cipher and MAC, as an experiment's file has them."""
    return tuple(f"{cipher}:{mac}" for cipher, mac in known)


class Protocol(ABC):
    """A protocol; `suites` are those that may be measured, as `CIPHER:MAC`.

    `name` is what files call it, `title` what people do, and `aliases` what else they do.
    `variants` are the habits of 2015 that it can be measured with.  `by_provider` says that its
    cryptography is OpenSSL's, which reaches the cores by the provider (else it is the kernel's,
    which reaches them by the driver); `more_configuration` then follows the provider's own.
    `preload` is the library that brings the cores under a program whose cryptography is not
    OpenSSL's, in its own process too; empty where there is none.
    `handshakes` is how its handshakes are measured; None if they are not.  `purpose` is what people
    use it for: protocols of one purpose are alternatives (`analysis.verdict`); None where
    nobody would choose it instead of another.
    """

    name: str
    title: str
    suites: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    implementations: tuple[Implementation, ...] = ("software",)
    variants: tuple[Habit, ...] = ()
    by_provider: bool = False
    more_configuration: bytes = b""
    preload: str = ""
    handshakes: TlsServer | None = None
    purpose: Purpose | None = None
    ask_instead: str = ""
    """What else to ask advice for than a suite that it does not have."""

    @property
    def in_user_space(self) -> bool:
        """Whether its programs have the cores in their own processes."""
        return self.by_provider or bool(self.preload)

    def suites_of(self, implementation: Implementation) -> tuple[str, ...]:
        """What may be measured with that implementation."""
        if implementation in IN_SOFTWARE:
            return self.suites
        return tuple(suite for suite in self.suites if suite not in _ON_NO_CORE)

    def check_suites(self, suites: Iterable[str]) -> None:
        """Raises `ValueError` when one of `suites` is not the protocol's."""
        for suite in suites:
            if suite not in self.suites:
                raise ValueError(
                    f'protocol "{self.name}" has no suite "{suite}"; '
                    f"allowed are {', '.join(self.suites)}"
                )

    def check_variants(self, variants: Sequence[Habit]) -> None:
        """Raises `ValueError` when variants that it has do not go together."""
        if self.by_provider and "core-only" in variants and "af-alg" not in variants:
            raise ValueError(
                '`as_in_2015` "core-only" is for the kernel driver, '
                f'which "{self.name}" uses only together with "af-alg"'
            )

    def check_cell(self, cell: Cell) -> None:
        """Raises `FiresteelError` when the cell's suite or implementation is not the protocol's."""
        known = self.suites_of(cell.implementation)
        if f"{cell.cipher}:{cell.mac}" not in known:
            raise FiresteelError(
                f"Cell {cell.label}: {self.title} does not go with {cell.cipher}:{cell.mac}; "
                f"allowed are {', '.join(known)}."
            )
        if cell.implementation not in self.implementations:
            raise FiresteelError(
                f"Cell {cell.label}: the protocol `{self.name}` is not measured with "
                f"`{cell.implementation}`; allowed are {', '.join(self.implementations)}."
            )

    def in_words(self, cipher: str, mac: str) -> str:
        """The protocol with a suite: `IPsec AES-256-CBC:SHA-256`."""
        return f"{self.title} {words.suite(cipher, mac)}"

    def use(self, cipher: str, mac: str, *, connections: bool = False) -> Use | None:
        """What it is used for with a suite; of `connections` alone, whatever the suite of the data.
        None where it has no purpose.
        """
        if self.purpose is None:
            return None
        if connections and self.handshakes:
            return self.handshakes.use(self.purpose)
        return Use(self.purpose, protects=ABSENT not in (cipher, mac))

    def programs(self, built: Built) -> dict[str, JobFile]:
        """Programs that every node needs besides the image's, by guest path."""
        del built
        return {}

    def front_end(self, built: Built) -> dict[str, JobFile]:
        """What `preload` is and needs, by guest path."""
        del built
        return {}

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        """How a user makes it use the cores of a board."""
        return by_provider(cell, board) if self.by_provider else by_driver(cell)


class OneBoard(Protocol, ABC):
    """A protocol that is measured within one board; its suites have what they need and no more."""

    def in_words(self, cipher: str, mac: str) -> str:
        """As `kernel AES-256-CBC`."""
        return f"{self.title} {words.needed(cipher, mac)}"
