# SPDX-License-Identifier: Apache-2.0
"""A job: a node's instructions as a few files laid over the base image, and their archive.

The kernel unpacks concatenated newc archives one over the other, so one base image serves every
job.  The bytes of an archive depend only on the job's files: paths are ordered, inode numbers
counted, times absent, and all files belong to root.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from firesteel.base.errors import FiresteelError

_DIRECTORY = 0o040000
_REGULAR = 0o100000
_PERMISSIONS = 0o7777
_ALIGNMENT = 4
"""The kernel looks for the next archive at a multiple of 4 bytes, skipping zeros."""


@dataclass(frozen=True)
class JobFile:
    """One regular file of a job: contents and permission bits."""

    content: bytes
    mode: int = 0o644


def job_file(path: Path) -> JobFile:
    """A file as it is here, which may be a program."""
    return JobFile(path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)


def script(path: Path) -> JobFile:
    """A shell script, or what a script reads, without its comments: they change no record."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return JobFile("".join(each for each in lines if not each.lstrip().startswith("#")).encode())


@dataclass(frozen=True)
class Job:
    """Files by absolute guest path; `/job/run` is what the image's init executes."""

    files: dict[str, JobFile] = field(default_factory=dict)


def job_archive(job: Job) -> bytes:
    """The newc archive of a job's files and of the directories above them.

    Raises `FiresteelError` for a path that is not absolute, not plain (`..`, `//`), or both a
    file and a directory.
    """
    members = [
        _member(path, number, mode, content)
        for number, (path, mode, content) in enumerate(_members(job), start=1)
    ]
    return b"".join([*members, _member("TRAILER!!!", len(members) + 1, 0, b"")])


def write_initramfs(base: Path, archive: bytes, target: Path) -> None:
    """Write `base` followed by `archive` to `target`, the copy done within the kernel."""
    with base.open("rb") as source, target.open("wb") as sink:
        left = os.fstat(source.fileno()).st_size
        while left:
            copied = os.sendfile(sink.fileno(), source.fileno(), None, left)
            if copied == 0:
                raise FiresteelError(f"{base} was cut short while it was copied to {target}.")
            left -= copied
        sink.seek(0, os.SEEK_END)
        sink.write(_padding(sink.tell()) + archive)


def _members(job: Job) -> Iterator[tuple[str, int, bytes]]:
    """Name in the archive, mode and content of all members, directories before what they hold."""
    directories: set[str] = set()
    for path in sorted(job.files):
        pure = PurePosixPath(path)
        if not pure.is_absolute() or str(pure) != path or ".." in pure.parts or path == "/":
            raise FiresteelError(f"Job file `{path}` needs an absolute path without `..` or `//`.")
        for parent in reversed(pure.parents[:-1]):
            if str(parent) in job.files:
                raise FiresteelError(f"Job file `{parent}` is also the directory of `{path}`.")
            if str(parent) not in directories:
                directories.add(str(parent))
                yield str(parent)[1:], _DIRECTORY | 0o755, b""
        file = job.files[path]
        yield path[1:], _REGULAR | (file.mode & _PERMISSIONS), file.content


def _member(name: str, number: int, mode: int, content: bytes) -> bytes:
    encoded = name.encode() + b"\0"
    links = 2 if mode & _DIRECTORY else 1
    fields = (number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    header = b"070701" + b"".join(b"%08X" % value for value in fields) + encoded
    return header + _padding(len(header)) + content + _padding(len(content))


def _padding(length: int) -> bytes:
    return bytes(-length % _ALIGNMENT)
