# SPDX-License-Identifier: Apache-2.0
"""A board's memory as it was at a window's end, read as the guest's kernel saw it: the kernel's own
functions, and the modules.

The kernel's linear map begins at `page_offset` with the start of memory.  What is mapped elsewhere,
modules above all, is found by the kernel's own page table.  Where it keeps what is read here says
`layout.ko`, from board/kernel-layout/.

Debian's `System.map` is a placeholder and its debug symbols are hundreds of megabytes, so the table
`kallsyms` in the kernel's image is read.  Its layout comes from Linux 6.12 (scripts/kallsyms.c in
the kernel's source).  All parts are aligned to words of an address's bits; except in the first and
the last part, words have 32 bits:

    kallsyms_num_syms       a word
    kallsyms_names          each: its length (a byte, or two of seven bits), indices of tokens
    kallsyms_markers        words: where in the names every 256th begins
    kallsyms_token_table    256 tokens, NUL-terminated
    kallsyms_token_index    256 halfwords: where in the table each token begins
    kallsyms_offsets        words: addresses, from
    kallsyms_relative_base  a word
"""

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from firesteel.architectures.architecture import Architecture, Code
from firesteel.base.errors import FiresteelError

PAGE = 4096

_UIMAGE_HEADER = 64
_UIMAGE_LOAD = 16
"""Where the header has the address that the image is loaded at, a big-endian word."""

_TOKENS = 256
_MARKED = 256
_LONGEST_TABLE = 4096
"""Bytes of all tokens together; kernels have about 1000."""

_LONGEST_NAME = 512
"""KSYM_NAME_LEN of Linux 6.12."""

_WORDS = {4: "<I", 8: "<Q"}
"""How an address of so many bytes is read."""

_DIGITS = b"\0".join(b"%d" % digit for digit in range(10)) + b"\0"


@dataclass(frozen=True)
class Symbol:
    """A name and its address, with the letter that `nm` uses for its kind."""

    address: int
    kind: str
    name: str


class NoSymbolsError(FiresteelError):
    """A kernel whose table cannot be read."""


@dataclass(frozen=True)
class KernelImage:
    """A kernel: physical address at which it is loaded, its bytes, and its symbols by address."""

    load: int
    content: bytes
    symbols: list[Symbol]


def read_kernel(path: Path, code: Code) -> KernelImage:
    """The kernel in U-Boot's format in the file `path`."""
    try:
        image = path.read_bytes()
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    load = int.from_bytes(image[_UIMAGE_LOAD : _UIMAGE_LOAD + 4], "big")
    try:
        content = image[_UIMAGE_HEADER:]
        return KernelImage(load, content, read_symbols(content, code.instructions.word))
    except NoSymbolsError:
        raise NoSymbolsError(
            f"{path}: this kernel has no table of names as Linux 6.12 has it."
        ) from None


def read_symbols(image: bytes, word: int) -> list[Symbol]:
    """The symbols in the image of a kernel whose addresses have `word` bytes, by address;
    `NoSymbolsError` when it has no such table.

    Nothing says where the table is: the tokens that are digits are looked for, and from there all
    must fit together.
    """
    digits = image.find(_DIGITS)
    while digits >= 0:
        # The tokens 0x30 to 0x39 are the digits: 48 more begin before them.
        start = digits
        for _ in range(ord("0") + 1):
            start = image.rfind(b"\0", 0, start - 1) + 1 if start > 0 else 0
        for table in range(start & -word, digits, word):
            tokens, behind = _tokens(image, table, word)
            names = _names(image, table, tokens, word) if tokens else None
            if names is not None:
                return _with_addresses(image, behind, names, word)
        digits = image.find(_DIGITS, digits + 1)
    raise NoSymbolsError("The kernel has no table of names.")


