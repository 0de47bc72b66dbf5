# SPDX-License-Identifier: Apache-2.0
"""The bundle: the lab, its artifacts and its Python packages in one file that Python runs.  With it
come the sources of emulator and image, which licences require from anyone who passes a bundle on.

The file is a zip file with a `__main__.py`, `launcher`, which unpacks it at first use.  It contains
the lab's files as in a checkout, artifacts in `products/`, and the unchanged wheels of its Python
packages.  The same inputs give the same bytes.

The sources are Debian's source packages in the versions of the binaries in image and emulator, and
the packages in their `Built-Using`.  The whole checkout is included too: devices, patches, driver,
library, provider, and all recipes.
"""

import hashlib
import itertools
import json
import os
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement

from firesteel import __version__
from firesteel.base.checkout import BROUGHT, CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.files import atomic_write
from firesteel.build import launcher
from firesteel.build.artifacts import Artifact, files_of
from firesteel.build.buildroot import SOURCE_DATE_EPOCH, BuildRoot, Context
from firesteel.build.cache import key_of
from firesteel.build.debian import SUITE, apt_within, paragraphs
from firesteel.build.image import Packages

PYTHONS = ("3.11", "3.12", "3.13")
"""The versions that the lab supports (`scripts/venv.sh`)."""

GLIBC = (2, 28)
"""The oldest C library that the packages may need."""

REQUIREMENTS = CHECKOUT / "requirements" / "run.txt"
"""What the lab needs, with hashes."""

PARTS = (
    *("LICENSE", "LICENSES", "README.md", "board", "docs", "driver", "experiments"),
    *("frontends/common", "lab/src", "lib", "model", "provider", "published", "recorded"),
    *("schemas", "silex"),
)
"""The included files of a checkout: all that the lab reads, and our part of the boards'
software.
"""

_LEFT = frozenset({"__pycache__", "tests", "fuzz", "bench", "figures"})
"""Folders that nothing at run time reads; `figures` are derived from records anew."""

_LEFT_IN_SOURCES = frozenset({"__pycache__", "dist", "site"})

_PLATFORMS = (
    *(f"manylinux_{GLIBC[0]}_{minor}_x86_64" for minor in range(GLIBC[1], 16, -1)),
    "manylinux2014_x86_64",
)
"""The tags that the packages' wheels may have, the newest C library first."""

LINKED = (
    *("libc6-dev", "libfdt-dev", "libgcc-14-dev", "libgcrypt20-dev", "libglib2.0-dev"),
    *("libgpg-error-dev", "libpcre2-dev", "libsysprof-capture-4-dev", "nettle-dev", "zlib1g-dev"),
)
"""Packages of the build root whose static libraries are in the emulator."""

