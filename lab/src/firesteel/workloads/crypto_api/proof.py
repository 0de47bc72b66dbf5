# SPDX-License-Identifier: Apache-2.0
"""What shows that the requests of a crypto-api cell went to its implementation.

The module has compared every result with the kernel's generic code; here counts that the driver's
name is of the implementation, and what the devices counted.
"""

from firesteel.board.result import NodeResult, TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.kernel import check_driver
from firesteel.protocols.offload import LARGE, check_share, cores_proof
from firesteel.protocols.window import data_of
from firesteel.workloads.crypto_api.job import Run, runs
from firesteel.workloads.crypto_api.output import Output, parse_output


def cell_outputs(cell: Cell, run: TopologyRun) -> list[tuple[Run, Output]]:
    """All runs of the cell with their outputs, in order.

    Raises `CellFailure` when one is missing, is not what was asked for, or went elsewhere.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in runs(cell):
        output = parse_output(data_of(node, each.name), each.name)
        if (output.requests, output.in_flight) != (each.requests, each.in_flight):
            raise CellFailure(f"Run {each.name}: its report is of another run.")
        if each.each and not output.each:
            raise CellFailure(f"Run {each.name}: its report has no line for each request.")
        check_driver(cell, output.driver)
        _check_share(cell, node, each, output)
        found.append((each, output))
    return found


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `crypto_requests`, `crypto_bytes` and how many of the requests were
    `crypto_asynchronous`, of all runs together; `cores.NAME.COUNTER`, what the board's cores did.

    Raises `CellFailure` as `cell_outputs` does, and when the cores did none of the work, or any in
    that of another implementation.
    """
    outputs = [output for _, output in cell_outputs(cell, run)]
    return {
        "crypto_requests": sum(output.requests for output in outputs),
        "crypto_bytes": sum(output.requests * output.size for output in outputs),
        "crypto_asynchronous": sum(output.asynchronous for output in outputs),
        **cores_proof(cell, run.nodes[cell.measured]),
    }


def _check_share(cell: Cell, node: NodeResult, run: Run, output: Output) -> None:
    """A driver of a device did what it should of a run."""
    if output.asynchronous < output.requests and cell.implementation == "virtio-crypto":
        raise CellFailure(
            f"Run {run.name}: the device had {output.asynchronous} of {output.requests} requests."
        )
    if cell.implementation == "hardware" and output.size >= LARGE:
        check_share(cell, node, run.name, output.bytes_with_warm_up)
