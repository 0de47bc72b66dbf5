# SPDX-License-Identifier: Apache-2.0
"""What starts a bundle: unpacks it once, and hands over to the lab.

It is `firesteel_bundle` in the bundle, knows nothing but Python's own library, and is run from the
zip file as it is or from where pip installed it.

1. `contents.json` names the archives for this Python, with the hash of each.
2. They are held against their hashes and unpacked beside their final place, in the cache directory
   under the hash of `contents.json`, under a lock; the place is renamed when it is whole.
3. The lab is started from there, with nothing of this machine's Python but its own library.
"""

import contextlib
import errno
import fcntl
import hashlib
import io
import json
import os
import platform
import shutil
import sys
import time
import zipfile
import zipimport
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

CONTENTS = "contents.json"
"""The bundle's list: `glibc` (the oldest that does), and `pythons`: for each version its archives,
each with `file`, `sha256`, `into` (a folder of the place, or "") and `size` (bytes, unpacked)."""

PACKAGES = "python"
"""The folder of the place with the Python packages."""

_SPARE = 64 << 20
"""Bytes of the disk that unpacking leaves free."""


class RefusedError(Exception):
    """Why the bundle cannot be used here, as a sentence."""


class Source:
    """The files of the bundle, in a zip file or in a directory."""

    def __init__(self, package: Path) -> None:
        """`package` is the directory of this module, maybe inside a zip file."""
        self._directory = package
        loader = globals().get("__loader__")
        self._archive = loader.archive if isinstance(loader, zipimport.zipimporter) else None

    def read(self, name: str) -> bytes:
        """A file; `RefusedError` when it is damaged or missing."""
        try:
            if self._archive is None:
                return (self._directory / name).read_bytes()
            with zipfile.ZipFile(self._archive) as archive:
                return archive.read(f"{self._directory.name}/{name}")
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise _damaged(f"{name}: {error}") from None


def check_machine(glibc: list[int]) -> None:
    """Raises `RefusedError` for a machine on which neither emulator nor packages run."""
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise RefusedError(f"this machine is {system} {machine}; allowed is Linux x86_64.")
    needed = ".".join(map(str, glibc))
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        name, version = "", ""
    if name != "glibc" or [int(part) for part in version.split(".")[:2]] < glibc:
        found = f"glibc {version}" if version else "another C library"
        raise RefusedError(f"this Python uses {found}; the bundle needs glibc {needed} or newer.")


def cache_directory() -> Path:
    """As the lab's own: `FIRESTEEL_CACHE`, or `~/.cache/firesteel`."""
    if chosen := os.environ.get("FIRESTEEL_CACHE"):
        return Path(chosen).absolute()
    try:
        return Path.home() / ".cache" / "firesteel"
    except RuntimeError:
        raise RefusedError(
            "neither FIRESTEEL_CACHE nor HOME is set, so there is no place to unpack the bundle; "
            "set one of them."
        ) from None


def place_of(source: Source) -> Path:
    """Where the bundle is unpacked for this Python, by now."""
    text = source.read(CONTENTS)
    try:
        contents = json.loads(text)
    except ValueError as error:
        raise _damaged(f"{CONTENTS}: {error}") from None
    check_machine(contents["glibc"])
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    archives = contents["pythons"].get(version)
    if archives is None:
        there = ", ".join(contents["pythons"])
        raise RefusedError(f"this is Python {version}; the bundle has packages for Python {there}.")
    name = f"{hashlib.sha256(text).hexdigest()[:32]}-py{version}"
    place = cache_directory() / "bundle" / name
    if not place.is_dir():
        with _told(place), _locked(place):
            if not place.is_dir():
                _make(place, source, archives)
    return place


def _make(place: Path, source: Source, archives: list[dict[str, Any]]) -> None:
    partial = place.with_name(place.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    size = sum(each["size"] for each in archives)
    free = shutil.disk_usage(place.parent).free
    if free < size + _SPARE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    _say(f"unpacking the bundle into {place} (once, {size >> 20} MiB)")
    began = time.monotonic()
    try:
        for archive in archives:
            _unpack(partial, source, archive)
        os.sync()
        partial.rename(place)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _say(f"the bundle is unpacked ({time.monotonic() - began:.0f} s)")


def _unpack(place: Path, source: Source, archive: dict[str, Any]) -> None:
    """Unpack a wheel, or a zip file as a wheel is one; programs stay programs."""
    content = source.read(archive["file"])
    if hashlib.sha256(content).hexdigest() != archive["sha256"]:
        raise _damaged(f"{archive['file']} has another hash")
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        for entry in files.infolist():
            inside = _inside(entry.filename)
            if inside is None or entry.is_dir():
                continue
            target = place / archive["into"] / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            with files.open(entry) as file, target.open("wb") as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
            if entry.external_attr >> 16 & 0o111:
                target.chmod(0o755)


def _inside(name: str) -> PurePosixPath | None:
    """Where a wheel's file belongs; nowhere for scripts and what else lies beside the packages."""
    path = PurePosixPath(name)
    if not path.parts[0].endswith(".data"):
        return path
    kind, rest = path.parts[1], path.parts[2:]
    return PurePosixPath(*rest) if kind in ("purelib", "platlib") else None


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(place.name + ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _told(place: Path) -> Iterator[None]:
    """Say what a full or unwritable disk means."""
    try:
        yield
    except OSError as error:
        raise RefusedError(
            f"the bundle cannot be unpacked into {place}: {error.strerror or error}; free some "
            "space, or set FIRESTEEL_CACHE to a directory on another disk that you may write to."
        ) from None


def _damaged(why: str) -> RefusedError:
    return RefusedError(f"this bundle is damaged ({why}); copy or download it again.")


def _say(text: str) -> None:
    print(f"firesteel: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the lab's command line from the bundle."""
    try:
        place = place_of(Source(Path(__file__).parent))
    except RefusedError as error:
        sys.exit(f"firesteel: {error}")
    except KeyboardInterrupt:
        _say("stopped.")
        sys.exit(130)
    paths = (place / "lab" / "src", place / PACKAGES)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    # Neither this directory nor packages of the machine come before those of the bundle.
    command = [sys.executable, "-s", "-S", "-P", "-m", "firesteel", *sys.argv[1:]]
    os.execve(sys.executable, command, environment)
