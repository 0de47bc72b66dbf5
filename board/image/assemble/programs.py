# SPDX-License-Identifier: Apache-2.0
"""The programs of the image: files by pattern, and the shared libraries that they need."""

import re
import shutil
import subprocess
from pathlib import Path

from assemble.errors import AssembleError

_NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.+)\]")
_LIBRARY_FOLDERS = ("usr/lib/@TRIPLET@", "usr/lib/ipsec")


def _is_elf(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _needed(program: Path) -> list[str]:
    read = ["@TRIPLET@-readelf", "--dynamic", str(program)]
    output = subprocess.run(read, check=True, capture_output=True, text=True).stdout
    return _NEEDED.findall(output)


def _library(name: str, tree: Path, user: str) -> str:
    for folder in _LIBRARY_FOLDERS:
        if (tree / folder / name).exists():
            return f"{folder}/{name}"
    raise AssembleError(f"{user} needs the library {name}, which no listed package has")


def _matching(patterns: list[str], tree: Path) -> list[str]:
    files: list[str] = []
    for pattern in patterns:
        found = [path for path in tree.glob(pattern) if path.is_symlink() or path.is_file()]
        if not found:
            raise AssembleError(f"files.txt: no file of the packages matches {pattern!r}")
        files += [path.relative_to(tree).as_posix() for path in found]
    return sorted(files)


def _link_target(path: Path, tree: Path) -> str | None:
    """The file that a relative link in the same tree stands for; nothing for absolute links."""
    target = path.readlink()
    if target.is_absolute():
        return None
    return (path.parent / target).resolve().relative_to(tree.resolve()).as_posix()


def install(patterns: list[str], tree: Path, target: Path) -> None:
    """Copies the files matching `patterns` from `tree` to `target`, with their libraries."""
    pending = _matching(patterns, tree)
    done: set[str] = set()
    while pending:
        name = pending.pop()
        if name in done:
            continue
        done.add(name)
        source, copy = tree / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy, follow_symlinks=False)
        if source.is_symlink():
            linked = _link_target(source, tree)
            pending += [linked] if linked else []
        elif _is_elf(source):
            pending += [_library(library, tree, name) for library in _needed(source)]
