# SPDX-License-Identifier: Apache-2.0
"""What an architecture is: all that builds, boards and profiles have to know of one.

Nothing else in the lab names a compiler, a CPU or an instruction of boards: it asks one of these.
Machines that build and run boards are amd64, which other modules name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

_DECODING = Lock()
"""Capstone's decoders keep state, and several threads make profiles."""


@dataclass(frozen=True, eq=False)
class InstructionSet:
    """An instruction set, whose code may be in one of several modes.

    The emulator names the mode of a block of code by its index in `modes`.
    """

    capstone: str
    modes: tuple[str, ...]
    """Capstone's names of the architecture and of each mode."""

    bits: int
    """Size of an address."""

    longest: int
    """Bytes of the longest instruction."""

    mode_bits: int
    """Bits of a function's address that say its mode and are no part of where it is."""

    width: Callable[[bytes, int], int]
    """Bytes of the instruction that code in a mode begins with, which may be cut short."""

    is_vector: Callable[[bytes, int], bool]
    """Whether the instruction that code in a mode begins with is one for vectors."""

    vectors: str
    """What people call these instructions."""

    @property
    def word(self) -> int:
        """Bytes of an address."""
        return self.bits // 8

    def begin(self, address: int) -> int:
        """Where a function begins, by its address in a pointer or a symbol."""
        return address & ~self.mode_bits

    def call_target(self, code: bytes, address: int, mode: int) -> int | None:
        """The address that the instruction `code` at `address` calls; None if no direct call.

        Capstone gives the target for ARM, 32 and 64 bit; for RISC-V it gives the distance.
        """
        library, decoders = self._decoders
        with _DECODING:
            decoded = next(decoders[mode].disasm(code, address, 1), None)
            if decoded is None or not decoded.group(library.CS_GRP_CALL):
                return None
            to = decoded.operands[-1]
            return int(to.imm) % (1 << self.bits) if to.type == library.CS_OP_IMM else None

    @cached_property
    def _decoders(self) -> tuple[Any, list[Any]]:
        # It takes as long to load as a command does that needs no profile.
        import capstone

        kind = getattr(capstone, self.capstone)
        decoders = [capstone.Cs(kind, getattr(capstone, mode)) for mode in self.modes]
        for decoder in decoders:
            decoder.detail = True
        return capstone, decoders


ReadPhysical = Callable[[int, int], bytes]
"""Bytes from a physical address, and how many; fewer where there is no memory."""

Translate = Callable[[int], int | None]
"""The physical address of a virtual one of the kernel; None if it is not mapped."""


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

    link_register: str
    """The member of `struct pt_regs` that has the address to return to."""

    delay: str
    """The function in which all short busy waits are spent."""

    arguments: str = ""
    """Its arguments in addition to `board/image/cmdline`."""

    hashes: str = "sha[0-9]+"
    """Those of which it has faster code than generic code, on any processor; for `grep -E`."""

    module_options: str = ""
    """Arguments of `make` that build its modules, each after a blank."""


@dataclass(frozen=True, eq=False)
class Machine:
    """The machine that QEMU emulates."""

    emulator: str
    """QEMU's program."""

    options: str
    """The machine, for `-M`."""

    non_coherent: str
    """Further `options` if DMA is not coherent."""

    cpus: Mapping[str, str]
    """CPU models by the names that boards' files have, and what people call them."""

    memory_start: int
    """Physical address of main memory."""

    most_memory_mib: int
    console: str
    """The kernel's name of the serial port."""

    real: tuple[str, ...] = ()
    """What `uname -m` says on real machines that run its programs."""

    variants: Mapping[str, str] = field(default_factory=dict)
    """Of CPU models what QEMU calls them, where that is not their name."""

    def cpu(self, model: str) -> str:
        """A CPU model, for `-cpu`."""
        return self.variants.get(model, model)


@dataclass(frozen=True, eq=False)
class Code:
    """What profiles read machine code and the kernel's memory with."""

    instructions: InstructionSet

    elf: bytes
    """How a program begins."""

    relative_relocation: int
    """Number of the relocation that says: the word at this place is an address within the file."""

    mapping_symbols: tuple[str, ...]
    """Prefixes of symbols that only separate code from data."""

    vectors: int
    """From here on there are exception vectors, and the kernel's helpers that programs call."""

    page_table: Callable[[ReadPhysical, int], Translate | None]
    """The kernel's own page table, given its first byte's physical address; None if it is not
    there."""

    behind_network: str
    """The function that the linker puts behind the kernel's `net/`."""

    interrupt_functions: tuple[str, ...]
    """How functions' names begin that lead into interrupts before the kernel says it is in one."""

    def is_mapping_symbol(self, name: str) -> bool:
        """Whether a symbol only separates code from data, and names nothing."""
        return name.startswith(self.mapping_symbols)


@dataclass(frozen=True, eq=False)
class Target:
    """What is built for, and started; `name` is Debian's."""

    name: str
    toolchain: Toolchain
    kernel: Kernel
    machine: Machine

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
            "LINK_REGISTER": self.kernel.link_register,
            "DELAY": self.kernel.delay,
            "MODULE_OPTIONS": self.kernel.module_options,
            "CONSOLE": self.machine.console,
            "MEMORY_START": hex(self.machine.memory_start),
        }

    def fill_in(self, recipe: str) -> str:
        """A recipe's text with what its words stand for here."""
        for word, meaning in self.words.items():
            recipe = recipe.replace(f"@{word}@", meaning)
        return recipe


@dataclass(frozen=True, eq=False)
class Architecture(Target):
    """A processor architecture of boards that are measured: their code can be profiled."""

    code: Code

    lacks: tuple[str, ...] = ()
    """The variants of libcrypto that have code for other architectures only."""

    @property
    def libraries(self) -> str:
        """Where the guest's loader looks, and OpenSSL in the directory below for its modules."""
        return f"/usr/lib/{self.toolchain.triplet}"
