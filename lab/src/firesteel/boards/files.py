# SPDX-License-Identifier: Apache-2.0
"""The run directory: the files of each node while it runs, and afterwards if it failed."""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

_LONGEST_SOCKET_DIRECTORY = 70
"""Bytes; a UNIX socket's path has 107 at most, of which the node's own name takes some."""

_SOCKETS = "firesteel-sockets-"
_RUN = "run-"
"""How the names of the directories begin."""


class In:
    """A file of that name in a node's directory."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, files: "NodeFiles", _: type) -> Path:
        return files.directory / self._name


@dataclass(frozen=True)
class NodeFiles:
    """Where one node's QEMU reads and writes; `directory` is its own."""

    directory: Path

    job: ClassVar = In("job")
    """The archive of the node's job; removed at the end of the run."""
    console: ClassVar = In("console")
    """What the guest printed."""
    probe_log: ClassVar = In("probe.jsonl")
    """Marks and data of the probe device, one JSON object a line."""
    trace: ClassVar = In("trace")
    """The lockstep's trace: every frame that the node sent, received or dropped."""
    profile: ClassVar = In("profile")
    """What the CPU executed in a window, if that was asked for."""
    memory: ClassVar = In("profile.ram")
    """The board's memory at the end of that window; as large as it, with holes."""
    errors: ClassVar = In("qemu")
    """QEMU's own standard error and output."""
    who: ClassVar = "its QEMU"
    """The node's program, as failures name it."""


def make_run_directory(workdir: Path) -> Path:
    """A new directory in `workdir`, which is made if it is not there."""
    workdir.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=_RUN, dir=workdir.resolve()))


@contextlib.contextmanager
def in_use(directory: Path) -> Iterator[None]:
    """Holds a run directory locked, so that nobody takes it for one that a killed lab left."""
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # Where there are no locks nobody sweeps either.
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def sweep(workdirs: Iterable[Path]) -> None:
    """Removes the run directories that killed labs left in these directories.

    A run that ended by itself, well or not, has removed its jobs.  So a run directory that still
    has one and that nobody holds locked is one of a lab that is dead.
    """
    for workdir in workdirs:
        for directory in {file.parents[1] for file in workdir.glob(f"{_RUN}*/*/job")}:
            _remove_unlocked(directory)


@contextlib.contextmanager
def socket_directory() -> Iterator[Path]:
    """A new directory with a path short enough for sockets in it, removed at the end.

    It is locked while it is in use; those that killed labs left behind are removed.
    """
    parent = Path(tempfile.gettempdir())
    if len(os.fsencode(parent / f"{_SOCKETS}12345678")) > _LONGEST_SOCKET_DIRECTORY:
        parent = Path("/tmp")
    for stale in parent.glob(f"{_SOCKETS}*"):
        _remove_unlocked(stale)
    directory, lock = _make_locked(parent)
    try:
        yield directory
    finally:
        remove(directory)
        os.close(lock)


def _make_locked(parent: Path) -> tuple[Path, int]:
    """A new directory, and the descriptor that holds its lock; no child inherits that."""
    while True:
        directory = Path(tempfile.mkdtemp(prefix=_SOCKETS, dir=parent))
        try:
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # Another run took it for a stale one before it was locked.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if directory.exists():
            return directory, lock
        os.close(lock)


def _remove_unlocked(directory: Path) -> None:
    with contextlib.suppress(OSError):  # Locked, another user's, or gone meanwhile.
        lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(directory)
        finally:
            os.close(lock)


def remove(directory: Path) -> None:
    """Remove a directory and all that is in it, as far as that goes."""
    shutil.rmtree(directory, ignore_errors=True)


NODE_BYTES = 768 << 20
"""What a node takes at the most: its image twice, the file that it transfers, QEMU."""


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes that programs can have without swapping; 0 if the kernel does not say."""
    match = re.search(r"^MemAvailable: *(\d+) kB$", meminfo.read_text(), re.MULTILINE)
    return int(match[1]) << 10 if match else 0
