# SPDX-License-Identifier: Apache-2.0
"""What nodes are run with: products for each one's architecture, each looked up once."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property

from firesteel.architectures.architecture import Architecture
from firesteel.board.command import BoardProducts
from firesteel.board.profile import Profile
from firesteel.build.artifacts import Artifact, Image
from firesteel.build.cache import key_of
from firesteel.build.products import artifact_source


class Built:
    """What nodes of one architecture are run with, built or brought when it is first asked for."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self._products = artifact_source(architecture)

    @cached_property
    def qemu(self) -> Artifact:
        """The emulator."""
        return self._products.qemu()

    @cached_property
    def image(self) -> Image:
        """Kernel and base file system."""
        return self._products.image()

    @cached_property
    def driver(self) -> bytes:
        """The Linux driver."""
        return self._products.driver().read_bytes()

    @cached_property
    def provider(self) -> Artifact:
        """The OpenSSL provider and its library."""
        return self._products.provider()

    @cached_property
    def openssh(self) -> Artifact:
        """OpenSSH with a MAC `none`."""
        return self._products.openssh()

    @cached_property
    def openvpn_dco(self) -> Artifact:
        """The kernel modules of OpenVPN's data channel offload."""
        return self._products.openvpn_dco()

    @cached_property
    def lighttpd(self) -> Artifact:
        """A web server with wolfSSL: lighttpd."""
        return self._products.lighttpd()

    @cached_property
    def wolfssl_front_end(self) -> Artifact:
        """The front end of wolfSSL."""
        return self._products.wolfssl_front_end()

    @cached_property
    def libcrypto(self) -> Artifact:
        """A patched libcrypto."""
        return self._products.libcrypto()

    @property
    def boards(self) -> BoardProducts:
        """What QEMU is started with."""
        program = self.qemu.directory / self.architecture.machine.emulator
        return BoardProducts(program, self.image.kernel, self.image.initramfs)

    @property
    def packages(self) -> dict[str, str]:
        """The guest's package versions, from the image's manifest."""
        manifest: dict[str, str] = json.loads(self.image.manifest.read_text(encoding="utf-8"))
        return manifest


class BuiltFor:
    """What is built for boards, by their architectures."""

    def __init__(self) -> None:
        self._built: dict[str, Built] = {}

    def node(self, profile: Profile) -> Built:
        """What a node of that profile is run with."""
        architecture = profile.architecture
        if architecture.name not in self._built:
            self._built[architecture.name] = Built(architecture)
        return self._built[architecture.name]

    def nodes(self, profiles: Mapping[str, Profile]) -> dict[str, Built]:
        """The same for each node by name."""
        return {node: self.node(profile) for node, profile in profiles.items()}

    def packages(self) -> dict[str, str]:
        """The package versions of all images; of several architectures as Debian tells them apart,
        `NAME:ARCHITECTURE`.
        """
        if len(self._built) == 1:
            (built,) = self._built.values()
            return built.packages
        return {
            f"{package}:{name}": version
            for name, built in self._built.items()
            for package, version in built.packages.items()
        }


def together(keys: Iterable[tuple[str, str]]) -> str:
    """One key for those of several architectures (name → key): its own where there is one."""
    by_name = dict(keys)
    return next(iter(by_name.values())) if len(by_name) == 1 else key_of(by_name)
