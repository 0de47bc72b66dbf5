# SPDX-License-Identifier: Apache-2.0
"""What ran on which CPU of a board, as the emulator traces it, with names."""

import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from firesteel.architectures.armhf import ARMHF
from firesteel.profiling.memory import Functions, Symbol, read_kernel

OPTIONS = "-trace vtime_turn -D {}"
"""Options of the emulator, with a place for the file."""

_LINE = re.compile(r"vtime_turn (\d+) (\d+) (\d+) (0x[0-9a-f]+)")

_USER = 0xBF000000
"""Where the kernel's addresses begin: modules, then the kernel."""


class Turn(NamedTuple):
    """A CPU ran from `began_ns` to `ended_ns` by its own clock, and stopped at the instruction
    `pc`."""

    cpu: int
    began_ns: int
    ended_ns: int
    pc: int


def read_turns(trace: Path) -> Iterator[Turn]:
    """The turns in a file of `OPTIONS`, in the order in which they were run."""
    with trace.open(encoding="utf-8") as lines:
        for line in lines:
            if found := _LINE.search(line):
                cpu, began, ended, pc = found.groups()
                yield Turn(int(cpu), int(began), int(ended), int(pc, 16))


class Names:
    """Names of a kernel's functions, and of a module's."""

    def __init__(self, kernel: Path, name: str, module: bytes, text: int | None) -> None:
        """`text` is where the module's code is; None where that is not known."""
        self._kernel = Functions(read_kernel(kernel, ARMHF.code).symbols, ARMHF.code)
        self._text, self._module = text, name
        code = list(_code_of(module))
        self._code = Functions(code, ARMHF.code)
        self._size = max((symbol.address for symbol in code), default=0)

    def at(self, pc: int) -> str:
        """The function of an instruction."""
        if pc < _USER:
            return "a program"
        offset = pc - (self._text or 0)
        if self._text is not None and 0 <= offset <= self._size:
            return f"{self._code.at(offset)} [{self._module}]"
        return self._kernel.at(pc) or hex(pc)


def _code_of(module: bytes) -> Iterator[Symbol]:
    """The functions in a module's `.text`, from its begin."""
    file = ELFFile(io.BytesIO(module))
    text = file.get_section_index(".text")
    tables = (each for each in file.iter_sections() if isinstance(each, SymbolTableSection))
    for symbol in (symbol for table in tables for symbol in table.iter_symbols()):
        if symbol["st_shndx"] == text and symbol["st_info"]["type"] == "STT_FUNC":
            yield Symbol(symbol["st_value"], "t", symbol.name)


def last_lines(turns: Iterable[Turn], names: Names, count: int) -> list[str]:
    """The last turns, a line each: which CPU, from when to when, and where it was then."""
    return [
        f"CPU {turn.cpu}  {turn.began_ns / 1e9:.9f} to {turn.ended_ns / 1e9:.9f} s  "
        f"{names.at(turn.pc)}"
        for turn in deque(turns, count)
    ]
