# SPDX-License-Identifier: Apache-2.0
"""The boards and links that a cell was measured on, from its record.

`Setup` contains them.  The other functions describe a setup and differences between two setups in
words, for people without the files.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from pydantic import Field

from firesteel.base.quantity import in_words
from firesteel.base.toml import Table
from firesteel.boards.catalog import Catalog
from firesteel.boards.cores import Cores
from firesteel.boards.numbers import (
    Value,
    base_of,
    cost_at,
    numbers_at,
    parts_of_board,
    parts_of_link,
    unit_at,
)
from firesteel.boards.profile import Profile
from firesteel.boards.real import RealProfile
from firesteel.boards.result import TopologyRun
from firesteel.boards.topology import Link, Topology
from firesteel.model.cell import Cell

_BUSES = {"pci": "PCI", "sysbus": "device tree"}


class Setup(Table):
    """The topology of a run, and the profile of each of its nodes.

    `order` are the nodes' names in their order, which numbers them: a record's file sorts them.
    """

    topology: Topology
    """Nodes and links."""
    profiles: Mapping[str, RealProfile | Profile]
    """The board of each node."""
    order: tuple[str, ...] = Field(default_factory=lambda said: tuple(said["topology"].nodes))
    """The nodes in the order in which they are numbered."""

    @staticmethod
    def of(run: TopologyRun) -> "Setup":
        """What the nodes of a run were."""
        profiles = {name: node.profile for name, node in run.nodes.items()}
        return Setup(topology=run.topology, profiles=profiles)

    @property
    def ordered(self) -> Topology:
        """The topology with its nodes in their order."""
        nodes = {name: self.topology.nodes[name] for name in self.order}
        return self.topology.model_copy(update={"nodes": nodes})

    @property
    def is_real(self) -> bool:
        """Whether the nodes are real machines: all are, or none."""
        return any(isinstance(each, RealProfile) for each in self.profiles.values())

    @property
    def architectures(self) -> frozenset[str]:
        """The nodes' architectures, by name."""
        return frozenset(each.architecture_name for each in self.profiles.values())

    @property
    def shape(self) -> str:
        """What traffic goes where, whatever boards and links are like: as JSON."""
        told = self.topology.model_dump(mode="json")
        told["nodes"] = {name: node["role"] for name, node in told["nodes"].items()}
        told["links"] = [[each[key] for key in ("name", "kind", "nodes")] for each in told["links"]]
        return json.dumps(told, sort_keys=True)

    def parts(self, measured: str) -> dict[str, Value]:
        """All parameters of boards and links, by path (`boards.numbers`).  Paths of links begin
        with `links.NAME.`, and paths of boards other than the measured one with `NODE:`.
        """
        found = parts_of_board(self.profiles[measured])
        for link in self.topology.links:
            said = parts_of_link(link)
            found |= {f"links.{link.name}.{path}": value for path, value in said.items()}
        for node in self.topology.nodes:
            if node != measured:
                said = parts_of_board(self.profiles[node])
                found |= {f"{node}:{path}": value for path, value in said.items()}
        return found

    def is_of(self, cell: Cell) -> bool:
        """Whether the cell was measured on its very boards; else the record stands for it, as one
        in software does for boards with other cores.
        """
        names = {name: node.profile for name, node in self.topology.nodes.items()}
        return names == cell.profiles

    def number(self, measured: str, path: str) -> float | None:
        """The number of that path (`boards.numbers`), the measured node's if it is of a board; None
        where there is none, or where there are several that differ.
        """
        found = set(self.numbers(measured, path))
        return found.pop() if len(found) == 1 else None

    def numbers(self, measured: str, path: str) -> tuple[float | None, ...]:
        """All numbers of that path, separately for each window of cores and each link; None for a
        default that only the model knows.
        """
        return numbers_at(path, self.topology, self.profiles, measured)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Each board with its parts, then each link, in words."""
        for name, node in self.topology.nodes.items():
            yield f"{name} ({node.profile})", board_in_words(self.profiles[name])
        for link in self.topology.links:
            said = link_in_words(link, real=self.is_real)
            yield f"link {link.name} ({', '.join(link.nodes)})", said

    def in_short(self, measured: str) -> str:
        """The measured board, the links and the other boards' rates in a sentence."""
        node = self.topology.nodes[measured]
        parts = [f"{base_of(node.profile)}: {board_in_words(self.profiles[measured])}"]
        for link in self.topology.links:
            parts.append(f"link {link.name}: {link_in_words(link, real=self.is_real)}")
        others = {
            f"{base_of(other.profile)} {rate_in_words(self.profiles[name])}": None
            for name, other in self.topology.nodes.items()
            if name != measured
        }
        if others:
            parts.append(f"others: {', '.join(others)}")
        return "; ".join(parts)


