# SPDX-License-Identifier: Apache-2.0
"""Where what boards are run with comes from: the interface, whatever is behind it."""

from pathlib import Path
from typing import Protocol

from firesteel.build.image import Image
from firesteel.build.lighttpd import Lighttpd
from firesteel.build.openssh import OpenSsh
from firesteel.build.openvpn_dco import OpenVpnDco
from firesteel.build.provider import Provider
from firesteel.build.qemu import Qemu
from firesteel.build.wolfssl_front_end import FrontEnd


class Supply(Protocol):
    """Products for boards of one architecture, made or brought when they are asked for."""

    def qemu(self) -> Qemu:
        """The emulator with our devices."""

    def emulator(self) -> Path:
        """Its program for boards of the architecture."""

    def image(self) -> Image:
        """The guest's kernel and base file system."""

    def driver(self) -> Path:
        """The Linux driver: `firesteel.ko` for the image's kernel."""

    def kernel_layout(self) -> Path:
        """Where the image's kernel keeps what a profile reads from outside: `layout.ko`."""

    def provider(self) -> Provider:
        """The OpenSSL provider for the guest, and the library that it needs."""

    def openssh(self) -> OpenSsh:
        """OpenSSH for the guest, with a MAC `none`."""

    def openvpn_dco(self) -> OpenVpnDco:
        """OpenVPN's data channel offload for the image's kernel."""

    def libcrypto(self) -> Path:
        """The guest's libcrypto with GHASH in NEON code."""

    def lighttpd(self) -> Lighttpd:
        """A web server for the guest: lighttpd with wolfSSL."""

    def wolfssl_front_end(self) -> FrontEnd:
        """The front end of wolfSSL for the guest."""
