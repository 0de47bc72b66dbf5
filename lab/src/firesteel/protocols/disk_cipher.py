# SPDX-License-Identifier: Apache-2.0
"""How dm-crypt encrypts the sectors of a disk, computed by the lab itself."""

import hashlib
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from cryptography.hazmat.primitives import hmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256

from firesteel.protocols.pki import derive, seeded

_ROUNDS = 12
"""Of ChaCha, which the mode is named by in the kernel: `xchacha12`."""

_BLOCK = 16
"""Bytes of AES's block, of a hash, and of what Poly1305 takes at a time."""

_CHACHA_BLOCK = 64
_CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
_COLUMNS = tuple((n, 4 + n, 8 + n, 12 + n) for n in range(4))
_DIAGONALS = tuple((n, 4 + (n + 1) % 4, 8 + (n + 2) % 4, 12 + (n + 3) % 4) for n in range(4))

_PASSES = 4
"""NH hashes the same message with so many parts of its key, each 16 bytes further on."""

_NH_MESSAGE = 1024
"""Bytes that NH takes at the most."""

_NH_KEY = _NH_MESSAGE + _BLOCK * (_PASSES - 1)

_PRIME = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
_WORD = (1 << 32) - 1


class _Keys(NamedTuple):
    """What follows from the key: of AES, of the tweak's hash, and two of the message's."""

    block: bytes
    tweak: bytes
    message: bytes
    nh: tuple[int, ...]


def adiantum(key: bytes, tweak: bytes, plain: bytes) -> bytes:
    """The ciphertext, as long as `plain`, which has 16 bytes at the least; the key has 32."""
    keys = _keys(key)
    left, right = plain[:-_BLOCK], plain[-_BLOCK:]
    middle = _aes(keys.block, _sum(right, _hash(keys, tweak, left)))
    stream = _xchacha(key, middle + b"\1" + bytes(7), len(left))
    left = bytes(one ^ other for one, other in zip(left, stream, strict=True))
    return left + _sum(middle, -_hash(keys, tweak, left))


@cache
def _keys(key: bytes) -> _Keys:
    """XChaCha's key stream, of a nonce that no message has."""
    stream = _xchacha(key, b"\1" + bytes(23), 32 + 2 * _BLOCK + _NH_KEY)
    nh = struct.unpack(f"<{_NH_KEY // 4}I", stream[64:])
    return _Keys(stream[:32], stream[32:48], stream[48:64], nh)


def _aes(key: bytes, block: bytes) -> bytes:
    whole = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return whole.update(block) + whole.finalize()


def _sum(block: bytes, number: int) -> bytes:
    """Modulo 2^128."""
    whole = int.from_bytes(block, "little") + number
    return (whole % (1 << 128)).to_bytes(_BLOCK, "little")


def _hash(keys: _Keys, tweak: bytes, message: bytes) -> int:
    header = (8 * len(message)).to_bytes(_BLOCK, "little") + tweak
    return _poly1305(keys.tweak, header) + _nhpoly1305(keys.message, keys.nh, message)


def _nhpoly1305(key: bytes, nh: tuple[int, ...], message: bytes) -> int:
    padded = message + bytes(-len(message) % _BLOCK)
    parts = (padded[at : at + _NH_MESSAGE] for at in range(0, len(padded), _NH_MESSAGE))
    return _poly1305(key, b"".join(_nh(nh, part) for part in parts))


def _nh(key: tuple[int, ...], message: bytes) -> bytes:
    words = struct.unpack(f"<{len(message) // 4}I", message)
    return b"".join(_nh_pass(key[4 * number :], words) for number in range(_PASSES))


def _nh_pass(key: tuple[int, ...], words: tuple[int, ...]) -> bytes:
    """Words 0 and 2, and 1 and 3, of each block are multiplied."""
    added = [(word + each) & _WORD for word, each in zip(words, key, strict=False)]
    whole = sum(added[at] * added[at + 2] for at in range(0, len(added), 4))
    whole += sum(added[at] * added[at + 2] for at in range(1, len(added), 4))
    return (whole % (1 << 64)).to_bytes(8, "little")


def _poly1305(key: bytes, message: bytes) -> int:
    """Without what Poly1305 adds last, by which a hash becomes a MAC."""
    factor = int.from_bytes(key, "little") & _CLAMP
    state = 0
    for at in range(0, len(message), _BLOCK):
        block = message[at : at + _BLOCK] + b"\1"
        state = (state + int.from_bytes(block, "little")) * factor % _PRIME
    return state


def _xchacha(key: bytes, nonce: bytes, size: int) -> bytes:
    """So many bytes of XChaCha's key stream; the nonce has 24 bytes, of which HChaCha makes a key
    of the first 16.
    """
    block = struct.unpack("<4I", nonce[:16])
    mixed = _permuted((*_CONSTANTS, *struct.unpack("<8I", key), *block))
    inner = (*_CONSTANTS, *mixed[:4], *mixed[12:])
    rest = struct.unpack("<2I", nonce[16:])
    blocks = (
        _chacha_block((*inner, number, 0, *rest)) for number in range(-(-size // _CHACHA_BLOCK))
    )
    return b"".join(blocks)[:size]


def _chacha_block(state: tuple[int, ...]) -> bytes:
    mixed = _permuted(state)
    words = ((one + other) & _WORD for one, other in zip(state, mixed, strict=True))
    return struct.pack("<16I", *words)


def _permuted(state: tuple[int, ...]) -> list[int]:
    mixed = list(state)
    for _ in range(_ROUNDS // 2):
        for places in (*_COLUMNS, *_DIAGONALS):
            quarter = _quarter_round(*(mixed[place] for place in places))
            for place, word in zip(places, quarter, strict=True):
                mixed[place] = word
    return mixed


def _quarter_round(a: int, b: int, c: int, d: int) -> Iterator[int]:
    a = (a + b) & _WORD
    d = _rotated(d ^ a, 16)
    c = (c + d) & _WORD
    b = _rotated(b ^ c, 12)
    a = (a + b) & _WORD
    d = _rotated(d ^ a, 8)
    c = (c + d) & _WORD
    b = _rotated(b ^ c, 7)
    yield from (a, b, c, d)


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD


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
        return Stored(adiantum(self.key, _iv(number, 32), plain), b"")


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
