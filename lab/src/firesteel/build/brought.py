# SPDX-License-Identifier: Apache-2.0
"""Products that were brought to a machine that did not build them.

They are given to the lab as `Products` gives those that it builds.
"""

from collections.abc import Mapping
from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.base.errors import FiresteelError
from firesteel.build import driver, kernel_layout, openssl
from firesteel.build.image import Image, image_in
from firesteel.build.lighttpd import Lighttpd
from firesteel.build.openssh import OpenSsh
from firesteel.build.openvpn_dco import OpenVpnDco
from firesteel.build.portable import FILE, LIST, Portable, PortableProduct, What
from firesteel.build.provider import Provider, provider_in
from firesteel.build.qemu import Qemu
from firesteel.build.wolfssl_front_end import FrontEnd


def brought(directory: Path, architecture: Architecture) -> "Brought":
    """What boards of an architecture are run with, in a directory as `portable.files_of` says.

    Raises `FiresteelError` when the list is damaged or not there, or the architecture not in it.
    """
    path = directory / LIST
    portable = FILE.read(path, Portable)
    if portable is None:
        raise FiresteelError(f"{path} is missing; {FILE.remedy}.")
    products = portable.architectures.get(architecture.name)
    if products is None:
        there = ", ".join(portable.architectures) or "none"
        raise FiresteelError(
            f"No products for {architecture.name} were brought; there are those for: {there}."
        )
    return Brought(architecture, {each.kind: (each, directory / each.address) for each in products})


class Brought:
    """A supply of products that were brought."""

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

    def openvpn_dco(self) -> OpenVpnDco:
        """OpenVPN's data channel offload."""
        return OpenVpnDco(self._find("openvpn-dco")[1])

    def libcrypto(self) -> Path:
        """The guest's libcrypto with GHASH in NEON code."""
        return self._find("libcrypto")[1] / openssl.FILE

    def lighttpd(self) -> Lighttpd:
        """A web server for the guest: lighttpd with wolfSSL."""
        return Lighttpd(self._find("lighttpd")[1], self.architecture.libraries)

    def wolfssl_front_end(self) -> FrontEnd:
        """The front end of wolfSSL for the guest."""
        return FrontEnd(self._find("wolfssl-front-end")[1], self.architecture.libraries)

    def _find(self, kind: What) -> tuple[PortableProduct, Path]:
        try:
            return self._products[kind]
        except KeyError:
            there = ", ".join(self._products) or "nothing"
            raise FiresteelError(
                f"The product {kind} is not among those that were brought ({there}); run this from "
                "a checkout, which builds it."
            ) from None
