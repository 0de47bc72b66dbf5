# SPDX-License-Identifier: Apache-2.0
"""The kernel's own page table on 32-bit ARM with short descriptors.

It is an array of 4096 words in the 16 KiB below the kernel's first byte (`swapper_pg_dir` in the
kernel's arch/arm/kernel/head.S).
"""

import struct
from dataclasses import dataclass

from firesteel.architectures.architecture import ReadPhysical, Translate

_TABLE_SIZE = 0x4000
_KINDS = 0b11
_COARSE, _SECTION, _NO_EXECUTE_SECTION = 0b01, 0b10, 0b11
_SUPERSECTION = 1 << 18


@dataclass(frozen=True)
class _Table:
    read: ReadPhysical
    entries: tuple[int, ...]

    def physical(self, address: int) -> int | None:
        entry = self.entries[address >> 20]
        kind = entry & _KINDS
        if kind == _COARSE:
            words = self.read((entry & ~0x3FF) + (address >> 12 & 0xFF) * 4, 4)
            (small,) = struct.unpack("<I", words) if len(words) == 4 else (0,)
            # A large page of 64 KiB is used for nothing here.
            return (small & ~0xFFF) | (address & 0xFFF) if small & 0b10 else None
        if kind in (_SECTION, _NO_EXECUTE_SECTION) and not entry & _SUPERSECTION:
            return (entry & ~0xFFFFF) | (address & 0xFFFFF)
        return None


def page_table(read: ReadPhysical, load: int) -> Translate | None:
    """What the page table of the kernel says whose first byte is at `load`."""
    table = read(load - _TABLE_SIZE, _TABLE_SIZE)
    if len(table) != _TABLE_SIZE:
        return None
    return _Table(read, struct.unpack("<4096I", table)).physical
