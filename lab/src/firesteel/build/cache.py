# SPDX-License-Identifier: Apache-2.0
"""The cache: products addressed by the hash of what went into them.

The life of a product:

1. Its *key* is made from everything that decides its bytes (`key_of`).
2. `Cache.product` returns `KIND/KEY` at once when it is there.
3.  Otherwise it takes the product's lock and builds into `KIND/KEY.partial`; a second call at the
   same time waits.
4. When the build is whole it is written to disk and renamed to `KIND/KEY`.

A build that is stopped, even by a power cut, leaves only a `.partial`, which no call ever uses
and which the next build of that kind removes.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.build import privilege

_PARTIAL = ".partial"


def cache_directory() -> Path:
    """`FIRESTEEL_CACHE`, or `~/.cache/firesteel`; an absolute path that need not exist yet."""
    chosen = os.environ.get("FIRESTEEL_CACHE")
    return Path(chosen).absolute() if chosen else Path.home() / ".cache" / "firesteel"


def key_of(inputs: Mapping[str, str]) -> str:
    """The key of a product made from `inputs` (what → its text, version or digest)."""
    text = json.dumps(dict(inputs), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def tree_digest(*paths: Path) -> str:
    """The digest of files and directories: names, contents, who may execute; no times or owners.

    Documentation (`*.md`) does not count; a path that does not exist is an empty directory.
    """
    digest = hashlib.sha256()
    for top in paths:
        for path in sorted(_files(top)):
            name = path.relative_to(top.parent).as_posix()
            if path.is_symlink():
                kind, content = "link", os.fsencode(path.readlink())
            else:
                kind = "program" if os.access(path, os.X_OK) else "file"
                content = path.read_bytes()
            digest.update(f"{kind} {name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _files(top: Path) -> Iterator[Path]:
    if top.is_symlink() or top.is_file():
        yield top
        return
    for path in top.rglob("*"):
        if path.is_symlink() or path.is_file():
            idle = "__pycache__" in path.parts or path.name.startswith(".") or path.suffix == ".md"
            if not idle:
                yield path


@contextlib.contextmanager
def snapshot(parts: Mapping[str, Path]) -> Iterator[Path]:
    """A copy of those files and directories that exist, for the time of the `with` block.

    `parts` says where each is put, relative to the copy, and where it is.  With it a product's key
    and its build see the same files, even while somebody edits them.
    """
    with tempfile.TemporaryDirectory(prefix="firesteel-") as directory:
        copy = Path(directory) / "recipe"
        copy.mkdir()
        for name, path in parts.items():
            if path.is_dir():
                shutil.copytree(path, copy / name, symlinks=True)
            elif path.exists():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy / name)
        yield copy


def remove_tree(path: Path) -> None:
    """Remove a file tree, through sudo where it is not ours; no error if it is not there."""
    if not path.exists() and not path.is_symlink():
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        subprocess.run(privilege.as_root(["rm", "-rf", "--one-file-system", str(path)]), check=True)


class NotBuiltError(FiresteelError):
    """A product is not in the cache, and nothing may be built now."""


_may_build = ContextVar("may_build", default=True)


@contextlib.contextmanager
def nothing_is_built() -> Iterator[None]:
    """For the time of the `with` block a missing product is a `NotBuiltError`."""
    token = _may_build.set(False)
    try:
        yield
    finally:
        _may_build.reset(token)


class Cache:
    """The products under one directory."""

    def __init__(
        self,
        directory: Path,
        starting: Callable[[], None] = lambda: None,
        waiting: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`starting` is called before a build, and may refuse it by raising.

        `waiting` is called with the product's kind when another process is building it.
        """
        self.directory = directory
        self._starting = starting
        self._waiting = waiting

    def path(self, kind: str, key: str) -> Path:
        """Where the product is, or will be."""
        return self.directory / kind / key

    def product(self, kind: str, key: str, build: Callable[[Path], None]) -> Path:
        """The product's directory; `build` fills the empty directory it is given if need be.

        Whatever `build` raises goes to the caller after its directory is removed.
        """
        final = self.path(kind, key)
        if final.is_dir():
            return final
        if not _may_build.get():
            raise NotBuiltError(f"`{kind}` is not built yet; `firesteel build` builds it.")
        self._starting()
        with _full_disk_told(self.directory):
            final.parent.mkdir(parents=True, exist_ok=True)
            with self.lock(kind, key):
                if not final.is_dir():
                    self._sweep(kind)
                    self._build(final, build)
        return final

    def _build(self, final: Path, build: Callable[[Path], None]) -> None:
        partial = final.with_name(final.name + _PARTIAL)
        remove_tree(partial)
        partial.mkdir()
        try:
            build(partial)
            subprocess.run(["sync", "--file-system", str(partial)], check=True)
            partial.rename(final)
        except BaseException:
            remove_tree(partial)
            raise

    def _sweep(self, kind: str) -> None:
        """Remove what builds that died have left: a living one holds its lock."""
        for partial in (self.directory / kind).glob("*" + _PARTIAL):
            key = partial.name.removesuffix(_PARTIAL)
            with self._try_lock(kind, key) as free:
                if free:
                    remove_tree(partial)

    @contextlib.contextmanager
    def work_directory(self, kind: str, key: str) -> Iterator[Path]:
        """A directory kept from build to build; nobody else uses it during the `with` block.

        What it holds must be such that an interrupted build can go on from it.  Those of the same
        kind with another key are removed.
        """
        top = self.directory / "work" / kind
        with self.lock(f"{kind}-work", "tree"):
            for other in top.glob("*"):
                if other.name != key:
                    remove_tree(other)
            (top / key).mkdir(parents=True, exist_ok=True)
            yield top / key

    @contextlib.contextmanager
    def lock(self, kind: str, key: str) -> Iterator[None]:
        """Hold the product's lock, after waiting for its owner."""
        with self._lock_file(kind, key) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._waiting(kind)
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def _try_lock(self, kind: str, key: str) -> Iterator[bool]:
        with self._lock_file(kind, key) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    @contextlib.contextmanager
    def _lock_file(self, kind: str, key: str) -> Iterator[int]:
        # Locks are never removed: a lock file that is replaced no longer excludes anyone.
        path = self.directory / "locks" / f"{kind}-{key}"
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            yield file
        finally:
            os.close(file)


@contextlib.contextmanager
def _full_disk_told(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            problem = "there is no space left"
        elif error.errno in (errno.EACCES, errno.EROFS):
            problem = f"{error.filename or directory} cannot be written"
        else:
            raise
        raise FiresteelError(
            f"The cache {directory} cannot be used: {problem}; free some space or set "
            "FIRESTEEL_CACHE to a directory on another disk."
        ) from error
