# SPDX-License-Identifier: Apache-2.0
"""Functions of stripped files: a symbol names its own bytes and no others."""

from pathlib import Path

from tiny_elf import FUNCTION, PLT, TEXT, UNTYPED, TinyElf
from tiny_guest import LOAD, START, TinyGuest

from firesteel.architectures.armhf import ARMHF
from firesteel.boards.job import Job, JobFile, job_archive
from firesteel.profiling.memory import PAGE, KernelImage
from firesteel.profiling.programs import VDSO, ObjectFile, add_vdso, read_programs

CODE = bytes(0x200)


def test_a_symbol_names_its_bytes_alone() -> None:
    symbols = [("open", TEXT + 0x11, 0x20, FUNCTION)]  # Thumb: the lowest bit is set
    program = ObjectFile("/lib/x.so", TinyElf(CODE, symbols).build(), ARMHF.code)
    assert program.function(TEXT + 0x10) == "open"
    assert program.function(TEXT + 0x2F) == "open"
    assert program.function(TEXT + 0x30) == f"@{TEXT + 0x30:#x}"
    assert program.function(TEXT + 0x1F0) == f"@{TEXT + 0x30:#x}"
    assert program.function(TEXT) == f"@{TEXT:#x}"
    assert program.function(PLT + 4) == "[plt]"
    assert program.function(1 << 20) == "[unknown]"


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


PAGES = bytes(range(256)) * 20
OTHER = bytes(reversed(range(256))) * 20


def archive(**files: bytes) -> bytes:
    """An archive with these files; `__` in a name stands for `/`, and `_ko` for its ending."""
    paths = {"/" + name.replace("__", "/").replace("_ko", ".ko"): name for name in files}
    return job_archive(Job({path: JobFile(files[name]) for path, name in paths.items()}))


def test_a_page_belongs_to_the_file_that_has_it_last() -> None:
    first = archive(bin__x=TinyElf(PAGES).build(), etc__motd=b"hello")
    second = archive(bin__x=TinyElf(OTHER).build())
    programs = read_programs(ARMHF.code, first + bytes(512), second)
    origin = programs.origin(OTHER[:PAGE])
    assert origin is not None
    assert (origin.object.path, origin.offset) == ("/bin/x", TEXT)
    assert programs.origin(PAGES[:PAGE]) is None, "that file was replaced"


def test_the_last_page_is_filled_with_zeros_as_the_kernel_has_it() -> None:
    content = TinyElf(PAGES, [("open", TEXT, 8, FUNCTION)]).build()[: TEXT + 2 * PAGE - 16]
    programs = read_programs(ARMHF.code, archive(bin__x=content))
    last = content[TEXT + PAGE :].ljust(PAGE, b"\0")
    assert programs.origin(last) is not None


def test_modules_are_known_by_where_they_lie() -> None:
    programs = read_programs(
        ARMHF.code,
        archive(usr__lib__modules__6__kernel__net__xfrm_ko=b"\x7fELF", job__firesteel_ko=b""),
    )
    assert programs.modules == {"xfrm": "kernel/net/xfrm.ko", "firesteel": "firesteel.ko"}


def test_the_vdso_is_read_from_memory(tmp_path: Path) -> None:
    library = TinyElf(PAGES, [("__vdso_time", TEXT, 16, FUNCTION)]).build()
    kernel = bytearray(0x20000)
    kernel[100 : 100 + len(library)] = library  # It is no page of its own.
    kernel[0x8000 : 0x8000 + len(library)] = library
    guest = TinyGuest()
    guest.put(LOAD - START, bytes(kernel))
    guest.put(LOAD - START + 0x8000 + TEXT, b"patched")
    programs = read_programs(ARMHF.code, b"")
    with guest.write(tmp_path / "ram") as memory:
        add_vdso(programs, KernelImage(LOAD, bytes(kernel), []), memory, ARMHF)
        begin = LOAD - START + 0x8000 + TEXT
        page = memory[begin : begin + PAGE]
    origin = programs.origin(page)
    assert origin is not None
    assert origin.object.path == VDSO
    assert origin.object.function(origin.offset) == "__vdso_time"
