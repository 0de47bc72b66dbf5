# SPDX-License-Identifier: Apache-2.0
"""What boards are run with, wherever it comes from.

An `ArtifactSource` has the artifacts for guests of one architecture.  `products.Products` builds
them, and `Brought` finds artifacts that came as files with the lab, as in a bundle.  The emulator
is a static program and all others are for guests, so any x86-64 Linux does.  An artifact keeps its
key from the cache of its build, so that addresses of records are the same everywhere.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Literal, get_args

from firesteel.architectures.architecture import Architecture
from firesteel.base.checkout import BROUGHT
from firesteel.base.errors import FiresteelError

What = Literal[
    "qemu",
    "image",
    "driver",
    "provider",
    "openssh",
    "openvpn-dco",
    "libcrypto",
    "openssl-unstable",
    "openssl-experimental",
    "kernel-layout",
    "lighttpd",
    "wolfssl-front-end",
    "cputimes",
    "virtio-blk",
]
"""The kinds of artifacts.  For all boards: the emulator with our devices, the guest's kernel and
base file system, the Linux driver, the OpenSSL provider with its library, and OpenSSH with a MAC
`none`.  For some: OpenVPN's data channel offload, whose modules need `udp_tunnel` and
`ip6_udp_tunnel`; libcrypto with other flags or a patch; and lighttpd with wolfSSL and its front
end.  Also for some: OpenSSL from Debian's unstable and experimental suites.  Modules: places of
kernel data that a profile reads from outside, times of interrupts on several CPUs, and the kernel's
driver of disks, which the image lacks.
"""

ALL: tuple[What, ...] = tuple(each for each in get_args(What) if not each.startswith("openssl-"))
"""The kinds that a bundle contains.  Debian's newer OpenSSL changes from week to week."""

FOR_SOME: tuple[What, ...] = ALL[4:]
"""Those that only some experiments or commands need."""

LIBCRYPTO_PACKAGE = "libssl3t64"
"""Debian's package with the guest's libcrypto."""

Libcrypto = Literal["debian-flags", "debug-flags", "neon-ghash", "unstable", "experimental"]
"""A libcrypto that replaces Debian 13's on the measured node.  The first three are built from
Debian 13's source (`board/openssl/`): with Debian's flags, with the flags of a debugging build, or
with GHASH in NEON code.  OpenSSL contains that code but does not choose it on ARMv7.  The others
are the newer OpenSSL of that Debian suite, with its program.
"""

LIBCRYPTOS: tuple[Libcrypto, ...] = get_args(Libcrypto)


@dataclass(frozen=True)
class NewerOpenssl:
    """The OpenSSL of a Debian suite after 13."""

    what: What
    package: str
    """Debian's package with its libraries."""
    number: int
    """In the names of these."""

    @property
    def for_programs(self) -> bool:
        """Whether the image's programs load it, and the suite's `openssl` too."""
        return self.number == 3

    @property
    def libraries(self) -> tuple[str, ...]:
        """The names of the files."""
        return tuple(f"{name}.so.{self.number}" for name in ("libcrypto", "libssl"))


NEWER: Mapping[str, NewerOpenssl] = {
    "unstable": NewerOpenssl("openssl-unstable", LIBCRYPTO_PACKAGE, 3),
    "experimental": NewerOpenssl("openssl-experimental", "libssl4", 4),
}
"""By the name of the suite."""

LIBRARY = "libfiresteel.so.0"
"""What the provider and wolfSSL's front end stand on."""

PRELOAD = "libfiresteel-wolfssl-preload.so"
"""What programs preload that do not know of wolfSSL's front end."""

DCO_MODULES = ("ovpn-dco-v2.ko", "ovpn-dco-v2-batches.ko")
"""OpenVPN's data channel offload: Debian's, and with packets in batches."""

_LIBRARIES = "{libraries}"

_FILES: Mapping[What, Mapping[str, str]] = {
    "image": dict.fromkeys(("kernel", "initramfs.cpio", "manifest.json", "kernel.key"), ""),
    "driver": {"firesteel.ko": ""},
    "provider": {"firesteel.so": "{libraries}/ossl-modules", LIBRARY: _LIBRARIES},
    "openssh": {
        "ssh": "/usr/bin",
        "scp": "/usr/bin",
        "sshd": "/usr/sbin",
        "sshd-session": "/usr/lib/openssh",
        "sshd-auth": "/usr/lib/openssh",
    },
    "openvpn-dco": dict.fromkeys(DCO_MODULES, ""),
    "libcrypto": {
        "version": "",
        **{f"{each}.so": "" for each in LIBCRYPTOS if each not in NEWER},
    },
    **{
        each.what: {"openssl": "/usr/bin", **dict.fromkeys(each.libraries, _LIBRARIES)}
        for each in NEWER.values()
    },
    "kernel-layout": {"layout.ko": ""},
    "lighttpd": {
        "lighttpd": "/usr/sbin",
        "mod_wolfssl.so": "/usr/lib/lighttpd",
        "libwolfssl.so.42": _LIBRARIES,
    },
    "wolfssl-front-end": {"libfiresteel-wolfssl.so.0": _LIBRARIES, PRELOAD: _LIBRARIES},
    "cputimes": {"cputimes.ko": ""},
    "virtio-blk": {"virtio_blk.ko": ""},
}
"""The files of each artifact, and the guest's directory in which programs look for each; empty for
those that a job chooses.  The emulator has a program for each architecture."""


