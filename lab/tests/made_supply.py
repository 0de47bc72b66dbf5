# SPDX-License-Identifier: Apache-2.0
"""Products that nobody built: files with a line each."""

from pathlib import Path

from firesteel.architectures.registry import DEFAULT
from firesteel.build import image as images
from firesteel.build import lighttpd as web_servers
from firesteel.build import openvpn_dco
from firesteel.build import provider as providers
from firesteel.build import wolfssl_front_end as front_ends
from firesteel.build.cache import key_of
from firesteel.build.image import Image
from firesteel.build.lighttpd import Lighttpd
from firesteel.build.openssh import OpenSsh
from firesteel.build.openvpn_dco import OpenVpnDco
from firesteel.build.provider import Provider
from firesteel.build.qemu import Qemu
from firesteel.build.wolfssl_front_end import FrontEnd


class MadeSupply:
    """A supply of such products in a directory."""

    def __init__(self, directory: Path, content: str = "made") -> None:
        self._directory = directory
        self._content = content

    def qemu(self) -> Qemu:
        return Qemu(self._made("qemu", "qemu-system-arm", mode=0o755), "qemu-key", "1:10.0")

    def emulator(self) -> Path:
        return self.qemu().program(DEFAULT)

    def image(self) -> Image:
        return images.image_in(self._made("image", *images.FILES), "image-key")

    def driver(self) -> Path:
        return self._made("driver", "firesteel.ko") / "firesteel.ko"

    def kernel_layout(self) -> Path:
        return self._made("kernel-layout", "layout.ko") / "layout.ko"

    def provider(self) -> Provider:
        return providers.provider_in(self._made("provider", *providers.FILES), DEFAULT)

    def openssh(self) -> OpenSsh:
        return OpenSsh(self._made("openssh", "ssh", "sshd", mode=0o755))

    def openvpn_dco(self) -> OpenVpnDco:
        return OpenVpnDco(self._made("openvpn-dco", *openvpn_dco.FILES))

    def libcrypto(self) -> Path:
        return self._made("libcrypto", "libcrypto.so.3") / "libcrypto.so.3"

    def lighttpd(self) -> Lighttpd:
        return Lighttpd(self._made("lighttpd", *web_servers.FILES), DEFAULT.libraries)

    def wolfssl_front_end(self) -> FrontEnd:
        directory = self._made("wolfssl-front-end", *front_ends.FILES)
        return FrontEnd(directory, DEFAULT.libraries)

    def _made(self, kind: str, *names: str, mode: int = 0o644) -> Path:
        directory = self._directory / kind / key_of({"kind": kind})
        directory.mkdir(parents=True, exist_ok=True)
        for name in names:
            (directory / name).write_text(f"{self._content} {kind} {name}\n")
            (directory / name).chmod(mode)
        return directory
