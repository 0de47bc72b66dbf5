# SPDX-License-Identifier: Apache-2.0
"""Products as files that go to other machines, and run there without what built them.

The emulator is a static program, and all the rest is for guests: so any x86-64 Linux does.

`gather` says which files boards are run with: each product with the key that it has in the cache
where it was built, and the hash of each of its files.  They travel in a bundle, for instance,
and are `brought.Brought` where they arrive.  Keys stay those of the cache, so records have the
addresses that they have where all was built.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from firesteel.base.envelope import Kind, digest
from firesteel.build import image, provider
from firesteel.build.supply import Supply

What = Literal[
    "qemu",
    "image",
    "driver",
    "provider",
    "openssh",
    "openvpn-dco",
    "libcrypto",
    "kernel-layout",
    "lighttpd",
    "wolfssl-front-end",
]
"""The kinds of products that boards are run and profiled with."""

ALL: tuple[What, ...] = get_args(What)

FOR_SOME: tuple[What, ...] = tuple(
    kind for kind in ALL if kind not in {"qemu", "image", "driver", "provider"}
)
"""Those that only some experiments or commands need."""

LIST = "products.json"
"""The file that says what was brought."""

FILE = Kind("list of products", 1, "unpack the bundle again")

_Frozen = ConfigDict(frozen=True, extra="forbid")
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PortableFile(BaseModel):
    """What a file must be."""

    model_config = _Frozen

    sha256: _Sha256
    size: Annotated[int, Field(ge=0)]
    """Bytes."""

    executable: bool


class PortableProduct(BaseModel):
    """A product as files in one directory."""

    model_config = _Frozen

    kind: What
    key: _Name
    """What it was built from: its address in the cache where it was built, and a part of that of
    records."""

    version: str = ""
    """Debian's version of what it was built from, if that is known."""

    files: dict[_Name, PortableFile]

    @property
    def content(self) -> str:
        """The hash of its files."""
        return digest({name: file.model_dump() for name, file in self.files.items()})[:32]

    @property
    def address(self) -> str:
        """Where it lies where it is brought to: `KIND/CONTENT`."""
        return f"{self.kind}/{self.content}"


class Portable(BaseModel):
    """Products by their guests' architecture, by Debian's name of it."""

    model_config = _Frozen

    architectures: dict[_Name, tuple[PortableProduct, ...]]


@dataclass(frozen=True)
class Gathered:
    """A product where it is, and what it is elsewhere."""

    product: PortableProduct
    directory: Path

    def read(self, name: str) -> bytes:
        """One of its files."""
        return (self.directory / name).read_bytes()


def gather(supply: Supply, kinds: Iterable[What] = ALL) -> list[Gathered]:
    """Products of a supply, built if need be, with the hashes of their files."""
    return [_GATHER[kind](supply) for kind in kinds]


def files_of(gathered: Mapping[str, Sequence[Gathered]]) -> Iterator[tuple[str, bytes, bool]]:
    """All files of what was gathered for architectures, by Debian's names of these, and the list of
    it: where each is put, what it holds, and whether it is a program.

    Each product comes once: the emulator is that of all architectures.
    """
    portable = Portable(
        architectures={
            name: tuple(each.product for each in products) for name, products in gathered.items()
        }
    )
    yield LIST, FILE.sealed(portable).encode(), False
    every = (each for products in gathered.values() for each in products)
    for address, each in sorted({each.product.address: each for each in every}.items()):
        for name, file in each.product.files.items():
            yield f"{address}/{name}", each.read(name), file.executable


def _qemu(supply: Supply) -> Gathered:
    qemu = supply.qemu()
    names = sorted(path.name for path in qemu.directory.iterdir())
    return _gathered("qemu", qemu.directory, names, qemu.key, qemu.version)


def _image(supply: Supply) -> Gathered:
    made = supply.image()
    return _gathered("image", made.kernel.parent, image.FILES, made.key)


def _provider(supply: Supply) -> Gathered:
    return _gathered("provider", supply.provider().provider.parent, provider.FILES)


def _flat(kind: What, directory: Path) -> Gathered:
    return _gathered(kind, directory, sorted(path.name for path in directory.iterdir()))


def _file(kind: What, path: Path) -> Gathered:
    return _gathered(kind, path.parent, (path.name,))


_GATHER: Mapping[What, Callable[[Supply], Gathered]] = {
    "qemu": _qemu,
    "image": _image,
    "driver": lambda supply: _file("driver", supply.driver()),
    "provider": _provider,
    "openssh": lambda supply: _flat("openssh", supply.openssh().directory),
    "openvpn-dco": lambda supply: _flat("openvpn-dco", supply.openvpn_dco().directory),
    "libcrypto": lambda supply: _file("libcrypto", supply.libcrypto()),
    "kernel-layout": lambda supply: _file("kernel-layout", supply.kernel_layout()),
    "lighttpd": lambda supply: _flat("lighttpd", supply.lighttpd().directory),
    "wolfssl-front-end": lambda supply: _flat(
        "wolfssl-front-end", supply.wolfssl_front_end().directory
    ),
}


def _gathered(
    kind: What, directory: Path, names: Iterable[str], key: str = "", version: str = ""
) -> Gathered:
    files = {name: _described(directory / name) for name in names}
    key = key or directory.name
    product = PortableProduct(kind=kind, key=key, version=version, files=files)
    return Gathered(product, directory)


def _described(path: Path) -> PortableFile:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    size, executable = path.stat().st_size, os.access(path, os.X_OK)
    return PortableFile(sha256=sha256, size=size, executable=executable)
