# SPDX-License-Identifier: Apache-2.0
"""The suites of disks in dm-crypt's words, and what they make of a sector."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.protocols.secrets import derive, seeded

_IV_SECTOR = 512
"""Bytes by which dm-crypt numbers sectors for their IVs, whatever their size."""


@dataclass(frozen=True)
class DiskCipher:
    """A cipher for dm-crypt's table, the length of its key in bytes, and how it encrypts a sector:
    from the key, the number for the IV and the plain bytes.  Each seed of a cell has its own key.
    """

    spec: str
    key_bytes: int
    encrypt: Callable[[bytes, int, bytes], bytes]
    seed: int = 1

    @property
    def key(self) -> bytes:
        """The test key; it protects nothing."""
        label = seeded(f"disk {self.spec} {self.key_bytes}", self.seed)
        return derive(label, self.key_bytes)

    def encrypted(self, plain: bytes, sector: int) -> bytes:
        """What the beginning of the disk is when `plain` was written there in sectors of that
        size.
        """
        return b"".join(
            self.encrypt(self.key, at // _IV_SECTOR, plain[at : at + sector])
            for at in range(0, len(plain), sector)
        )


def _iv(number: int) -> bytes:
    """dm-crypt's `plain64`: the number, the lowest byte first."""
    return number.to_bytes(16, "little")


def _xts(key: bytes, number: int, plain: bytes) -> bytes:
    sector = Encryption(algorithms.AES(key), modes.XTS(_iv(number))).encryptor()
    return sector.update(plain) + sector.finalize()


def _cbc_essiv(key: bytes, number: int, plain: bytes) -> bytes:
    """dm-crypt's `essiv:sha256`: the number encrypted with the key's hash is the IV."""
    salted = Encryption(algorithms.AES(hashlib.sha256(key).digest()), modes.ECB()).encryptor()
    iv = salted.update(_iv(number)) + salted.finalize()
    sector = Encryption(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return sector.update(plain) + sector.finalize()


_CIPHERS: Mapping[tuple[str, str], DiskCipher | None] = {
    ("none", "none"): None,
    ("aes-128-xts", "none"): DiskCipher("aes-xts-plain64", 32, _xts),
    ("aes-256-xts", "none"): DiskCipher("aes-xts-plain64", 64, _xts),
    ("aes-256-cbc-essiv", "none"): DiskCipher("aes-cbc-essiv:sha256", 32, _cbc_essiv),
}

SUITES = tuple(f"{cipher}:{mac}" for cipher, mac in _CIPHERS)
"""What may be measured, as an experiment's file has it; the first is the bare disk."""


def disk_cipher(cell: Cell) -> DiskCipher | None:
    """The cell's cipher, none for a bare disk; `FiresteelError` when its suite is unknown."""
    suite = f"{cell.cipher}:{cell.mac}"
    if suite not in SUITES:
        raise FiresteelError(
            f"Cell {cell.label}: dm-crypt has no {suite}; allowed are {', '.join(SUITES)}."
        )
    cipher = _CIPHERS[cell.cipher, cell.mac]
    return replace(cipher, seed=cell.seed) if cipher else None
