# SPDX-License-Identifier: Apache-2.0
"""The bundle: the lab, its products and its Python packages in one file.

The file is a wheel, so that pip installs it, and a zip file with a `__main__.py`, so that Python
runs it as it is.  It holds archives, which `launcher` unpacks at first use:

1. the lab's files as in a checkout, with products in `products/`;
2. the wheels of its Python packages, byte for byte as the package index has them.

The same inputs give the same bytes.
"""

import base64
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel import __version__
from firesteel.base.checkout import BROUGHT, CHECKOUT
from firesteel.build import launcher
from firesteel.build.portable import Gathered, files_of
from firesteel.build.wheels import GLIBC

PARTS = (
    *("LICENSES", "README.md", "board", "docs", "driver", "experiments", "frontends/common"),
    *("lab/src", "lib", "model", "provider", "published", "recorded", "schemas", "silex"),
)
"""What of a checkout travels: all that the lab reads, and our part of what boards run."""

_LEFT = frozenset({"__pycache__", "tests", "fuzz", "bench", "figures"})
"""Folders that nothing at run time reads; `figures` are derived from records anew."""

_PACKAGE = "firesteel_bundle"
_INFO = f"firesteel-{__version__}.dist-info"
_DATE = (2026, 1, 1, 0, 0, 0)
_FILES = "firesteel.zip"

_MAIN = """\
# SPDX-License-Identifier: Apache-2.0
import sys

PYTHONS = {pythons}

if sys.version_info[:2] not in PYTHONS:
    there = ", ".join("%d.%d" % version for version in PYTHONS)
    sys.exit("firesteel: this is Python %d.%d; " % sys.version_info[:2]
             + "the bundle has packages for Python %s." % there)

from {package} import main

main()
"""

_METADATA = """\
Metadata-Version: 2.4
Name: firesteel
Version: {version}
Summary: Does crypto offload help this traffic, and by how much: boards, experiments, reports
Requires-Python: >={oldest}
{licences}
The whole lab in one file; docs/bundle.md says what is in it, under which licences, and where the
sources of it are.
"""


@dataclass(frozen=True)
class _Archive:
    """A zip file in the bundle."""

    name: str
    content: bytes
    into: str

    @property
    def entry(self) -> dict[str, str | int]:
        """What `launcher` is told of it."""
        with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
            size = sum(each.file_size for each in archive.infolist())
        digest = hashlib.sha256(self.content).hexdigest()
        return {"file": self.name, "sha256": digest, "into": self.into, "size": size}


def file_name(pythons: Iterable[str]) -> str:
    """What the bundle for these versions of Python is called, as wheels are."""
    return f"firesteel-{__version__}-{'.'.join(_tags(pythons))}-none-{_platform()}.whl"


