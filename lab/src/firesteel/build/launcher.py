# SPDX-License-Identifier: Apache-2.0
"""What starts a bundle: unpacks it once, and hands over to the lab.

It is `__main__.py` of the bundle, and knows nothing but Python's own library, in the words of
Python 3.7, so that older ones are refused in a sentence.

1. `contents.json` names the Python packages for this Python.
2.  They and the lab's files are unpacked next to their final place, in the cache directory, under a
   lock; the directory is renamed when it is whole.
3. The lab is started from there, with nothing of this machine's Python but its own library.
"""

from __future__ import annotations

import ctypes
import fcntl
import io
import json
import os
import platform
import shutil
import sys
import time
import zipfile
import zlib
from pathlib import Path, PurePosixPath

CONTENTS = "contents.json"
"""The bundle's list: `id`, a hash of all in it; `glibc`, the oldest that does; and `wheels`,
the names of the packages for each version of Python."""

CHECKOUT, WHEELS = "checkout/", "wheels/"
"""The folders of the bundle."""

CPP_LIBRARY = "libstdc++.so.6"
"""A library of the machine that the Python packages need, in addition to the C library."""

PACKAGES = "python"
"""The folder with the Python packages, unpacked."""


class RefusedError(Exception):
    """Why the bundle cannot be used here, as a sentence."""


def check_machine(glibc: list[int]) -> None:
    """Raises `RefusedError` for a machine on which neither emulator nor packages run."""
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise RefusedError(f"this machine is {machine}; allowed is Linux x86_64.")
    needed = ".".join(map(str, glibc))
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        name, version = "", ""
    if name != "glibc" or [int(part) for part in version.split(".")[:2]] < glibc:
        found = f"glibc {version}" if version else "another C library"
        raise RefusedError(f"this Python uses {found}; the bundle needs glibc {needed} or newer.")
    try:
        ctypes.CDLL(CPP_LIBRARY)
    except OSError:
        raise RefusedError(
            f"this machine has no {CPP_LIBRARY}, which NumPy needs; install the C++ library "
            "(libstdc++6 in Debian and Ubuntu, libstdc++ in Fedora and RHEL)."
        ) from None


def cache_directory() -> Path:
    """As the lab's own: `FIRESTEEL_CACHE`, or `~/.cache/firesteel`."""
    chosen = os.environ.get("FIRESTEEL_CACHE")
    try:
        return Path(chosen).absolute() if chosen else Path.home() / ".cache" / "firesteel"
    except RuntimeError:
        raise RefusedError(
            "neither FIRESTEEL_CACHE nor HOME is set, so there is no place to unpack the bundle; "
            "set one of them."
        ) from None


def place_of(bundle: Path) -> Path:
    """Where the bundle is unpacked for this Python, by now."""
    try:
        with zipfile.ZipFile(bundle) as files:
            contents = json.loads(files.read(CONTENTS).decode())
            version = f"{sys.version_info[0]}.{sys.version_info[1]}"
            if version not in contents["wheels"]:
                raise RefusedError(
                    f"this is Python {version}; the bundle has packages for Python "
                    f"{', '.join(contents['wheels'])}."
                )
            check_machine(contents["glibc"])
            place = cache_directory() / "bundle" / f"{contents['id']}-py{version}"
            if not place.is_dir():
                _make(place, files, contents["wheels"][version])
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError) as error:
        raise RefusedError(
            f"this bundle is damaged ({error}); copy or download it again."
        ) from None
    return place


def _make(place: Path, files: zipfile.ZipFile, wheels: list[str]) -> None:
    partial = place.with_name(place.name + ".partial")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.with_name(place.name + ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if place.is_dir():
                return
            shutil.rmtree(partial, ignore_errors=True)
            _say(f"unpacking the bundle into {place}, once")
            began = time.monotonic()
            try:
                _unpack(files, CHECKOUT, partial)
                for name in wheels:
                    with zipfile.ZipFile(io.BytesIO(files.read(WHEELS + name))) as wheel:
                        _unpack(wheel, "", partial / PACKAGES)
                os.sync()
                partial.rename(place)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                raise
            _say(f"the bundle is unpacked ({time.monotonic() - began:.0f} s)")
    except OSError as error:
        raise RefusedError(
            f"the bundle cannot be unpacked into {place}: {error.strerror or error}; free some "
            "space, or set FIRESTEEL_CACHE to a directory on another disk that you may write to."
        ) from None


def _unpack(files: zipfile.ZipFile, folder: str, into: Path) -> None:
    """Unpack what is in a folder; programs stay programs.  Of what wheels lay beside the packages,
    only further packages count.
    """
    for entry in files.infolist():
        if not entry.filename.startswith(folder) or entry.is_dir():
            continue
        path = PurePosixPath(entry.filename[len(folder) :])
        if path.parts[0].endswith(".data"):
            if path.parts[1] not in ("purelib", "platlib"):
                continue
            path = PurePosixPath(*path.parts[2:])
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.open(entry) as file, target.open("wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
        if entry.external_attr >> 16 & 0o111:
            target.chmod(0o755)


def _say(text: str) -> None:
    print(f"firesteel: {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the lab's command line from the bundle."""
    try:
        place = place_of(Path(__file__).parent)
    except RefusedError as error:
        sys.exit(f"firesteel: {error}")
    except KeyboardInterrupt:
        _say("stopped.")
        sys.exit(130)
    paths = (place / "lab" / "src", place / PACKAGES)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    # Neither this directory nor packages of the machine come before those of the bundle.
    command = [sys.executable, "-s", "-S", "-P", "-m", "firesteel", *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    main()
