# SPDX-License-Identifier: Apache-2.0
"""The description of a protocol; each is one object in a separate module.

A protocol is what carries or encrypts the data of a cell: a program, or a part of the kernel.
Where it runs is its class: `protocols.between_hosts` has those that carry traffic, and the
tunnels among them; `OneBoard` is for those that need no network.
"""

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from firesteel.base.errors import FiresteelError
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.build.artifacts import ArtifactSource
from firesteel.model.cell import ABSENT, IN_SOFTWARE, Cell, Habit, Implementation
from firesteel.protocols.setup import Setup, setup_by
from firesteel.protocols.tls_server import TlsServer

_CIPHERS = {"chacha20-poly1305": "ChaCha20-Poly1305", "adiantum": "Adiantum"}
_MACS = {"sha256": "SHA-256", "hmac-sha256": "HMAC-SHA-256"}
_IMPLEMENTATIONS = {
    "hardware-kernel": "hardware through the kernel",
    "software-as-installed": "software as installed",
    "software-pcrypt": "software by threads",
}


def authenticates(cipher: str, mac: str) -> bool:
    """Whether the cipher has the MAC in it, as `aes-256-gcm` has `gcm`."""
    return f"-{mac}" in cipher


def suite_in_words(cipher: str, mac: str) -> str:
    """A cipher and a MAC, as `AES-256-CBC:SHA-256`."""
    if authenticates(cipher, mac):
        return _cipher(cipher)
    return f"{_cipher(cipher) if cipher != 'none' else cipher}:{_MACS.get(mac, mac)}"


def needed_in_words(cipher: str, mac: str) -> str:
    """A suite without what it does not have."""
    parts = [_cipher(cipher), "none" if authenticates(cipher, mac) else _MACS.get(mac, mac)]
    return ":".join(part for part in parts if part not in ("NONE", "none"))


def _cipher(name: str) -> str:
    return _CIPHERS.get(name, name.upper())


def implementation_in_words(name: str) -> str:
    """An implementation, in words: `software as installed`."""
    return _IMPLEMENTATIONS.get(name, name)


@dataclass(frozen=True)
class Nature:
    """What a habit is like.

    It is the measured node's, or with `of_peers` all others'.  With `on_cores` it is only for cells
    on the cores.  `suites` is what all its suites have in them, in words `said`.
    """

    of_peers: bool = False
    on_cores: bool = False
    suites: str = ""
    said: str = ""


HABITS: Mapping[Habit, Nature] = {
    # OpenVPN's socket buffers and queue were those of its version 2.3.
    "openvpn-buffers": Nature(),
    # The kernel has AES and GHASH in generic code alone.
    "no-neon": Nature(),
    # The kernel merges no segments that it received (generic receive offload).
    "no-gro": Nature(),
    # The peer takes 0.25 ms for each packet that it gives to OpenVPN, as a virtual machine may.
    "slow-tun": Nature(of_peers=True),
    # Programs reach the cores by system calls: OpenSSL's engine `afalg` asks the kernel's driver.
    "af-alg": Nature(
        on_cores=True, suites="-cbc:", said="AES-CBC, the one cipher of OpenSSL's engine"
    ),
    # The driver sends every request to the core, however small.
    "core-only": Nature(on_cores=True),
}

Purpose = Literal["tunnel", "web", "shell", "disk"]


@dataclass(frozen=True)
class Use:
    """Alternatives (`judge.verdict`) have equal `purpose` and equal `protection`: a disk with tags
    and one without are not alternatives.

    `protects` says whether it protects what it is used for, so that people may choose it.
    """

    purpose: Purpose
    protection: str = ""
    protects: bool = True


_ON_NO_CORE = ("chacha20-poly1305:poly1305", "adiantum:none", "3des-cbc:sha256")
"""Suites that programs or the kernel have and no core computes: software to compare with."""


def suites_in(known: Mapping[tuple[str, str], Any]) -> tuple[str, ...]:
    """The suites of a table by cipher and MAC, in the words of an experiment's file."""
    return tuple(f"{cipher}:{mac}" for cipher, mac in known)


class Protocol(ABC):
    """A protocol; `suites` are those that may be measured, as `CIPHER:MAC`.

    `name` is its name in files, `title` its name for people, and `aliases` are further names.
    `variants` are the habits of 2015 that it can be measured with.  `by_provider`: its cryptography
    is OpenSSL's, which reaches the cores by the provider; otherwise it is the kernel's, which
    reaches them by the driver.  `more_configuration` then follows the provider's configuration.
    `preload` is the library that brings the cores under a program whose cryptography is not
    OpenSSL's, in its own process too; empty where there is none.  `handshakes` is how its
    handshakes are measured; None if they are not.  `purpose` is what people use it for: protocols
    of one purpose are alternatives (`judge.verdict`); None where nobody would choose it instead of
    another.
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
    set_up_by: str = ""
    """The template in `setups/` that says how a user sets it up, if not the one for all programs,
    or for all users of the kernel."""

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
                f"Cell {cell.label}: {self.title} does not support {cell.cipher}:{cell.mac}; "
                f"allowed are {', '.join(known)}."
            )
        if cell.implementation not in self.implementations:
            raise FiresteelError(
                f"Cell {cell.label}: the protocol `{self.name}` is not measured with "
                f"`{cell.implementation}`; allowed are {', '.join(self.implementations)}."
            )

    def in_words(self, cipher: str, mac: str) -> str:
        """The protocol with a suite: `IPsec AES-256-CBC:SHA-256`."""
        return f"{self.title} {suite_in_words(cipher, mac)}"

    def use(self, cipher: str, mac: str, *, connections: bool = False) -> Use | None:
        """Its purpose with a suite; with `connections` only, the suite of the data does not matter.
        None where it has no purpose.
        """
        if self.purpose is None:
            return None
        if connections and self.handshakes:
            # A hybrid keeps what is said secret for longer, so it is compared with hybrids.
            return Use(self.purpose, "hybrid" if self.handshakes.is_hybrid else "")
        return Use(self.purpose, protects=ABSENT not in (cipher, mac))

    def programs(self, _built: ArtifactSource) -> dict[str, JobFile]:
        """Programs that every node needs in addition to the image's, by guest path."""
        return {}

    def front_end(self, _built: ArtifactSource) -> dict[str, JobFile]:
        """What `preload` is and needs, by guest path."""
        return {}

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        """How a user makes it use the cores of a board."""
        template = self.set_up_by or ("provider" if self.by_provider else "driver")
        return setup_by(template, cell, board, self.set_up_with(cell))

    def set_up_with(self, _cell: Cell) -> Mapping[str, str]:
        """Further variables of the template `set_up_by`, by name."""
        return {}


class HandshakesAlone(Protocol):
    """A protocol for which only handshakes of its program are measured, in both implementations; by
    the provider, unless it says otherwise.
    """

    implementations = ("software", "hardware")
    by_provider = True

    def __init__(
        self,
        name: str,
        title: str,
        purpose: Purpose,
        handshakes: TlsServer,
        set_up_by: str,
        *aliases: str,
        ask_instead: str = "",
    ) -> None:
        self.name, self.title, self.handshakes = name, title, handshakes
        self.purpose, self.suites, self.aliases = purpose, handshakes.suites, aliases
        self.set_up_by, self.ask_instead = set_up_by, ask_instead


class OneBoard(Protocol, ABC):
    """A protocol that is measured within one board; its suites contain only the needed parts."""

    def in_words(self, cipher: str, mac: str) -> str:
        """As `kernel AES-256-CBC`."""
        return f"{self.title} {needed_in_words(cipher, mac)}"
