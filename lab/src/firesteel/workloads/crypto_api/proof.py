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
from firesteel.workloads.crypto_api.report import Report, parse_report


def cell_reports(cell: Cell, run: TopologyRun) -> list[tuple[Run, Report]]:
    """All runs of the cell with their reports, in order.

    Raises `CellFailure` when one is missing, is not what was asked for, or went elsewhere.
    """
    node = run.nodes[cell.measured]
    found = []
    for each in runs(cell):
        report = parse_report(data_of(node, each.name), each.name)
        if (report.requests, report.in_flight) != (each.requests, each.in_flight):
            raise CellFailure(f"Run {each.name}: its report is of another run.")
        if each.each and not report.each:
            raise CellFailure(f"Run {each.name}: its report has no line for each request.")
        check_driver(cell, report.driver)
        _check_share(cell, node, each, report)
        found.append((each, report))
    return found


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters by name: `crypto_requests`, `crypto_bytes` and how many of the requests were
    `crypto_asynchronous`, of all runs together; `cores.NAME.COUNTER`, what the board's cores did.

    Raises `CellFailure` as `cell_reports` does, and when the cores did none of the work, or any in
    that of another implementation.
    """
    reports = [report for _, report in cell_reports(cell, run)]
    return {
        "crypto_requests": sum(report.requests for report in reports),
        "crypto_bytes": sum(report.requests * report.size for report in reports),
        "crypto_asynchronous": sum(report.asynchronous for report in reports),
        **cores_proof(cell, run.nodes[cell.measured]),
    }


def _check_share(cell: Cell, node: NodeResult, run: Run, report: Report) -> None:
    """A driver of a device did what it should of a run."""
    if report.asynchronous < report.requests and cell.implementation == "virtio-crypto":
        raise CellFailure(
            f"Run {run.name}: the device had {report.asynchronous} of {report.requests} requests."
        )
    if cell.implementation == "hardware" and report.size >= LARGE:
        check_share(cell, node, run.name, report.bytes_with_warm_up)
