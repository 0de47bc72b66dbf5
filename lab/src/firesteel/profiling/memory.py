# SPDX-License-Identifier: Apache-2.0
"""A board's memory as it was at a window's end, read as the guest's kernel saw it.

The kernel's linear map begins at `page_offset` with the start of memory.  What is mapped elsewhere,
modules above all, is found by the kernel's own page table.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from firesteel.architectures.architecture import Architecture
from firesteel.base.errors import FiresteelError

PAGE = 4096


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
