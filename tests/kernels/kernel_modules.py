# SPDX-License-Identifier: Apache-2.0
"""Modules out of Debian's package of a kernel, as a board of the tests needs them."""

import lzma
import re
import struct
from collections.abc import Iterator
from pathlib import Path

NEEDED = ("kernel/crypto", "kernel/lib/crypto", "kernel/arch/*/crypto")
"""Folders of which all modules are taken, without folders below."""

ALSO = ("veth", "esp4", "xfrm_user", "uio")
"""Other modules; those that any of them needs follow by themselves."""

_LISTS = "modules.builtin*"
"""What the kernel has built in, where its package says so."""

_SIGNED = b"~Module signature appended~\n"
_LENGTH = struct.Struct(">8xI")
_NEEDS = re.compile(rb"\0(?:depends=|softdep=pre:)([^\0]*)(?=\0)")


def take_modules(tree: Path, target: Path) -> None:
    """Put the modules of `tree`, a folder of /usr/lib/modules, into `target`: unpacked, and without
    signatures, which take a guest long to verify.  The guest makes their index.
    """
    known = {_name(path.name): path for path in tree.rglob("*.ko*")}
    pending = [_name(path.name) for folder in NEEDED for path in tree.glob(f"{folder}/*.ko*")]
    pending += ALSO
    taken = set()
    while pending:
        name = pending.pop()
        if name in taken or name not in known:
            continue  # built into the kernel
        taken.add(name)
        content = _unpacked(known[name])
        pending += _needed(content)
        path = target / known[name].relative_to(tree).with_name(f"{name}.ko")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for path in tree.glob(_LISTS):
        (target / path.name).write_bytes(path.read_bytes())


def _name(file: str) -> str:
    return file.partition(".")[0].replace("-", "_")


def _unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".xz":
        content = lzma.decompress(content)
    if not content.endswith(_SIGNED):
        return content
    end = len(content) - len(_SIGNED)
    (length,) = _LENGTH.unpack(content[end - _LENGTH.size : end])
    return content[: end - _LENGTH.size - length]


def _needed(module: bytes) -> Iterator[str]:
    for match in _NEEDS.finditer(module):
        yield from (_name(each) for each in re.split(r"[ ,]+", match[1].decode()) if each)
