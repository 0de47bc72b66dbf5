# SPDX-License-Identifier: Apache-2.0
"""The kernel of 32-bit ARM, unpacked once here instead of at every power-on.

Debian's `vmlinuz` is a zImage, a small program that unpacks an xz stream; in the guest that takes
about 2 s of wall time.  QEMU can start the unpacked kernel only with an address to put it at,
which the 64-byte header of U-Boot's uImage format gives.
"""

import lzma
import re
import struct
import zlib
from pathlib import Path

from assemble.errors import AssembleError

_MEMORY_START = int("@MEMORY_START@", 0)
"""Where the machine's memory begins."""

_XZ_MAGIC = b"\xfd7zXZ\0"
_UIMAGE_MAGIC = 0x27051956
_OS_LINUX, _ARCH_ARM, _TYPE_KERNEL, _UNCOMPRESSED = 5, 2, 2, 0
_TEXT_OFFSET = re.compile(r"^textofs-(y|\$\(CONFIG_\w+\))\s*:=\s*(0x[0-9a-f]+)", re.MULTILINE)


def _unpack(zimage: bytes, name: str) -> bytes:
    """The xz stream's contents; its magic number also stands in the unpacking program's code."""
    start = zimage.find(_XZ_MAGIC)
    while start >= 0:
        stream = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
        try:
            image = stream.decompress(zimage[start:])
        except lzma.LZMAError:
            image = b""
        if stream.eof:
            return image
        start = zimage.find(_XZ_MAGIC, start + 1)
    raise AssembleError(f"{name} has no whole xz stream; only xz-compressed kernels are known")


def _load_address(headers: Path, release: str) -> int:
    """Where the kernel must be put: it takes the start of memory to be TEXT_OFFSET below.

    The offset is the last that applies of those in the kernel's arch/arm/Makefile.  Debian's
    armmp kernel keeps 3 MiB and 32 KiB below itself free, for the sake of one of its machines.
    """
    sources = headers / "usr/src"
    config = (sources / f"linux-headers-{release}/.config").read_text().splitlines()
    enabled = {line.removesuffix("=y") for line in config if line.endswith("=y")}
    common = "linux-headers-" + release.rpartition("-")[0] + "-common"
    makefile = (sources / common / "arch/arm/Makefile").read_text()
    offsets = [
        int(offset, 16)
        for option, offset in _TEXT_OFFSET.findall(makefile)
        if option == "y" or option.strip("$()") in enabled
    ]
    if not offsets:
        raise AssembleError("the kernel's arch/arm/Makefile names no textofs-y")
    return _MEMORY_START + offsets[-1]


def _header(image: bytes, release: str, load: int, header_crc: int) -> bytes:
    return struct.pack(
        ">7I4B32s",
        _UIMAGE_MAGIC,
        header_crc,
        0,
        len(image),
        load,
        load,
        zlib.crc32(image),
        _OS_LINUX,
        _ARCH_ARM,
        _TYPE_KERNEL,
        _UNCOMPRESSED,
        release.encode()[:31],
    )


def uimage(boot: Path, headers: Path, release: str) -> bytes:
    """The uImage of the kernel in a Debian `/boot`; its time is 0, its name the release."""
    vmlinuz = boot / f"vmlinuz-{release}"
    image = _unpack(vmlinuz.read_bytes(), vmlinuz.name)
    load = _load_address(headers, release)
    crc = zlib.crc32(_header(image, release, load, 0))
    return _header(image, release, load, crc) + image
