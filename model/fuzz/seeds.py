# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Writes the fuzzer's first inputs: one ordinary use of each mode and operation.

    seeds.py DIRECTORY

The fuzzer finds the extraordinary ones from there; what it keeps is named by hash beside these.
The form of an input is told in window.c, the numbers in the headers of silex/.
"""

import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MEMORY_BASE = 0x10000
FETCH_LIST, PUSH_LIST, CONFIG, KEY, KEY2, IV, INPUT, OUTPUT = (
    0x0000, 0x0800, 0x1000, 0x1040, 0x1080, 0x10C0, 0x2000, 0x4000,
)  # fmt: skip

WRITE, READ, MEMORY, JOB, PASS, LATE, RESET, OPERAND, OPERATION = range(9)

AES, HASH, BYPASS = 1, 3, 0
TAG_CONFIG, TAG_LAST = 1 << 4, 1 << 5
REALIGN, DISCARD, IRQ = 1 << 29, 1 << 30, 1 << 31
WITH_HASH, ZERO_TIME, MAPPED, SMALL_PK, FAULTY = 1, 4, 16, 32, 64

OPERAND_RAM, SLOT = 0x8000, 512

# The curves' base points: SEC 2 and RFC 8032.
P256 = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
ED25519 = (
    0x216936D3CD6E53FEC0A4E231FDD6DC5C692CC7609525A7B2C9562D608F25D51A,
    0x6666666666666666666666666666666666666666666666666666666666666658,
)


@dataclass(frozen=True)
class Item:
    """What one descriptor points at: place in memory, length with flags, tag."""

    place: int
    length: int
    tag: int = 0


def write(offset: int, value: int) -> bytes:
    """The action that writes a register."""
    return struct.pack("<BHI", WRITE, offset, value)


def memory(place: int, content: bytes) -> bytes:
    """The actions that fill memory."""
    return b"".join(
        struct.pack("<BHB", MEMORY, place + at, len(content[at : at + 255]))
        + content[at : at + 255]
        for at in range(0, len(content), 255)
    )


def descriptors(place: int, items: Iterable[Item]) -> bytes:
    """The actions that write a list of 32-bit descriptors."""
    listed = list(items)
    content = b""
    for number, item in enumerate(listed, 1):
        following = 1 if number == len(listed) else MEMORY_BASE + place + 16 * number
        content += struct.pack("<IIII", MEMORY_BASE + item.place, following, item.length, item.tag)
    return memory(place, content)


def job(fetch: Iterable[Item], push: Iterable[Item]) -> bytes:
    """Both lists, started and waited for."""
    start = struct.pack("<BHH", JOB, FETCH_LIST, PUSH_LIST)
    lists = descriptors(FETCH_LIST, fetch) + descriptors(PUSH_LIST, push)
    return lists + start + bytes([PASS]) + struct.pack("<BH", READ, 0x3C)


def aes(mode: int, *, flags: int = 0, key: int = 16, payload: int = 48, header: int = 0) -> bytes:
    """An AES message: mode by number (0 ECB to 8 CMAC), key and data lengths in bytes."""
    aead = mode in (5, 6)
    config = 1 << (8 + mode) | flags
    padded = -(-payload // 16) * 16
    fetch = [
        Item(CONFIG, 4 | REALIGN, AES | TAG_CONFIG),
        Item(KEY, key | REALIGN, AES | TAG_CONFIG | 0x08 << 8),
    ]
    if mode == 7:
        fetch.append(Item(KEY2, key | REALIGN, AES | TAG_CONFIG | 0x48 << 8))
    if mode not in (0, 5, 8):
        fetch.append(Item(IV, (12 if mode == 6 else 16) | REALIGN, AES | TAG_CONFIG | 0x28 << 8))
    if header:
        fetch.append(Item(INPUT + 0x800, header | REALIGN, AES | 1 << 6))
    invalid = padded - payload
    if payload:
        fetch.append(Item(INPUT, padded | REALIGN, AES | invalid << 8))
    if mode == 6 or (mode == 5 and flags & 1):
        fetch.append(Item(INPUT + 0xC00, 16 | REALIGN, AES))
    last = fetch.pop()
    fetch.append(Item(last.place, last.length, last.tag | TAG_LAST))
    push = [Item(OUTPUT, header | DISCARD)] if header else []
    push.append(Item(OUTPUT, padded))
    if aead or mode == 8 or flags & 0x20:
        push.append(Item(OUTPUT + 0x800, 32 if aead and flags & 0x20 else 16))
    push[-1] = Item(push[-1].place, push[-1].length | IRQ)
    # B0 of CCM: flags for a 13-byte nonce, associated data and a 16-byte tag; payload length.
    begin = memory(INPUT + 0x800, bytes([0x79]) + bytes(13) + struct.pack(">H", payload))
    begin += memory(CONFIG, struct.pack("<I", config)) + memory(KEY, bytes(range(32)))
    return begin + memory(INPUT, bytes(range(64))) + job(fetch, push)


def digest(algorithm: int, *, flags: int = 0x600, key: bool = False, length: int = 52) -> bytes:
    """A hash or HMAC message: algorithm by number (1 SHA-1 to 5 SHA-512)."""
    fetch = [Item(CONFIG, 4 | REALIGN, HASH | TAG_CONFIG)]
    if key:
        fetch.append(Item(KEY, 20 | REALIGN, HASH | 2 << 6 | TAG_LAST))
    fetch.append(Item(INPUT, length | REALIGN, HASH | TAG_LAST))
    config = 1 << algorithm | flags | (0x100 if key else 0)
    return memory(CONFIG, struct.pack("<I", config)) + job(fetch, [Item(OUTPUT, 64)])


def operation(opcode: int, *, size: int = 32, curve: int = 0, more: int = 0) -> bytes:
    """A public-key operation on operands that are odd and not zero."""
    command = opcode | (size - 1) << 8 | curve << 20 | 1 << 28 | 1 << 31 | more
    # SWAP_BYTES first: it rules how the operands are written.
    actions = write(0x2004, command) + write(0x2000, 0x000A0806)
    for slot in range(14):
        words = size // 4
        content = bytes((17 * slot + 31 * at + 1) & 0xFF for at in range(size - 1)) + b"\x05"
        actions += struct.pack("<BBB", OPERAND, slot, words) + content
    return actions + struct.pack("<BI", OPERATION, command) + bytes([PASS])


def on_curve(opcode: int, curve: int, operands: dict[int, int]) -> bytes:
    """An operation on a curve that takes its operands: slot → number."""
    little = curve != 1
    command = opcode | 31 << 8 | curve << 20 | (0 if little else 1 << 28)
    actions = write(0x2004, command)
    for slot, value in operands.items():
        if not little:
            actions += struct.pack("<BBB", OPERAND, slot, 8) + value.to_bytes(32, "big")
            continue
        words = struct.unpack("<8I", value.to_bytes(32, "little"))
        for number, word in enumerate(words):
            actions += write(OPERAND_RAM + SLOT * slot + 4 * number, word)
    return bytes([SMALL_PK]) + actions + struct.pack("<BI", OPERATION, command) + bytes([PASS])


def curves() -> dict[str, bytes]:
    """Operations that do not end with an operand's refusal."""
    x, y = P256
    weierstrass = {6: x, 7: y, 8: x, 9: y, 10: 0x1234567, 11: 0x89ABCDE, 12: x, 13: y}
    edwards_x, edwards_y = ED25519
    edwards = {6: edwards_x, 7: edwards_y, 8: 77, 9: edwards_y, 10: 5, 11: edwards_y}
    found = {}
    for opcode in (*range(0x20, 0x28), 0x29, 0x30, 0x31, 0x32):
        operands = weierstrass | ({6: 3, 7: 5} if opcode == 0x30 else {})
        found[f"pk-{opcode:02x}-p256"] = on_curve(opcode, 1, operands)
    for opcode in range(0x3B, 0x3F):
        found[f"pk-{opcode:02x}-ed25519"] = on_curve(opcode, 6, edwards)
    return found | {"pk-28-x25519": on_curve(0x28, 5, {6: 9, 8: 1 << 254 | 8})}


