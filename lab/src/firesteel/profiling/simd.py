# SPDX-License-Identifier: Apache-2.0
"""NEON's instructions in ARM and Thumb code.

Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition, A7.4 (data processing)
and A7.7 (loads and stores of elements and structures).
"""

INSTRUCTION_SIZE = 4
"""Bytes of such an instruction."""


def is_simd(code: bytes, thumb: bool) -> bool:
    """Whether the instruction that `code` begins with is one of NEON's."""
    if len(code) < INSTRUCTION_SIZE:
        return False
    if thumb:
        first = int.from_bytes(code[:2], "little")
        return first & 0xEF00 == 0xEF00 or first & 0xFF10 == 0xF900
    word = int.from_bytes(code[:4], "little")
    return word & 0xFE000000 == 0xF2000000 or word & 0xFF100000 == 0xF4000000
