# SPDX-License-Identifier: Apache-2.0
"""The functions of programs and libraries, from their files.

Debian's files are stripped: they name what they export and nothing else, and C code for armhf has
no unwinding tables that would tell where functions begin.  A symbol with a size is believed for
just its bytes.  Other code is called `@0xADDRESS` by the last place before it that is known to be a
beginning: the target of a call that was executed, a pointer to code that the file has, a symbol's
begin or end, a section's begin.  Functions that are reached by a jump alone stay with the one
before them.  Nothing is called by the name of a neighbour.

Assembler routines of OpenSSL carry a line that says what they are; code around it is called so,
and code close by is said to be near it.
"""

import io
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from firesteel.architectures.architecture import Code
from firesteel.base.errors import FiresteelError

_EXECUTABLE = 1
_EXECUTABLE_SECTION = 4
_FUNCTIONS = ("STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")
_RELOCATION = struct.Struct("<II")

_TOLD = b", CRYPTOGAMS by"
_NEAR = 2048
"""Bytes: a file of assembler has its line behind its functions, or between them."""

_BEFORE = re.compile(rb"(?:pG)?([A-Z][ -~]{8,80})$")
"""What stands before that; the bytes of `bx lr` in Thumb code are the letters pG."""


@dataclass(frozen=True)
class Segment:
    """A part of a file that is mapped executable: where it lies in the file and in the program."""

    offset: int
    size: int
    address: int


@dataclass
class _Names:
    """What a file says of its code; all addresses are the file's own."""

    functions: list[tuple[int, int, str]]
    """Begin, size and name."""

    begins: list[int]
    linkage: list[tuple[int, int]]
    """Begin and size of the code by which other files' functions are called."""

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
            self.segments = [
                Segment(each["p_offset"], each["p_filesz"], each["p_vaddr"])
                for each in ELFFile(io.BytesIO(content)).iter_segments("PT_LOAD")
                if each["p_flags"] & _EXECUTABLE
            ]
        except (ELFError, KeyError) as error:
            raise self._damaged(error) from None

    @cached_property
    def _names(self) -> _Names:
        try:
            elf = ELFFile(io.BytesIO(self._content))
            functions = sorted(_named(elf, self._code))
            begins = _begins(elf, self._content, functions, self._code)
            linkage = [
                (section["sh_addr"], section["sh_size"])
                for section in elf.iter_sections()
                if section.name in (".plt", ".iplt")
            ]
        except (ELFError, KeyError, ValueError, struct.error) as error:
            raise self._damaged(error) from None
        told = [
            (address, text)
            for offset, text in _told(self._content)
            if (address := self.address(offset)) is not None
        ]
        return _Names(functions, sorted(begins | self._learned), linkage, told)

    def learn(self, addresses: Iterable[int]) -> None:
        """Takes note that functions begin at these addresses; before the first is asked for."""
        self._learned |= set(addresses)

    def function(self, offset: int) -> str:
        """What the code at an offset of the file is called."""
        address = self.address(offset)
        if address is None:
            return "[unknown]"
        names = self._names
        if any(begin <= address < begin + size for begin, size in names.linkage):
            return "[plt]"
        number = bisect_right(names.functions, (address, 1 << 32, "")) - 1
        if number >= 0:
            begin, size, name = names.functions[number]
            if begin <= address < begin + size:
                return name
        number = bisect_right(names.begins, address)
        begin = names.begins[number - 1] if number else 0
        end = names.begins[number] if number < len(names.begins) else 1 << 32
        told = " and ".join(text for at, text in names.told if begin <= at < end)
        if not told and (near := _nearest(names.told, begin)):
            told = f"near {near}"
        return f"@{begin:#x} ({told})" if told else f"@{begin:#x}"

    def _damaged(self, error: Exception) -> FiresteelError:
        return FiresteelError(f"{self.path}: this program cannot be read: {error}.")

    def address(self, offset: int) -> int | None:
        """The address, before any relocation, of an offset of the file; None if it is no code."""
        for segment in self.segments:
            if segment.offset <= offset < segment.offset + segment.size:
                return int(segment.address + offset - segment.offset)
        return None


