# SPDX-License-Identifier: Apache-2.0
"""The run directory: the files of each node while it runs, and afterwards if it failed."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

_LONGEST_SOCKET_DIRECTORY = 70
"""Bytes; a UNIX socket's path has 107 at most, of which the node's own name takes some."""


@dataclass(frozen=True)
class NodeFiles:
    """Where one node's QEMU reads and writes; `directory` is its own."""

    directory: Path

    @property
    def initramfs(self) -> Path:
        """The base image with the node's job behind it; large, and made anew for each run."""
        return self.directory / "initramfs"

    @property
    def console(self) -> Path:
        """What the guest printed."""
        return self.directory / "console"

    @property
    def probe_log(self) -> Path:
        """Marks and data of the probe device, one JSON object a line."""
        return self.directory / "probe.jsonl"

    @property
    def trace(self) -> Path:
        """The lockstep's trace: every frame that the node sent, received or dropped."""
        return self.directory / "trace"

    @property
    def errors(self) -> Path:
        """QEMU's own standard error and output."""
        return self.directory / "qemu"


def make_run_directory(workdir: Path) -> Path:
    """A new directory in `workdir`, which is made if it is not there."""
    workdir.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="run-", dir=workdir.resolve()))


def make_socket_directory() -> Path:
    """A new directory with a path short enough for sockets in it."""
    directory: str | None = tempfile.gettempdir()
    if len(os.fsencode(str(directory))) > _LONGEST_SOCKET_DIRECTORY - len("/firesteel-12345678"):
        directory = "/tmp"
    return Path(tempfile.mkdtemp(prefix="firesteel-", dir=directory))


def remove(directory: Path) -> None:
    """Remove a directory and all that is in it, as far as that goes."""
    shutil.rmtree(directory, ignore_errors=True)
