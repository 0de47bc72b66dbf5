# SPDX-License-Identifier: Apache-2.0
"""The functions of programs and libraries, from their files.

Debian's files are stripped: they name what they export and nothing else.  A symbol with a size is
believed for just its bytes.  Elsewhere, where C functions begin is known from their unwinding
information (the table `.ARM.exidx`), and the code from there on is called `@0xADDRESS`: that is one
function, or several of which the linker has merged equal entries.  Nothing is called by the name of
a neighbour.
"""

import io
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from firesteel.errors import FiresteelError

_EXECUTABLE = 1
_NO_TABLE = ("STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")
_MAPPING = ("$a", "$t", "$d")


@dataclass(frozen=True)
class Segment:
    """A part of a file that is mapped executable: where it lies in the file and in the program."""

    offset: int
    size: int
    address: int


class ObjectFile:
    """A program or library that is in the file `content`, called `path`."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        try:
            elf = ELFFile(io.BytesIO(content))
            self.segments = [
                Segment(each["p_offset"], each["p_filesz"], each["p_vaddr"])
                for each in elf.iter_segments("PT_LOAD")
                if each["p_flags"] & _EXECUTABLE
            ]
            self._named = sorted(_named(elf))
            self._begins = sorted({*_unwound(elf), *(begin for begin, _, _ in self._named)})
            self._linkage = [
                (section["sh_addr"], section["sh_size"])
                for section in elf.iter_sections()
                if section.name in (".plt", ".iplt")
            ]
        except (ELFError, KeyError, ValueError) as error:
            raise FiresteelError(f"{path}: this program cannot be read: {error}.") from None

    def function(self, offset: int) -> str:
        """What the code at an offset of the file is called."""
        address = self.address(offset)
        if address is None:
            return "[unknown]"
        if any(begin <= address < begin + size for begin, size in self._linkage):
            return "[plt]"
        number = bisect_right(self._named, (address, 1 << 32, "")) - 1
        if number >= 0:
            begin, size, name = self._named[number]
            if begin <= address < begin + size:
                return name
        number = bisect_right(self._begins, address) - 1
        begin = self._begins[number] if number >= 0 else 0
        return f"@{begin:#x}"

    def address(self, offset: int) -> int | None:
        """The address, before any relocation, of an offset of the file; None if it is no code."""
        for segment in self.segments:
            if segment.offset <= offset < segment.offset + segment.size:
                return int(segment.address + offset - segment.offset)
        return None


def is_elf(content: bytes) -> bool:
    """Is this a program, library or module?"""
    return content.startswith(b"\x7fELF")


def _named(elf: ELFFile) -> Iterator[tuple[int, int, str]]:
    """Begin, size and name of functions; labels of assembler have the room up to the next one."""
    tables = [each for each in elf.iter_sections() if isinstance(each, SymbolTableSection)]
    found: dict[int, tuple[int, str]] = {}
    labels: set[tuple[int, str]] = set()
    for table in tables:
        for symbol in table.iter_symbols():
            kind, where = symbol["st_info"]["type"], symbol["st_shndx"]
            if where == "SHN_UNDEF" or symbol.name.startswith(_MAPPING) or not symbol.name:
                continue
            if kind in _NO_TABLE and symbol["st_size"]:
                begin = symbol["st_value"] & ~1
                known = found.get(begin)
                # Of several names of one function the first by alphabet, so that it is always the same.
                if known is None or symbol.name < known[1]:
                    found[begin] = (symbol["st_size"], symbol.name)
            elif kind in ("STT_FUNC", "STT_NOTYPE") and isinstance(where, int):
                if elf.get_section(where)["sh_flags"] & 4:
                    labels.add((symbol["st_value"] & ~1, symbol.name))
    for begin, (size, name) in found.items():
        yield begin, size, name
    yield from _labels(labels, sorted(found))


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


def _unwound(elf: ELFFile) -> Iterator[int]:
    """Where the entries of the unwinding table begin: two words each, of which the first is an
    offset of 31 bits from itself.
    """
    section = elf.get_section_by_name(".ARM.exidx")
    if section is None:
        return
    content, base = section.data(), section["sh_addr"]
    for at in range(0, len(content), 8):
        offset = int.from_bytes(content[at : at + 4], "little") & 0x7FFFFFFF
        if offset & 0x40000000:
            offset -= 0x80000000
        yield base + at + offset & ~1
