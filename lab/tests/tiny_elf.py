# SPDX-License-Identifier: Apache-2.0
"""Small ELF files for ARM, put together by hand: code, symbols, a pointer, a linkage table."""

import struct
from dataclasses import dataclass, field

TEXT, PLT, DATA = 0x1000, 0x800, 0x3000
"""Where the parts lie, in the file and, `DATA` 0x10000 higher, in memory."""

FUNCTION, UNTYPED = 2, 0
_PROGBITS, _SYMTAB, _STRTAB, _REL, _DYNSYM = 1, 2, 3, 9, 11


@dataclass
class TinyElf:
    """A shared object with code at `TEXT`; symbols are name, address, size and type.

    `pointers` are words of its data that the loader relocates.
    """

    code: bytes
    symbols: list[tuple[str, int, int, int]] = field(default_factory=list)
    pointers: list[int] = field(default_factory=list)
    exported: bool = True

    def build(self) -> bytes:
        """The file."""
        names = ["", ".text", ".plt", ".data", ".rel.dyn", ".dynsym", ".dynstr", ".shstrtab"]
        strings = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in self.symbols)
        data = struct.pack(f"<{len(self.pointers)}I", *self.pointers)
        places = (DATA + 0x10000 + 4 * number for number in range(len(self.pointers)))
        relocations = b"".join(struct.pack("<II", place, 23) for place in places)
        shstrtab = b"\0".join(name.encode() for name in names) + b"\0"
        image = bytearray(DATA)
        image[TEXT : TEXT + len(self.code)] = self.code
        image += data
        parts = [
            (_PROGBITS, 6, TEXT, TEXT, len(self.code), 0, 0),
            (_PROGBITS, 6, PLT, PLT, 64, 0, 0),
            (_PROGBITS, 3, DATA + 0x10000, DATA, len(data), 0, 0),
        ]
        symbol_type = _DYNSYM if self.exported else _SYMTAB
        tail = [(_REL, 2, relocations, 5, 8), (symbol_type, 2, self._table(), 6, 16)]
        tail += [(_STRTAB, 2, strings, 0, 0), (_STRTAB, 0, shstrtab, 0, 0)]
        for kind, flags, content, link, size in tail:
            parts.append((kind, flags, 0, len(image), len(content), link, size))
            image += content
        image += b"\0" * (-len(image) % 4)
        return self._headers(image, names, shstrtab, parts)

    def _headers(
        self,
        image: bytearray,
        names: list[str],
        shstrtab: bytes,
        parts: list[tuple[int, int, int, int, int, int, int]],
    ) -> bytes:
        begin, sections = len(image), struct.pack("<10I", *[0] * 10)
        for name, (kind, flags, address, offset, size, link, entry) in zip(
            names[1:], parts, strict=True
        ):
            where = shstrtab.index(b"\0" + name.encode() + b"\0") + 1
            sections += struct.pack(
                "<10I", where, kind, flags, address, offset, size, link, 1, 4, entry
            )
        image += sections
        text = struct.pack("<8I", 1, 0, 0, 0, DATA, DATA, 5, 0x1000)
        data = struct.pack("<8I", 1, DATA, DATA + 0x10000, 0, 4096, 4096, 6, 0x1000)
        header = b"\x7fELF\1\1\1" + bytes(9)
        header += struct.pack(
            "<HHIIIIIHHHHHH", 3, 40, 1, 0, 52, begin, 0x5000400, 52, 32, 2, 40, len(names), 7
        )
        image[: len(header)] = header
        image[52 : 52 + 64] = text + data
        return bytes(image)

    def _table(self) -> bytes:
        table, at = bytes(16), 1
        for name, address, size, kind in self.symbols:
            table += struct.pack("<IIIBBH", at, address, size, 1 << 4 | kind, 0, 1)
            at += len(name) + 1
        return table
