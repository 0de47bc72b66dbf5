# SPDX-License-Identifier: Apache-2.0
"""Snapshots of boards that have booted, from which later runs start.

All that a board does until it takes its job follows from its machine, what it boots, its seed and
its Ethernet controllers: that makes a snapshot's name.  What cores can and how long they take does
not count, as nobody uses them before the job; the emulator makes no snapshot of a board whose cores
were used.

The first run of a board makes the snapshot on its way, and others find it.  They do not outlive the
host's boot, so that a file that a power cut has spoilt is never used.
"""

import contextlib
import functools
import hashlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from firesteel.board.command import (
    BoardProducts,
    Wiring,
    ethernet,
    node_boot_arguments,
    node_seed,
    timed_machine_arguments,
    virtio_crypto_arguments,
)
from firesteel.build.cache import cache_directory

MOST_BYTES = 2 << 30
"""What all snapshots together may take on the disk; a board's take some 150 MB."""

_STARTING_SECONDS = 60.0
"""How long after it was chosen a snapshot is not removed: the emulator may not have opened it."""

_UNUSABLE = re.compile(r"the snapshot (.+?)(?: is damaged|:)")
"""How the emulator says that it could not start from one."""

_HOST_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Snapshots:
    """The snapshots in one directory, which need not exist yet."""

    def __init__(self, directory: Path, most_bytes: int = MOST_BYTES) -> None:
        self.directory = directory
        self._most_bytes = most_bytes

    def of(self, boards: BoardProducts, wiring: Wiring, node: str) -> Path:
        """The snapshot that `node` starts from, or the place where it leaves one.

        Makes room for it among the others: those go that were not used for longest.  Where nothing
        can be written, boards boot.
        """
        path = self.directory / _name(boards, wiring, node)
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            if path.exists():
                os.utime(path)
            else:
                self._trim()
        return path

    def drop(self, reason: str) -> bool:
        """Whether `reason`, for which a node failed, is a snapshot of ours that was damaged, or is
        gone; if so it is removed.
        """
        found = _UNUSABLE.search(reason)
        if found is None or Path(found[1]).parent != self.directory:
            return False
        Path(found[1]).unlink(missing_ok=True)
        return True

    def _trim(self) -> None:
        now, taken = time.time(), 0
        for used, size, path in sorted(self._files(), reverse=True):
            taken += size
            if taken > self._most_bytes and now - used > _STARTING_SECONDS:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """When each file was used last, and how many bytes it takes on the disk."""
        for path in self.directory.iterdir():
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                yield status.st_mtime, status.st_blocks * 512, path


USUAL = Snapshots(cache_directory() / "snapshots")
"""Those of the cache directory."""


def _name(boards: BoardProducts, wiring: Wiring, node: str) -> str:
    profile, seed = wiring.profiles[node], node_seed(wiring, node)
    words = [
        *timed_machine_arguments(boards.qemu, profile, seed),
        *node_boot_arguments(boards, wiring, node),
        *(ethernet(port) for port in wiring.topology.ports(node)),
        *(f"{cores.bus} {cores.name}" for cores in profile.cores),
        *virtio_crypto_arguments(profile),
    ]
    files = {str(path): path for path in (boards.qemu, boards.kernel, boards.initramfs)}
    digest = hashlib.sha256(_HOST_BOOT.read_bytes() if _HOST_BOOT.exists() else b"")
    for word in words:
        told = _digest(files[word]) if word in files else word
        digest.update(told.encode() + b"\0")
    return digest.hexdigest()[:32]


def _digest(path: Path) -> str:
    status = path.stat()
    return _digest_of(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _digest_of(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
