# SPDX-License-Identifier: Apache-2.0
"""A machine that runs tasks: its files, its run directories, and what it has room for."""

import contextlib
import errno
import hashlib
import os
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.base.files import atomic_write, digest_of
from firesteel.boards.command import BoardProducts, Snapshots
from firesteel.boards.files import remove, sweep
from firesteel.boards.job import Job, JobFile
from firesteel.boards.run import BoardFailure, run_topology
from firesteel.machines.task import Digest, Outcome, Source, Task, bytes_of

_NODE_SPACE = 256 << 20
"""Bytes of disk that a node's logs and its snapshot may take."""

_LONGEST_LOG = 8 << 20
"""Bytes of a failed node's log that are handed back: its end."""

_UNUSED_SECONDS = 30 * 86400.0
"""How long a file is kept that no task asks for."""

Fetch = Callable[[Digest], bytes]
"""Asks the clients for a file; raises `FiresteelError` if no client offers it."""


class Contents:
    """A machine's files by the SHA-256 of their bytes, kept from run to run below a directory;
    several processes may use it at once.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._checked: set[Digest] = set()

    def path(self, digest: Digest) -> Path | None:
        """Where that file is, to be read and executed; None if it is not there, or damaged.

        It is read whole when this process asks for the first time, so that what a disk made of it
        in the meantime is never run.
        """
        path = self._directory / digest
        try:
            if digest not in self._checked:
                with path.open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                        return None
            os.utime(path)
        except FileNotFoundError:
            return None
        self._checked.add(digest)
        return path

    def keep(self, digest: Digest, content: bytes) -> bool:
        """Keeps a file that arrived; False, and nothing is kept, if these are not its bytes.

        Raises `StoreError` when it cannot be written.
        """
        if digest_of(content) != digest:
            return False
        with atomic_write(self._directory / digest, 0o555) as file:
            file.write(content)
        return True

    def remove_unused(self) -> None:
        """Removes files that no task has asked for in a month, and files that never arrived
        whole.
        """
        oldest = time.time() - _UNUSED_SECONDS
        for path in self._directory.glob("*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


class DiskFull(Exception):  # noqa: N818 - another machine takes the task
    """A machine has no disk space for a task; the text says where, as a clause."""


class Machine:
    """Runs tasks; all methods may be called from several threads at once."""

    def __init__(self, name: str, directory: Path) -> None:
        """Files are kept below `directory`, which is made."""
        self.name = name
        self.directory = directory
        self._contents = Contents(directory / "files")
        self._runs = directory / "runs"
        self._snapshots = Snapshots(directory / "snapshots")
        self._locks: defaultdict[Digest, threading.Lock] = defaultdict(threading.Lock)
        self._runs.mkdir(parents=True, exist_ok=True)

    def clean(self) -> None:
        """Removes what killed workers have left, and files that nobody asked for in a month."""
        sweep([self._runs])
        self._contents.remove_unused()

    def run(self, task: Task, fetch: Fetch, cancel: threading.Event) -> Outcome:
        """What becomes of a task.

        Raises `DiskFull`, and `RunCancelled` soon after `cancel` was set.
        """
        try:
            self._check_space(task)
            paths = {digest: self._have(digest, fetch) for digest in task.sizes}
            return self._run(task, paths, cancel)
        except BoardFailure as error:
            return self._failed(error)
        except (OSError, FiresteelError) as error:
            cause = error if isinstance(error, OSError) else error.__context__
            if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._full() from None
            if isinstance(error, OSError):
                return Outcome(self.name, problem=f"{error.filename}: {error.strerror}.")
            return Outcome(self.name, problem=str(error))

    def _run(self, task: Task, paths: Mapping[Digest, Path], cancel: threading.Event) -> Outcome:
        sources: dict[Digest, Source] = {**task.small, **paths}
        jobs = {}
        for node, job in task.jobs.items():
            files = {at: JobFile(bytes_of(sources[of]), mode) for at, (of, mode) in job.items()}
            jobs[node] = Job(files)
        boards = {
            node: BoardProducts(**{name: paths[digest] for name, digest in products.items()})
            for node, products in task.boards.items()
        }
        run = run_topology(
            task.topology,
            jobs,
            boards=boards,
            profiles=task.profiles,
            seed=task.seed,
            workdir=self._runs,
            timeout=task.timeout,
            cancel=cancel,
            snapshots=self._snapshots,
        )
        return Outcome(self.name, run)

    def _have(self, digest: Digest, fetch: Fetch) -> Path:
        """Where a file is, fetched if need be, by one thread at a time."""
        with self._locks[digest]:
            if path := self._contents.path(digest):
                return path
            if self._contents.keep(digest, fetch(digest)) and (path := self._contents.path(digest)):
                return path
        raise FiresteelError(f"A file with the SHA-256 {digest} arrived damaged at {self.name}.")

    def _check_space(self, task: Task) -> None:
        missing = sum(
            size for digest, size in task.sizes.items() if not self._contents.path(digest)
        )
        needed = missing + _NODE_SPACE * len(task.boards)
        if shutil.disk_usage(self.directory).free < needed:
            raise self._full()

    def _full(self) -> DiskFull:
        free = shutil.disk_usage(self.directory).free >> 20
        return DiskFull(
            f"the disk of {self.directory} has no space for a cell ({free} MiB free); free some or "
            "set FIRESTEEL_CACHE to a directory on another disk, and start the worker again"
        )

    def _failed(self, error: BoardFailure) -> Outcome:
        """A failure with its logs, which are not kept here."""
        logs = dict(_logs(error.directory))
        remove(error.directory)
        return Outcome(self.name, failure=error.failure, console=error.console, logs=logs)


def _logs(directory: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _LONGEST_LOG))
                yield path.relative_to(directory).as_posix(), file.read()
