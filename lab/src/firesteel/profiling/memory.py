# SPDX-License-Identifier: Apache-2.0
"""A board's memory as it was at a window's end, read as the guest's kernel saw it, with the modules
in it.

The kernel's linear map begins at `page_offset` with the start of memory.  What is mapped elsewhere,
modules above all, is found by the kernel's own page table.  Where it keeps what is read here says
`layout.ko`, from board/kernel-layout/.

The list of modules has no symbol that the kernel's table of names tells, so a `struct module` is
looked for where modules lie: it has a name, and list pointers whose neighbours point back.  From
the first that is found the list leads to all others; all must be in order, or there is an error.
"""

import mmap
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from firesteel.architectures.architecture import Architecture, Code
from firesteel.base.errors import FiresteelError

_UIMAGE_HEADER = 64
_UIMAGE_LOAD = 16
"""Where the header has the address that the image is loaded at, a big-endian word."""

_TOKENS = 256
_MARKED = 256
_LONGEST_TABLE = 4096
"""Bytes of all tokens together; kernels have about 1000."""


@dataclass(frozen=True)
class Symbol:
    """A name and its address, with the letter of its kind as `nm` has it."""

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


def read_kernel(path: Path) -> KernelImage:
    """The kernel in U-Boot's format in the file `path`."""
    try:
        image = path.read_bytes()
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    load = int.from_bytes(image[_UIMAGE_LOAD : _UIMAGE_LOAD + 4], "big")
    try:
        content = image[_UIMAGE_HEADER:]
        return KernelImage(load, content, read_symbols(content))
    except NoSymbolsError:
        raise NoSymbolsError(
            f"{path}: this kernel has no table of names as Linux 6.12 has it."
        ) from None


def read_symbols(image: bytes) -> list[Symbol]:
    """The symbols in a kernel's image, by address; `NoSymbolsError` when it has no such table."""
    for table, index in _token_tables(image):
        starts = struct.unpack_from(f"<{_TOKENS}H", image, index)
        names = _Names(image, [_string(image, table + start) for start in starts])
        found = names.before(table)
        if found is not None:
            return list(_with_addresses(image, index + 2 * _TOKENS, found))
    raise NoSymbolsError("The kernel has no table of names.")


def _token_tables(image: bytes) -> Iterator[tuple[int, int]]:
    """Where the table of tokens may be, and the index that fits it."""
    digits = b"\0".join(b"%d" % digit for digit in range(10)) + b"\0"
    at = image.find(digits)
    while at >= 0:
        # The tokens 0x30 to 0x39 are the digits: 48 more begin before them.
        start = at
        for _ in range(ord("0") + 1):
            start = image.rfind(b"\0", 0, start - 1) + 1 if start > 0 else 0
        for table in range(start & ~3, at, 4):
            index = _index_of(image, table)
            if index is not None:
                yield table, index
        at = image.find(digits, at + 1)


def _index_of(image: bytes, table: int) -> int | None:
    """Where the index of a table of tokens is, if one fits."""
    starts, at = [], table
    for _ in range(_TOKENS):
        starts.append(at - table)
        at = image.find(b"\0", at) + 1
        if at == 0 or at - table > _LONGEST_TABLE:
            return None
    index = at + -at % 4
    expected = struct.pack(f"<{_TOKENS}H", *starts)
    return index if image.startswith(expected, index) else None


def _string(image: bytes, at: int) -> str:
    return image[at : image.index(b"\0", at)].decode("latin-1")


