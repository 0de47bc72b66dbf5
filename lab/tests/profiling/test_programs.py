# SPDX-License-Identifier: Apache-2.0
"""Functions of stripped files: a symbol names its own bytes and no others."""

import pytest
from tiny_elf import FUNCTION, PLT, TEXT, UNTYPED, TinyElf

from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.profiling.programs import ObjectFile

CODE = bytes(0x200)


def test_a_symbol_names_its_bytes_alone() -> None:
    symbols = [("open", TEXT + 0x11, 0x20, FUNCTION)]  # Thumb: the lowest bit is set
    program = ObjectFile("/lib/x.so", TinyElf(CODE, symbols).build(), ARMHF.code)
    assert program.function(TEXT + 0x10) == "open"
    assert program.function(TEXT + 0x2F) == "open"
    assert program.function(TEXT + 0x30) == f"@{TEXT + 0x30:#x}"
    assert program.function(TEXT + 0x1F0) == f"@{TEXT + 0x30:#x}"
    assert program.function(TEXT) == f"@{TEXT:#x}"


def test_pointers_and_calls_tell_where_functions_begin() -> None:
    elf = TinyElf(CODE, pointers=[TEXT + 0x41, DATA_WORD, TEXT + 0x80])
    program = ObjectFile("/lib/x.so", elf.build(), ARMHF.code)
    program.learn([TEXT + 0x60])
    begins = {program.function(TEXT + offset) for offset in range(0, 0x200, 4)}
    assert begins == {f"@{TEXT + offset:#x}" for offset in (0, 0x40, 0x60, 0x80)}


DATA_WORD = 0x13000
"""A pointer that is none to code."""


def test_labels_of_assembler_reach_to_the_next() -> None:
    symbols = [
        ("loop", TEXT + 0x20, 0, UNTYPED),
        ("$a", TEXT + 0x24, 0, UNTYPED),
        ("done", TEXT + 0x40, 0, UNTYPED),
        ("main", TEXT + 0x60, 0x10, FUNCTION),
    ]
    program = ObjectFile("/bin/x", TinyElf(CODE, symbols, exported=False).build(), ARMHF.code)
    names = [program.function(TEXT + offset) for offset in (0x20, 0x3C, 0x40, 0x5C, 0x60)]
    assert names == ["loop", "loop", "done", "done", "main"]


def test_of_two_names_the_first_by_alphabet_is_taken_whatever_their_order() -> None:
    names = [("zeta", TEXT, 8, FUNCTION), ("beta", TEXT, 8, FUNCTION)]
    for symbols in (names, names[::-1]):
        assert (
            ObjectFile("/lib/x.so", TinyElf(CODE, symbols).build(), ARMHF.code).function(TEXT)
            == "beta"
        )


def test_assembler_of_openssl_is_called_by_what_it_says() -> None:
    line = b"\x70\x47AES for ARMv4, CRYPTOGAMS by <appro@openssl.org>\0"
    code = bytes(0x40) + line.ljust(0x40, b"\0") + bytes(0x40)
    symbols = [("after", TEXT + 0x80, 0x40, FUNCTION)]
    program = ObjectFile("/lib/x.so", TinyElf(code, symbols).build(), ARMHF.code)
    assert program.function(TEXT + 8) == f"@{TEXT:#x} (AES for ARMv4)"
    assert program.function(TEXT + 0x80) == "after"


def test_code_close_to_such_a_line_is_said_to_be_near_it() -> None:
    line = b"GHASH for ARMv4/NEON, CRYPTOGAMS by <appro@openssl.org>\0"
    code = bytes(0x1000) + line.ljust(0x40, b"\0")
    symbols = [("one", TEXT, 0x400, FUNCTION), ("two", TEXT + 0xC00, 0x100, FUNCTION)]
    symbols.append(("three", TEXT + 0xE00, 0x100, FUNCTION))
    program = ObjectFile("/lib/x.so", TinyElf(code, symbols).build(), ARMHF.code)
    assert program.function(TEXT + 0x500) == f"@{TEXT + 0x400:#x}"
    assert program.function(TEXT + 0xD00) == f"@{TEXT + 0xD00:#x} (near GHASH for ARMv4/NEON)"
    assert program.function(TEXT + 0xF80) == f"@{TEXT + 0xF00:#x} (GHASH for ARMv4/NEON)"


def test_linkage_and_what_is_no_code() -> None:
    program = ObjectFile("/lib/x.so", TinyElf(CODE).build(), ARMHF.code)
    assert program.function(PLT + 4) == "[plt]"
    assert program.function(1 << 20) == "[unknown]"


def test_a_file_cut_short_is_told() -> None:
    whole = TinyElf(CODE, [("open", TEXT, 8, FUNCTION)]).build()
    with pytest.raises(FiresteelError, match=r"^/lib/x\.so: "):
        ObjectFile("/lib/x.so", whole[:40], ARMHF.code)
