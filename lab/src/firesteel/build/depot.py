# SPDX-License-Identifier: Apache-2.0
"""Where portable products are kept on a machine that did not build them.

A depot has them by their content, takes each once, and holds it against its hashes before anything
uses it.  What boards are run with then comes from there, as it comes from `Products` elsewhere.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.envelope import Kind, read_text
from firesteel.base.errors import FiresteelError
from firesteel.build import driver, kernel_layout, openssl
from firesteel.build.cache import Cache
from firesteel.build.image import Image, image_in
from firesteel.build.openssh import OpenSsh
from firesteel.build.portable import Gathered, Portable, PortableProduct, What
from firesteel.build.provider import Provider, provider_in
from firesteel.build.qemu import Qemu

LIST = "products.json"
"""The file of a depot that says what there is."""

FILE = Kind("list of products", 1, "unpack or send the products again")


class Depot:
    """Carried products in a directory, by their content: `KIND/CONTENT/FILE`."""

    def __init__(self, directory: Path) -> None:
        self._cache = Cache(directory)

    def missing(self, portable: Portable) -> list[PortableProduct]:
        """Those that are not there yet."""
        return [each for each in portable.products if not self._place(each).is_dir()]

    def add(self, product: PortableProduct, read: Callable[[str], bytes]) -> Path:
        """Keep a product whose files `read` gives by name, unless it is there.

        Raises `FiresteelError` when a file is not what the product says, and keeps nothing then.
        """

        def fill(partial: Path) -> None:
            for name, file in product.files.items():
                content = read(name)
                if hashlib.sha256(content).hexdigest() != file.sha256:
                    raise FiresteelError(
                        f"{product.kind} {product.key}: the file {name} did not arrive as it was "
                        f"sent ({len(content)} bytes, {file.size} expected); send it again."
                    )
                (partial / name).write_bytes(content)
                (partial / name).chmod(0o755 if file.executable else 0o644)

        return self._cache.product(product.kind, product.content, fill)

    def take(self, gathered: Iterable[Gathered]) -> None:
        """Keep products that are on this machine."""
        for each in gathered:
            self.add(each.product, each.read)

    def supply(self, portable: Portable, architecture: Architecture) -> "Carried":
        """What boards of an architecture are run with; `FiresteelError` when it is not carried."""
        products = portable.architectures.get(architecture.name)
        if products is None:
            there = ", ".join(portable.architectures) or "none"
            raise FiresteelError(
                f"No products for {architecture.name} were brought; there are those for: {there}."
            )
        return Carried(architecture, {each.kind: (each, self._place(each)) for each in products})

    def write(self, portable: Portable) -> None:
        """Say in `products.json` what was put there."""
        (self._cache.directory / LIST).write_text(FILE.sealed(portable), encoding="utf-8")

    def read(self) -> Portable:
        """What `write` said; `FiresteelError` when it is damaged or not there."""
        path = self._cache.directory / LIST
        text = read_text(path)
        if text is None:
            raise FiresteelError(f"{path} is missing; {FILE.remedy}.")
        return FILE.validate(FILE.unsealed(text, str(path)), Portable, str(path))

    def _place(self, product: PortableProduct) -> Path:
        return self._cache.path(product.kind, product.content)


class Carried:
    """A supply of products that came from elsewhere."""

    def __init__(
        self,
        architecture: Architecture,
        products: Mapping[What, tuple[PortableProduct, Path]],
    ) -> None:
        """`products` are those for guests of `architecture`, with the directory of each."""
        self.architecture = architecture
        self._products = products

    def qemu(self) -> Qemu:
        """The emulator."""
        product, directory = self._find("qemu")
        return Qemu(directory, product.key, product.version)

    def emulator(self) -> Path:
        """Its program for boards of the architecture."""
        return self.qemu().program(self.architecture)

    def image(self) -> Image:
        """The guest's kernel and base file system."""
        product, directory = self._find("image")
        return image_in(directory, product.key)

    def driver(self) -> Path:
        """The Linux driver."""
        return self._find("driver")[1] / driver.FILE

    def kernel_layout(self) -> Path:
        """Where the image's kernel keeps what a profile reads from outside."""
        return self._find("kernel-layout")[1] / kernel_layout.FILE

    def provider(self) -> Provider:
        """The OpenSSL provider for the guest."""
        return provider_in(self._find("provider")[1], self.architecture)

    def openssh(self) -> OpenSsh:
        """OpenSSH for the guest, with a MAC `none`."""
        return OpenSsh(self._find("openssh")[1])

    def libcrypto(self) -> Path:
        """The guest's libcrypto with GHASH in NEON code."""
        return self._find("libcrypto")[1] / openssl.FILE

    def _find(self, kind: What) -> tuple[PortableProduct, Path]:
        try:
            return self._products[kind]
        except KeyError:
            there = ", ".join(self._products) or "nothing"
            raise FiresteelError(
                f"The product {kind} is not among those that were brought ({there}); run this from "
                "a checkout, which builds it."
            ) from None
