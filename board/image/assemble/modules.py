# SPDX-License-Identifier: Apache-2.0
"""The kernel modules of the image: those listed and those that they need, stored unpacked."""

import lzma
import re
import struct
import subprocess
from pathlib import Path

from assemble.errors import AssembleError

_SUFFIX = ".ko.xz"
_SIGNATURE_MAGIC = b"~Module signature appended~\n"
_SIGNATURE_INFO = struct.Struct(">8xI")
_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")
_SOFTDEP = re.compile(rb"\0softdep=pre:([^\0]*)\0")


def _canonical(name: str) -> str:
    return name.replace("-", "_")


def _wanted(items: list[str], available: dict[str, Path], tree: Path) -> list[str]:
    names: list[str] = []
    for item in items:
        if item.endswith("/"):
            folder = (tree / item).resolve()
            found = [name for name, path in available.items() if path.parent == folder]
        else:
            found = [name for name in (_canonical(item),) if name in available]
        if not found:
            raise AssembleError(f"modules.txt: the kernel package has no module {item!r}")
        names += found
    return names


def _needs(module: bytes) -> list[str]:
    needs: list[str] = []
    for match in _DEPENDS.finditer(module):
        needs += match.group(1).decode().split(",")
    for match in _SOFTDEP.finditer(module):
        needs += re.split(r"[ ,]+", match.group(1).decode())
    return [_canonical(name) for name in needs if name]


def _unsigned(module: bytes) -> bytes:
    """The module without Debian's signature, which takes 0.5 s of RSA in the guest to verify."""
    if not module.endswith(_SIGNATURE_MAGIC):
        return module
    info_end = len(module) - len(_SIGNATURE_MAGIC)
    info_start = info_end - _SIGNATURE_INFO.size
    (signature_length,) = _SIGNATURE_INFO.unpack(module[info_start:info_end])
    return module[: info_start - signature_length]


def release_of(tree: Path) -> str:
    """The kernel release whose modules are in the Debian tree; exactly one must be."""
    releases = sorted(path.name for path in (tree / "usr/lib/modules").iterdir())
    if len(releases) != 1:
        raise AssembleError(f"the tree has modules of {len(releases)} kernels, not of one")
    return releases[0]


def install(items: list[str], tree: Path, target: Path, extra: list[Path]) -> None:
    """Puts modules from the Debian `tree` into `target` and writes their index with depmod.

    `items` are module names or directories, `extra` are `.ko` files of ours.
    """
    release = release_of(tree)
    source = (tree / "usr/lib/modules" / release).resolve()
    home = target / "usr/lib/modules" / release
    available = {
        _canonical(path.name.removesuffix(_SUFFIX)): path
        for path in sorted(source.rglob("*" + _SUFFIX))
    }
    pending = _wanted(items, available, source)
    done: set[str] = set()
    while pending:
        name = pending.pop()
        if name in done or name not in available:
            continue  # not in the package as a file: built into the kernel
        done.add(name)
        module = _unsigned(lzma.decompress(available[name].read_bytes()))
        path = home / available[name].relative_to(source).with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(module)
        pending += _needs(module)
    for module_file in extra:
        path = home / "extra" / module_file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(module_file.read_bytes())
    for index in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        (home / index).write_bytes((source / index).read_bytes())
    subprocess.run(["depmod", "-b", str(target), release], check=True)