def libcrypto_artifact(name: Libcrypto) -> What:
    """The artifact with this libcrypto."""
    return NEWER[name].what if name in NEWER else "libcrypto"


@dataclass(frozen=True)
class Artifact:
    """Something that boards are run with: files in a directory."""

    what: What
    directory: Path
    key: str
    """Hash of everything that it was built from."""

    architecture: Architecture
    version: str = ""
    """Debian's version of what it was built from, if that is known."""

    def by_guest_path(self) -> dict[str, Path]:
        """Its files by where programs of the guest look for them."""
        return {
            f"{place.format(libraries=self.architecture.libraries)}/{name}": self.directory / name
            for name, place in _FILES[self.what].items()
        }

    @property
    def file(self) -> Path:
        """The file, if the artifact is only one file."""
        (name,) = _FILES[self.what]
        return self.directory / name

    @property
    def names(self) -> list[str]:
        """The names of its files."""
        named = _FILES.get(self.what)
        return list(named) if named else sorted(path.name for path in self.directory.iterdir())


@dataclass(frozen=True)
class Image:
    """What a board starts."""

    kernel: Path
    """A uImage of the uncompressed kernel."""

    initramfs: Path
    """The base file system: an uncompressed cpio archive to which a job is appended."""

    manifest: Path
    """JSON: package → version."""

    key: str
    """Hash of everything that went into the image."""

    kernel_key: str
    """Hash of the kernel's bytes."""


def image_in(directory: Path, key: str) -> Image:
    """The image whose files are in a directory."""
    kernel, initramfs, manifest, kernel_key = (directory / name for name in _FILES["image"])
    return Image(kernel, initramfs, manifest, key, kernel_key.read_text())


class ArtifactSource(ABC):
    """Where the artifacts for guests of one architecture come from, each made or found once, when
    it is first asked for.
    """

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self._had: dict[What, Artifact] = {}

    @abstractmethod
    def find(self, what: What) -> Artifact:
        """The artifact of a kind; `FiresteelError` when it cannot be had."""

    def artifact(self, what: What) -> Artifact:
        """The same, found once."""
        if what not in self._had:
            self._had[what] = self.find(what)
        return self._had[what]

    def emulator(self) -> Path:
        """The emulator's program for boards of the architecture."""
        return self.artifact("qemu").directory / self.architecture.machine.emulator

    def image(self) -> Image:
        """The guest's kernel and base file system."""
        return self._found_image

    @cached_property
    def _found_image(self) -> Image:
        image = self.artifact("image")
        return image_in(image.directory, image.key)

    def driver(self) -> Path:
        """The Linux driver: `firesteel.ko` for the image's kernel."""
        return self.artifact("driver").file


LIST = "products.json"
"""The file that says what was brought: the key and version of each artifact, by kind, by Debian's
name of the guests' architecture.  Its files lie in `KIND/KEY`, as in a cache."""


def gather(source: ArtifactSource, kinds: Iterable[What] = ALL) -> list[Artifact]:
    """Artifacts of a source, built if need be."""
    return [source.artifact(what) for what in kinds]


def files_of(gathered: Mapping[str, Sequence[Artifact]]) -> Iterator[tuple[str, bytes, bool]]:
    """All files of the artifacts for architectures, by Debian's architecture names, and their list:
    each file's place, its content, and whether it is a program.

    Each artifact comes once, because all architectures share the emulator.
    """
    listed = {
        name: {each.what: [each.key, each.version] for each in artifacts}
        for name, artifacts in gathered.items()
    }
    yield LIST, json.dumps(listed, indent=1).encode(), False
    by_address = {f"{each.what}/{each.key}": each for those in gathered.values() for each in those}
    for address, each in sorted(by_address.items(), key=itemgetter(0)):
        for file in (each.directory / name for name in each.names):
            yield f"{address}/{file.name}", file.read_bytes(), os.access(file, os.X_OK)


class Brought(ArtifactSource):
    """Artifacts in a directory to which `files_of` was brought."""

    def __init__(self, directory: Path, architecture: Architecture) -> None:
        """Raises `FiresteelError` when the architecture is not in the list."""
        super().__init__(architecture)
        listed = json.loads((directory / LIST).read_text(encoding="utf-8"))
        if architecture.name not in listed:
            there = ", ".join(listed) or "none"
            raise FiresteelError(
                f"No products for {architecture.name} were brought; there are those for: {there}."
            )
        self._artifacts = {
            what: Artifact(what, directory / what / key, key, architecture, version)
            for what, (key, version) in listed[architecture.name].items()
        }

    def find(self, what: What) -> Artifact:
        """The artifact of a kind; `FiresteelError` when it was not brought."""
        if what not in self._artifacts:
            there = ", ".join(self._artifacts) or "nothing"
            raise FiresteelError(
                f"The product {what} is not among those that were brought ({there}); run this from "
                "a checkout, which builds it."
            )
        return self._artifacts[what]


def brought(architecture: Architecture) -> Brought | None:
    """The artifacts that came with this lab; None in a checkout."""
    return Brought(BROUGHT, architecture) if is_bundle() else None


def is_bundle() -> bool:
    """Whether artifacts came with this lab, as in a bundle."""
    return (BROUGHT / LIST).exists()


def refuse_in_bundle(command: str) -> None:
    """Raises `FiresteelError` in a bundle, where nothing can be built or written."""
    if is_bundle():
        raise FiresteelError(
            f"`firesteel {command}` needs a checkout; this is a bundle, which cannot be changed."
        )
