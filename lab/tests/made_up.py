# SPDX-License-Identifier: Apache-2.0
"""Observations whose figures are made up: they hold the figures themselves, as a data item.

`MadeUp` stands in for the lab's own parsers, which it asks for observations of real boards.
"""

from collections.abc import Mapping, Sequence

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Clock, Profile, load_profile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.topology import Topology, load_profiles, load_topology
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.record import Derived, Record, Versions
from firesteel.store.setup import Setup
from firesteel.store.store import Store
from firesteel.table import LabParsers

_ITEM = "made-up"
_TRACE = "0" * 64


class MadeUp(LabParsers):
    """Notes the labels of the cells that it was asked for."""

    def __init__(self, version: str = "made up") -> None:
        self.version = version
        self.asked: list[str] = []

    def derive(self, cell: Cell, run: TopologyRun) -> Derived:
        """The figures that were made up for the run, or those that the lab derives."""
        self.asked.append(cell.label)
        for node in run.nodes.values():
            if _ITEM in node.data:
                return Derived.model_validate_json(node.data[_ITEM])
        return super().derive(cell, run)


def run_of(
    cell: Cell,
    figures: Sequence[Figure],
    proof: Mapping[str, int],
    trace: str,
    setup: Setup | None = None,
    clock: Clock | None = None,
) -> TopologyRun:
    """Observations of which `MadeUp` makes these figures, on boards of that clock."""
    if setup:
        topology, profiles = setup.ordered, setup.profiles
    else:
        topology, profiles = _boards(cell)
    if clock:
        profiles = {name: each.on_clock(clock) for name, each in profiles.items()}
    made = Derived(figures=tuple(figures), proof=dict(proof)).model_dump_json().encode()
    nodes = {
        name: NodeResult(name, (), {_ITEM: made} if name == cell.measured else {}, "", profile)
        for name, profile in profiles.items()
    }
    return TopologyRun(nodes, trace, topology)


def run_of_record(record: Record, clock: Clock | None = None) -> TopologyRun:
    """Observations of which the record's measurement comes, on boards of that clock."""
    return run_of(record.cell, record.figures, record.proof, record.trace, record.setup, clock)


def record_of(
    cell: Cell, versions: Versions, figures: Sequence[Figure], packages: Mapping[str, str] = {}
) -> Record:
    """A record with these figures."""
    setup = Setup.of(run_of(cell, figures, {}, _TRACE))
    measured = {"setup": setup, "trace": _TRACE, "observed": "", "packages": packages}
    made = {"figures": tuple(figures), "proof": {}}
    return Record.model_validate({"cell": cell, "versions": versions} | measured | made)


def put(store: Store, record: Record, clock: Clock | None = None) -> Record:
    """Keeps a record that a test made up, measured on boards of that clock."""
    return store.put(record, run_of_record(record, clock), record.packages)


def _boards(cell: Cell) -> tuple[Topology, dict[str, Profile]]:
    """What the cell's names stand for; usual boards where they stand for nothing."""
    try:
        topology = load_topology(cell.topology).override(profiles=cell.profiles)
        return topology, dict(load_profiles(topology))
    except FiresteelError:
        topology = load_topology("host-host")
        return topology, {name: load_profile("socrates") for name in topology.nodes}
