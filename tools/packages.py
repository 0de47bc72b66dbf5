# SPDX-License-Identifier: Apache-2.0
"""The source as it is handed out, and Debian packages of it (`make packages`), built in a root of
each release.

The source is a tar file of a commit.  The source package is the commit, with changes of tracked
files, and `packaging/debian/`; version and date of its changelog are the project's.  All that is
built is a product of the cache.
"""

import functools
import io
import lzma
import re
import shutil
import subprocess
import tarfile
import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError, RequestError, meant
from firesteel.build.buildroot import BuildRoot, Room, Root, product_room, read_list
from firesteel.build.cache import key_of, tree_digest
from firesteel.build.products import Products

NAME = f"firesteel-{__version__}"
"""The folder in the tar file."""

_CHANGELOG = CHECKOUT / "CHANGELOG.md"


def git(*arguments: str) -> str:
    """What git says in the checkout; `FiresteelError` when it fails, as where there is no
    repository.
    """
    command = ["git", "-C", str(CHECKOUT), *arguments]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise FiresteelError("git is missing; install it with: apt-get install git") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise FiresteelError(f"git {arguments[0]} fails in {CHECKOUT}: {reason}")
    return done.stdout.strip()


@functools.cache
def commit() -> str:
    """The commit of the checkout; where tracked files were changed, one with these changes, which
    no branch has.  For a process it is always the same.
    """
    somebody = ("-c", "user.name=firesteel", "-c", "user.email=firesteel@localhost")
    return git(*somebody, "stash", "create") or git("rev-parse", "HEAD")


def version_date() -> datetime:
    """When the version was released, by the changelog."""
    head = rf"^## {re.escape(__version__)} — (\d{{4}}-\d\d-\d\d)$"
    found = re.search(head, _CHANGELOG.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise FiresteelError(
            f"CHANGELOG.md has no head `## {__version__} — YYYY-MM-DD` for the version of VERSION."
        )
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC)


def tarball(of: str) -> bytes:
    """A commit's files as a compressed tar file: of equal trees equal bytes."""
    archive = ["git", "-C", str(CHECKOUT), "archive", "--format=tar", f"--prefix={NAME}/", of]
    found = subprocess.run(archive, check=True, capture_output=True).stdout
    written = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(found)) as given,
        tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for entry in given:
            entry.mtime = int(version_date().timestamp())
            entry.uname = entry.gname = "root"
            entry.pax_headers = {}
            made.addfile(entry, given.extractfile(entry) if entry.isfile() else None)
    return lzma.compress(written.getvalue(), preset=2)  # Most of it is compressed records.


SUITES: Mapping[str, str] = {"bookworm": "12", "trixie": "13"}
"""The releases that have packages, with their numbers, which end a package's version."""

ARCHITECTURES = ("amd64", "armhf", "arm64")
"""The roots have the first, which also builds packages for all; the others are cross-built."""

PACKAGING = CHECKOUT / "packaging"
"""What makes packages: Debian's files, and the scripts that run inside a root."""

_SCRIPTS = "/firesteel/packaging"


def check_suites(names: Sequence[str]) -> None:
    """Refuse releases that have no packages."""
    for name in names:
        if name not in SUITES:
            near = meant(name, SUITES)
            raise RequestError(f"Release {name}{near}: allowed are {', '.join(SUITES)}.")


def suite_root(
    products: Products, kind: str, suite: str, packages: Sequence[str], architectures: str
) -> BuildRoot:
    """A Debian tree of a release with packages, made if need be; `kind` is what it is for."""
    root = Root(
        kind.replace(" ", "-"),
        f"{kind} of {suite}",
        packages,
        suites=(suite,),
        architectures=architectures,
        left_out=("info", "locale", "man"),
    )
    return root.make(products.cache, products.runner)


def package_root(products: Products, suite: str) -> BuildRoot:
    """The root in which a release's packages are built."""
    packages = read_list(PACKAGING / "packages.txt")
    return suite_root(products, "package root", suite, packages, ",".join(ARCHITECTURES))


def source_package(products: Products, suite: str, version: str = __version__) -> Path:
    """The directory with a release's source package, made if need be.

    Another `version` than the project's is for tests of upgrades.
    """
    root, of = package_root(products, suite), commit()
    files = git("rev-parse", f"{of}^{{tree}}")
    key = key_of({"files": files, "version": version, "root": root.inputs})

    def build(partial: Path) -> None:
        given = partial / "given"
        shutil.copytree(PACKAGING / "debian", given / "debian")
        (given / "debian/changelog").write_text(changelog(suite, version), encoding="utf-8")
        with (given / "debian/copyright").open("a", encoding="utf-8") as file:
            file.write("".join(map(_licence, ("CC-BY-4.0", "MIT"))))
        (given / f"firesteel_{version}.orig.tar.xz").write_bytes(tarball(of))
        with product_room(partial, _seen({"given": given})) as room:
            command = ["sh", f"{_SCRIPTS}/source.sh"]
            root.run(products.runner, f"Making the source package for {suite}", command, room)
        shutil.rmtree(given)

    return products.cache.product("debian-source", key, build)