def _nearest(told: list[tuple[int, str]], begin: int) -> str:
    """What the line says that is nearest to a function's begin, if one is near at all."""
    found = [(abs(at - begin), text) for at, text in told if abs(at - begin) <= _NEAR]
    return min(found)[1] if found else ""


def is_elf(content: bytes) -> bool:
    """Whether this is a program, library or module."""
    return content.startswith(b"\x7fELF")


def _told(content: bytes) -> Iterator[tuple[int, str]]:
    """Where assembler says what it is, and what it says."""
    end = content.find(_TOLD)
    while end >= 0:
        text = _BEFORE.search(content[max(end - 82, 0) : end])
        if text:
            yield end, text[1].decode("ascii")
        end = content.find(_TOLD, end + 1)


def _named(elf: ELFFile, code: Code) -> Iterator[tuple[int, int, str]]:
    """Begin, size and name of functions; labels of assembler have the room up to the next one."""
    tables = [each for each in elf.iter_sections() if isinstance(each, SymbolTableSection)]
    found: dict[int, tuple[int, str]] = {}
    labels: set[tuple[int, str]] = set()
    for table in tables:
        for symbol in table.iter_symbols():
            kind, where = symbol["st_info"]["type"], symbol["st_shndx"]
            if where == "SHN_UNDEF" or code.is_mapping_symbol(symbol.name) or not symbol.name:
                continue
            begin = code.instructions.begin(symbol["st_value"])
            if kind in _FUNCTIONS and symbol["st_size"]:
                known = found.get(begin)
                # Of several names of one function the first by alphabet.
                if known is None or symbol.name < known[1]:
                    found[begin] = (symbol["st_size"], symbol.name)
            elif kind in ("STT_FUNC", "STT_NOTYPE") and _in_code(elf, where):
                labels.add((begin, symbol.name))
    for begin, (size, name) in found.items():
        yield begin, size, name
    yield from _labels(labels, sorted(found))


def _in_code(elf: ELFFile, section: int | str) -> bool:
    if not isinstance(section, int):
        return False
    return bool(elf.get_section(section)["sh_flags"] & _EXECUTABLE_SECTION)


def _labels(labels: set[tuple[int, str]], functions: list[int]) -> Iterator[tuple[int, int, str]]:
    """Labels without a size: each ends where the next label or function begins."""
    begins = sorted({begin for begin, _ in labels} | set(functions))
    known = set(functions)
    for begin, name in sorted(labels):
        if begin in known:
            continue
        known.add(begin)
        number = bisect_right(begins, begin)
        if number < len(begins):
            yield begin, begins[number] - begin, name


def _begins(
    elf: ELFFile, content: bytes, named: list[tuple[int, int, str]], code: Code
) -> set[int]:
    """Where functions begin by what the file itself has: sections, symbols, pointers to code."""
    begins = {
        section["sh_addr"]
        for section in elf.iter_sections()
        if section["sh_flags"] & _EXECUTABLE_SECTION
    }
    for begin, size, _ in named:
        begins |= {begin, begin + size}
    return begins | {code.instructions.begin(each) for each in _pointers(elf, content, code)}


def _pointers(elf: ELFFile, content: bytes, code: Code) -> Iterator[int]:
    """Words to which the loader adds the file's base, as far as they point into code."""
    spans = [
        (section["sh_addr"], section["sh_addr"] + section["sh_size"])
        for section in elf.iter_sections()
        if section["sh_flags"] & _EXECUTABLE_SECTION
    ]
    loaded = [
        (each["p_vaddr"], each["p_vaddr"] + each["p_filesz"], each["p_offset"])
        for each in elf.iter_segments("PT_LOAD")
    ]
    for section in elf.iter_sections():
        if section["sh_type"] != "SHT_REL":
            continue
        for place, info in _RELOCATION.iter_unpack(section.data()):
            if info & 0xFF != code.relative_relocation:
                continue
            for begin, end, offset in loaded:
                if begin <= place <= end - 4:
                    (pointer,) = struct.unpack_from("<I", content, offset + place - begin)
                    if any(first <= pointer < last for first, last in spans):
                        yield pointer