@dataclass(frozen=True)
class _Names:
    """Looks for the names before a table of tokens."""

    image: bytes
    tokens: list[str]

    def before(self, table: int) -> list[str] | None:
        """All names, if they and their markers stand before `table`; first the kind's letter.

        The markers rise from 0 by what 256 names take; going back from the table, the first 0 is
        the first marker.
        """
        first = table - 4
        while first > 0 and self._word(first) != 0:
            first -= 4
        count = (table - first) // 4
        markers = struct.unpack_from(f"<{count}I", self.image, first)
        # The end of the names, in front of the markers, is filled up to a word.
        for length in range((count - 1) * _MARKED + 1, count * _MARKED + 1):
            names = self._at_number(length, first, markers)
            if names is not None:
                return names
        return None

    def _at_number(self, length: int, first: int, markers: tuple[int, ...]) -> list[str] | None:
        """The names, if there are `length` of them and their number comes before them."""
        number = struct.pack("<I", length)
        lowest = first - markers[-1] - _MARKED * 600
        at = self.image.rfind(number, max(lowest, 0), first - markers[-1])
        if at < 0 or at % 4:
            return None
        return self._decode(at + 4, first, length, markers)

    def _decode(
        self, begin: int, end: int, length: int, markers: tuple[int, ...]
    ) -> list[str] | None:
        names, at = [], begin
        for number in range(length):
            if number % _MARKED == 0 and at - begin != markers[number // _MARKED]:
                return None
            size = self.image[at]
            at += 1
            if size & 0x80:
                size = size & 0x7F | self.image[at] << 7
                at += 1
            names.append("".join(self.tokens[token] for token in self.image[at : at + size]))
            at += size
            if at > end:
                return None
        return names if at + -at % 4 == end else None

    def _word(self, at: int) -> int:
        return int.from_bytes(self.image[at : at + 4], "little")


def _with_addresses(image: bytes, at: int, names: list[str]) -> Iterator[Symbol]:
    """Names with the addresses that begin at `at`; `NoSymbolsError` when these are not in order."""
    try:
        *offsets, base = struct.unpack_from(f"<{len(names)}I I", image, at)
    except struct.error:
        raise NoSymbolsError("The kernel's table of addresses is cut short.") from None
    if offsets != sorted(offsets):
        raise NoSymbolsError("The kernel's addresses are not in order.")
    for offset, name in zip(offsets, names, strict=True):
        yield Symbol(base + offset, name[:1], name[1:])


class Functions:
    """Which function an address belongs to: the last that begins at it or before."""

    def __init__(self, symbols: list[Symbol], code: Code) -> None:
        kept: dict[int, str] = {}
        for symbol in symbols:
            if symbol.kind in "tTwW" and not code.is_mapping_symbol(symbol.name):
                known = kept.setdefault(symbol.address, symbol.name)
                # Of several the shortest: `memset` rather than `mmioset`.
                kept[symbol.address] = min(known, symbol.name, key=lambda name: (len(name), name))
        self._addresses = sorted(kept)
        self._names = kept

    def at(self, address: int) -> str | None:
        """The function at an address; None before the first."""
        number = bisect_right(self._addresses, address)
        return self._names[self._addresses[number - 1]] if number else None


PAGE = 4096

_SECTION = ".firesteel.layout"
_ENTRY = struct.Struct("<28sI")

_PROBE = {
    "task-preempt-count": "task.preempt_count",
    "task-pid": "task.pid",
    "task-comm": "task.comm",
    "hardirq-mask": "hardirq_mask",
    "softirq-mask": "softirq_mask",
}
"""Properties of the probe device, and what they are called in the layout."""

_MOST = 1000
"""Modules; a list that is longer is none."""

_ELF_SYMBOL = struct.Struct("<IIIBBH")
_FUNCTION, _UNTYPED = 2, 0
_LONGEST_NAME = 512
"""KSYM_NAME_LEN of Linux 6.12."""


def read_layout(path: Path) -> dict[str, int]:
    """Offsets and constants of the kernel by name."""
    try:
        with path.open("rb") as file:
            section = ELFFile(file).get_section_by_name(_SECTION)
            content = section.data() if section is not None else b""
    except (OSError, ELFError) as error:
        raise FiresteelError(f"{path}: cannot be read: {error}.") from None
    if not content or len(content) % _ENTRY.size:
        raise FiresteelError(f"{path}: it has no section {_SECTION}; delete it, it is made again.")
    entries = _ENTRY.iter_unpack(content)
    return {name.rstrip(b"\0").decode("ascii"): value for name, value in entries}


def probe_properties(layout: Mapping[str, int]) -> dict[str, int]:
    """What the probe device has to know of the kernel."""
    return {key: layout[name] for key, name in _PROBE.items()}


class Memory:
    """The memory in the file `path`; a context manager that closes it."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise FiresteelError(f"{path}: cannot be read: {error}.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes.close()

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return len(self._bytes)

    def read(self, offset: int, size: int) -> bytes:
        """`size` bytes from `offset`, fewer at the memory's end."""
        return self._bytes[offset : offset + size]


class KernelMemory:
    """Memory by the kernel's virtual addresses.

    `load` is the physical address of the kernel's first byte, `page_offset` the virtual one of the
    linear map's.
    """

    def __init__(
        self, memory: Memory, page_offset: int, load: int, architecture: Architecture
    ) -> None:
        self._memory = memory
        self._start = architecture.machine.memory_start
        translate = architecture.code.page_table(self._physical, load)
        if translate is None:
            raise FiresteelError("The board's memory has no page table before its kernel.")
        self._translate = translate
        at = load - self._start
        if self.offset(page_offset + at) != at:
            raise FiresteelError(
                "The board's memory is not mapped as its kernel's page table should have it: "
                "this kernel cannot be profiled."
            )

    def _physical(self, address: int, size: int) -> bytes:
        offset = address - self._start
        return self._memory.read(offset, size) if offset >= 0 else b""

    def offset(self, address: int) -> int | None:
        """Where in the memory the byte at a virtual address lies; None if it is not mapped."""
        physical = self._translate(address)
        if physical is None or not 0 <= physical - self._start < self._memory.size:
            return None
        return physical - self._start

    def read(self, address: int, size: int) -> bytes | None:
        """`size` bytes at a virtual address; None if one of them is not mapped."""
        parts = list(self._parts(address, size))
        return None if None in parts else b"".join(filter(None, parts))

    def _parts(self, address: int, size: int) -> Iterator[bytes | None]:
        """The same, a page after the other; None and no more where one is not mapped."""
        while size > 0:
            offset = self.offset(address) if address < 1 << 32 else None
            if offset is None:
                yield None
                return
            step = min(size, PAGE - address % PAGE)
            yield self._memory.read(offset, step)
            address, size = address + step, size - step

    def word(self, address: int) -> int | None:
        """The 32-bit word at a virtual address; None if it is not mapped."""
        found = self.read(address, 4)
        return None if found is None else int.from_bytes(found, "little")

    def text(self, address: int, size: int) -> str | None:
        """The NUL-terminated ASCII at a virtual address, of at most `size` bytes; None if none.

        What is mapped may end behind it.
        """
        found = b""
        for part in self._parts(address, size):
            if part is None:
                return None
            found += part
            if b"\0" in part:
                break
        else:
            return None
        try:
            return found.split(b"\0")[0].decode("ascii")
        except UnicodeDecodeError:
            return None


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