def packages(products: Products, suite: str, architecture: str, version: str = __version__) -> Path:
    """The directory with a release's packages for an architecture, built if need be; with those
    for all, `ARCHITECTURES[0]` has the packages that are for all architectures.
    """
    root = package_root(products, suite)
    source = source_package(products, suite, version)
    key = key_of({"source": tree_digest(source), "for": architecture, "root": root.inputs})

    def build(partial: Path) -> None:
        with product_room(partial, _seen({"source": source})) as room:
            what = f"Building the packages of {suite} for {architecture}"
            root.run(products.runner, what, _building(architecture, "build"), room)

    return products.cache.product("debian-packages", key, build)


def build_otherwise(products: Products, suite: str, architecture: str, directory: Path) -> Path:
    """The same packages, built in the empty `directory` once more: elsewhere, with one process at a
    time, in another language and time zone, by another user's habits.
    """
    work, output = directory / "work", directory / "output"
    work.mkdir()
    output.mkdir()
    room = Room(
        writable={"/firesteel/work": work, "/firesteel/output": output},
        readable=_seen({"source": source_package(products, suite)}),
    )
    otherwise = ["env", "DEB_BUILD_OPTIONS=parallel=1", "TZ=Pacific/Kiritimati", "LC_ALL=C"]
    otherwise += ["HOME=/nowhere", "sh", "-c", 'umask 077 && exec "$@"', "sh"]
    command = [*otherwise, *_building(architecture, "a/longer/path")]
    what = f"Building the packages of {suite} for {architecture} again"
    package_root(products, suite).run(products.runner, what, command, room)
    return output


def _building(architecture: str, directory: str) -> list[str]:
    """The command that builds packages in a new directory; the first architecture's has those that
    are for all.
    """
    kind = "binary" if architecture == ARCHITECTURES[0] else "any"
    return ["sh", f"{_SCRIPTS}/build.sh", architecture, kind, directory]


def _seen(paths: Mapping[str, Path]) -> dict[str, Path]:
    """What a script sees below /firesteel, with `packaging/`."""
    return {f"/firesteel/{name}": path for name, path in paths.items()} | {_SCRIPTS: PACKAGING}


def lint(products: Products, suite: str) -> None:
    """Have lintian read all packages of a release; `FiresteelError` if it has something to say."""
    root = package_root(products, suite)
    seen = {"source": source_package(products, suite)}
    seen |= {each: packages(products, suite, each) for each in ARCHITECTURES}
    command = ["sh", f"{_SCRIPTS}/lint.sh", *(f"/firesteel/{name}" for name in seen)]
    room = Room(readable=_seen(seen))
    root.run(products.runner, f"Reading the packages of {suite}", command, room)


def make(suites: Sequence[str], target: Path) -> list[Path]:
    """Build the packages of releases for all architectures, and put them into `target`, a folder
    each; the folders.
    """
    check_suites(suites)
    products = Products()
    made = []
    for suite in suites or SUITES:
        folder = target / suite
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source_package(products, suite), folder)
        for architecture in ARCHITECTURES:
            built = packages(products, suite, architecture)
            shutil.copytree(built, folder, dirs_exist_ok=True)
        lint(products, suite)
        made.append(folder)
    return made


def changelog(suite: str, version: str) -> str:
    """Debian's changelog, which has one entry."""
    control = (PACKAGING / "debian/control").read_text(encoding="utf-8")
    maintainer = control.partition("\nMaintainer: ")[2].partition("\n")[0]
    return (
        f"firesteel ({version}-1~deb{SUITES[suite]}) {suite}; urgency=medium\n\n"
        f"  * Version {version}: see CHANGELOG.md.\n\n"
        f" -- {maintainer}  {format_datetime(version_date())}\n"
    )


def _licence(name: str) -> str:
    """A licence's text as a paragraph of debian/copyright."""
    text = (CHECKOUT / f"LICENSES/{name}.txt").read_text(encoding="utf-8")
    lines = (line.strip() or "." for line in text.strip().splitlines())
    return f"\nLicense: {name}\n" + textwrap.indent("\n".join(lines), " ") + "\n"