def _tokens(image: bytes, table: int, word: int) -> tuple[list[str], int]:
    """The tokens of a table, and what is behind its index; none where the index does not fit."""
    tokens = image[table : table + _LONGEST_TABLE].split(b"\0", _TOKENS)[:_TOKENS]
    starts, at = [], 0
    for token in tokens:
        starts.append(at)
        at += len(token) + 1
    index = _aligned(table + at, word)
    if not image.startswith(struct.pack(f"<{len(starts)}H", *starts), index):
        return [], 0
    return [token.decode("latin-1") for token in tokens], index + 2 * _TOKENS


def _names(image: bytes, table: int, tokens: Sequence[str], word: int) -> list[str] | None:
    """All names, first the kind's letter, if they and their markers stand before a table of tokens.

    The markers rise from 0 by what 256 names take; going back from the table, the first 0 is the
    first marker.  A 0 behind the last one fills up a word of 64 bits.
    """
    if len(tokens) < _TOKENS:
        return None
    behind = table - 4 if word > 4 and image[table - 4 : table] == bytes(4) else table
    first = behind - 4
    while first > 0 and image[first : first + 4] != bytes(4):
        first -= 4
    count = (behind - first) // 4
    markers = struct.unpack_from(f"<{count}I", image, first)
    last = (first - markers[-1]) & -word
    for at in range(last, max(last - _MARKED * _LONGEST_NAME, -1), -word):
        length = int.from_bytes(image[at : at + 4], "little")
        if (count - 1) * _MARKED < length <= count * _MARKED:
            names, end = _decoded(image, at + word, first, length, markers, tokens)
            if _aligned(end, word) == first:
                return names
    return None


