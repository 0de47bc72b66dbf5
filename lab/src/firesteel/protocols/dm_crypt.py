# SPDX-License-Identifier: Apache-2.0
"""dm-crypt: encrypted disks; the suites in its own words, and what they make of a sector."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes

from firesteel.board.profile import Profile
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.protocols.protocol import OneBoard, suites_in
from firesteel.protocols.secrets import derive, seeded
from firesteel.protocols.setup import Setup, Step, by_driver

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

_FORMATS = {
    "aes-128-xts": "--cipher aes-xts-plain64 --key-size 256",
    "aes-256-xts": "--cipher aes-xts-plain64 --key-size 512",
    "aes-256-cbc-essiv": "--cipher aes-cbc-essiv:sha256 --key-size 256",
}
"""The options that a user gives cryptsetup, by cipher."""


class _DmCrypt(OneBoard):
    name = "dm-crypt"
    title = "dm-crypt"
    aliases = ("disk", "luks")
    suites = suites_in(_CIPHERS)
    implementations = ("software", AS_INSTALLED, "hardware")

    def in_words(self, cipher: str, mac: str) -> str:
        return "bare disk" if cipher == "none" else super().in_words(cipher, mac)

    def cipher(self, cell: Cell) -> DiskCipher | None:
        """The cell's cipher with the key of its seed, none for a bare disk."""
        cipher = _CIPHERS[cell.cipher, cell.mac]
        return replace(cipher, seed=cell.seed) if cipher else None

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        del board
        step = Step(
            "Disks opened from now on use the driver. Larger sectors make fewer requests; "
            "choose them when you format the disk:",
            (f"cryptsetup luksFormat --sector-size 4096 {_FORMATS[cell.cipher]} DEVICE",),
        )
        return by_driver(cell, "docs/disk.md", step)


DM_CRYPT = _DmCrypt()
