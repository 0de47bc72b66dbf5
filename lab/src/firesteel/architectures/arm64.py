# SPDX-License-Identifier: Apache-2.0
"""Debian's arm64: 64-bit ARMv8.

Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487).
"""

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

_MEMORY_START = 0x40000000
_LINEAR_MAP = 0xFFFF000000000000
"""Where the kernel has the start of memory, unless it chooses by chance (`nokaslr`)."""

_PAGE = 4096
_LEVELS, _LEVEL_BITS, _PAGE_BITS = 4, 9, 12
_ADDRESS_BITS = _PAGE_BITS + _LEVELS * _LEVEL_BITS
_OUTPUT = (1 << _ADDRESS_BITS) - _PAGE
_VALID, _TABLE_OR_PAGE = 0b01, 0b10

_LARGEST_KERNEL = 96 << 20
"""Bytes in which the kernel has its page table."""


@dataclass(frozen=True)
class _Table:
    read: ReadPhysical
    root: int

    def physical(self, address: int) -> int | None:
        if address >> _ADDRESS_BITS != _LINEAR_MAP >> _ADDRESS_BITS:
            return None
        table = self.root
        for level in range(_LEVELS - 1, -1, -1):
            shift = _PAGE_BITS + level * _LEVEL_BITS
            index = address >> shift & ((1 << _LEVEL_BITS) - 1)
            entry = int.from_bytes(self.read(table + 8 * index, 8), "little")
            if not entry & _VALID:
                return None
            if level == 0 or not entry & _TABLE_OR_PAGE:
                return (entry & _OUTPUT & -(1 << shift)) | (address & ((1 << shift) - 1))
            table = entry & _OUTPUT
        return None


def page_table(read: ReadPhysical, load: int) -> Translate | None:
    """What the page table of the kernel says whose first byte is at `load`.

    It is in the kernel's data, and is the only page there by whose entries the linear map has the
    kernel where it is.
    """
    mapped = _LINEAR_MAP + load - _MEMORY_START
    for root in range(load, load + _LARGEST_KERNEL, _PAGE):
        table = _Table(read, root)
        if table.physical(mapped) == load:
            return table.physical
    return None


def _width(_code: bytes, _mode: int) -> int:
    return 4


def _is_advanced_simd(code: bytes, _mode: int) -> bool:
    """Data processing (C4.1.96) but for that of scalar floating-point numbers, and loads and stores
    of the registers (C4.1.94); the cryptographic instructions are among them.
    """
    word = int.from_bytes(code[:4], "little") if len(code) >= 4 else 0
    return word & 0x0C000000 == 0x0C000000 and word & 0x5E000000 != 0x1E000000


ARM64 = Architecture(
    name="arm64",
    toolchain=Toolchain(
        triplet="aarch64-linux-gnu",
        loader="ld-linux-aarch64.so.1",
        meson_family="aarch64",
        meson_cpu="armv8-a",
    ),
    kernel=Kernel(
        source="arm64",
        flavour="arm64",
        image="Image",
        link_register="regs[30]",
        delay="__delay",
        # It would choose where it lies by the machine's seed.
        arguments="nokaslr",
        # Its SHA-1 has instructions of the cryptographic extension, or is generic.
        hashes="sha[2-9][0-9]+",
        # Types for BPF would need one more tool.
        module_options=" CONFIG_DEBUG_INFO_BTF_MODULES=",
    ),
    machine=Machine(
        emulator="qemu-system-aarch64",
        # As of 32-bit boards, all of the machine is below 4 GiB.
        options="virt,highmem=off,gic-version=3",
        non_coherent="dma-coherent=off",
        cpus={
            "cortex-a53": "Cortex-A53",
            "cortex-a53-plain": "Cortex-A53 without cryptographic extension",
        },
        memory_start=_MEMORY_START,
        most_memory_mib=3072,
        console="ttyAMA0",
        real=("aarch64",),
        variants={"cortex-a53-plain": "cortex-a53,crypto=off"},
    ),
    code=Code(
        instructions=InstructionSet(
            capstone="CS_ARCH_ARM64",
            modes=("CS_MODE_ARM",),
            bits=64,
            longest=4,
            mode_bits=0,
            width=_width,
            is_vector=_is_advanced_simd,
            vectors="Advanced SIMD",
        ),
        elf=b"\x7fELF\x02\x01\x01",
        relative_relocation=1027,
        mapping_symbols=("$x", "$d"),
        vectors=1 << 64,
        page_table=page_table,
        behind_network="irq_bypass_register_producer",  # virt/lib/
        interrupt_functions=(
            *("el0t_64_irq", "el1h_64_irq", "el0_interrupt", "el1_interrupt"),
            *("do_interrupt_handler", "call_on_irq_stack", "gic_"),
        ),
    ),
    # OpenSSL has GHASH in NEON code for 32 bits only.
    lacks=("neon-ghash",),
)