def _decoded(
    image: bytes, begin: int, end: int, length: int, markers: Sequence[int], tokens: Sequence[str]
) -> tuple[list[str], int]:
    """So many names, if they begin there and fit the markers, and what is behind them; else an end
    that is none.
    """
    names, at = [], begin
    for number in range(length):
        if at >= end or (number % _MARKED == 0 and at - begin != markers[number // _MARKED]):
            return [], 0
        size = image[at]
        at += 1
        if size & 0x80:
            size = size & 0x7F | image[at] << 7
            at += 1
        names.append("".join(tokens[token] for token in image[at : at + size]))
        at += size
    return names, at


def _with_addresses(image: bytes, at: int, names: list[str], word: int) -> list[Symbol]:
    """Names with the addresses that begin at `at`; `NoSymbolsError` when these are not in order."""
    try:
        offsets = struct.unpack_from(f"<{len(names)}I", image, at)
        (base,) = struct.unpack_from(_WORDS[word], image, _aligned(at + 4 * len(names), word))
    except struct.error:
        raise NoSymbolsError("The kernel's table of addresses is cut short.") from None
    if list(offsets) != sorted(offsets):
        raise NoSymbolsError("The kernel's addresses are not in order.")
    pairs = zip(offsets, names, strict=True)
    return [Symbol(base + offset, name[:1], name[1:]) for offset, name in pairs]


def _aligned(size: int, word: int) -> int:
    return size + -size % word


class Functions:
    """Which function an address belongs to: the last that begins at it or before."""

    def __init__(self, symbols: Iterable[Symbol], code: Code) -> None:
        self._names: dict[int, str] = {}
        for symbol in symbols:
            if symbol.kind in "tTwW" and not code.is_mapping_symbol(symbol.name):
                known = self._names.setdefault(symbol.address, symbol.name)
                # Of several the shortest: `memset` rather than `mmioset`.
                best = min(known, symbol.name, key=lambda name: (len(name), name))
                self._names[symbol.address] = best
        self._addresses = sorted(self._names)

    def at(self, address: int) -> str | None:
        """The function at an address; None before the first."""
        number = bisect_right(self._addresses, address)
        return self._names[self._addresses[number - 1]] if number else None


_SECTION = ".firesteel.layout"
_ENTRIES = {4: struct.Struct("<28sI"), 8: struct.Struct("<28s4xQ")}
"""A name and a word of so many bytes."""

_PROBE = {
    "task-preempt-count": "task.preempt_count",
    "task-pid": "task.pid",
    "task-comm": "task.comm",
    "hardirq-mask": "hardirq_mask",
    "softirq-mask": "softirq_mask",
}
"""Properties of the probe device, and what they are called in the layout."""


def read_layout(path: Path) -> dict[str, int]:
    """Offsets and constants of the kernel by name."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            section, entry = elf.get_section_by_name(_SECTION), _ENTRIES[elf.elfclass // 8]
            content = section.data() if section is not None else b""
    except (OSError, ELFError) as error:
        raise FiresteelError(f"{path}: cannot be read: {error}.") from None
    if not content or len(content) % entry.size:
        raise FiresteelError(
            f"{path}: it has no section {_SECTION}; delete the file, and it is made again."
        )
    entries = entry.iter_unpack(content)
    return {name.rstrip(b"\0").decode("ascii"): value for name, value in entries}


def probe_properties(layout: Mapping[str, int]) -> dict[str, int]:
    """What the probe device has to know of the kernel."""
    return {key: layout[name] for key, name in _PROBE.items()}


def open_memory(path: Path) -> mmap:
    """The memory in the file `path`, for whoever closes it."""
    try:
        with path.open("rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{path}: cannot be read: {error}.") from None


class KernelMemory:
    """Memory by the kernel's virtual addresses.

    `load` is the physical address of the kernel's first byte, `page_offset` the virtual one of the
    linear map's.
    """

    def __init__(
        self, memory: mmap, page_offset: int, load: int, architecture: Architecture
    ) -> None:
        self._memory = memory
        self._start = architecture.machine.memory_start
        self.word_size = architecture.code.instructions.word
        translate = architecture.code.page_table(self._physical, load)
        if translate is None:
            raise FiresteelError("The board's memory has no page table of its kernel.")
        self._translate = translate
        at = load - self._start
        if self.offset(page_offset + at) != at:
            raise FiresteelError(
                "The board's memory is not mapped as its kernel's page table should have it: "
                "this kernel cannot be profiled."
            )

    def _physical(self, address: int, size: int) -> bytes:
        offset = address - self._start
        return self._memory[offset : offset + size] if offset >= 0 else b""

    def offset(self, address: int) -> int | None:
        """Where in the memory the byte at a virtual address lies; None if it is not mapped."""
        physical = self._translate(address) if address < 1 << 8 * self.word_size else None
        if physical is None or not 0 <= physical - self._start < len(self._memory):
            return None
        return physical - self._start

    def read(self, address: int, size: int) -> bytes | None:
        """`size` bytes at a virtual address; None if one of them is not mapped."""
        found, end = b"", address + size
        while address < end:
            offset = self.offset(address)
            if offset is None:
                return None
            step = min(end - address, PAGE - address % PAGE)
            found, address = found + self._memory[offset : offset + step], address + step
        return found

    def word(self, address: int) -> int | None:
        """The word at a virtual address, as long as an address; None if it is not mapped."""
        found = self.read(address, self.word_size)
        return None if found is None else int.from_bytes(found, "little")

    def text(self, address: int, size: int) -> str | None:
        """The NUL-terminated ASCII at a virtual address, of at most `size` bytes; None if none.

        What is mapped may end behind it.
        """
        found, end = b"", address + size
        while address < end and b"\0" not in found:
            step = min(end - address, PAGE - address % PAGE)
            part = self.read(address, step)
            if part is None:
                return None
            found, address = found + part, address + step
        text, zero, _ = found.partition(b"\0")
        return text.decode() if zero and text.isascii() else None


@dataclass(frozen=True)
class Module:
    """A module that is loaded: where its code lies, and the symbols in it."""

    name: str
    base: int
    size: int
    symbols: list[Symbol]


_MOST = 1000
"""Modules; a list that is longer is none."""

_ELF_SYMBOLS = {4: struct.Struct("<IIIBBH"), 8: struct.Struct("<IBBHQQ")}
"""By the bytes of an address: name, value, size, kind, visibility and section, or name, kind,
visibility, section, value and size.
"""
_FUNCTION, _UNTYPED = 2, 0


def read_modules(memory: KernelMemory, layout: Mapping[str, int], code: Code) -> list[Module]:
    """The modules that are loaded, by address; none if there are none.

    The kernel's table of names lacks a symbol for the list of modules.  So a `struct module` is
    searched where modules lie: it has a name, and list pointers whose neighbours point back.  From
    the first that is found the list leads to all others; all must be in order, or there is an
    error.
    """
    reader = _ModuleReader(memory, layout, code)
    first = reader.find()
    modules = [reader.module(entry) for entry in reader.entries(first)] if first else []
    return sorted(modules, key=lambda module: module.base)


@dataclass(frozen=True)
class _ModuleReader:
    memory: KernelMemory
    layout: Mapping[str, int]
    code: Code

    def find(self) -> int | None:
        """The address of a list entry of some module."""
        for page in range(self.layout["modules_begin"], self.layout["modules_end"], PAGE):
            for base in (
                range(page, page + PAGE, 64) if self.memory.offset(page) is not None else ()
            ):
                entry = base + self.layout["module.list"]
                if self._name(entry) and self._in_a_list(entry):
                    return entry
        return None

    def entries(self, first: int) -> Iterator[int]:
        """All list entries of modules from `first` on; the list's head is left out."""
        entry = first
        for _ in range(_MOST):
            if not self._in_a_list(entry):
                break
            if self.layout["modules_begin"] <= entry < self.layout["modules_end"]:
                yield entry
            entry = self.memory.word(entry) or 0
            if entry == first:
                return
        raise FiresteelError("The list of modules in the board's memory is not whole.")

    def module(self, entry: int) -> Module:
        """The module of a list entry."""
        name, base = self._name(entry), entry - self.layout["module.list"]
        begin, size, kallsyms = self._words("module", base, "text_base", "text_size", "kallsyms")
        if name is None or begin is None or size is None or not kallsyms:
            raise FiresteelError("A module in the board's memory cannot be read.")
        return Module(name, begin, size, list(self._symbols(name, kallsyms)))

    def _symbols(self, name: str, kallsyms: int) -> Iterator[Symbol]:
        wanted = ("symtab", "num_symtab", "strtab")
        table, count, strings = self._words("kallsyms", kallsyms, *wanted)
        if table is None or count is None or strings is None:
            raise FiresteelError(f"The symbols of the module {name} cannot be read.")
        entry = _ELF_SYMBOLS[self.memory.word_size]
        found = self.memory.read(table, count * entry.size) or b""
        functions: list[tuple[range, str]] = []
        labels: list[tuple[int, str]] = []
        for each in entry.iter_unpack(found):
            if self.memory.word_size == 4:
                at, value, size, info, _, section = each
            else:
                at, info, _, section, value, size = each
            symbol = self.memory.text(strings + at, _LONGEST_NAME)
            if symbol is None:
                raise FiresteelError(f"A symbol of the module {name} cannot be read.")
            if not section or not symbol or self.code.is_mapping_symbol(symbol):
                continue
            begin = self.code.instructions.begin(value)
            if info & 0xF == _FUNCTION:
                functions.append((range(begin, begin + size), symbol))
            elif info & 0xF == _UNTYPED:
                labels.append((begin, symbol))
        for inside, symbol in functions:
            yield Symbol(inside.start, "t", symbol)
        # What has no type within a function is its data, or where it jumps to.
        for begin, symbol in labels:
            if not any(begin in inside[1:] for inside, _ in functions):
                yield Symbol(begin, "t", symbol)

    def _name(self, entry: int) -> str | None:
        """The module's name, if it is one that a module may have."""
        at = entry - self.layout["module.list"] + self.layout["module.name"]
        name = self.memory.text(at, self.layout["module.name_size"])
        return name if name and name.replace("_", "").isalnum() else None

    def _words(self, of: str, base: int, *keys: str) -> list[int | None]:
        return [self.memory.word(base + self.layout[f"{of}.{key}"]) for key in keys]

    def _in_a_list(self, entry: int) -> bool:
        word = self.memory.word_size
        after, before = self.memory.word(entry), self.memory.word(entry + word)
        if after is None or before is None:
            return False
        return self.memory.word(before) == self.memory.word(after + word) == entry
