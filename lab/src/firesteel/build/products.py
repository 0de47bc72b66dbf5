# SPDX-License-Identifier: Apache-2.0
"""All that is built, made when it is first asked for."""

from pathlib import Path

from firesteel.architectures.architecture import Architecture
from firesteel.architectures.registry import DEFAULT
from firesteel.base.checkout import DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build import (
    buildroot,
    checkers,
    cryptsetup,
    debug_kernel,
    development,
    doctor,
    driver,
    image,
    kernel_layout,
    lighttpd,
    newest_kernel,
    openssh,
    openssl,
    openvpn_dco,
    privilege,
    programs,
    provider,
    qemu,
    race_board,
    sources,
    wheels,
    wolfssl,
    wolfssl_front_end,
)
from firesteel.build.buildroot import BuildRoot
from firesteel.build.cache import Cache, cache_directory
from firesteel.build.development import Development
from firesteel.build.image import Image, Kernel, Packages
from firesteel.build.lighttpd import Lighttpd
from firesteel.build.mirror import Mirror
from firesteel.build.openssh import OpenSsh
from firesteel.build.openvpn_dco import OpenVpnDco
from firesteel.build.progress import Runner, at_once
from firesteel.build.provider import Provider
from firesteel.build.qemu import Qemu
from firesteel.build.race_board import RaceBoard
from firesteel.build.wolfssl_front_end import FrontEnd


