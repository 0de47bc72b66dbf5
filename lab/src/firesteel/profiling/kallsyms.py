# SPDX-License-Identifier: Apache-2.0
"""The functions of a kernel, from the table of names that it carries for itself.

Debian's `System.map` is a placeholder and its debug symbols are hundreds of megabytes, so the table
`kallsyms` in the kernel's image is read.  Its layout is that of Linux 6.12 (scripts/kallsyms.c in
the kernel's source):

    kallsyms_num_syms       a word
    kallsyms_names          each: its length (a byte, or two of seven bits), indices of tokens
    kallsyms_markers        words: where in the names every 256th begins
    kallsyms_token_table    256 tokens, NUL-terminated
    kallsyms_token_index    256 halfwords: where in the table each token begins
    kallsyms_offsets        words: addresses, from
    kallsyms_relative_base  a word

All are aligned to words.  Nothing says where they are: the index of tokens is looked for, whose 256
halfwords must fit the 256 strings before them, and from there all must fit together: markers, names
up to the last, and addresses in order.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.architecture import Code
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