def seeds() -> dict[str, bytes]:
    """All inputs, by name."""
    modes = ("ecb", "cbc", "ctr", "cfb", "ofb", "ccm", "gcm", "xts", "cmac")
    found = {"nothing": b"", "bypass": bytes([MAPPED]) + job(
        [Item(INPUT, 100, BYPASS), Item(INPUT, 28 | REALIGN, BYPASS | TAG_LAST)],
        [Item(OUTPUT, 60), Item(OUTPUT, 20 | DISCARD), Item(OUTPUT + 128, 48)],
    )}  # fmt: skip
    for number, mode in enumerate(modes):
        header = 16 if mode == "ccm" else 20 * (mode == "gcm")
        for decrypt in (0, 1):
            way = ("encrypt", "decrypt")[decrypt]
            content = aes(number, flags=decrypt, key=(16, 32)[decrypt], header=header)
            found[f"{mode}-{way}"] = bytes([MAPPED * decrypt]) + content
        found[f"{mode}-save"] = b"\0" + aes(number, flags=0x20, header=header)
        found[f"{mode}-load"] = b"\0" + aes(number, flags=0x10, key=24)
        found[f"{mode}-stealing"] = bytes([MAPPED]) + aes(number, payload=41)
    for algorithm in range(1, 6):
        found[f"hash-{algorithm}"] = bytes([WITH_HASH]) + digest(algorithm)
        found[f"hmac-{algorithm}"] = bytes([WITH_HASH | MAPPED]) + digest(algorithm, key=True)
        found[f"state-{algorithm}"] = bytes([WITH_HASH]) + digest(algorithm, flags=0, length=128)
    for opcode in (*range(0x01, 0x0B), 0x0F, *range(0x10, 0x20), 0x42, 0x7F):
        found[f"pk-{opcode:02x}"] = bytes([ZERO_TIME | SMALL_PK]) + operation(opcode)
    for opcode in (*range(0x20, 0x2A), 0x30, 0x31, 0x32, *range(0x3B, 0x3F)):
        for curve, size in ((0, 32), (1, 32), (4, 24), (5, 32), (6, 32)):
            content = operation(opcode, size=size, curve=curve)
            found[f"pk-{opcode:02x}-curve-{curve}"] = b"\0" + content
    found |= curves()
    for name in ("gcm-encrypt", "cbc-decrypt", "pk-10"):
        found[f"{name}-faulty"] = bytes([FAULTY]) + 3 * found[name][1:]
    return found


def main() -> None:
    """Writes them."""
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in seeds().items():
        (directory / name).write_bytes(content)


if __name__ == "__main__":
    main()
