# SPDX-License-Identifier: Apache-2.0
"""The sources of emulator and image, as licences ask of whoever passes these on.

They are Debian's source packages, in the very versions whose binaries are in the image or linked
into the emulator, with what these say that they were built with (`Built-Using`); and all of the
checkout: devices, patches, driver, library, provider, and how everything is built.
"""

import itertools
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import BuildRoot, Context
from firesteel.build.cache import key_of
from firesteel.build.debian import SUITE, apt_within
from firesteel.build.image import Packages

LINKED = (
    *("libc6-dev", "libfdt-dev", "libgcc-14-dev", "libgcrypt20-dev", "libglib2.0-dev"),
    *("libgpg-error-dev", "libpcre2-dev", "libsysprof-capture-4-dev", "nettle-dev", "zlib1g-dev"),
)
"""Packages of the build root whose static libraries are in the emulator."""

LIST = "SOURCES"
"""The file that says which source package each binary package is of."""

_LEFT = frozenset({"__pycache__", "dist", "site"})
_TIME = 1767225600
_USED = re.compile(r"(\S+) \(= (\S+?)\)")


def fetch(at: Context, packages: Packages, root: BuildRoot) -> Path:
    """The directory with Debian's source packages, unopened, and `SOURCES`; fetched if need be.

    Raises `FiresteelError` when the mirror no longer has one of these versions.
    """
    guest, host = packages.architecture.name, "amd64"
    wanted = binaries(packages.list.read_text(), guest)
    linked = binaries((root.directory / "packages.list").read_text(), host, LINKED)

    def build(partial: Path) -> None:
        with apt_within(partial, at.runner, f"{host} {guest}") as apt:
            found = sources_of(apt.show([*wanted, *linked]))
            needed = sorted({source for sources in found.values() for source in sources})
            # What has come stays when the rest does not: there is much of it.
            with at.cache.work_directory("sources", key) as kept:
                try:
                    apt.sources("the sources of all packages", needed, kept)
                except FiresteelError:
                    if not (missing := incomplete(needed, kept)):
                        raise
                    raise _lacking(missing, len(needed)) from None
                for path in kept.iterdir():
                    path.rename(partial / path.name)
        lines = (f"{name}: {', '.join(each)}\n" for name, each in sorted(found.items()))
        (partial / LIST).write_text("".join(lines))

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
    for paragraph in shown.split("\n\n"):
        fields: dict[str, str] = dict(re.findall(r"^([A-Za-z-]+): (.+)$", paragraph, re.MULTILINE))
        if "Package" not in fields:
            continue
        name, _, version = fields.get("Source", fields["Package"]).partition(" ")
        sources = [f"{name}={version.strip('()') or fields['Version']}"]
        for kind in ("Built-Using", "Static-Built-Using"):
            used = _USED.findall(fields.get(kind, ""))
            sources += [f"{name}={version}" for name, version in used]
        binary = f"{fields['Package']}:{fields['Architecture']}={fields['Version']}"
        found[binary] = list(dict.fromkeys(sources))
    return found


def incomplete(needed: Iterable[str], directory: Path) -> list[str]:
    """Those source packages (`NAME=VERSION`) of which a directory has not all files."""
    return [each for each in needed if not _is_whole(each, directory)]


def _is_whole(source: str, directory: Path) -> bool:
    name, _, version = source.partition("=")
    _, _, without_epoch = version.rpartition(":")
    description = directory / f"{name}_{without_epoch}.dsc"
    if not description.exists():
        return False
    _, _, rest = description.read_text(encoding="utf-8").partition("\nChecksums-Sha256:\n")
    lines = itertools.takewhile(lambda line: line.startswith(" "), rest.splitlines())
    return all((directory / line.split()[-1]).exists() for line in lines)


def _lacking(missing: list[str], count: int) -> FiresteelError:
    names = ", ".join(each.partition("=")[0] for each in missing)
    return FiresteelError(
        f"The mirror lacks the sources of {len(missing)} of {count} packages: {names}; set "
        "FIRESTEEL_MIRROR to the address of an archive that has them, and what has come is not "
        "fetched again."
    )


def write(directory: Path, debian: Path, *more: Path) -> Path:
    """Write all sources into a tar file in `directory`, whole or not at all; its path.

    `debian` is what `fetch` gave, `more` are directories with further packages of sources: QEMU's,
    and those of what is laid over the image.
    """
    path = directory / f"firesteel-{__version__}-sources.tar"
    partial = path.with_name(path.name + ".partial")
    try:
        with tarfile.open(partial, "w") as archive:
            for source in _files(CHECKOUT):
                _add(archive, source, f"firesteel/{source.relative_to(CHECKOUT).as_posix()}")
            for source in sorted(path for each in (debian, *more) for path in each.iterdir()):
                _add(archive, source, f"debian/{source.name}")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def _files(top: Path) -> Iterator[Path]:
    """All of a checkout but what was made from it, in order."""
    for path in sorted(top.iterdir()):
        if path.name in _LEFT or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Add a file without what differs between two machines."""
    entry = archive.gettarinfo(path, name)
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = _TIME
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    with path.open("rb") as file:
        archive.addfile(entry, file)
