# SPDX-License-Identifier: Apache-2.0
"""Names for what was executed: process, layer, object and function of each instruction."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from firesteel.profiling import layers
from firesteel.profiling.counts import Context, Counts, Interrupt, Place
from firesteel.profiling.files import Programs
from firesteel.profiling.kallsyms import Functions, Symbol
from firesteel.profiling.memory import PAGE, Memory
from firesteel.profiling.modules import Module

UNKNOWN = "[unknown]"
KERNEL = "kernel"
_VECTORS = "[vectors]"
_VECTOR_PAGES = 0xFFFF0000
"""ARM's exception vectors, and the helpers that programs call there."""

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

    memory: Memory
    programs: Programs
    symbols: list[Symbol]
    modules: list[Module]

    @cached_property
    def functions(self) -> Functions:
        """What is built into the kernel."""
        return Functions(self.symbols)

    @cached_property
    def spans(self) -> layers.Spans:
        """Its layers."""
        return layers.Spans(self.symbols)

    @cached_property
    def module_functions(self) -> dict[str, Functions]:
        """The functions of each module."""
        return {module.name: Functions(module.symbols) for module in self.modules}


class Namer:
    """Names instructions; what it found for a page it remembers."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self._bases = [module.base for module in guest.modules]
        self._pages: dict[int, tuple[str, layers.Layer] | None] = {}

    def name(self, counts: Counts) -> Counter[Frames]:
        """Instructions by process, layer, object and function."""
        named: Counter[Frames] = Counter()
        for place, times in counts.by_place.items():
            named[self.frames(place)] += times
        return named

    def frames(self, place: Place) -> Frames:
        """The names of one instruction."""
        if place.context.user:
            layer, name, function = self._user(place)
        else:
            layer, name, function = self._kernel(place)
        return Frames(process_name(place.context), layer, name, function)

    def _user(self, place: Place) -> tuple[layers.Layer, str, str]:
        if place.address >= _VECTOR_PAGES:
            return "libc and other libraries", _VECTORS, UNKNOWN
        if place.offset is None:
            return "application", UNKNOWN, UNKNOWN
        page = place.offset - place.offset % PAGE
        origin = self._guest.programs.origin(self._guest.memory.read(page, PAGE))
        if origin is None:
            return "application", UNKNOWN, UNKNOWN
        path = origin.object.path
        function = origin.object.function(origin.offset + place.offset % PAGE)
        return layers.of_user_object(path), path.rpartition("/")[2], function

    def _kernel(self, place: Place) -> tuple[layers.Layer, str, str]:
        interrupt = place.context.interrupt
        number = bisect_right(self._bases, place.address) - 1
        module = self._guest.modules[number] if number >= 0 else None
        if module is not None and place.address < module.base + module.size:
            path = self._guest.programs.modules.get(module.name)
            layer = layers.of_module(module.name, path, interrupt)
            function = self._guest.module_functions[module.name].at(place.address)
            return layer, f"{module.name}.ko", function or UNKNOWN
        if place.address >= _VECTOR_PAGES:
            return "interrupt" if interrupt else layers.REST, _VECTORS, UNKNOWN
        name = self._guest.functions.at(place.address)
        layer = self._guest.spans.layer(place.address, name, interrupt)
        return layer, KERNEL, name or UNKNOWN


def process_name(context: Context) -> str:
    """Whose work it is: a task's by name, or what came between it and its work."""
    return _INTERRUPTS.get(context.interrupt, context.name or UNKNOWN)
