# SPDX-License-Identifier: Apache-2.0
"""What comes from Debian and is not in the image: packages for guests and sources, each of the
version that fits.

None of it is part of the build root, whose packages decide the key of all that is built in it.  apt
holds it against the archive's signed index.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import Context
from firesteel.build.cache import key_of, remove_tree
from firesteel.build.debian import SUITE, apt_within, extract, find_mirror, version_in
from firesteel.build.image import Packages, kernel_of

QEMU = "10.0"
"""The release series of QEMU that our patches fit."""

OPENVPN_DCO = "0.0+git20241121"
"""The version of OpenVPN's data channel offload whose name its recipe knows; its Debian revisions
are equal to it."""

_DCO_PACKAGE = "openvpn-dco-dkms"

_HEADERS: Mapping[str, str | None] = {
    "libcrypt1": "libcrypt-dev",
    "libssl3t64": "libssl-dev",
    "libzstd1": None,
    "zlib1g": "zlib1g-dev",
}
"""Libraries of the image, and the package of the same version with the headers of each; without
one where another library needs it."""


def packages(
    at: Context,
    kind: str,
    what: str,
    names: list[str],
    *,
    unpacked: bool = True,
    source: str = "",
) -> Path:
    """The product `kind`: the tree of packages (`NAME:ARCHITECTURE`, all of one architecture), or
    their files where they are not `unpacked`; fetched if need be.

    With `source`, the folder `source/` has this source package in the version of the first one.
    """

    def build(partial: Path) -> None:
        fetched = partial / "packages" if unpacked else partial
        fetched.mkdir(exist_ok=True)
        architecture = names[0].partition("=")[0].partition(":")[2]
        with apt_within(partial, at.runner, architecture) as apt:
            apt.download(what, names, fetched)
            if source:
                (partial / "source").mkdir()
                version = version_in(fetched, names[0].partition(":")[0])
                apt.sources(f"the source of {what}", [f"{source}={version}"], partial / "source")
        if unpacked:
            extract(fetched, partial)
            remove_tree(fetched)

    key = key_of({"suite": SUITE, "packages": " ".join(names)})
    return at.cache.product(kind, key, build)


def development(at: Context, image: Packages) -> Path:
    """A tree `usr/` with libraries in the very versions that are in the image, and their headers:
    what programs for the guest are compiled and linked against.
    """
    versions = {name: image.version(name) for name in _HEADERS}
    names = [(name, name) for name in _HEADERS]
    names += [(headers, name) for name, headers in _HEADERS.items() if headers]
    listed = [f"{package}:{at.architecture.name}={versions[name]}" for package, name in names]
    return packages(at, "development", "the libraries' headers", listed)


def source(at: Context, package: str, version: str, *, of_series: bool = False) -> Path:
    """A directory with that version of a source package, unopened.

    With `of_series`, the newest other version of its upstream series suffices if the archive still
    lists that version but lacks its files.
    """

    def build(partial: Path) -> None:
        with apt_within(partial, at.runner) as apt:
            what = f"the source of {package}"
            try:
                apt.sources(what, [f"{package}={version}"], partial)
            except FiresteelError:
                listed = apt.source_versions(package) if of_series else []
                series = _series(version)
                others = [each for each in listed if _series(each) == series and each != version]
                if not others:
                    raise
                apt.sources(what, [f"{package}={others[0]}"], partial)

    key = key_of({"suite": SUITE, "version": version})
    return at.cache.product(f"{package}-source", key, build)


def newer_openssl(at: Context, suite: str, library: str, target: Path) -> str:
    """Fetch OpenSSL's program and `library` package of another Debian suite into `target`; their
    version.
    """
    names = [f"{name}:{at.architecture.name}" for name in (library, "openssl")]
    with apt_within(target, at.runner, at.architecture.name, find_mirror(suite)) as apt:
        apt.download(f"the OpenSSL of Debian {suite}", names, target)
    return version_in(target, "openssl")


def _series(version: str) -> str:
    """Of `3.5.9-1~deb13u1` it is `3.5`."""
    return ".".join(version.split("-")[0].split(".")[:2])


def kernel_source(at: Context, image: Packages) -> tuple[Path, str, str]:
    """A directory with the package of the source of the image's very kernel, unopened; the
    package's name and version.
    """
    name, version = kernel_source_of(image.list.read_text())

    def build(partial: Path) -> None:
        with apt_within(partial, at.runner) as apt:
            try:
                apt.download("the kernel's source", [f"{name}={version}"], partial)
            except FiresteelError as error:
                raise FiresteelError(
                    f"{error}\nThe image's kernel is {version}; if the mirror's {SUITE} has a "
                    f"newer one, delete {image.directory} and build the image again."
                ) from None

    key = key_of({"suite": SUITE, "package": name, "version": version})
    return at.cache.product("kernel-source", key, build), name, version


def kernel_source_of(listed: str) -> tuple[str, str]:
    """Name and version of the package with the source of the kernel in a package list."""
    _, version = kernel_of(listed)
    series = ".".join(version.split(".")[:2])
    return f"linux-source-{series}", version


def qemu_source(at: Context) -> Path:
    """A directory with QEMU's source package, unopened; another series is refused and not kept."""

    def fetch(partial: Path) -> None:
        with apt_within(partial, at.runner) as apt:
            apt.sources("the source of qemu", ["qemu"], partial)
        check_qemu(source_version(partial))

    return _pinned(at, "qemu-source", QEMU, fetch)


def openvpn_dco_source(at: Context) -> Path:
    """A directory with Debian's package of the source of OpenVPN's data channel offload, unopened;
    another version is refused and not kept.
    """

    def fetch(partial: Path) -> None:
        with apt_within(partial, at.runner) as apt:
            apt.download("the source of OpenVPN's data channel offload", [_DCO_PACKAGE], partial)
        check_openvpn_dco(version_in(partial, _DCO_PACKAGE))

    return _pinned(at, "openvpn-dco-source", OPENVPN_DCO, fetch)


def _pinned(at: Context, kind: str, upstream: str, fetch: Callable[[Path], None]) -> Path:
    return at.cache.product(kind, key_of({"suite": SUITE, "upstream": upstream}), fetch)


def description(source: Path) -> Path:
    """The `.dsc` file of a source package: its version, and the digests of its other files."""
    return next(source.glob("*.dsc"))


def source_version(source: Path) -> str:
    """Debian's version of a source package; `FiresteelError` when there is none."""
    match = re.search(r"^Version: (\S+)$", description(source).read_text(), re.MULTILINE)
    if match is None:
        raise FiresteelError(f"{description(source)} has no version; delete its directory.")
    return match[1]


def check_qemu(version: str) -> None:
    """Refuse a source of another release series than the pinned one with a `FiresteelError`."""
    upstream = re.sub(r"^\d+:", "", version).split("+")[0].split("-")[0]
    if not upstream.startswith(f"{QEMU}."):
        raise FiresteelError(
            f"The mirror's {SUITE} has the source of QEMU {upstream}, but the patches in "
            f"board/qemu/patches fit only {QEMU}.x: use a mirror that has it, or port the patches."
        )


def check_openvpn_dco(version: str) -> None:
    """Refuse another version than the pinned one with a `FiresteelError`."""
    if not re.fullmatch(rf"{re.escape(OPENVPN_DCO)}-\S+", version):
        raise FiresteelError(
            f"The mirror's {SUITE} has {_DCO_PACKAGE} {version}, but the lab is made for "
            f"{OPENVPN_DCO}: use a mirror that has it, or raise the version in "
            f"{Path(__file__).name} and measure with it."
        )
