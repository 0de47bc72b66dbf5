# SPDX-License-Identifier: Apache-2.0
"""The windows of a cell: between which marks of its job something is measured."""

from collections.abc import Sequence

from firesteel.model.cell import Cell, TransferPlan
from firesteel.model.figure import Figure
from firesteel.workloads.crypto_api.job import runs as crypto_runs
from firesteel.workloads.dm_crypt.job import runs as disk_runs
from firesteel.workloads.transfer import window_of


def windows(cell: Cell, figures: Sequence[Figure]) -> tuple[str, ...]:
    """The names of all windows of a cell with these figures, the main one first.

    The main one is the transfer, of several the last, which the figures are of; or all clients'
    handshakes with the first kind of keys; or the run with the largest blocks, the most of them
    under way: where offload has the most to do.
    """
    if cell.handshakes:
        return tuple(f"{key}-{which}" for key in cell.handshakes.keys for which in ("all", "one"))
    if cell.crypto:
        return _largest_first([(run.size, run.in_flight, run.name) for run in crypto_runs(cell)])
    if cell.disk:
        return _largest_first([(run.block, run.depth, run.name) for run in disk_runs(cell)])
    if cell.speed:
        return _largest_first([(size, 1, f"speed-{size}") for size in cell.speed.sizes])
    found = _transfers(cell.transfer, figures) if cell.transfer else []
    if cell.transfer and cell.protocol == "ssh":
        found.append("greeting")
    sizes = sorted(cell.ping.sizes, reverse=True) if cell.ping else []
    return (*found, *(f"ping-{size}" for size in sizes))


def _transfers(plan: TransferPlan, figures: Sequence[Figure]) -> list[str]:
    """The transfers that there were: how many is told by what was transferred, which is the last
    file without the first.
    """
    sizes = plan.sizes
    if len(sizes) > 1:
        (mebibytes,) = (each.value for each in figures if each.metric == "transferred")
        last = round(mebibytes * (1 << 20)) + sizes[0]
        sizes = tuple(size for size in sizes if size <= last)
    return [window_of(plan, size) for size in reversed(sizes)]


def _largest_first(runs: list[tuple[int, int, str]]) -> tuple[str, ...]:
    """Names by size, then by how much is under way at once; equal ones in their order."""
    ordered = sorted(runs, key=lambda run: (-run[0], -run[1]))
    return tuple(name for _, _, name in ordered)
