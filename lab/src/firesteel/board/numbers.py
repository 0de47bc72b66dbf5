# SPDX-License-Identifier: Apache-2.0
"""A number of all boards and links of a topology, by its path.

A path is that of a profile (`cpu.hertz`), which is then the measured node's, or that of another
node's with this node before it (`peer:cpu.hertz`), or that of a topology
(`links.wire.latency_ns`); `board.parameters` says how these are written.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from firesteel.board import parameters
from firesteel.board.parameters import ALL, in_words, unit_of
from firesteel.board.profile import Profile
from firesteel.board.quantity import SCALES, scale_for
from firesteel.board.topology import Topology

_LINKS = "links."
_CORES = "cores."

_LONGEST = 120
"""Characters of what a name says of numbers."""

_TITLES = {
    "hertz": "processor frequency",
    "instructions_per_second": "instruction rate",
    "mebibytes": "memory",
    "clock_hz": "clock",
    "register_ns": "register access",
    "dma_bytes_per_beat": "bus width in bytes",
    "dma_latency_cycles": "DMA latency",
    "pk_multipliers": "number of multipliers",
    "sets": "number of sets",
    "ways": "number of ways",
    "rate_bit_s": "bit rate",
    "latency_ns": "latency",
    "queue_frames": "queue in frames",
    "interrupt_delay_us": "interrupt delay",
}
"""Numbers in words, by the last key of their path."""


@dataclass(frozen=True)
class Path:
    """A path, taken apart: `node` is whose board it is of, empty for the measured one's, and `keys`
    is the path in the profile or in the topology.
    """

    node: str
    keys: str

    @staticmethod
    @cache
    def of(text: str) -> "Path":
        """The parts of a path."""
        node, colon, keys = text.rpartition(":")
        return Path(node if colon else "", keys)

    @property
    def text(self) -> str:
        """The path as it is typed: `peer:cpu.hertz`."""
        return f"{self.node}:{self.keys}" if self.node else self.keys

    @property
    def on_links(self) -> bool:
        """Whether it is of a topology."""
        return self.keys.startswith(_LINKS) and not self.node

    @property
    def on_cores(self) -> bool:
        """Whether it is of the cores, and so nothing to whoever does not use them."""
        return self.keys.startswith(_CORES)

    def check(self) -> None:
        """Raises `ValueError` where there is no number of that path on any board or link."""
        parameters.check(self.keys, Topology if self.on_links else Profile)

    @property
    def unit(self) -> str:
        """Its unit; empty of a count."""
        return unit_of(self.keys)

    @property
    def title(self) -> str:
        """What people call it: `clock of crypto0`, `latency of wire`, `memory of peer`."""
        *above, last = self.keys.split(".")
        words = _TITLES.get(last)
        if words is None:
            stem = last.removesuffix("_hz").removesuffix("_ns").removesuffix("_cycles")
            words = stem.replace("_", " ")
        owner = above[1] if len(above) > 1 and above[0] in ("cores", "links") else ""
        if owner == ALL:
            owner = f"all {above[0]}"
        return " of ".join(filter(None, (words, owner, self.node)))

    def said(self, value: float) -> str:
        """A value of it with its unit: `50 MHz`."""
        return in_words(value, self.unit)

    def typed(self, value: float) -> str:
        """The value to the last digit, as it is typed in a command: `1.2GHz`."""
        name, factor = scale_for(value, self.unit)
        if name not in SCALES.get(self.unit, {}):
            return f"{value:.15g}"
        return f"{value / factor:.15g}{name}"


def numbers_at(
    path: str, topology: Topology, profiles: Mapping[str, Profile], measured: str
) -> tuple[float | None, ...]:
    """All numbers of that path, as `parameters.numbers_of` gives them; none where there is nothing
    that they could be of.
    """
    found = Path.of(path)
    if found.on_links:
        return parameters.numbers_of(topology, found.keys)
    board = profiles.get(found.node or measured)
    return parameters.numbers_of(board, found.keys) if board else ()


def made_name(base: str, numbers: Mapping[str, float]) -> str:
    """What a board or topology with other numbers is called: `socrates+cpu.hertz=1000000000`.  It
    may be part of a file's name, so one that is too long has a digest of the numbers.
    """
    said = "+".join(f"{path}={value:.15g}" for path, value in sorted(numbers.items()))
    if len(said) > _LONGEST:
        said = hashlib.sha256(said.encode()).hexdigest()[:16]
    return f"{base}+{said}"


def is_made(name: str) -> bool:
    """Whether a board or topology is one with other numbers, which no file has."""
    return "+" in name


def base_of(name: str) -> str:
    """What such a board or topology is made of; others are nothing but themselves."""
    return name.partition("+")[0] if name_in_words(name) != name else name


def numbers_in(name: str) -> dict[str, str] | None:
    """The numbers that such a name says, by their paths; None where it has a digest of them."""
    _, *parts = name.split("+")
    said = [part.rpartition("=") for part in parts]
    if not all(path and _is_number(value) for path, _, value in said):
        return None
    return {path: value for path, _, value in said}


def name_in_words(name: str) -> str:
    """Such a name as people read it: `processor frequency 1 GHz`; others as they are."""
    told = ((Path.of(path), float(value)) for path, value in (numbers_in(name) or {}).items())
    return ", ".join(f"{path.title} {path.said(value)}" for path, value in told) or name


def board_in_words(name: str) -> str:
    """Such a name with the board or topology that it is made of: `socrates with processor frequency
    1 GHz`; others as they are.
    """
    said = name_in_words(name)
    return name if said == name else f"{base_of(name)} with {said}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
