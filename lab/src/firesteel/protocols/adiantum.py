# SPDX-License-Identifier: Apache-2.0
"""Adiantum, the cipher that disks have for processors without AES instructions, by the lab itself.

The paper is Crowley and Biggers, *Adiantum: length-preserving encryption for entry-level
processors* (IACR ToSC 2018/4); the kernel's code is `crypto/adiantum.c` and `crypto/nhpoly1305.c`.
A message is a left part and its last 16 bytes.  The hash of the left part and of the tweak, added
to the last bytes and encrypted by AES, is the nonce by which XChaCha12 encrypts the left part; the
hash of the result is subtracted from it.
"""

import struct
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

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


def encrypt(key: bytes, tweak: bytes, plain: bytes) -> bytes:
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
