# SPDX-License-Identifier: Apache-2.0
"""The kernel that 64-bit ARM boards start: Debian's own, in the form that QEMU starts all kernels
in.

`vmlinuz` is the kernel as it lies in memory.  What a profile reads it with takes the 64-byte header
of U-Boot's uImage format for where that is.
"""

import struct
import zlib
from pathlib import Path

_MEMORY_START = int("@MEMORY_START@", 0)
"""Where the machine's memory begins."""

_ABOVE_START = 0x200000
"""The kernel wants to lie at a multiple of 2 MiB; below is what QEMU starts it with."""

_HEADER = struct.Struct("<8xQQ32xI")
_MAGIC = 0x644D5241
"""Of the kernel's own header: the offset from such a multiple, its size, and ARM\\x64
(Documentation/arch/arm64/booting.rst)."""

_UIMAGE_MAGIC = 0x27051956
_OS_LINUX, _ARCH_ARM64, _TYPE_KERNEL, _UNCOMPRESSED = 5, 22, 2, 0


def bootable(boot: Path, headers: Path, release: str) -> bytes:
    """The uImage of the kernel of that release in a Debian `/boot`; its time is 0, its name the
    release.

    `headers`, where its header packages were unpacked, are not needed.
    """
    del headers
    image = (boot / f"vmlinuz-{release}").read_bytes()
    offset, _, magic = _HEADER.unpack_from(image)
    if magic != _MAGIC:
        raise SystemExit(f"assemble: vmlinuz-{release} is no kernel as it lies in memory")
    load = _MEMORY_START + _ABOVE_START + offset
    crc = zlib.crc32(_uimage_header(image, release, load, 0))
    return _uimage_header(image, release, load, crc) + image


def _uimage_header(image: bytes, release: str, load: int, header_crc: int) -> bytes:
    kinds = (_OS_LINUX, _ARCH_ARM64, _TYPE_KERNEL, _UNCOMPRESSED)
    numbers = (_UIMAGE_MAGIC, header_crc, 0, len(image), load, load, zlib.crc32(image))
    return struct.pack(">7I4B32s", *numbers, *kinds, release.encode()[:31])
