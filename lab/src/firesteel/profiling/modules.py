# SPDX-License-Identifier: Apache-2.0
"""The kernel modules in a board's memory, and their functions.

The list of modules has no symbol that the kernel's table of names tells, so a `struct module` is
looked for where modules lie: it has a name, and list pointers whose neighbours point back.  From
the first that is found the list leads to all others; all must be in order, or there is an error.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesteel.architectures.architecture import Code
from firesteel.base.errors import FiresteelError
from firesteel.profiling.kallsyms import Symbol
from firesteel.profiling.memory import PAGE, KernelMemory

_MOST = 1000
"""Modules; a list that is longer is none."""

_ELF_SYMBOL = struct.Struct("<IIIBBH")
_FUNCTION, _UNTYPED = 2, 0
_LONGEST_NAME = 512
"""KSYM_NAME_LEN of Linux 6.12."""


@dataclass(frozen=True)
class Module:
    """A module that is loaded: where its code lies, and the symbols in it."""

    name: str
    base: int
    size: int
    symbols: list[Symbol]


@dataclass(frozen=True)
class _Reader:
    memory: KernelMemory
    layout: Mapping[str, int]
    code: Code

    def find(self) -> int | None:
        """The address of a list entry of some module."""
        at, step = self.layout["module.list"], 64
        for page in range(self.layout["modules_begin"], self.layout["modules_end"], PAGE):
            if self.memory.offset(page) is None:
                continue
            for address in range(page, page + PAGE, step):
                if self.name(address + at) and self._in_a_list(address + at):
                    return address + at
        return None

    def entries(self, first: int) -> Iterator[int]:
        """All list entries of modules from `first` on; the list's head is left out."""
        entry = first
        for _ in range(_MOST):
            if not self._in_a_list(entry):
                break
            if self._in_area(entry):
                yield entry
            entry = self.memory.word(entry) or 0
            if entry == first:
                return
        raise FiresteelError("The list of modules in the board's memory is not whole.")

    def name(self, entry: int) -> str | None:
        """The module's name, if it is one that a module may have."""
        at = entry - self.layout["module.list"] + self.layout["module.name"]
        name = self.memory.text(at, self.layout["module.name_size"])
        return name if name and name.replace("_", "").isalnum() else None

    def module(self, entry: int) -> Module:
        base = entry - self.layout["module.list"]
        values = {
            key: self.memory.word(base + self.layout[f"module.{key}"])
            for key in ("text_base", "text_size", "kallsyms")
        }
        name, begin, size = self.name(entry), values["text_base"], values["text_size"]
        if name is None or begin is None or size is None or not values["kallsyms"]:
            raise FiresteelError("A module in the board's memory cannot be read.")
        return Module(name, begin, size, list(self._symbols(name, values["kallsyms"])))

    def _symbols(self, name: str, kallsyms: int) -> Iterator[Symbol]:
        where = {
            key: self.memory.word(kallsyms + self.layout[f"kallsyms.{key}"])
            for key in ("symtab", "num_symtab", "strtab")
        }
        table, count, strings = where["symtab"], where["num_symtab"], where["strtab"]
        if table is None or count is None or strings is None:
            raise FiresteelError(f"The symbols of the module {name} cannot be read.")
        found = self.memory.read(table, count * _ELF_SYMBOL.size) or b""
        functions: list[tuple[int, int, str]] = []
        labels: list[tuple[int, int, str]] = []
        kinds = {_FUNCTION: functions, _UNTYPED: labels}
        for at, value, size, info, _, section in _ELF_SYMBOL.iter_unpack(found):
            symbol = self.memory.text(strings + at, _LONGEST_NAME)
            if symbol is None:
                raise FiresteelError(f"A symbol of the module {name} cannot be read.")
            named = symbol and not self.code.is_mapping_symbol(symbol)
            if section and named and info & 0xF in kinds:
                kinds[info & 0xF].append((self.code.instructions.begin(value), size, symbol))
        # What has no type within a function is its data, or where it jumps to.
        inside = [range(begin + 1, begin + size) for begin, size, _ in functions]
        outside = [label for label in labels if not any(label[0] in span for span in inside)]
        for begin, _, symbol in (*functions, *outside):
            yield Symbol(begin, "t", symbol)

    def _in_area(self, address: int) -> bool:
        return self.layout["modules_begin"] <= address < self.layout["modules_end"]

    def _in_a_list(self, entry: int) -> bool:
        after, before = self.memory.word(entry), self.memory.word(entry + 4)
        return (
            after is not None
            and before is not None
            and self.memory.word(before) == entry
            and self.memory.word((after + 4) & 0xFFFFFFFF) == entry
        )


def read_modules(memory: KernelMemory, layout: Mapping[str, int], code: Code) -> list[Module]:
    """The modules that are loaded, by address; none if there are none."""
    reader = _Reader(memory, layout, code)
    first = reader.find()
    if first is None:
        return []
    modules = [reader.module(entry) for entry in reader.entries(first)]
    return sorted(modules, key=lambda module: module.base)
