# SPDX-License-Identifier: Apache-2.0
"""The layers of a profile, and the one table of what belongs to which.

For user space and modules this is a fact: an object is a file with a path.  For what is built into
the kernel it is a heuristic: the linker lays objects in the order of the source's directories, so a
directory's functions lie together, from the first one's name to that of the next directory.  The
names are those of Linux 6.12; `Spans` refuses a kernel that has them not.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal, get_args

from firesteel.architectures.architecture import Code, Kernel
from firesteel.base.errors import FiresteelError
from firesteel.profiling.counts import Interrupt
from firesteel.profiling.kallsyms import Symbol

Layer = Literal[
    "application",
    "libcrypto",
    "libc and other libraries",
    "provider",
    "libfiresteel",
    "kernel network",
    "kernel crypto",
    "driver",
    "interrupt",
    "file system",
    "rest of the kernel",
]

LAYERS: tuple[Layer, ...] = get_args(Layer)
"""All of them, in the order in which they are shown."""

REST: Layer = "rest of the kernel"

_LIBRARIES: tuple[tuple[str, Layer], ...] = (
    ("libcrypto.so", "libcrypto"),
    ("libfiresteel.so", "libfiresteel"),
    ("firesteel.so", "provider"),
)
"""What a library's file name begins with."""

_MODULES: Mapping[str, Layer] = {
    "firesteel": "driver",
    "virtio_crypto": "driver",
    "dm_crypt": "kernel crypto",
    "cryptobench": "application",
}
"""Modules whose directory does not say it.  The last is what asks in cells of the crypto API."""

_DIRECTORIES: tuple[tuple[str, Layer], ...] = (
    ("kernel/crypto/", "kernel crypto"),
    ("kernel/arch/{arch}/crypto/", "kernel crypto"),
    ("kernel/lib/crypto/", "kernel crypto"),
    ("kernel/arch/{arch}/lib/crypto/", "kernel crypto"),
    ("kernel/net/", "kernel network"),
    ("kernel/drivers/net/", "kernel network"),
)
"""Directories of modules, as in the kernel's source."""

_SPANS: tuple[tuple[str, str, Layer], ...] = (
    ("crypto_shoot_alg", "I_BDEV", "kernel crypto"),  # crypto/; block/ begins with I_BDEV
    ("__crypto_memneq", "mpihelp_lshift", "kernel crypto"),  # lib/crypto/, without big integers
    ("nonseekable_open", "sysvipc_proc_release", "file system"),  # fs/; ipc/ is behind it
)
"""First function of a directory, and the one behind its last."""

_NETWORK = "netdev_devres_match"
"""The first function of net/; which one is behind its last hangs on the architecture."""

_FUNCTIONS: tuple[tuple[str, Layer], ...] = (
    ("csum_", "kernel network"),
    ("filemap_", "file system"),
    ("generic_file_", "file system"),
    ("shmem_", "file system"),
    ("handle_IRQ", "interrupt"),
    ("generic_handle_arch_irq", "interrupt"),
    ("generic_handle_domain_irq", "interrupt"),
    ("irq_enter", "interrupt"),
    ("irq_exit", "interrupt"),
    ("__irq_exit", "interrupt"),
    ("__do_softirq", "interrupt"),
    ("do_softirq", "interrupt"),
    ("handle_softirqs", "interrupt"),
)
"""What names of other functions begin with: checksums in assembler, the page cache and files in
memory, which lie in mm/, and the ways into interrupts and soft interrupts, some of which run before
the kernel says that it is in one.  An architecture has more of these."""


def of_user_object(path: str) -> Layer:
    """The layer of a file that a process executes: a program's own, or a library's."""
    name = PurePosixPath(path).name
    for beginning, layer in _LIBRARIES:
        if name.startswith(beginning):
            return layer
    return "libc and other libraries" if ".so" in name or name == "[vdso]" else "application"


def of_module(name: str, path: str | None, interrupt: Interrupt, kernel: Kernel) -> Layer:
    """The layer of code in a module; `path` is its file's, below `/usr/lib/modules/RELEASE`."""
    layer = _MODULES.get(name)
    if layer == "driver" or interrupt is not Interrupt.HARD:
        return layer or _of_directory(path or "", kernel)
    return "interrupt"


def _of_directory(path: str, kernel: Kernel) -> Layer:
    for directory, layer in _DIRECTORIES:
        if path.startswith(directory.format(arch=kernel.source)):
            return layer
    return REST


class Spans:
    """The layers of what is built into a kernel with these symbols.

    Raises `FiresteelError` when a function is missing that a span begins or ends with.
    """

    def __init__(self, symbols: list[Symbol], code: Code) -> None:
        addresses = {symbol.name: symbol.address for symbol in symbols}
        behind_all = 1 << 32
        self._spans: list[tuple[int, int, Layer]] = []
        self._interrupts = code.interrupt_functions
        network: tuple[str, str, Layer] = (_NETWORK, code.behind_network, "kernel network")
        for first, behind, layer in (*_SPANS, network):
            if addresses.get(first, behind_all) >= addresses.get(behind, 0):
                raise FiresteelError(
                    f"The guest's kernel has no functions from `{first}` to `{behind}`, by which "
                    "profiles know its parts: lab/src/firesteel/profiling/layers.py must learn "
                    "this kernel."
                )
            self._spans.append((addresses[first], addresses[behind], layer))

    def layer(self, address: int, function: str | None, interrupt: Interrupt) -> Layer:
        """The layer of an instruction of that function."""
        if interrupt is Interrupt.HARD or (function or "").startswith(self._interrupts):
            return "interrupt"
        for beginning, layer in _FUNCTIONS:
            if function is not None and function.startswith(beginning):
                return layer
        for first, behind, layer in self._spans:
            if first <= address < behind:
                return layer
        return REST
