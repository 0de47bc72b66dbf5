# SPDX-License-Identifier: Apache-2.0
"""Cells that others stand for: on boards with other cores, the same software takes the same time.

A node that is given no driver for its cores does not access their registers, so whatever these
would take is nothing to it (`workloads.overlay.nodes_with_cores`).  A sweep of the cores' numbers
measures such a cell once, and its record stands for all of them.
"""

import threading
from collections.abc import Sequence
from pathlib import Path as File

from firesteel.board.catalog import Catalog, at_point, origin_of
from firesteel.board.numbers import Path
from firesteel.board.result import TopologyRun
from firesteel.campaign.runner import Runner
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.store.record import Inputs
from firesteel.workloads.overlay import nodes_with_cores


def measured_for(cell: Cell, catalog: Catalog) -> Cell:
    """What is measured for a cell: itself, without numbers of cores that it does not use."""
    base, point = origin_of(cell, catalog)
    of_cores = {path: of for path in point if (of := Path.of(path)).on_cores}
    if not of_cores:
        return cell
    using = nodes_with_cores(base, site_of(base, catalog))
    idle = {path for path, of in of_cores.items() if (of.node or cell.measured) not in using}
    kept = {path: value for path, value in point.items() if path not in idle}
    return at_point(base, kept, catalog) if idle else cell


class EquivalenceRunner:
    """Another runner, which measures a cell once for all that it stands for."""

    def __init__(self, runner: Runner, catalog: Catalog) -> None:
        self._runner = runner
        self._catalog = catalog
        self._measured: dict[str, Cell] = {}

    def prepare(self, cells: Sequence[Cell]) -> None:
        """Makes ready all that is measured for these cells."""
        new = {name: cell for cell in cells if (name := _name(cell)) not in self._measured}
        for name, cell in new.items():
            self._measured[name] = measured_for(cell, self._catalog)
        needed = {_name(each): each for each in map(self._measured.__getitem__, new)}
        if needed:
            self._runner.prepare(list(needed.values()))

    def inputs(self, cell: Cell) -> Inputs:
        """What is measured for the cell, with what."""
        return self._runner.inputs(self._stands_for(cell))

    def packages(self) -> dict[str, str]:
        """The guest's package versions, by package name."""
        return self._runner.packages()

    def measure(self, cell: Cell, logs: File, cancel: threading.Event) -> TopologyRun:
        """Runs once what is measured for the cell."""
        return self._runner.measure(self._stands_for(cell), logs, cancel)

    def _stands_for(self, cell: Cell) -> Cell:
        return self._measured.get(_name(cell), cell)


def _name(cell: Cell) -> str:
    return cell.model_dump_json()
