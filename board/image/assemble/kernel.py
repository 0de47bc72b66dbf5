# SPDX-License-Identifier: Apache-2.0
"""The kernel that boards start: Debian's own, in a form that QEMU starts at once.

Debian's `vmlinuz` of 32-bit ARM is a zImage, a small program that unpacks an xz stream; in the
guest that takes about 2 s of wall time.  So it is unpacked once here.  QEMU can start the unpacked
kernel only with an address to put it at, which the 64-byte header of U-Boot's uImage format gives.
"""

import lzma
import re
import struct
import zlib
from pathlib import Path

_IMAGE = "@KERNEL_IMAGE@"
"""What the kernel's `make` calls the architecture's `vmlinuz`."""

_MEMORY_START = int("@MEMORY_START@", 0)
"""Where the machine's memory begins."""

_XZ_MAGIC = b"\xfd7zXZ\0"
_UIMAGE_MAGIC = 0x27051956
_OS_LINUX, _ARCH_ARM, _TYPE_KERNEL, _UNCOMPRESSED = 5, 2, 2, 0
_TEXT_OFFSET = re.compile(r"^textofs-(y|\$\(CONFIG_\w+\))\s*:=\s*(0x[0-9a-f]+)", re.MULTILINE)


def bootable(boot: Path, headers: Path, release: str) -> bytes:
    """The uImage of the kernel of that release in a Debian `/boot`; its time is 0, its name the
    release.

    `headers` is the root under which its header packages were unpacked.
    """
    if _IMAGE != "zImage":
        raise SystemExit(f"assemble: a kernel that is a `{_IMAGE}` cannot be started yet")
    image = _unpack(boot / f"vmlinuz-{release}")
    load = _load_address(headers, release)
    crc = zlib.crc32(_header(image, release, load, 0))
    return _header(image, release, load, crc) + image


def _unpack(vmlinuz: Path) -> bytes:
    """The xz stream's contents; its magic number also stands in the unpacking program's code."""
    packed = vmlinuz.read_bytes()
    for match in re.finditer(re.escape(_XZ_MAGIC), packed):
        stream = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
        try:
            image = stream.decompress(packed[match.start() :])
        except lzma.LZMAError:
            continue
        if stream.eof:
            return image
    raise SystemExit(f"assemble: {vmlinuz.name} has no whole xz stream")


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
        raise SystemExit("assemble: the kernel's arch/arm/Makefile names no textofs-y")
    return _MEMORY_START + offsets[-1]


def _header(image: bytes, release: str, load: int, header_crc: int) -> bytes:
    kinds = (_OS_LINUX, _ARCH_ARM, _TYPE_KERNEL, _UNCOMPRESSED)
    numbers = (_UIMAGE_MAGIC, header_crc, 0, len(image), load, load, zlib.crc32(image))
    return struct.pack(">7I4B32s", *numbers, *kinds, release.encode()[:31])
