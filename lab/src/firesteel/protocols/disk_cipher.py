# SPDX-License-Identifier: Apache-2.0
"""How dm-crypt encrypts the sectors of a disk, computed by the lab itself.

Adiantum encrypts disks on processors without AES instructions: Crowley and Biggers, *Adiantum:
length-preserving encryption for entry-level processors* (IACR ToSC 2018/4).  The kernel's code is
`crypto/adiantum.c` and `crypto/nhpoly1305.c`.
"""

import hashlib
import hmac
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.poly1305 import Poly1305

from firesteel.protocols.pki import derive, seeded

_IV_SECTOR = 512
"""Bytes by which dm-crypt numbers sectors, whatever their size."""


class Stored(NamedTuple):
    """Some sectors on a disk: their ciphertext, and dm-integrity's tags."""

    ciphertext: bytes
    metadata: bytes


Sector = Callable[[bytes, int, bytes, bytes], Stored]
"""From a key, a sector's number in units of 512 bytes, its plaintext and the metadata that were
found: what the sector is when that was written.
"""


@dataclass(frozen=True)
class DiskCipher:
    """A cipher for dm-crypt's table, what it makes of a sector, and the length of its key in bytes.

    Each seed of a cell has its own key.  `metadata_bytes` are what dm-integrity keeps of a sector:
    0 where no dm-integrity is needed.
    """

    spec: str
    sector: Sector
    key_bytes: int
    metadata_bytes: int = 0
    seed: int = 1

    @property
    def key(self) -> bytes:
        """The test key; it protects nothing."""
        return derive(seeded(f"disk {self.spec} {self.key_bytes}", self.seed), self.key_bytes)

    def stored(self, plain: bytes, sector: int, metadata: bytes) -> Stored:
        """What the beginning of the disk is when `plain` was written there in sectors of that
        size.  `metadata` is what was found of them: random IVs are taken from it.
        """
        kept = self.metadata_bytes
        whole = [
            self.sector(
                self.key,
                at // _IV_SECTOR,
                plain[at : at + sector],
                metadata[number * kept : (number + 1) * kept],
            )
            for number, at in enumerate(range(0, len(plain), sector))
        ]
        return Stored(b"".join(s.ciphertext for s in whole), b"".join(s.metadata for s in whole))


def xts_plain64(key: bytes, number: int, plain: bytes, _: bytes) -> Stored:
    """`aes-xts-plain64`: the number is the IV."""
    return Stored(xts(key, number.to_bytes(16, "little"), plain), b"")


def adiantum_plain64(key: bytes, number: int, plain: bytes, _: bytes) -> Stored:
    """`xchacha12,aes-adiantum-plain64`: the number is the tweak, with 32 bytes in the kernel."""
    return Stored(adiantum(key, number.to_bytes(32, "little"), plain), b"")


def cbc_essiv(key: bytes, number: int, plain: bytes, _: bytes) -> Stored:
    """`aes-cbc-essiv:sha256`: the number encrypted with the key's hash is the IV."""
    iv = _aes(hashlib.sha256(key).digest(), modes.ECB(), number.to_bytes(16, "little"))
    return Stored(_aes(key, modes.CBC(iv), plain), b"")


def gcm_random(key: bytes, number: int, plain: bytes, metadata: bytes) -> Stored:
    """`capi:gcm(aes)-random`: the metadata have a tag of 16 bytes and an IV of 12, which is
    authenticated with the number (Documentation/admin-guide/device-mapper/dm-crypt.rst, and
    drivers/md/dm-crypt.c, `crypt_convert_block_aead`).
    """
    iv = metadata[16:]
    whole = AESGCM(key).encrypt(iv, plain, struct.pack("<Q", number) + iv)
    return Stored(whole[: len(plain)], whole[len(plain) :] + iv)


def xts_hmac_random(key: bytes, number: int, plain: bytes, metadata: bytes) -> Stored:
    """`capi:authenc(hmac(sha256),xts(aes))-random`: a tag of 32 bytes, an IV of 16; HMAC's key is
    the end of dm-crypt's, and what is authenticated is as of `gcm_random`.
    """
    iv = metadata[32:]
    ciphertext = xts(key[:-32], iv, plain)
    mac = hmac.digest(key[-32:], struct.pack("<Q", number) + iv + ciphertext, "sha256")
    return Stored(ciphertext, mac + iv)


def _aes(key: bytes, mode: modes.ECB | modes.CBC | modes.XTS, plain: bytes) -> bytes:
    whole = Encryption(algorithms.AES(key), mode).encryptor()
    encrypted: bytes = whole.update(plain) + whole.finalize()
    return encrypted


def xts(key: bytes, iv: bytes, plain: bytes) -> bytes:
    """AES-XTS; the key has two halves."""
    return _aes(key, modes.XTS(iv), plain)


# ---- Adiantum ----

_BLOCK = 16
"""Bytes of AES's block, of a hash, and of what Poly1305 takes at a time."""

