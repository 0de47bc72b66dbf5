# SPDX-License-Identifier: Apache-2.0
"""A board's memory put together by hand: page tables, modules, pages of programs."""

import struct
from mmap import mmap
from pathlib import Path

from firesteel.architectures.armhf import ARMHF
from firesteel.profiling.memory import PAGE, KernelMemory, Symbol, open_memory

START = ARMHF.machine.memory_start
SIZE = 1 << 21
LOAD = START + 0x8000
PAGE_OFFSET = 0xC0000000
MODULES = 0xBF000000
TABLE, SECOND, MODULE_PAGES = 0x4000, 0x100000, 0x110000

LAYOUT = {
    "page_offset": PAGE_OFFSET,
    "modules_begin": MODULES,
    "modules_end": MODULES + 0x10000,
    "module.list": 4,
    "module.name": 12,
    "module.name_size": 60,
    "module.text_base": 0x80,
    "module.text_size": 0x84,
    "module.kallsyms": 0x88,
    "kallsyms.symtab": 0,
    "kallsyms.num_symtab": 4,
    "kallsyms.strtab": 8,
}


SYMBOLS = [
    Symbol(0x1000, "t", "schedule"),
    Symbol(0x1400, "t", "nonseekable_open"),
    Symbol(0x1800, "t", "sysvipc_proc_release"),
    Symbol(0x2000, "t", "crypto_shoot_alg"),
    Symbol(0x3000, "t", "I_BDEV"),
    Symbol(0x4000, "t", "__crypto_memneq"),
    Symbol(0x5000, "t", "mpihelp_lshift"),
    Symbol(0x6000, "t", "netdev_devres_match"),
    Symbol(0x7000, "t", "__ashldi3"),
]
"""The kernel's functions by which layers know its parts, and one besides."""


class TinyGuest:
    """Memory with a linear map of 2 MiB and 16 pages for modules."""

    def __init__(self) -> None:
        self.bytes = bytearray(SIZE)
        for megabyte in range(2):
            self.word(TABLE + ((PAGE_OFFSET >> 20) + megabyte) * 4, START + (megabyte << 20) | 0b10)
        self.word(TABLE + (MODULES >> 20) * 4, START + SECOND | 0b01)
        for page in range(16):
            self.word(SECOND + 4 * page, START + MODULE_PAGES + page * PAGE | 0b10)

    def word(self, offset: int, value: int) -> None:
        """Writes a word at an offset of the memory."""
        struct.pack_into("<I", self.bytes, offset, value)

    def put(self, offset: int, content: bytes) -> None:
        """Writes bytes at an offset of the memory."""
        self.bytes[offset : offset + len(content)] = content

    def module(self, number: int, name: str, after: int, before: int, head: int) -> None:
        """A module on page 2 × `number`, code on the next; neighbours in the list by number, or
        the list's head if they are -1."""
        base = MODULES + 2 * number * PAGE
        at = base - MODULES + MODULE_PAGES

        def entry(which: int) -> int:
            return head if which < 0 else MODULES + 2 * which * PAGE + LAYOUT["module.list"]

        self.word(at + 4, entry(after))
        self.word(at + 8, entry(before))
        self.put(at + 12, name.encode())
        self.word(at + 0x80, base + PAGE)
        self.word(at + 0x84, PAGE)
        self.word(at + 0x88, base + 0x200)
        strings, table = b"\0", struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
        symbols = [
            ("$a", base + PAGE, 0, 0),
            (f"{name}_run", base + PAGE + 0x11, 0x40, 2),
            (f"{name}_table", base + PAGE + 0x30, 0, 0),
            (f"{name}_label", base + PAGE + 0x60, 0, 0),
            (f"{name}_data", base + 0x500, 4, 1),
        ]
        for symbol, value, size, kind in symbols:
            table += struct.pack("<IIIBBH", len(strings), value, size, kind, 0, 1)
            strings += symbol.encode() + b"\0"
        count = 1 + len(symbols)
        for place, value in ((0x200, base + 0x300), (0x204, count), (0x208, base + 0x400)):
            self.word(at + place, value)
        self.put(at + 0x300, table)
        self.put(at + 0x400, strings)

    def write(self, path: Path) -> mmap:
        """The memory from a file."""
        path.write_bytes(self.bytes)
        return open_memory(path)

    def kernel(self, path: Path) -> KernelMemory:
        """The memory as the kernel sees it."""
        return KernelMemory(self.write(path), PAGE_OFFSET, LOAD, ARMHF)