def write(
    path: Path, gathered: Mapping[str, Sequence[Gathered]], wheels: Mapping[str, Iterable[Path]]
) -> None:
    """Write the bundle to `path`, whole or not at all.

    `gathered` are products by architecture, `wheels` those for each version of Python.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        with _Wheel(partial) as wheel:
            _fill(wheel, gathered, wheels)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _fill(
    wheel: "_Wheel",
    gathered: Mapping[str, Sequence[Gathered]],
    wheels: Mapping[str, Iterable[Path]],
) -> None:
    pythons = sorted(wheels, key=_numbers)
    wheel.add("__main__.py", _main(pythons))
    wheel.add(f"{_PACKAGE}/__init__.py", Path(launcher.__file__).read_bytes())
    files = _Archive(_FILES, _files(gathered), "")
    entries = {files.name: files.entry}
    wheel.add(f"{_PACKAGE}/{files.name}", files.content)
    every = {path.name: path for each in wheels.values() for path in each}
    for name, path in sorted(every.items()):
        packed = _Archive(name, path.read_bytes(), launcher.PACKAGES)
        entries[packed.name] = packed.entry
        wheel.add(f"{_PACKAGE}/{packed.name}", packed.content)
    contents = {
        "glibc": list(GLIBC),
        "pythons": {
            python: [entries[_FILES], *(entries[each.name] for each in wheels[python])]
            for python in pythons
        },
    }
    wheel.add(f"{_PACKAGE}/{launcher.CONTENTS}", json.dumps(contents, indent=1).encode())
    _describe(wheel, pythons)


def _describe(wheel: "_Wheel", pythons: list[str]) -> None:
    """What makes a wheel of it."""
    licences = sorted((CHECKOUT / "LICENSES").iterdir())
    for path in licences:
        wheel.add(f"{_INFO}/licenses/{path.name}", path.read_bytes())
    told = "".join(f"License-File: {path.name}\n" for path in licences)
    metadata = _METADATA.format(version=__version__, oldest=pythons[0], licences=told)
    wheel.add(f"{_INFO}/METADATA", metadata.encode())
    tags = "".join(f"Tag: {tag}-none-{_platform()}\n" for tag in _tags(pythons))
    said = f"Wheel-Version: 1.0\nGenerator: firesteel {__version__}\nRoot-Is-Purelib: false\n{tags}"
    wheel.add(f"{_INFO}/WHEEL", said.encode())
    script = f"[console_scripts]\nfiresteel = {_PACKAGE}:main\n"
    wheel.add(f"{_INFO}/entry_points.txt", script.encode())
    wheel.finish(f"{_INFO}/RECORD")


def _main(pythons: list[str]) -> bytes:
    versions = ", ".join(f"({', '.join(map(str, _numbers(python)))})" for python in pythons)
    return _MAIN.format(pythons=f"[{versions}]", package=_PACKAGE).encode()


def _files(gathered: Mapping[str, Sequence[Gathered]]) -> bytes:
    """The archive of the lab's files and the products."""
    content = io.BytesIO()
    there = BROUGHT.relative_to(CHECKOUT).as_posix()
    with zipfile.ZipFile(content, "w") as archive:
        for path in checkout_files():
            name = path.relative_to(CHECKOUT).as_posix()
            _put(archive, name, path.read_bytes(), os.access(path, os.X_OK))
        for name, file, program in files_of(gathered):
            _put(archive, f"{there}/{name}", file, program)
    return content.getvalue()


def checkout_files() -> Iterator[Path]:
    """The files of the checkout that travel, in order."""
    for part in PARTS:
        top = CHECKOUT / part
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            parts = path.relative_to(CHECKOUT).parts
            idle = any(name in _LEFT or name.startswith(".") for name in parts)
            if path.is_file() and not idle:
                yield path


def _put(archive: zipfile.ZipFile, name: str, content: bytes, program: bool = False) -> None:
    """Add a file to an archive, without what would differ between two machines."""
    entry = zipfile.ZipInfo(name, _DATE)
    entry.create_system = 3  # Unix, whose modes these are
    entry.external_attr = (0o100755 if program else 0o100644) << 16
    compressed = not name.endswith((".whl", ".zip"))
    entry.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    archive.writestr(entry, content)


class _Wheel:
    """A wheel that is being written; a context manager."""

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path, "w")
        self._record = ""

    def __enter__(self) -> "_Wheel":
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def add(self, name: str, content: bytes) -> None:
        """Add a file."""
        _put(self._archive, name, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        self._record += f"{name},sha256={digest},{len(content)}\n"

    def finish(self, record: str) -> None:
        """Add the list of all that was added."""
        _put(self._archive, record, f"{self._record}{record},,\n".encode())


def _numbers(python: str) -> tuple[int, ...]:
    return tuple(int(part) for part in python.split("."))


def _tags(pythons: Iterable[str]) -> list[str]:
    return [f"cp{python.replace('.', '')}" for python in sorted(pythons, key=_numbers)]


def _platform() -> str:
    return f"manylinux_{'_'.join(map(str, GLIBC))}_x86_64"
