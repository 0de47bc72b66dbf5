# SPDX-License-Identifier: Apache-2.0
"""A cpio archive in the kernel's `newc` format that depends on its contents alone.

Entries are sorted by name; inode numbers count up from 1; root owns everything; times are 0.
So the same files give the same bytes wherever and whenever the archive is made.
"""

import stat
from dataclasses import dataclass
from pathlib import Path

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """One file: type and permission bits, contents (a link's target), device numbers."""

    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


def _pad(length: int) -> bytes:
    return b"\0" * (-length % 4)


def _record(name: str, inode: int, entry: Entry) -> bytes:
    raw = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    numbers = (
        inode,
        entry.mode,
        0,
        0,
        links,
        0,
        len(entry.content),
        0,
        0,
        entry.device[0],
        entry.device[1],
        len(raw),
        0,
    )
    head = _MAGIC + b"".join(b"%08X" % number for number in numbers) + raw
    return head + _pad(len(head)) + entry.content + _pad(len(entry.content))


def archive(entries: dict[str, Entry]) -> bytes:
    """The archive of `entries` by path without leading slash; parents sort before children."""
    records = [_record(name, n, entries[name]) for n, name in enumerate(sorted(entries), 1)]
    return b"".join(records) + _record(_TRAILER, 0, Entry(mode=0))


def entries_of(root: Path) -> dict[str, Entry]:
    """Every directory, file and link under `root`, by path relative to it.

    Permissions are reduced to 0755 (executables and directories) or 0644, so that the umask of
    whoever unpacked the packages does not matter.
    """
    entries: dict[str, Entry] = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            entries[name] = Entry(stat.S_IFLNK | 0o777, str(path.readlink()).encode())
        elif path.is_dir():
            entries[name] = Entry(stat.S_IFDIR | 0o755)
        else:
            executable = path.stat().st_mode & 0o100
            mode = stat.S_IFREG | (0o755 if executable else 0o644)
            entries[name] = Entry(mode, path.read_bytes())
    return entries
