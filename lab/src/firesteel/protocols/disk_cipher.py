# SPDX-License-Identifier: Apache-2.0
"""How dm-crypt encrypts the sectors of a disk, computed by the lab itself."""

import hashlib
import struct
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

from cryptography.hazmat.primitives import hmac
from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256

from firesteel.protocols import adiantum
from firesteel.protocols.secrets import derive, seeded

_IV_SECTOR = 512
"""Bytes by which dm-crypt numbers sectors, whatever their size."""


class Stored(NamedTuple):
    """What a disk has of some sectors: their ciphertext, and what dm-integrity keeps of them."""

    ciphertext: bytes
    metadata: bytes


@dataclass(frozen=True)
class DiskCipher(ABC):
    """A cipher for dm-crypt's table and the length of its key in bytes.

    Each seed of a cell has its own key.  `metadata_bytes` are what dm-integrity keeps of a sector:
    0 where no dm-integrity is needed.
    """

    spec: str
    key_bytes: int
    metadata_bytes: int = field(default=0, kw_only=True)
    seed: int = field(default=1, kw_only=True)

    @property
    def key(self) -> bytes:
        """The test key; it protects nothing."""
        label = seeded(f"disk {self.spec} {self.key_bytes}", self.seed)
        return derive(label, self.key_bytes)

    def stored(self, plain: bytes, sector: int, metadata: bytes) -> Stored:
        """What the beginning of the disk is when `plain` was written there in sectors of that
        size.  `metadata` is what was found of them: random IVs are taken from it.
        """
        whole = [
            self.sector(
                at // _IV_SECTOR,
                plain[at : at + sector],
                metadata[number * self.metadata_bytes : (number + 1) * self.metadata_bytes],
            )
            for number, at in enumerate(range(0, len(plain), sector))
        ]
        return Stored(b"".join(s.ciphertext for s in whole), b"".join(s.metadata for s in whole))

    @abstractmethod
    def sector(self, number: int, plain: bytes, metadata: bytes) -> Stored:
        """What a sector of that number, in units of 512 bytes, is when `plain` was written."""


def _iv(number: int, size: int = 16) -> bytes:
    """dm-crypt's `plain64`: the number, the lowest byte first."""
    return number.to_bytes(size, "little")


def xts(key: bytes, iv: bytes, plain: bytes) -> bytes:
    """AES-XTS; the key has two halves."""
    whole = Encryption(algorithms.AES(key), modes.XTS(iv)).encryptor()
    return whole.update(plain) + whole.finalize()


class XtsPlain64(DiskCipher):
    """`aes-xts-plain64`."""

    def sector(self, number: int, plain: bytes, metadata: bytes) -> Stored:
        """The number is the IV."""
        del metadata
        return Stored(xts(self.key, _iv(number), plain), b"")


class AdiantumPlain64(DiskCipher):
    """`xchacha12,aes-adiantum-plain64`."""

    def sector(self, number: int, plain: bytes, metadata: bytes) -> Stored:
        """The number is the tweak, which has 32 bytes in the kernel."""
        del metadata
        return Stored(adiantum.encrypt(self.key, _iv(number, 32), plain), b"")


class CbcEssiv(DiskCipher):
    """`aes-cbc-essiv:sha256`: the number encrypted with the key's hash is the IV."""

    def sector(self, number: int, plain: bytes, metadata: bytes) -> Stored:
        """The IV is in the cipher's own way."""
        del metadata
        salted = Encryption(
            algorithms.AES(hashlib.sha256(self.key).digest()), modes.ECB()
        ).encryptor()
        iv = salted.update(_iv(number)) + salted.finalize()
        whole = Encryption(algorithms.AES(self.key), modes.CBC(iv)).encryptor()
        return Stored(whole.update(plain) + whole.finalize(), b"")


class Authenticated(DiskCipher):
    """One whose metadata are a tag, and behind it a random IV.

    The number of the sector and the IV are authenticated with it
    (Documentation/admin-guide/device-mapper/dm-crypt.rst, and drivers/md/dm-crypt.c,
    `crypt_convert_block_aead`).
    """

    tag_bytes = 0

    def sector(self, number: int, plain: bytes, metadata: bytes) -> Stored:
        """With the IV that was found."""
        iv = metadata[self.tag_bytes :]
        ciphertext, tag = self.seal(iv, struct.pack("<Q", number) + iv, plain)
        return Stored(ciphertext, tag + iv)

    @abstractmethod
    def seal(self, iv: bytes, associated: bytes, plain: bytes) -> tuple[bytes, bytes]:
        """The ciphertext and the tag."""


class GcmRandom(Authenticated):
    """`capi:gcm(aes)-random`: the metadata have a tag of 16 bytes and an IV of 12."""

    tag_bytes = 16

    def seal(self, iv: bytes, associated: bytes, plain: bytes) -> tuple[bytes, bytes]:
        """By AES-GCM."""
        whole = AESGCM(self.key).encrypt(iv, plain, associated)
        return whole[: len(plain)], whole[len(plain) :]


class XtsHmacRandom(Authenticated):
    """`capi:authenc(hmac(sha256),xts(aes))-random`: a tag of 32 bytes, an IV of 16; HMAC's key is
    the end of dm-crypt's.
    """

    tag_bytes = 32

    def seal(self, iv: bytes, associated: bytes, plain: bytes) -> tuple[bytes, bytes]:
        """By AES-XTS, then by HMAC of the ciphertext."""
        ciphertext = xts(self.key[: -self.tag_bytes], iv, plain)
        mac = hmac.HMAC(self.key[-self.tag_bytes :], SHA256())
        mac.update(associated + ciphertext)
        return ciphertext, mac.finalize()
