# SPDX-License-Identifier: Apache-2.0
"""The bundle: the lab, its artifacts and its Python packages in one file.

The file is a wheel, so that pip installs it, and a zip file with a `__main__.py`, so that Python
runs it as it is.  It holds archives, which `launcher` unpacks at first use:

1. the lab's files as in a checkout, with artifacts in `products/`;
2. the wheels of its Python packages, byte for byte as the package index has them.

The same inputs give the same bytes.  pex and shiv make neither of the two: their files are for one
version of Python or are no wheels, and hold packages, where this one holds a checkout.
"""

import base64
import hashlib
import io
import json
import os
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement

from firesteel import __version__
from firesteel.base.checkout import BROUGHT, CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build import launcher
from firesteel.build.artifacts import Artifact, files_of
from firesteel.build.buildroot import Context
from firesteel.build.cache import key_of

PYTHONS = ("3.11", "3.12", "3.13")
"""The versions that the lab supports (`scripts/venv.sh`)."""

GLIBC = (2, 28)
"""The oldest C library that the packages may need."""

REQUIREMENTS = CHECKOUT / "requirements" / "run.txt"
"""What the lab needs, with hashes."""

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
_PLATFORM = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_x86_64"

_PLATFORMS = [
    *(f"manylinux_{GLIBC[0]}_{minor}_x86_64" for minor in range(GLIBC[1], 16, -1)),
    "manylinux2014_x86_64",
]
"""The tags that the packages' wheels may have, the newest C library first."""

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


def check_python(python: str) -> None:
    """Refuse a version that the lab does not support with a `FiresteelError`."""
    if python not in PYTHONS:
        raise FiresteelError(f"Python {python}: allowed are {', '.join(PYTHONS)}.")


def fetch_wheels(at: Context, python: str) -> list[Path]:
    """The lab's packages for a version of CPython on x86-64 Linux, fetched by pip and held against
    their hashes if need be.

    Raises `FiresteelError` when the package index cannot be reached, or a package has no wheel.
    """
    text = requirements_for(python, REQUIREMENTS.read_text(encoding="utf-8"))

    def build(partial: Path) -> None:
        list_ = partial / "requirements.txt"
        list_.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        command += ["download", "--quiet", "--retries", "2", "--no-deps", "--require-hashes"]
        command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
        for platform in _PLATFORMS:
            command += ["--platform", platform]
        command += ["--dest", str(partial), "--requirement", str(list_)]
        at.runner.run(f"Fetching the packages for Python {python}", command)
        list_.unlink()

    key = key_of({"python": python, "requirements": text, "platforms": " ".join(_PLATFORMS)})
    return sorted(at.cache.product("wheels", key, build).glob("*.whl"))


def requirements_for(python: str, text: str) -> str:
    """Those lines of a requirements file with hashes that count for a version of CPython on Linux,
    without their conditions: pip would hold these against the Python that it runs on.
    """
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "sys_platform": "linux",
        "os_name": "posix",
    }
    lines: list[str] = []
    counts = False
    for line in text.splitlines():
        if line.startswith(" "):
            if counts:
                lines.append(line)
        elif line and not line.startswith("#"):
            wanted = Requirement(line.removesuffix("\\"))
            counts = wanted.marker is None or wanted.marker.evaluate(environment)
            if counts:
                lines.append(f"{wanted.name}{wanted.specifier} \\")
    return "".join(f"{line}\n" for line in lines)


def file_name(pythons: Iterable[str]) -> str:
    """What the bundle for these versions of Python is called, as wheels are."""
    return f"firesteel-{__version__}-{'.'.join(_tags(pythons))}-none-{_PLATFORM}.whl"


def write(
    path: Path, gathered: Mapping[str, Sequence[Artifact]], wheels: Mapping[str, Iterable[Path]]
) -> None:
    """Write the bundle to `path`, whole or not at all.

    `gathered` are artifacts by architecture, `wheels` those for each version of Python.
    """
    partial = path.with_name(path.name + ".partial")
    record = ""
    try:
        with zipfile.ZipFile(partial, "w") as archive:
            for name, content in _contents(gathered, wheels):
                _put(archive, name, content)
                hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                record += f"{name},sha256={hashed.rstrip('=')},{len(content)}\n"
            list_ = f"{_INFO}/RECORD"
            _put(archive, list_, f"{record}{list_},,\n".encode())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _contents(
    gathered: Mapping[str, Sequence[Artifact]], wheels: Mapping[str, Iterable[Path]]
) -> Iterator[tuple[str, bytes]]:
    """All files of the bundle but the list of them, in order."""
    pythons = sorted(wheels, key=_numbers)
    versions = ", ".join(f"({', '.join(map(str, _numbers(python)))})" for python in pythons)
    yield "__main__.py", _MAIN.format(pythons=f"[{versions}]", package=_PACKAGE).encode()
    yield f"{_PACKAGE}/__init__.py", Path(launcher.__file__).read_bytes()
    packed = _files(gathered)
    yield f"{_PACKAGE}/{_FILES}", packed
    entries = {_FILES: _entry(_FILES, packed, "")}
    for name, path in sorted(
        {path.name: path for each in wheels.values() for path in each}.items()
    ):
        packed = path.read_bytes()
        yield f"{_PACKAGE}/{name}", packed
        entries[name] = _entry(name, packed, launcher.PACKAGES)
    contents = {
        "glibc": list(GLIBC),
        "pythons": {
            python: [entries[_FILES], *(entries[each.name] for each in wheels[python])]
            for python in pythons
        },
    }
    yield f"{_PACKAGE}/{launcher.CONTENTS}", json.dumps(contents, indent=1).encode()
    yield from _metadata(pythons)


def _entry(name: str, content: bytes, into: str) -> dict[str, str | int]:
    """What `launcher` is told of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(each.file_size for each in archive.infolist())
    digest = hashlib.sha256(content).hexdigest()
    return {"file": name, "sha256": digest, "into": into, "size": size}


def _metadata(pythons: list[str]) -> Iterator[tuple[str, bytes]]:
    """What makes a wheel of the bundle."""
    licences = sorted((CHECKOUT / "LICENSES").iterdir())
    for path in licences:
        yield f"{_INFO}/licenses/{path.name}", path.read_bytes()
    named = "".join(f"License-File: {path.name}\n" for path in licences)
    metadata = _METADATA.format(version=__version__, oldest=pythons[0], licences=named)
    yield f"{_INFO}/METADATA", metadata.encode()
    tags = "".join(f"Tag: {tag}-none-{_PLATFORM}\n" for tag in _tags(pythons))
    wheel = (
        f"Wheel-Version: 1.0\nGenerator: firesteel {__version__}\nRoot-Is-Purelib: false\n{tags}"
    )
    yield f"{_INFO}/WHEEL", wheel.encode()
    script = f"[console_scripts]\nfiresteel = {_PACKAGE}:main\n"
    yield f"{_INFO}/entry_points.txt", script.encode()


def _files(gathered: Mapping[str, Sequence[Artifact]]) -> bytes:
    """The archive of the lab's files and the artifacts."""
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


def _numbers(python: str) -> tuple[int, ...]:
    return tuple(int(part) for part in python.split("."))


def _tags(pythons: Iterable[str]) -> list[str]:
    return [f"cp{python.replace('.', '')}" for python in sorted(pythons, key=_numbers)]
