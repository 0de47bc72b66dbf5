# SPDX-License-Identifier: Apache-2.0
"""Names for what was executed: process, layer, object and function of each instruction."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from mmap import mmap
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, get_args

from firesteel.architectures.architecture import Architecture, Code, Kernel
from firesteel.base.errors import FiresteelError
from firesteel.profiling.counts import Context, Counts, Instruction, Interrupt
from firesteel.profiling.memory import PAGE, Functions, Module, Symbol
from firesteel.profiling.programs import ObjectFile, Origin, Programs

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
    known = _MODULES.get(name)
    if interrupt is Interrupt.HARD and known != "driver":
        return "interrupt"
    of_directory = (
        layer
        for directory, layer in _DIRECTORIES
        if (path or "").startswith(directory.format(arch=kernel.source))
    )
    return next(of_directory, REST) if known is None else known


class Spans:
    """The layers of what is built into a kernel with these symbols.

    Raises `FiresteelError` when a function is missing that a span begins or ends with.
    """

    def __init__(self, symbols: list[Symbol], code: Code) -> None:
        addresses = {symbol.name: symbol.address for symbol in symbols}
        behind_all = 1 << code.instructions.bits
        self._spans: list[tuple[int, int, Layer]] = []
        self._interrupts = code.interrupt_functions
        network: tuple[str, str, Layer] = (_NETWORK, code.behind_network, "kernel network")
        for first, behind, layer in (*_SPANS, network):
            if addresses.get(first, behind_all) >= addresses.get(behind, 0):
                raise FiresteelError(
                    f"The guest's kernel has no functions from `{first}` to `{behind}`, by which "
                    "profiles know its parts: lab/src/firesteel/profiling/symbols.py must learn "
                    "this kernel."
                )
            self._spans.append((addresses[first], addresses[behind], layer))

    def layer(self, address: int, function: str | None, interrupt: Interrupt) -> Layer:
        """The layer of an instruction of that function."""
        name = function or ""
        if interrupt is Interrupt.HARD or name.startswith(self._interrupts):
            return "interrupt"
        for beginning, layer in _FUNCTIONS:
            if name.startswith(beginning):
                return layer
        for first, behind, layer in self._spans:
            if first <= address < behind:
                return layer
        return REST


UNKNOWN = "[unknown]"
KERNEL = "kernel"
_VECTORS = "[vectors]"

_DESCRIBED = ")"
"""How the names of functions end that have what their file says of them behind their address."""

_INTERRUPTS = {Interrupt.SOFT: "[soft interrupts]", Interrupt.HARD: "[interrupts]"}


class Frames(NamedTuple):
    """One stack of a profile, from the outside in."""

    process: str
    layer: Layer
    object: str
    function: str


@dataclass(frozen=True)
class Guest:
    """What is known of the code on a board."""

    architecture: Architecture
    memory: mmap
    programs: Programs
    symbols: list[Symbol]
    modules: list[Module]


class Namer:
    """Names instructions."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self._code = guest.architecture.code
        self._instructions = self._code.instructions
        self._bases = [module.base for module in guest.modules]
        self._functions = {
            name: Functions(symbols, self._code)
            for name, symbols in (
                ("", guest.symbols),
                *((module.name, module.symbols) for module in guest.modules),
            )
        }
        self._spans = Spans(guest.symbols, self._code)
        self._origins: dict[int, Origin | None] = {}

    def name(self, counts: Counts) -> Counter[Frames]:
        """Instructions by process, layer, object and function."""
        self._learn_calls(counts)
        named: Counter[Frames] = Counter()
        with_vectors: set[tuple[str, str]] = set()
        for context, counter in counts.by_context.items():
            process = process_name(context)
            for instruction, times in counter.items():
                in_kernel = not context.user and instruction.address is not None
                found = self._kernel if in_kernel else self._user
                frames = Frames(process, *found(instruction, context.interrupt))
                named[frames] += times
                if context.user and self._is_vector(frames, instruction):
                    with_vectors.add((frames.object, frames.function))
        return _told_of_vectors(named, with_vectors, self._instructions.vectors)

    def _is_vector(self, frames: Frames, instruction: Instruction) -> bool:
        """Of assembler that says what it is, whether this instruction is one for vectors."""
        if not frames.function.endswith(_DESCRIBED) or instruction.offset is None:
            return False
        return self._instructions.is_vector(self._code_of(instruction), instruction.mode)

    def _learn_calls(self, counts: Counts) -> None:
        """Tells the files where their functions begin, by the calls that were executed."""
        for context, counter in counts.by_context.items():
            for instruction in counter if context.user else ():
                if (place := self._place(instruction)) is None:
                    continue
                program, offset = place
                if (at := program.address(offset)) is not None:
                    code = self._code_of(instruction)
                    target = self._instructions.call_target(code, at, instruction.mode)
                    program.learn(() if target is None else (target,))

    def _code_of(self, instruction: Instruction) -> bytes:
        begin = instruction.offset or 0
        return self._guest.memory[begin : begin + self._instructions.longest]

    def _place(self, instruction: Instruction) -> tuple[ObjectFile, int] | None:
        """The program that has an instruction, and the offset in its file."""
        if instruction.offset is None:
            return None
        page = instruction.offset - instruction.offset % PAGE
        if page not in self._origins:
            content = self._guest.memory[page : page + PAGE]
            self._origins[page] = self._guest.programs.origin(content)
        if (origin := self._origins[page]) is None:
            return None
        return origin.object, origin.offset + instruction.offset % PAGE

    def _user(self, instruction: Instruction, _: Interrupt) -> tuple[Layer, str, str]:
        if instruction.address is not None and instruction.address >= self._code.vectors:
            return "libc and other libraries", _VECTORS, UNKNOWN
        if (place := self._place(instruction)) is None:
            return "application", UNKNOWN, UNKNOWN
        program, offset = place
        name = program.path.rpartition("/")[2]
        return of_user_object(program.path), name, program.function(offset)

    def _kernel(self, instruction: Instruction, interrupt: Interrupt) -> tuple[Layer, str, str]:
        address = instruction.address or 0
        number = bisect_right(self._bases, address) - 1
        module = self._guest.modules[number] if number >= 0 else None
        if module is not None and address < module.base + module.size:
            path = self._guest.programs.modules.get(module.name)
            layer = of_module(module.name, path, interrupt, self._guest.architecture.kernel)
            function = self._functions[module.name].at(address)
            return layer, f"{module.name}.ko", function or UNKNOWN
        if address >= self._code.vectors:
            return "interrupt" if interrupt else REST, _VECTORS, UNKNOWN
        name = self._functions[""].at(address)
        layer = self._spans.layer(address, name, interrupt)
        return layer, KERNEL, name or UNKNOWN


def _told_of_vectors(
    named: Counter[Frames], with_vectors: set[tuple[str, str]], vectors: str
) -> Counter[Frames]:
    """Assembler says what it is for all of its variants: with whether it was that for vectors that
    ran.
    """
    told: Counter[Frames] = Counter()
    for frames, times in named.items():
        if frames.function.endswith(_DESCRIBED):
            ran = "with" if (frames.object, frames.function) in with_vectors else "without"
            function = f"{frames.function.removesuffix(_DESCRIBED)}, {ran} {vectors}{_DESCRIBED}"
            frames = frames._replace(function=function)
        told[frames] += times
    return told


def process_name(context: Context) -> str:
    """Whose work it is: a task's by name, or what came between it and its work."""
    name = _INTERRUPTS.get(context.interrupt, context.name or UNKNOWN)
    return name if context.cpu is None else f"{name} on CPU {context.cpu}"
