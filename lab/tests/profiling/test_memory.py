# SPDX-License-Identifier: Apache-2.0
"""A board's memory by the kernel's page table, and the modules in it."""

import struct
from pathlib import Path

import pytest
from tiny_guest import LAYOUT, LOAD, MODULE_PAGES, MODULES, PAGE_OFFSET, SECOND, START, TinyGuest

from firesteel.architectures.arm64 import ARM64
from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.profiling.memory import PAGE, KernelMemory, Symbol, open_memory, read_modules

HEAD = 0x9000
"""Offset of the list's head, in the kernel's data."""


def test_the_linear_map_and_pages_are_found(tmp_path: Path) -> None:
    kernel = TinyGuest().kernel(tmp_path / "ram")
    assert kernel.offset(PAGE_OFFSET + 0x123456) == 0x123456
    assert kernel.offset(MODULES + 3 * PAGE + 5) == MODULE_PAGES + 3 * PAGE + 5
    for nowhere in (MODULES + 16 * PAGE, PAGE_OFFSET + (2 << 20), 0, 0xFFFFFFFF):
        assert kernel.offset(nowhere) is None
        assert kernel.word(nowhere) is None


def test_bytes_are_read_across_pages_that_do_not_lie_together(tmp_path: Path) -> None:
    guest = TinyGuest()
    guest.word(SECOND, START + MODULE_PAGES + 5 * PAGE | 0b10)
    guest.put(MODULE_PAGES + 6 * PAGE - 2, b"ab")
    guest.put(MODULE_PAGES + PAGE, b"cd\0")
    kernel = guest.kernel(tmp_path / "ram")
    assert kernel.read(MODULES + PAGE - 2, 4) == b"abcd"
    assert kernel.text(MODULES + PAGE - 2, 8) == "abcd"
    assert kernel.text(MODULES + PAGE - 2, 4) is None, "it does not end"
    guest.put(MODULE_PAGES + 16 * PAGE - 3, b"ef\0")
    kernel = guest.kernel(tmp_path / "ram")
    assert kernel.text(MODULES + 16 * PAGE - 3, 512) == "ef", "nothing is mapped behind it"
    guest.put(MODULE_PAGES + 16 * PAGE - 3, b"efg")
    kernel = guest.kernel(tmp_path / "ram")
    assert kernel.text(MODULES + 16 * PAGE - 3, 512) is None
    assert kernel.read(MODULES + 16 * PAGE - 2, 4) is None
    assert kernel.read(0xFFFFFFFE, 4) is None


def test_a_memory_without_such_a_page_table_is_refused(tmp_path: Path) -> None:
    memory = TinyGuest().write(tmp_path / "ram")
    with pytest.raises(FiresteelError, match="page table"):
        KernelMemory(memory, PAGE_OFFSET, LOAD + 0x1000, ARMHF)
    with pytest.raises(FiresteelError, match="no page table"):
        KernelMemory(memory, PAGE_OFFSET, START, ARMHF)


def linked(names: list[str]) -> TinyGuest:
    """A guest with modules in a list."""
    guest = TinyGuest()
    head, last = PAGE_OFFSET + HEAD, len(names) - 1
    for number, name in enumerate(names):
        after = number + 1 if number < last else -1
        guest.module(number, name, after, number - 1, head)
    guest.word(HEAD, MODULES + LAYOUT["module.list"])
    guest.word(HEAD + 4, MODULES + 2 * last * PAGE + LAYOUT["module.list"])
    return guest


def test_modules_are_found_by_their_list(tmp_path: Path) -> None:
    kernel = linked(["e1000", "firesteel", "sha1_arm"]).kernel(tmp_path / "ram")
    modules = read_modules(kernel, LAYOUT, ARMHF.code)
    assert [(module.name, module.base - MODULES, module.size) for module in modules] == [
        ("e1000", PAGE, PAGE),
        ("firesteel", 3 * PAGE, PAGE),
        ("sha1_arm", 5 * PAGE, PAGE),
    ]
    code = MODULES + 3 * PAGE
    assert modules[1].symbols == [
        Symbol(code + 0x10, "t", "firesteel_run"),
        Symbol(code + 0x60, "t", "firesteel_label"),
    ], "neither data nor what lies within a function"


def test_a_list_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    guest = linked(["e1000", "firesteel", "sha1_arm"])
    guest.word(MODULE_PAGES + 4 * PAGE + 4, MODULES)
    with pytest.raises(FiresteelError, match="list of modules"):
        read_modules(guest.kernel(tmp_path / "ram"), LAYOUT, ARMHF.code)


LINEAR, KERNEL, PAGES = 0xFFFF000000000000, 0xFFFF800080000000, 0xFFFF800078000000
LOAD_64, ROOT = START + 0x200000, 0x380000


def test_the_page_table_of_a_64_bit_kernel_is_found_in_its_data(tmp_path: Path) -> None:
    memory = bytearray(4 << 20)

    def entry(table: int, level: int, address: int, value: int) -> None:
        index = address >> 12 + 9 * level & 0x1FF
        struct.pack_into("<Q", memory, table + 8 * index, value)

    def table(number: int) -> int:
        return ROOT + number * PAGE

    # The linear map by blocks of 2 MiB with attributes, the kernel by one, modules by pages.
    for number, address in ((1, LINEAR), (3, KERNEL)):
        entry(ROOT, 3, address, START + table(number) | 0b11)
        entry(table(number), 2, address, START + table(number + 1) | 0b11)
    for block in range(2):
        entry(table(2), 1, LINEAR + (block << 21), 0x60000000000701 | START + (block << 21))
    entry(table(4), 1, KERNEL, LOAD_64 | 0b01)
    entry(table(3), 2, PAGES, START + table(5) | 0b11)
    entry(table(5), 1, PAGES, START + table(6) | 0b11)
    entry(table(6), 0, PAGES + PAGE, START + 0x3000 | 0b11)
    (tmp_path / "ram").write_bytes(memory)
    with open_memory(tmp_path / "ram") as opened:
        kernel = KernelMemory(opened, LINEAR, LOAD_64, ARM64)
        assert kernel.offset(LINEAR + 0x212345) == 0x212345
        assert kernel.offset(KERNEL + 0x10) == 0x200010
        assert kernel.offset(PAGES + PAGE + 5) == 0x3005
        for nowhere in (PAGES, LINEAR + (4 << 20), 0, START, (1 << 64) - 1, 1 << 64):
            assert kernel.offset(nowhere) is None
        with pytest.raises(FiresteelError, match="no page table"):
            KernelMemory(opened, LINEAR, START + (4 << 20), ARM64)
