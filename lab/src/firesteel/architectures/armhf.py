# SPDX-License-Identifier: Apache-2.0
"""Debian's armhf: 32-bit ARMv7 with a floating-point unit.

Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition.
"""

import struct
from dataclasses import dataclass

from firesteel.architectures.architecture import (
    Architecture,
    Code,
    InstructionSet,
    Kernel,
    Machine,
    ReadPhysical,
    Toolchain,
    Translate,
)

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


def _width(code: bytes, mode: int) -> int:
    """In Thumb code a halfword with 11101, 11110 or 11111 at its top begins an instruction of four
    bytes (A6.1).
    """
    return 4 if mode == _ARM or (len(code) > 1 and code[1] >> 3 >= 0b11101) else 2


def _is_neon(code: bytes, mode: int) -> bool:
    """Data processing (A7.4), and loads and stores of elements and structures (A7.7)."""
    if len(code) < 4:
        return False
    if mode == _THUMB:
        first = int.from_bytes(code[:2], "little")
        return first & 0xEF00 == 0xEF00 or first & 0xFF10 == 0xF900
    word = int.from_bytes(code[:4], "little")
    return word & 0xFE000000 == 0xF2000000 or word & 0xFF100000 == 0xF4000000


_ARM, _THUMB = 0, 1

ARMHF = Architecture(
    name="armhf",
    toolchain=Toolchain(
        triplet="arm-linux-gnueabihf",
        loader="ld-linux-armhf.so.3",
        meson_family="arm",
        meson_cpu="armv7",
    ),
    kernel=Kernel(
        source="arm",
        flavour="armmp",
        image="zImage",
        link_register="ARM_lr",
        delay="__timer_delay",
    ),
    machine=Machine(
        emulator="qemu-system-arm",
        # Without high memory, so that all of the machine is below 4 GiB.
        options="virt,highmem=off",
        non_coherent="dma-coherent=off",
        cpus={"cortex-a7": "Cortex-A7", "cortex-a15": "Cortex-A15"},
        memory_start=0x40000000,
        most_memory_mib=3072,
        console="ttyAMA0",
        real=("armv7l", "armv8l"),
    ),
    code=Code(
        instructions=InstructionSet(
            capstone="CS_ARCH_ARM",
            modes=("CS_MODE_ARM", "CS_MODE_THUMB"),
            bits=32,
            longest=4,
            mode_bits=1,
            width=_width,
            is_vector=_is_neon,
            vectors="NEON",
        ),
        elf=b"\x7fELF\x01\x01\x01",
        relative_relocation=23,
        mapping_symbols=("$a", "$t", "$d"),
        vectors=0xFFFF0000,
        page_table=page_table,
        behind_network="__ashldi3",  # arch/arm/lib/
        interrupt_functions=("__irq_", "gic_", "ret_to_user_from_irq"),
    ),
)