_PASSES, _NH_MESSAGE = 4, 1024
"""NH hashes so many bytes at the most, each with so many parts of its key, each a block further on.
"""

_NH_KEY = _NH_MESSAGE + _BLOCK * (_PASSES - 1)
_WORD = (1 << 32) - 1
_ROUNDS = 12
"""Of ChaCha, which the mode is named by in the kernel: `xchacha12`."""

_CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
_COLUMNS = tuple((n, 4 + n, 8 + n, 12 + n) for n in range(4))
_DIAGONALS = tuple((n, 4 + (n + 1) % 4, 8 + (n + 2) % 4, 12 + (n + 3) % 4) for n in range(4))


class _Keys(NamedTuple):
    """What follows from the key: of AES, of the tweak's hash, and two of the message's."""

    block: bytes
    tweak: bytes
    message: bytes
    nh: tuple[int, ...]


def adiantum(key: bytes, tweak: bytes, plain: bytes) -> bytes:
    """The ciphertext, as long as `plain`, which has 16 bytes at the least; the key has 32.

    The hash of the tweak and of all blocks except the last is added to the last block and encrypted
    by AES.  The result is the nonce by which XChaCha12 encrypts the rest; then the hash of the
    ciphertext is subtracted from it.
    """
    keys = _keys(key)
    left, right = plain[:-_BLOCK], plain[-_BLOCK:]
    middle = _aes(keys.block, modes.ECB(), _sum(right, _hash(keys, tweak, left)))
    stream = _xchacha(key, middle + b"\1" + bytes(7), len(left))
    left = bytes(one ^ other for one, other in zip(left, stream, strict=True))
    return left + _sum(middle, -_hash(keys, tweak, left))


@cache
def _keys(key: bytes) -> _Keys:
    """XChaCha's key stream, of a nonce that no message has."""
    stream = _xchacha(key, b"\1" + bytes(23), 32 + 2 * _BLOCK + _NH_KEY)
    nh = struct.unpack(f"<{_NH_KEY // 4}I", stream[64:])
    return _Keys(stream[:32], stream[32:48], stream[48:64], nh)


def _sum(block: bytes, number: int) -> bytes:
    """Modulo 2^128."""
    whole = int.from_bytes(block, "little") + number
    return (whole % (1 << 128)).to_bytes(_BLOCK, "little")


def _hash(keys: _Keys, tweak: bytes, message: bytes) -> int:
    header = (8 * len(message)).to_bytes(_BLOCK, "little") + tweak
    padded = message + bytes(-len(message) % _BLOCK)
    parts = (padded[at : at + _NH_MESSAGE] for at in range(0, len(padded), _NH_MESSAGE))
    hashed = b"".join(_nh(keys.nh[4 * each :], part) for part in parts for each in range(_PASSES))
    return _poly1305(keys.tweak, header) + _poly1305(keys.message, hashed)


def _nh(key: tuple[int, ...], message: bytes) -> bytes:
    """Words 0 and 2, and 1 and 3, of each block are multiplied."""
    words: tuple[int, ...] = struct.unpack(f"<{len(message) // 4}I", message)
    added = [(word + each) & _WORD for word, each in zip(words, key, strict=False)]
    whole = sum(
        added[at] * added[at + 2] + added[at + 1] * added[at + 3] for at in range(0, len(added), 4)
    )
    return (whole % (1 << 64)).to_bytes(8, "little")


def _poly1305(key: bytes, message: bytes) -> int:
    """With a second half of the key that adds nothing."""
    tag: bytes = Poly1305.generate_tag(key + bytes(_BLOCK), message)
    return int.from_bytes(tag, "little")


def _xchacha(key: bytes, nonce: bytes, size: int) -> bytes:
    """So many bytes of XChaCha's key stream; the nonce has 24 bytes, of which HChaCha makes a key
    of the first 16.
    """
    mixed = _permuted((*_CONSTANTS, *struct.unpack("<8I4I", key + nonce[:16])))
    inner = (*_CONSTANTS, *mixed[:4], *mixed[12:])
    rest = struct.unpack("<2I", nonce[16:])
    stream = b""
    for number in range(-(-size // 64)):
        state = (*inner, number, 0, *rest)
        words = zip(state, _permuted(state), strict=True)
        stream += struct.pack("<16I", *((one + other) & _WORD for one, other in words))
    return stream[:size]


def _permuted(state: tuple[int, ...]) -> list[int]:
    mixed = list(state)
    for _ in range(_ROUNDS // 2):
        for places in (*_COLUMNS, *_DIAGONALS):
            a, b, c, d = (mixed[place] for place in places)
            for first, second in ((16, 12), (8, 7)):
                a = (a + b) & _WORD
                d = _rotated(d ^ a, first)
                c = (c + d) & _WORD
                b = _rotated(b ^ c, second)
            for place, word in zip(places, (a, b, c, d), strict=True):
                mixed[place] = word
    return mixed


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD
