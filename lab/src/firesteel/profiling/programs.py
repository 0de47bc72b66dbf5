# SPDX-License-Identifier: Apache-2.0
"""The programs of a board's file tree: which of them a page of memory belongs to, and what their
functions are called.

The tree is unpacked from the very archives that are read here, and the kernel runs programs from
the pages in which it keeps their files.  So a page that was executed is found by its content; no
process has to be alive for that, and the guest does nothing for it.

Debian's files are stripped: they name only exported functions, and C code for armhf has no
unwinding tables with the beginnings of functions.  A symbol with a size is believed for just its
bytes.  Other code is called `@0xADDRESS`, after the last known beginning before it.  Beginnings are
targets of executed calls, pointers to code in the file, ends of symbols, and begins of symbols and
sections.  Functions that are reached only by jumps are counted with the function before them.
Nothing is called by the name of a neighbour.

Assembler routines of OpenSSL carry a line that says what they are; code around it is called so,
and code close by is said to be near it.
"""

import hashlib
import io
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from mmap import mmap
from pathlib import PurePosixPath

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, SymbolTableSection

from firesteel.architectures.architecture import Architecture, Code
from firesteel.base.errors import FiresteelError
from firesteel.profiling.memory import PAGE, KernelImage

VDSO = "[vdso]"
_VDSO_SIZE = 4 * PAGE
"""Bytes; the vDSO of Linux 6.12 takes one page, and its section headers are in it."""

_HEADER = 110
_MAGIC = b"070701"
_END = "TRAILER!!!"
_MODULES = PurePosixPath("/usr/lib/modules")

_EXECUTABLE = 1
_EXECUTABLE_SECTION = 4
_FUNCTIONS = ("STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")
_BEHIND_ALL = 1 << 64

_TOLD = b", CRYPTOGAMS by"
_NEAR = 2048
"""Bytes: a file of assembler has its line behind its functions, or between them."""

_BEFORE = re.compile(rb"(?:pG)?([A-Z][ -~]{8,80})$")
"""What stands before that; the bytes of `bx lr` in Thumb code are the letters pG."""


@dataclass(frozen=True)
class Segment:
    """A part of a file that is loaded: where it lies in the file and in the program."""

    offset: int
    size: int
    address: int
    executable: bool


@dataclass
class _Names:
    """What a file says of its code; all addresses are the file's own."""

    functions: list[tuple[int, int, str]]
    """Begin, size and name."""

    begins: list[int]
    linkage: list[range]
    """The code by which other files' functions are called."""

    told: list[tuple[int, str]]


class ObjectFile:
    """A program or library that is in the file `content`, called `path`.

    Its names are read when they are first asked for: most files of a tree are never executed.
    """

    def __init__(self, path: str, content: bytes, code: Code) -> None:
        self.path = path
        self._code = code
        self._content = content
        self._learned: set[int] = set()
        try:
            self.loaded = [
                Segment(
                    each["p_offset"],
                    each["p_filesz"],
                    each["p_vaddr"],
                    executable=bool(each["p_flags"] & _EXECUTABLE),
                )
                for each in ELFFile(io.BytesIO(content)).iter_segments("PT_LOAD")
            ]
        except (ELFError, KeyError) as error:
            raise self._damaged(error) from None

    @cached_property
    def _names(self) -> _Names:
        try:
            elf = ELFFile(io.BytesIO(self._content))
            sections = list(elf.iter_sections())
            code = [_span(each) for each in sections if each["sh_flags"] & _EXECUTABLE_SECTION]
            functions = sorted(_named(elf, self._code))
            begins = {span.start for span in code} | self._learned
            begins |= {edge for begin, size, _ in functions for edge in (begin, begin + size)}
            begins |= set(self._pointers(elf, code))
        except (ELFError, KeyError, ValueError, struct.error) as error:
            raise self._damaged(error) from None
        linkage = [_span(each) for each in sections if each.name in (".plt", ".iplt")]
        told = [
            (address, text)
            for offset, text in _told(self._content)
            if (address := self.address(offset)) is not None
        ]
        return _Names(functions, sorted(begins), linkage, told)

    def _pointers(self, elf: ELFFile, code: list[range]) -> Iterator[int]:
        """Words to which the loader adds the file's base, as far as they point into code."""
        tables = (each for each in elf.iter_sections() if isinstance(each, RelocationSection))
        for each in (each for table in tables for each in table.iter_relocations()):
            if each["r_info_type"] == self._code.relative_relocation:
                own = [each["r_addend"]] if each.is_RELA() else self._word_at(each["r_offset"])
                for pointer in own:
                    if any(pointer in span for span in code):
                        yield self._code.instructions.begin(pointer)

    def _word_at(self, address: int) -> Iterator[int]:
        """The word of 32 bits at an address of the file, if it is in there."""
        for each in self.loaded:
            if 0 <= address - each.address <= each.size - 4:
                yield from struct.unpack_from(
                    "<I", self._content, each.offset + address - each.address
                )

    def learn(self, addresses: Iterable[int]) -> None:
        """Takes note that functions begin at these addresses; before the first is asked for."""
        self._learned |= set(addresses)

    def function(self, offset: int) -> str:
        """What the code at an offset of the file is called."""
        address = self.address(offset)
        if address is None:
            return "[unknown]"
        names = self._names
        if any(address in span for span in names.linkage):
            return "[plt]"
        number = bisect_right(names.functions, (address, _BEHIND_ALL, "")) - 1
        if number >= 0:
            begin, size, name = names.functions[number]
            if begin <= address < begin + size:
                return name
        number = bisect_right(names.begins, address)
        begin = names.begins[number - 1] if number else 0
        end = names.begins[number] if number < len(names.begins) else _BEHIND_ALL
        told = " and ".join(text for at, text in names.told if begin <= at < end)
        near = [(abs(at - begin), text) for at, text in names.told if abs(at - begin) <= _NEAR]
        if near and not told:
            told = f"near {min(near)[1]}"
        return f"@{begin:#x} ({told})" if told else f"@{begin:#x}"

    def _damaged(self, error: Exception) -> FiresteelError:
        return FiresteelError(f"{self.path}: this program cannot be read: {error}.")

    def address(self, offset: int) -> int | None:
        """The address, before any relocation, of an offset of the file; None if it is no code."""
        for segment in self.loaded:
            if segment.executable and 0 <= offset - segment.offset < segment.size:
                return segment.address + offset - segment.offset
        return None


def _span(section: Section) -> range:
    return range(section["sh_addr"], section["sh_addr"] + section["sh_size"])


def _told(content: bytes) -> Iterator[tuple[int, str]]:
    """Where assembler says what it is, and what it says."""
    end = content.find(_TOLD)
    while end >= 0:
        text = _BEFORE.search(content[max(end - 82, 0) : end])
        if text:
            yield end, text[1].decode("ascii")
        end = content.find(_TOLD, end + 1)


def _named(elf: ELFFile, code: Code) -> Iterator[tuple[int, int, str]]:
    """Begin, size and name of functions; labels of assembler, which have no size, reach to the next
    label or function.
    """
    found: dict[int, tuple[int, str]] = {}
    labels: dict[int, str] = {}
    tables = (each for each in elf.iter_sections() if isinstance(each, SymbolTableSection))
    for symbol in (symbol for table in tables for symbol in table.iter_symbols()):
        kind, where = symbol["st_info"]["type"], symbol["st_shndx"]
        if where == "SHN_UNDEF" or code.is_mapping_symbol(symbol.name) or not symbol.name:
            continue
        begin = code.instructions.begin(symbol["st_value"])
        # Of several names of one function the first by alphabet.
        if kind in _FUNCTIONS and symbol["st_size"]:
            if begin not in found or symbol.name < found[begin][1]:
                found[begin] = (symbol["st_size"], symbol.name)
        elif (
            kind in ("STT_FUNC", "STT_NOTYPE")
            and isinstance(where, int)
            and elf.get_section(where)["sh_flags"] & _EXECUTABLE_SECTION
        ):
            labels[begin] = min(symbol.name, labels.get(begin, symbol.name))
    for begin, (size, name) in found.items():
        yield begin, size, name
    for begin, behind in pairwise(sorted(labels.keys() | found.keys())):
        if begin not in found:
            yield begin, behind - begin, labels[begin]


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
        """Where a page comes from; None if from no program, or if several programs match."""
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
            # From its directory's name on; of one that is elsewhere, its file's name.
            below = (
                name.relative_to(_MODULES).parts[1:]
                if _MODULES in name.parents
                else name.parts[-1:]
            )
            programs.modules[name.stem.replace("-", "_")] = "/".join(below)
        elif content.startswith(b"\x7fELF"):
            _add(programs, ObjectFile(path, content, code), content)
    return programs


def add_vdso(
    programs: Programs, kernel: KernelImage, memory: mmap, architecture: Architecture
) -> None:
    """Adds the library that the kernel gives every program.

    It is a part of the kernel's image, which changes it while it starts: so it is read from memory.
    """
    begin = architecture.code.elf
    place = kernel.content.find(begin)
    while place >= 0:
        offset = kernel.load - architecture.machine.memory_start + place
        if offset % PAGE == 0:
            content = memory[offset : offset + _VDSO_SIZE]
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
    for segment in filter(lambda each: each.executable, program.loaded):
        first = segment.offset - segment.offset % PAGE
        for offset in range(first, segment.offset + segment.size, PAGE):
            page = content[offset : offset + PAGE].ljust(PAGE, b"\0")
            programs.pages.setdefault(_key(page), []).append(Origin(program, offset))


def _key(page: bytes) -> bytes:
    return hashlib.blake2b(page, digest_size=16).digest()