class Products:
    """Builds what is missing in the cache, with progress, and says where it is.

    What is for guests is for those of one architecture.
    """

    def __init__(self, runner: Runner | None = None, architecture: Architecture = DEFAULT) -> None:
        self.architecture = architecture
        directory = cache_directory()
        self._runner = runner or Runner(directory / "logs")
        self._cache = Cache(directory, self._check_machine, self._tell_waiting)
        self._machine_checked = False

    def make_all(self) -> None:
        """Make what boards need at once: most steps of a build keep one CPU, or the network."""
        if not privilege.is_root():
            self.build_root()  # Alone: sudo may ask for a password.
        at_once(
            self._runner,
            self.build_root,
            self.packages,
            lambda: qemu.fetch(self._cache, self._runner),
        )
        at_once(self._runner, self.qemu, self._make_what_boards_run)

    def _make_what_boards_run(self) -> None:
        self.image()
        self.driver()
        self.provider()
        self.openssh()

    def build_root(self) -> BuildRoot:
        """The Debian tree with the compilers."""
        return buildroot.make(self._cache, self._runner, self.architecture)

    def program_root(self, suite: str) -> BuildRoot:
        """The Debian tree of a release with the programs that the provider is tried under."""
        return programs.make(self._cache, self._runner, suite)

    def program_provider(self, suite: str) -> Path:
        """Library and provider for the OpenSSL of that tree."""
        return programs.make_provider(self._cache, self._runner, self.program_root(suite))

    def qemu(self) -> Qemu:
        """The emulator with our devices: one build for all architectures, as the nodes of a run
        refuse each other if they are of several.
        """
        source = qemu.fetch(self._cache, self._runner)
        root = buildroot.make(self._cache, self._runner, DEFAULT)
        return qemu.make(self._cache, self._runner, source, root)

    def emulator(self) -> Path:
        """Its program for boards of the architecture."""
        return self.qemu().program(self.architecture)

    def packages(self) -> Packages:
        """The packages of the guest's image, and the headers of its kernel."""
        return image.fetch(self._cache, self._runner, self.architecture)

    def image(self) -> Image:
        """The guest's kernel and base file system."""
        return image.make(self._cache, self._runner, self.packages(), self.build_root())

    def driver(self) -> Path:
        """The Linux driver: `firesteel.ko` for the image's kernel."""
        return driver.make(self._cache, self._runner, self.packages(), self.build_root())

    def kernel_layout(self) -> Path:
        """Where the image's kernel keeps what a profile reads from outside: `layout.ko`."""
        return kernel_layout.make(self._cache, self._runner, self.packages(), self.build_root())

    def development(self) -> Development:
        """Libraries and headers that programs for the guest are built with."""
        return development.make(self._cache, self._runner, self.packages())

    def provider(self) -> Provider:
        """The OpenSSL provider for the guest, and the library that it needs."""
        return provider.make(self._cache, self._runner, self.development(), self.build_root())

    def openssh(self) -> OpenSsh:
        """OpenSSH for the guest, with a MAC `none`."""
        source = openssh.fetch(self._cache, self._runner, self.packages())
        root = self.build_root()
        return openssh.make(self._cache, self._runner, source, self.development(), root)

    def openvpn_dco(self) -> OpenVpnDco:
        """OpenVPN's data channel offload for the image's kernel; only cells with it need it."""
        source, root = self.openvpn_dco_source(), self.build_root()
        return openvpn_dco.make(self._cache, self._runner, source, self.packages(), root)

    def openvpn_dco_source(self) -> Path:
        """A directory with Debian's package of its source."""
        return openvpn_dco.fetch(self._cache, self._runner)

    def libcrypto(self) -> Path:
        """The guest's libcrypto with GHASH in NEON code; no other product needs it."""
        source = openssl.fetch(self._cache, self._runner, self.packages())
        root = self.build_root()
        return openssl.make(self._cache, self._runner, source, root, self.architecture)

    def check_driver(self, directory: Path, source: Path = DRIVER) -> list[str]:
        """What the kernel's checkers say of the driver in `source`; `directory` is empty."""
        kernel = debug_kernel.fetch(self._cache, self._runner, self.packages())
        tools = checkers.make(self._cache, self._runner, kernel)
        root = self.build_root()
        return driver.check(directory, self._runner, self.packages(), root, tools, source)

    def try_newest_kernel(self, directory: Path, archive: Mirror, source: Path = DRIVER) -> str:
        """The release of the kernel in `archive`, for which the driver in `source` was built;
        `directory` is empty.
        """
        root = self.build_root()
        return newest_kernel.build_driver(
            directory, self._runner, archive, self.architecture, root, source
        )

    def assemble_image(self, directory: Path) -> Image:
        """The image assembled once more, in an empty directory, from what is in the cache."""
        return image.assemble(directory, self._runner, self.packages(), self.build_root())

    def debug_kernel(self) -> Kernel:
        """The kernel that finds faults of drivers; no other product needs it."""
        source = debug_kernel.fetch(self._cache, self._runner, self.packages())
        root = self.build_root()
        return debug_kernel.make(self._cache, self._runner, source, root, self.architecture)

    def debug_image(self) -> Image:
        """The image with the debug kernel."""
        kernel = self.debug_kernel()
        return image.make(self._cache, self._runner, self.packages(), self.build_root(), kernel)

    def debug_driver(self) -> Path:
        """The Linux driver for the debug kernel."""
        kernel = self.debug_kernel()
        return driver.make(self._cache, self._runner, self.packages(), self.build_root(), kernel)

    def race_board(self) -> RaceBoard:
        """A 64-bit board of the tests, with a kernel that finds races."""
        kernel = debug_kernel.fetch(self._cache, self._runner, self.packages())
        emulator = qemu.fetch(self._cache, self._runner)
        root = buildroot.make(self._cache, self._runner, DEFAULT)
        return race_board.make(self._cache, self._runner, kernel, emulator, root)

    def wolfssl(self) -> Path:
        """Debian's wolfSSL for what runs in the build root: library, headers and source."""
        return wolfssl.make(self._cache, self._runner)

    def guest_wolfssl(self) -> Path:
        """The same for guests."""
        return wolfssl.make(self._cache, self._runner, self.architecture.name)

    def cryptsetup(self) -> Path:
        """Debian's cryptsetup for guests: a directory with the tree of its files."""
        return cryptsetup.fetch(self._cache, self._runner, self.architecture.name)

    def lighttpd_packages(self) -> Path:
        """Debian's lighttpd with its module for wolfSSL, as packages for guests."""
        return lighttpd.fetch(self._cache, self._runner, self.architecture)

    def lighttpd(self) -> Lighttpd:
        """The same as programs, with wolfSSL; only cells with it need it."""
        packages, tls = self.lighttpd_packages(), self.guest_wolfssl()
        return lighttpd.make(self._cache, packages, tls, self.architecture)

    def wolfssl_front_end(self) -> FrontEnd:
        """The front end of wolfSSL for guests; only cells in hardware with wolfSSL need it."""
        return wolfssl_front_end.make(
            self._cache,
            self._runner,
            self.architecture,
            self.guest_wolfssl(),
            self.build_root(),
        )

    def wheels(self, python: str) -> list[Path]:
        """The lab's Python packages for a version of Python."""
        return wheels.fetch(self._cache, self._runner, python)

    def write_sources(self, directory: Path) -> Path:
        """The sources of the emulator and of all that guests have, in a file in `directory`."""
        root = buildroot.make(self._cache, self._runner, DEFAULT)
        debian = sources.fetch(self._cache, self._runner, self.packages(), root)
        emulator = qemu.fetch(self._cache, self._runner).directory
        dco = self.openvpn_dco_source()
        web_server = lighttpd.fetch_source(self._cache, self._runner, self.lighttpd_packages())
        its_tls = self.guest_wolfssl() / "source"
        return sources.write(directory, debian, emulator, dco, web_server, its_tls)

    def _check_machine(self) -> None:
        """Refuse to start what this machine cannot finish."""
        if self._machine_checked:
            return
        self._machine_checked = True
        if found := doctor.lacks(doctor.this_machine(), doctor.BEFORE_BUILDING):
            raise FiresteelError(found[0])

    def _tell_waiting(self, kind: str) -> None:
        self._runner.tell(f"Waiting for another process that is building: {kind}")