def catalog_of(cells: Iterable[tuple[Cell, Setup]]) -> Catalog:
    """What the names in cells stood for when these were measured, wherever the files were and
    whatever they say now.

    Cells whose links have the topology's own rates come last, because only they show these rates;
    each other cell has its own rate.  Of these, cells whose records stand for them come first.
    """
    catalog = Catalog()
    for cell, setup in sorted(cells, key=lambda each: (not each[0].link, each[1].is_of(each[0]))):
        catalog.keep(cell.topology, setup.ordered)
        for node, profile in setup.profiles.items():
            catalog.keep(cell.profiles[node], profile)
    return catalog


def distinct(setups: Iterable[tuple[Setup, str]]) -> list[str]:
    """The short sentences of setups with their measured nodes, each once, in order."""
    return list(dict.fromkeys(setup.in_short(measured) for setup, measured in setups))


def rate_in_words(profile: Profile) -> str:
    """As `554 MIPS`, or, of a clock that counts cycles, `Cortex-A9 at 800 MHz`."""
    cpu = profile.cpu
    if isinstance(profile, RealProfile):
        return f"real machine, {cpu.model}"
    if cpu.clock == "cycles" and cpu.hertz:
        return f"{_whose_costs(profile)} at {cpu.hertz / 1e6:,.10g} MHz"
    return f"{cpu.rate / 1e6:,.10g} MIPS"


def _whose_costs(profile: Profile) -> str:
    """As `Cortex-A9`."""
    return (profile.cpu.processor or "").title()


def _cpus_in_words(profile: Profile) -> str:
    """As `2 × Cortex-A9 at 800 MHz, emulated as Cortex-A15`: what costs are of, and whose
    instructions run.
    """
    cpu, rate = profile.cpu, rate_in_words(profile)
    model = profile.architecture.machine.cpus[cpu.model]
    count = f"{cpu.count} × " if cpu.count > 1 else ""
    if cpu.clock != "cycles" or not cpu.hertz:
        return f"{count}{model} of {rate}"
    return f"{count}{rate}" + ("" if model == _whose_costs(profile) else f", emulated as {model}")


def board_in_words(profile: Profile) -> str:
    """All parts of a board."""
    if isinstance(profile, RealProfile):
        return profile.in_words
    parts = [_cpus_in_words(profile), f"{profile.memory.mebibytes} MiB"]
    if profile.ethernet:
        parts.append(f"Ethernet interrupts after {profile.ethernet.interrupt_delay_us} µs")
    if profile.virtio_crypto:
        parts.append("virtio-crypto")
    if (disk := profile.storage) is not None:
        numbers = (disk.read_byte_s / 1e6, disk.write_byte_s / 1e6, disk.latency_ns / 1e3)
        said = "disk (read {:g} MB/s, write {:g} MB/s, latency {:g} µs".format(*numbers)
        parts.append(f"{said}, queue depth {disk.queue_depth})")
    return ", ".join([*parts, *map(cores_in_words, profile.cores)])


