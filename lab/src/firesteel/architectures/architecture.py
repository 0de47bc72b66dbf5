# SPDX-License-Identifier: Apache-2.0
"""What an architecture is: all that builds and boards have to know of one.

Nothing else in the lab names a compiler or a CPU: it asks one of these.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Toolchain:
    """What programs and modules for the guest are compiled with."""

    triplet: str
    """GNU's name: compilers' names begin with it, and Debian's library directory is called so."""

    loader: str
    """File name of the dynamic loader, which every program names."""

    meson_family: str
    meson_cpu: str
    """What meson calls the machine (`cpu_family` and `cpu` in a cross file)."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """The guest's kernel."""

    source: str
    """Its directory below `arch/` in the kernel's source, as in `make ARCH=`."""

    flavour: str
    """Debian's, as in `linux-image-FLAVOUR`."""

    image: str
    """What `make` calls the file that `/boot/vmlinuz-RELEASE` is."""


@dataclass(frozen=True, eq=False)
class Machine:
    """The machine that QEMU emulates."""

    emulator: str
    """QEMU's program."""

    options: str
    """The machine, for `-M`."""

    cpus: Mapping[str, str]
    """CPU models by the name that `-cpu` has, and what people call them."""

    memory_start: int
    """Physical address of main memory."""

    most_memory_mib: int
    console: str
    """The kernel's name of the serial port."""


@dataclass(frozen=True, eq=False)
class Architecture:
    """A processor architecture of boards; `name` is Debian's."""

    name: str
    toolchain: Toolchain
    kernel: Kernel
    machine: Machine

    @property
    def libraries(self) -> str:
        """Where the guest's loader looks, and OpenSSL in the directory below for its modules."""
        return f"/usr/lib/{self.toolchain.triplet}"

    @property
    def words(self) -> dict[str, str]:
        """What `@WORD@` stands for in recipes below `board/`."""
        return {
            "ARCHITECTURE": self.name,
            "TRIPLET": self.toolchain.triplet,
            "LOADER": self.toolchain.loader,
            "MESON_FAMILY": self.toolchain.meson_family,
            "MESON_CPU": self.toolchain.meson_cpu,
            "KERNEL_SOURCE": self.kernel.source,
            "KERNEL_FLAVOUR": self.kernel.flavour,
            "KERNEL_IMAGE": self.kernel.image,
            "CONSOLE": self.machine.console,
        }

    def fill_in(self, recipe: str) -> str:
        """A recipe's text with what its words stand for here."""
        for word, meaning in self.words.items():
            recipe = recipe.replace(f"@{word}@", meaning)
        return recipe