_USED = re.compile(r"(\S+) \(= (\S+?)\)")


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
    """The lines of a requirements file with hashes that apply to a version of CPython on Linux,
    without their conditions, which pip would test against its own Python.
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
    """What the bundle for these versions of Python is called."""
    return f"firesteel-{__version__}-py{'-'.join(sorted(pythons))}-x86_64.pyz"


def write(
    path: Path, gathered: Mapping[str, Sequence[Artifact]], wheels: Mapping[str, Iterable[Path]]
) -> None:
    """Write the bundle to `path`, whole or not at all.

    `gathered` are artifacts by architecture, `wheels` those for each version of Python.
    """
    names = {python: [each.name for each in those] for python, those in sorted(wheels.items())}
    digest = hashlib.sha256(json.dumps(names).encode())

    with atomic_write(path, 0o755) as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w") as archive:
            for name, content, program in _contents(gathered, wheels):
                digest.update(f"{name} {len(content)} {program}\n".encode() + content)
                _put(archive, name, content, program)
            head = {"id": digest.hexdigest()[:32], "glibc": GLIBC, "wheels": names}
            _put(archive, launcher.CONTENTS, json.dumps(head, indent=1).encode(), False)


def _contents(
    gathered: Mapping[str, Sequence[Artifact]], wheels: Mapping[str, Iterable[Path]]
) -> Iterator[tuple[str, bytes, bool]]:
    """All files of the bundle, in order, and whether each is a program."""
    yield "__main__.py", Path(launcher.__file__).read_bytes(), False
    for path in checkout_files():
        name = path.relative_to(CHECKOUT).as_posix()
        yield f"{launcher.CHECKOUT}{name}", path.read_bytes(), os.access(path, os.X_OK)
    for name, file, program in files_of(gathered):
        there = BROUGHT.relative_to(CHECKOUT).as_posix()
        yield f"{launcher.CHECKOUT}{there}/{name}", file, program
    for name, path in sorted({each.name: each for of in wheels.values() for each in of}.items()):
        yield f"{launcher.WHEELS}{name}", path.read_bytes(), False


def checkout_files() -> Iterator[Path]:
    """The files of the checkout that travel, in order."""
    for part in PARTS:
        top = CHECKOUT / part
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            parts = path.relative_to(CHECKOUT).parts
            idle = any(name in _LEFT or name.startswith(".") for name in parts)
            if path.is_file() and not idle:
                yield path


def _put(archive: zipfile.ZipFile, name: str, content: bytes, program: bool) -> None:
    """Add a file to an archive, without what would differ between two machines."""
    entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    entry.create_system = 3  # Unix, whose modes these are
    entry.external_attr = (0o100755 if program else 0o100644) << 16
    stored = name.endswith(".whl")
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def fetch_sources(at: Context, packages: Packages, root: BuildRoot) -> Path:
    """The directory with Debian's unopened source packages, and `SOURCES`, which maps each binary
    package to its source; fetched if need be.

    Raises `FiresteelError` when the mirror no longer has one of these versions.
    """
    guest, host = packages.architecture.name, "amd64"
    wanted = binaries(packages.list.read_text(), guest)
    linked = binaries((root.directory / "packages.list").read_text(), host, LINKED)

    def build(partial: Path) -> None:
        with apt_within(partial, at.runner, f"{host} {guest}") as apt:
            found = sources_of(apt.show([*wanted, *linked], all_known=True))
            needed = sorted({source for sources in found.values() for source in sources})
            # What has come stays when the rest does not: there is much of it.
            with at.cache.work_directory("sources", key) as kept:
                try:
                    apt.sources("the sources of all packages", needed, kept)
                except FiresteelError:
                    if not (missing := incomplete(needed, kept)):
                        raise
                    raise FiresteelError(
                        f"The mirror lacks the sources of {len(missing)} of {len(needed)} packages:"
                        f" {', '.join(each.partition('=')[0] for each in missing)}; set "
                        "FIRESTEEL_MIRROR to the address of an archive that has them, and what has "
                        "come is not fetched again."
                    ) from None
                for path in kept.iterdir():
                    path.rename(partial / path.name)
        lines = (f"{name}: {', '.join(each)}\n" for name, each in sorted(found.items()))
        (partial / "SOURCES").write_text("".join(lines))

    key = key_of({"suite": SUITE, "packages": " ".join([*wanted, *linked])})
    return at.cache.product("sources", key, build)


def binaries(listed: str, architecture: str, names: Iterable[str] | None = None) -> list[str]:
    """Binary packages of a package list, or those `names` of them: `NAME:ARCHITECTURE=VERSION`.

    `FiresteelError` when one of the names is not in the list.
    """
    versions = dict(line.split() for line in listed.splitlines())
    if missing := sorted(set(names or ()) - versions.keys()):
        raise FiresteelError(
            f"The build root has no {', '.join(missing)}: {Path(__file__).name} names what the "
            "emulator is linked with."
        )
    return [f"{name}:{architecture}={versions[name]}" for name in names or versions]


def sources_of(shown: str) -> dict[str, list[str]]:
    """Source packages, `NAME=VERSION`, of each binary package that `apt-cache show` showed."""
    found: dict[str, list[str]] = {}
    for fields in paragraphs(shown):
        name, _, version = fields.get("Source", fields["Package"]).partition(" ")
        sources = [f"{name}={version.strip('()') or fields['Version']}"]
        for kind in ("Built-Using", "Static-Built-Using"):
            sources += [
                f"{name}={version}" for name, version in _USED.findall(fields.get(kind, ""))
            ]
        binary = f"{fields['Package']}:{fields['Architecture']}={fields['Version']}"
        found[binary] = list(dict.fromkeys(sources))
    return found


def incomplete(needed: Iterable[str], directory: Path) -> list[str]:
    """Those source packages (`NAME=VERSION`) of which a directory has not all files."""
    return [each for each in needed if not _is_complete(each, directory)]


def _is_complete(source: str, directory: Path) -> bool:
    name, _, version = source.partition("=")
    description = directory / f"{name}_{version.rpartition(':')[2]}.dsc"
    if not description.exists():
        return False
    _, _, rest = description.read_text(encoding="utf-8").partition("\nChecksums-Sha256:\n")
    lines = itertools.takewhile(lambda line: line.startswith(" "), rest.splitlines())
    return all((directory / line.split()[-1]).exists() for line in lines)


def write_sources(directory: Path, debian: Path, *more: Path) -> Path:
    """Write all sources into a tar file in `directory`, whole or not at all; its path.

    `debian` is the result of `fetch_sources`.  `more` are directories with further source packages:
    QEMU's, and the sources of programs laid over the image.
    """
    path = directory / f"firesteel-{__version__}-sources.tar"

    with atomic_write(path) as file, tarfile.open(fileobj=file, mode="w") as archive:
        for source in sorted(CHECKOUT.rglob("*")):
            parts = source.relative_to(CHECKOUT).parts
            idle = any(name in _LEFT_IN_SOURCES or name.startswith(".") for name in parts)
            if source.is_file() and not idle:
                archive.add(source, f"firesteel/{'/'.join(parts)}", filter=_plain)
        for source in sorted(path for each in (debian, *more) for path in each.iterdir()):
            archive.add(source, f"debian/{source.name}", filter=_plain)
    return path


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without what differs between two machines."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = int(SOURCE_DATE_EPOCH)
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry
