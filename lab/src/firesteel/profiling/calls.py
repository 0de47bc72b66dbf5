# SPDX-License-Identifier: Apache-2.0
"""Direct calls in ARM and Thumb code: where a function begins, told by who calls it.

Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition, A8.8.25 (BL, BLX).
"""

CALL_SIZE = 4
"""Bytes of a call."""


def call_target(code: bytes, address: int, thumb: bool) -> int | None:
    """The address that the instruction `code` at `address` calls; None if it is no direct call."""
    if len(code) < CALL_SIZE:
        return None
    if thumb:
        return _thumb_target(
            int.from_bytes(code[:2], "little"), int.from_bytes(code[2:4], "little"), address
        )
    return _arm_target(int.from_bytes(code[:4], "little"), address)


def _thumb_target(first: int, second: int, address: int) -> int | None:
    if first & 0xF800 != 0xF000 or second & 0xC000 != 0xC000:
        return None
    to_arm = not second & 0x1000
    if to_arm and second & 1:
        return None
    sign = first >> 10 & 1
    bits = [sign, ~(second >> 13 ^ sign) & 1, ~(second >> 11 ^ sign) & 1]
    offset = bits[0] << 24 | bits[1] << 23 | bits[2] << 22 | (first & 0x3FF) << 12
    offset = _signed(offset | (second & 0x7FF) << 1, 25)
    base = (address + 4) & ~3 if to_arm else address + 4
    return (base + offset) & 0xFFFFFFFF


def _arm_target(word: int, address: int) -> int | None:
    offset = _signed((word & 0xFFFFFF) << 2, 26)
    if word >> 28 == 0xF:
        if word & 0x0E000000 != 0x0A000000:
            return None
        offset += word >> 23 & 2
    elif word & 0x0F000000 != 0x0B000000:
        return None
    return (address + 8 + offset) & 0xFFFFFFFF


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value
