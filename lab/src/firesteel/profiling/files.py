# SPDX-License-Identifier: Apache-2.0
"""The programs of a board's file tree, and which of them a page of memory belongs to.

The tree is unpacked from the very archives that are read here, and the kernel runs programs from
the pages in which it keeps their files.  So a page that was executed is found by its content; no
process has to be alive for that, and the guest does nothing for it.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from firesteel.architectures.architecture import Architecture, Code
from firesteel.base.errors import FiresteelError
from firesteel.profiling.kallsyms import KernelImage
from firesteel.profiling.memory import PAGE, Memory
from firesteel.profiling.objects import ObjectFile, is_elf

VDSO = "[vdso]"
_VDSO_SIZE = 4 * PAGE
"""Bytes; the vDSO of Linux 6.12 takes one page, and its section headers are in it."""

_HEADER = 110
_MAGIC = b"070701"
_END = "TRAILER!!!"
_MODULES = PurePosixPath("/usr/lib/modules")


@dataclass(frozen=True)
class Origin:
    """Where a page comes from: a file, and the page's offset in it."""

    object: ObjectFile
    offset: int


@dataclass
class Programs:
    """All that can be executed: pages by their content, and modules' paths by their names.

    `modules` has paths as below `/usr/lib/modules/RELEASE`, such as `kernel/drivers/net/tun.ko`.
    """

    pages: dict[bytes, list[Origin]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)

    def origin(self, page: bytes) -> Origin | None:
        """Where a page comes from; None if from no program, or from several that it cannot tell."""
        found = self.pages.get(_key(page), [])
        return found[0] if len(found) == 1 else None


def read_programs(code: Code, *archives: bytes) -> Programs:
    """The programs in archives that are unpacked one over the other."""
    files: dict[str, bytes] = {}
    for archive in archives:
        files.update(read_archive(archive))
    programs = Programs()
    for path, content in sorted(files.items()):
        name = PurePosixPath(path)
        if name.suffix == ".ko":
            programs.modules[name.stem.replace("-", "_")] = _below_release(name)
        elif is_elf(content):
            _add(programs, ObjectFile(path, content, code), content)
    return programs


def add_vdso(
    programs: Programs, kernel: KernelImage, memory: Memory, architecture: Architecture
) -> None:
    """Adds the library that the kernel gives every program.

    It is a part of the kernel's image, which changes it while it starts: so it is read from memory.
    """
    begin = architecture.code.elf
    place = kernel.content.find(begin)
    while place >= 0:
        offset = kernel.load - architecture.machine.memory_start + place
        if offset % PAGE == 0:
            content = memory.read(offset, _VDSO_SIZE)
            _add(programs, ObjectFile(VDSO, content, architecture.code), content)
            return
        place = kernel.content.find(begin, place + 1)


def read_archive(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Path and content of the files in an archive as the kernel unpacks it (newc)."""
    at = 0
    while at < len(archive):
        if not archive.startswith(_MAGIC, at):
            if any(archive[at : at + 4]):
                raise FiresteelError("The image's archive is damaged: no newc header.")
            at += 4  # Zeros between archives.
            continue
        fields = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        mode, size, length = fields[1], fields[6], fields[11]
        name = archive[at + _HEADER : at + _HEADER + length - 1].decode()
        begin = at + _aligned(_HEADER + length)
        if name != _END and mode & 0o170000 == 0o100000:
            yield f"/{name.removeprefix('./')}", archive[begin : begin + size]
        at = begin + _aligned(size)


def _aligned(size: int) -> int:
    return size + -size % 4


def _add(programs: Programs, program: ObjectFile, content: bytes) -> None:
    for segment in program.segments:
        first = segment.offset - segment.offset % PAGE
        for offset in range(first, segment.offset + segment.size, PAGE):
            page = content[offset : offset + PAGE].ljust(PAGE, b"\0")
            programs.pages.setdefault(_key(page), []).append(Origin(program, offset))


def _below_release(path: PurePosixPath) -> str:
    """A module's path from its directory's name on; of one that is elsewhere, its file's name."""
    if _MODULES in path.parents:
        return str(PurePosixPath(*path.relative_to(_MODULES).parts[1:]))
    return path.name


def _key(page: bytes) -> bytes:
    return hashlib.blake2b(page, digest_size=16).digest()
