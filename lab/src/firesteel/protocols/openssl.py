# SPDX-License-Identifier: Apache-2.0
"""OpenSSL by itself: its algorithms as `openssl speed` calls them."""

from collections.abc import Mapping

from firesteel.model.cell import Cell, Habit, Implementation
from firesteel.protocols.protocol import OneBoard, suites_in

_ALGORITHMS: Mapping[tuple[str, str], str] = {
    ("aes-128-cbc", "none"): "-evp aes-128-cbc",
    ("aes-256-cbc", "none"): "-evp aes-256-cbc",
    ("aes-256-ctr", "none"): "-evp aes-256-ctr",
    ("aes-256-gcm", "gcm"): "-aead -evp aes-256-gcm",
    ("none", "sha256"): "-evp sha256",
    ("none", "hmac-sha256"): "-hmac sha256",
}
"""Options of speed.  GCM with `-aead` as in a record of TLS: 13 bytes of associated data, a tag."""

_KERNEL_SUITES = ("aes-128-cbc:none", "aes-256-cbc:none")
"""What OpenSSL's engine `afalg` has of these, which asks the kernel's crypto API through AF_ALG."""


class _Openssl(OneBoard):
    name = "openssl"
    title = "OpenSSL"
    aliases = ("openssl-speed",)
    suites = suites_in(_ALGORITHMS)
    implementations = ("software", "hardware", "hardware-kernel")
    variants: tuple[Habit, ...] = ("core-only",)
    by_provider = True

    def suites_of(self, implementation: Implementation) -> tuple[str, ...]:
        return _KERNEL_SUITES if implementation == "hardware-kernel" else self.suites

    def options(self, cell: Cell) -> str:
        """The options of `openssl speed` for the cell's suite."""
        options = _ALGORITHMS[cell.cipher, cell.mac]
        if cell.implementation == "hardware-kernel":
            return f"-engine afalg {options}"
        return options


OPENSSL = _Openssl()


class _BareBoard(OneBoard):
    name = "bare-board"
    title = "bare board"
    suites = ("none:none",)

    def in_words(self, _cipher: str, _mac: str) -> str:
        return self.title


BARE_BOARD = _BareBoard()
