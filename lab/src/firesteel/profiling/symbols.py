# SPDX-License-Identifier: Apache-2.0
"""Names for what was executed: process, layer, object and function of each instruction."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from firesteel.architectures.architecture import Architecture
from firesteel.profiling import layers
from firesteel.profiling.counts import Context, Counts, Instruction, Interrupt
from firesteel.profiling.kallsyms import Functions, Symbol
from firesteel.profiling.memory import PAGE, Memory, Module
from firesteel.profiling.programs import ObjectFile, Origin, Programs

UNKNOWN = "[unknown]"
KERNEL = "kernel"
_VECTORS = "[vectors]"

_DESCRIBED = ")"
"""How the names of functions end that have what their file says of them behind their address."""

_INTERRUPTS = {Interrupt.SOFT: "[soft interrupts]", Interrupt.HARD: "[interrupts]"}


@dataclass(frozen=True)
class Frames:
    """One stack of a profile, from the outside in."""

    process: str
    layer: layers.Layer
    object: str
    function: str


@dataclass(frozen=True)
class Guest:
    """What is known of the code on a board."""

    architecture: Architecture
    memory: Memory
    programs: Programs
    symbols: list[Symbol]
    modules: list[Module]

    @cached_property
    def functions(self) -> Functions:
        """What is built into the kernel."""
        return Functions(self.symbols, self.architecture.code)

    @cached_property
    def spans(self) -> layers.Spans:
        """Its layers."""
        return layers.Spans(self.symbols, self.architecture.code)

    @cached_property
    def module_functions(self) -> dict[str, Functions]:
        """The functions of each module."""
        return {
            module.name: Functions(module.symbols, self.architecture.code)
            for module in self.modules
        }


class Namer:
    """Names instructions."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self._code = guest.architecture.code
        self._instructions = self._code.instructions
        self._bases = [module.base for module in guest.modules]
        self._origins: dict[int, Origin | None] = {}

    def name(self, counts: Counts) -> Counter[Frames]:
        """Instructions by process, layer, object and function."""
        self._learn_calls(counts)
        named: Counter[Frames] = Counter()
        with_vectors: set[tuple[str, str]] = set()
        for context, counter in counts.by_context.items():
            process = process_name(context)
            for instruction, times in counter.items():
                frames = Frames(process, *self._names(context, instruction))
                named[frames] += times
                if context.user and self._is_vector(frames, instruction):
                    with_vectors.add((frames.object, frames.function))
        return _told_of_vectors(named, with_vectors, self._instructions.vectors)

    def _is_vector(self, frames: Frames, instruction: Instruction) -> bool:
        """Of assembler that says what it is, whether this instruction is one for vectors."""
        if not frames.function.endswith(_DESCRIBED) or instruction.offset is None:
            return False
        code = self._guest.memory.read(instruction.offset, self._instructions.longest)
        return self._instructions.is_vector(code, instruction.mode)

    def _names(self, context: Context, instruction: Instruction) -> tuple[layers.Layer, str, str]:
        if context.user or instruction.address is None:
            return self._user(instruction)
        return self._kernel(instruction.address, context.interrupt)

    def _learn_calls(self, counts: Counts) -> None:
        """Tells the files where their functions begin, by the calls that were executed."""
        begins: dict[ObjectFile, set[int]] = {}
        for context, counter in counts.by_context.items():
            for instruction in counter if context.user else ():
                origin = self._origin(instruction.offset)
                if origin is None or instruction.offset is None:
                    continue
                code = self._guest.memory.read(instruction.offset, self._instructions.longest)
                at = origin.object.address(origin.offset + instruction.offset % PAGE)
                if at is None:
                    continue
                target = self._instructions.call_target(code, at, instruction.mode)
                if target is not None:
                    begins.setdefault(origin.object, set()).add(target)
        for program, addresses in begins.items():
            program.learn(addresses)

    def _origin(self, offset: int | None) -> Origin | None:
        """The page of a program that lies at that place of the memory."""
        if offset is None:
            return None
        page = offset - offset % PAGE
        if page not in self._origins:
            content = self._guest.memory.read(page, PAGE)
            self._origins[page] = self._guest.programs.origin(content)
        return self._origins[page]

    def _user(self, instruction: Instruction) -> tuple[layers.Layer, str, str]:
        if instruction.address is not None and instruction.address >= self._code.vectors:
            return "libc and other libraries", _VECTORS, UNKNOWN
        origin = self._origin(instruction.offset)
        if origin is None or instruction.offset is None:
            return "application", UNKNOWN, UNKNOWN
        path = origin.object.path
        function = origin.object.function(origin.offset + instruction.offset % PAGE)
        return layers.of_user_object(path), path.rpartition("/")[2], function

    def _kernel(self, address: int, interrupt: Interrupt) -> tuple[layers.Layer, str, str]:
        number = bisect_right(self._bases, address) - 1
        module = self._guest.modules[number] if number >= 0 else None
        if module is not None and address < module.base + module.size:
            path = self._guest.programs.modules.get(module.name)
            layer = layers.of_module(module.name, path, interrupt, self._guest.architecture.kernel)
            function = self._guest.module_functions[module.name].at(address)
            return layer, f"{module.name}.ko", function or UNKNOWN
        if address >= self._code.vectors:
            return "interrupt" if interrupt else layers.REST, _VECTORS, UNKNOWN
        name = self._guest.functions.at(address)
        layer = self._guest.spans.layer(address, name, interrupt)
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
            frames = replace(frames, function=function)
        told[frames] += times
    return told


def process_name(context: Context) -> str:
    """Whose work it is: a task's by name, or what came between it and its work."""
    return _INTERRUPTS.get(context.interrupt, context.name or UNKNOWN)
