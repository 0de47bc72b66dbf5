# SPDX-License-Identifier: Apache-2.0
"""What shows that a disk was encrypted as it should be, and by whom."""

from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.window import data_of
from firesteel.workloads.disk.job import SAMPLE, Run, disk_protocol, runs
from firesteel.workloads.disk.output import Output, parse_output
from firesteel.workloads.disk.table import DiskPlan


def cell_outputs(cell: Cell, run: TopologyRun) -> list[tuple[Run, Output]]:
    """All runs of the cell with their outputs, in order.

    Raises `CellFailure` when one is missing, is not of the whole disk, or was not encrypted by
    whom it should.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in runs(cell):
        way = "read" if each.pattern.endswith("read") else "write"
        output = parse_output(data_of(node, each.name), each.name, way)
        size = cell.needed(DiskPlan).size
        if (output.size, output.ios) != (size, size // each.block):
            raise CellFailure(
                f"Run {each.name}: fio did {output.ios} I/Os of {output.size} bytes together; "
                f"it should have been {size // each.block} of {size}."
            )
        if cell.implementation == "hardware" and min(each.block, each.sector) >= LARGE:
            check_share(cell, node, each.name, output.size)
        found.append((each, output))
    return found


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `disk_ios` and `disk_bytes` of all runs, `sectors_checked`, those of the
    sample that lay on the disk as the cipher makes them; `cores.NAME.COUNTER`, what the board's
    cores did.

    Raises `CellFailure` as `cell_outputs` does, when the disk had other bytes, when not the
    kernel's fastest code made them, and when the cores worked for another implementation.
    """
    outputs = [output for _, output in cell_outputs(cell, run)]
    node = run.nodes[cell.measured]
    return {
        "disk_ios": sum(output.ios for output in outputs),
        "disk_bytes": sum(output.size for output in outputs),
        "sectors_checked": sum(
            _check_sample(cell, node, sector) for sector in cell.needed(DiskPlan).sector_sizes
        ),
        **cores_proof(cell, node),
    }


def _check_sample(cell: Cell, node: NodeResult, sector: int) -> int:
    """How many sectors of the sample there are, all of them as the cipher makes them."""
    protocol = disk_protocol(cell)
    protocol.check_code(cell, node, sector)
    if not protocol.has_encrypted(cell, node, SAMPLE, sector):
        raise CellFailure(
            f"Cell {cell.label}: the disk's contents are not what its cipher makes of the sample "
            f"in sectors of {sector} bytes."
        )
    return len(SAMPLE) // sector
