# SPDX-License-Identifier: Apache-2.0
"""The kernel's own table of names, written here as scripts/kallsyms.c of Linux 6.12 does."""

import struct
from pathlib import Path

import pytest

from firesteel.architectures.armhf import ARMHF
from firesteel.profiling.memory import Functions, NoSymbolsError, Symbol, read_kernel, read_symbols

BASES = {4: 0xC0300000, 8: 0xFFFF800080000000}
NAMES = [("T", "_stext"), ("t", "__irq_svc"), ("t", "handle_" + "x" * 200), ("D", "_etext")]
MANY = [*NAMES, *(("t", f"function_{number}") for number in range(600))]


def table(names: list[tuple[str, str]], word: int = 4) -> bytes:
    """A table with these names, 16 bytes apart, of a kernel whose addresses have `word` bytes.

    Token 1 is `function_`, token 200 `handle_`; others are letters.
    """
    tokens = [bytes([number]) if 32 < number < 127 else b"" for number in range(256)]
    tokens[1], tokens[200] = b"function_", b"handle_"
    encoded, markers = b"", []
    for number, (kind, name) in enumerate(names):
        if number % 256 == 0:
            markers.append(len(encoded))
        content = (kind + name).encode().replace(b"function_", b"\1").replace(b"handle_", b"\xc8")
        size = len(content)
        length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
        encoded += length + content
    starts, strings = [], b""
    for token in tokens:
        starts.append(len(strings))
        strings += token + b"\0"
    parts = [
        struct.pack("<I", len(names)),
        encoded,
        struct.pack(f"<{len(markers)}I", *markers),
        strings,
        struct.pack("<256H", *starts),
        struct.pack(f"<{len(names)}I", *range(0, 16 * len(names), 16)),
        BASES[word].to_bytes(word, "little"),
    ]
    return b"".join(part + bytes(-len(part) % word) for part in parts)


@pytest.mark.parametrize("word", BASES)
@pytest.mark.parametrize("names", [NAMES, MANY, MANY[:300]], ids=["few", "many", "even"])
def test_all_names_come_with_their_addresses(names: list[tuple[str, str]], word: int) -> None:
    before = bytes(range(256)) * 8 + b"0\x001\x002\x003\0".ljust(16, b"\7")
    found = read_symbols(before + table(names, word) + b"\x07" * 64, word)
    assert found == [
        Symbol(BASES[word] + 16 * number, kind, name) for number, (kind, name) in enumerate(names)
    ]


def test_tables_that_do_not_fit_together_are_none() -> None:
    whole = b"\x07" * 64 + table(MANY)
    read_symbols(whole, 4)
    number = whole.index(struct.pack("<I", len(MANY)))
    index = whole.index(struct.pack("<3H", 0, 1, 11))
    for at in (number, number + 4, index + 20):
        damaged = bytearray(whole)
        damaged[at] ^= 0x40
        with pytest.raises(NoSymbolsError):
            read_symbols(bytes(damaged), 4)
    with pytest.raises(NoSymbolsError, match="cut short"):
        read_symbols(whole[:-8], 4)


def test_the_load_address_comes_from_the_header(tmp_path: Path) -> None:
    header = bytearray(64)
    header[16:20] = (0x40208000).to_bytes(4, "big")
    (tmp_path / "kernel").write_bytes(bytes(header) + b"\x07" * 64 + table(NAMES))
    kernel = read_kernel(tmp_path / "kernel", ARMHF.code)
    assert kernel.load == 0x40208000
    assert len(kernel.symbols) == len(NAMES)


def test_an_address_belongs_to_the_last_function_before_it() -> None:
    symbols = [
        Symbol(0x100, "T", "mmioset"),
        Symbol(0x100, "W", "memset"),
        Symbol(0x104, "t", "$a"),
        Symbol(0x110, "D", "data"),
        Symbol(0x120, "t", "next"),
    ]
    functions = Functions(symbols, ARMHF.code)
    names = [functions.at(address) for address in (0xFF, 0x100, 0x11C, 0x120, 0xFFFF)]
    assert names == [None, "memset", "memset", "next", "next"]
