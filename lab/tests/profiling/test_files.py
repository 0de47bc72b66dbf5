# SPDX-License-Identifier: Apache-2.0
"""Programs of a file tree by the content of their pages."""

from pathlib import Path

import pytest
from tiny_elf import FUNCTION, TEXT, TinyElf
from tiny_guest import LOAD, START, TinyGuest

from firesteel.architectures.armhf import ARMHF
from firesteel.base.errors import FiresteelError
from firesteel.board.job import Job, JobFile, job_archive
from firesteel.profiling.memory import PAGE, KernelImage
from firesteel.profiling.programs import VDSO, add_vdso, read_archive, read_programs

CODE = bytes(range(256)) * 20
OTHER = bytes(reversed(range(256))) * 20


def archive(**files: bytes) -> bytes:
    """An archive with these files; `__` in a name stands for `/`, and `_ko` for its ending."""
    paths = {"/" + name.replace("__", "/").replace("_ko", ".ko"): name for name in files}
    return job_archive(Job({path: JobFile(files[name]) for path, name in paths.items()}))


def test_a_page_belongs_to_the_file_that_has_it_last() -> None:
    first = archive(bin__x=TinyElf(CODE).build(), etc__motd=b"hello")
    second = archive(bin__x=TinyElf(OTHER).build())
    programs = read_programs(ARMHF.code, first + bytes(512), second)
    origin = programs.origin(OTHER[:PAGE])
    assert origin is not None
    assert (origin.object.path, origin.offset) == ("/bin/x", TEXT)
    assert programs.origin(CODE[:PAGE]) is None, "that file was replaced"


def test_a_page_that_two_files_have_is_neither_s() -> None:
    same = TinyElf(CODE).build()
    assert read_programs(ARMHF.code, archive(bin__x=same, bin__y=same)).origin(CODE[:PAGE]) is None


def test_the_last_page_is_filled_with_zeros_as_the_kernel_has_it() -> None:
    content = TinyElf(CODE, [("open", TEXT, 8, FUNCTION)]).build()[: TEXT + 2 * PAGE - 16]
    programs = read_programs(ARMHF.code, archive(bin__x=content))
    last = content[TEXT + PAGE :].ljust(PAGE, b"\0")
    assert programs.origin(last) is not None


def test_modules_are_known_by_where_they_lie() -> None:
    programs = read_programs(
        ARMHF.code,
        archive(usr__lib__modules__6__kernel__net__xfrm_ko=b"\x7fELF", job__firesteel_ko=b""),
    )
    assert programs.modules == {"xfrm": "kernel/net/xfrm.ko", "firesteel": "firesteel.ko"}


def test_a_damaged_archive_is_told() -> None:
    with pytest.raises(FiresteelError, match="archive is damaged"):
        list(read_archive(archive(bin__x=b"1") + b"junk"))


def test_the_vdso_is_read_from_memory(tmp_path: Path) -> None:
    library = TinyElf(CODE, [("__vdso_time", TEXT, 16, FUNCTION)]).build()
    kernel = bytearray(0x20000)
    kernel[100 : 100 + len(library)] = library  # It is no page of its own.
    kernel[0x8000 : 0x8000 + len(library)] = library
    guest = TinyGuest()
    guest.put(LOAD - START, bytes(kernel))
    guest.put(LOAD - START + 0x8000 + TEXT, b"patched")
    programs = read_programs(ARMHF.code, b"")
    with guest.write(tmp_path / "ram") as memory:
        add_vdso(programs, KernelImage(LOAD, bytes(kernel), []), memory, ARMHF)
        page = memory.read(LOAD - START + 0x8000 + TEXT, PAGE)
    origin = programs.origin(page)
    assert origin is not None
    assert origin.object.path == VDSO
    assert origin.object.function(origin.offset) == "__vdso_time"