def cores_in_words(cores: Cores) -> str:
    """A window of cores, as `crypto0 (AES, public key; PCI, 100 MHz, 120 ns a register)`."""
    kinds = (("AES", cores.aes), ("hash", cores.hash), ("public key", cores.pk))
    there = ", ".join(name for name, is_there in kinds if is_there)
    timing = cores.timing
    if timing.zero:
        return f"{cores.name} ({there}; {_BUSES[cores.bus]}, takes no time)"
    clock = (timing.used("clock_hz") or 0) / 1e6
    others = [
        f"{name} {value}"
        for name, value in timing.model_dump(exclude={"zero", "clock_hz", "register_ns"}).items()
        if value is not None
    ]
    if cores.pk_multipliers is not None:
        others.append(f"{cores.pk_multipliers} multipliers")
    others += [f"fault {fault}" for fault in cores.faults]
    said = [
        *([f"{cores.count} windows"] if cores.count > 1 else []),
        _BUSES[cores.bus],
        f"{clock:g} MHz",
        f"{timing.used('register_ns')} ns per register access",
        *others,
    ]
    return f"{cores.name} ({there}; {', '.join(said)})"


def link_in_words(link: Link, *, real: bool = False) -> str:
    """As `100 Mbit/s, 568 µs, queue of 2 frames`; of a real one its rate is known."""
    if real:
        return f"{link.rate_bit_s / 1e6:g} Mbit/s"
    rate, delay = link.rate_bit_s / 1e6, link.latency_ns / 1e3
    kind = "switch, " if link.kind == "switch" else ""
    return f"{kind}{rate:g} Mbit/s, {delay:g} µs, queue of {link.queue_frames} frames"


@dataclass(frozen=True)
class Difference:
    """A parameter's path and both its values; None if a side lacks the parameter.

    A window of cores that one side lacks is one difference, in words.
    """

    path: str
    before: Value | None
    after: Value | None

    @property
    def unit(self) -> str:
        """The unit of both values; empty if they have no unit."""
        return unit_at(self.path)

    @property
    def is_number(self) -> bool:
        """Whether it has a size; else it is a word, or whether something is there."""
        return not any(isinstance(each, bool | str) for each in (self.before, self.after))

    @property
    def values(self) -> tuple[float | str | None, float | str | None]:
        """Both for a table: numbers in the unit of the path, or words."""
        if self.is_number:
            return _number(self.before), _number(self.after)
        return _word(self.before), _word(self.after)

    @property
    def factor(self) -> float | None:
        """The value after, divided by the one before; None where that says nothing."""
        one, other = _number(self.before), _number(self.after)
        return other / one if one and other else None

    def text(self, value: Value | None) -> str:
        """One of its values for people: `100 MHz`, `coherent`."""
        if value is None or isinstance(value, bool | str):
            return _word(value) or "\N{EN DASH}"
        return in_words(value, self.unit)


def differences(before: Setup, after: Setup, measured: str) -> tuple[Difference, ...]:
    """All parameters that differ; the measured board's come first."""
    one, other = before.parts(measured), after.parts(measured)
    found: dict[str, Difference] = {}
    cores = [dict(_windows(each, measured)) for each in (before, after)]
    windows = [  # Those that one of the sides has alone.
        Difference(path, *(each.get(path) for each in cores))
        for path in dict.fromkeys(chain(*cores))
        if not all(path in each for each in cores)
    ]
    for path in dict.fromkeys((*one, *other)):
        if one.get(path) == other.get(path):
            continue
        window = next((each for each in windows if path.startswith(f"{each.path}.")), None)
        if window:
            found[window.path] = window
        else:
            said = (_value(setup, measured, path) for setup in (before, after))
            found[path] = Difference(path, *said)
    return tuple(found.values())


def _number(value: Value | None) -> float | None:
    return None if value is None or isinstance(value, bool | str) else float(value)


def _word(value: Value | None) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value is None else str(value)


def _value(setup: Setup, measured: str, path: str) -> Value | None:
    """What a side has, usual costs included, which are no part of its own."""
    node, colon, rest = path.partition(":")
    profile = setup.profiles[node if colon else measured]
    found = setup.parts(measured).get(path)
    return cost_at(profile, rest if colon else path) if found is None else found


def _windows(setup: Setup, measured: str) -> Iterable[tuple[str, str]]:
    for node, profile in setup.profiles.items():
        at = "" if node == measured else f"{node}:"
        for cores in profile.cores:
            words = cores_in_words(cores).removeprefix(f"{cores.name} ")
            yield f"{at}cores.{cores.name}", words.strip("()")
