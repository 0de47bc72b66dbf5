# SPDX-License-Identifier: Apache-2.0
"""What cells that are measured within one board share: the board, and the driver it needs."""

from collections.abc import Mapping

from firesteel.board.profile import Profile, load_profile
from firesteel.board.result import NodeResult
from firesteel.board.topology import Topology
from firesteel.cell import Cell, Implementation
from firesteel.errors import FiresteelError
from firesteel.jobs.failure import CellFailure
from firesteel.jobs.window import mark_of

_DRIVERS: Mapping[Implementation, str] = {
    "software": "",
    "hardware": "firesteel",
    "virtio-crypto": "virtio_crypto",
}

_EXPECTED_PERCENT = 95
"""Of the bytes of large requests: the driver takes the core where that costs less than software,
which with 4 KiB it does on every board."""

LARGE = 4096
"""Bytes of a request from which on the cores must do their part."""

_MARKS = {"hardware": "firesteel", "virtio-crypto": "virtio"}
"""What is in the names of the algorithms that a driver registers."""


def only_node(cell: Cell, topology: Topology) -> str:
    """The one node of the cell's topology; `FiresteelError` when there are more."""
    nodes = list(topology.nodes)
    if len(nodes) != 1:
        raise FiresteelError(
            f"Cell {cell.label}: it is measured on one board, and the topology `{cell.topology}` "
            f"has {len(nodes)}; allowed is `one-board` or another of one node."
        )
    return nodes[0]


def driver_module(cell: Cell) -> str:
    """The kernel module of the cell's implementation, with its parameters, as modprobe has them;
    empty for software.

    Raises `FiresteelError` when the measured board has no such device.
    """
    name = cell.profiles[cell.measured]
    if not _has_device(load_profile(name), cell.implementation):
        what = "virtio_crypto" if cell.implementation == "virtio-crypto" else "cores"
        raise FiresteelError(
            f"Cell {cell.label}: the profile `{name}` of node `{cell.measured}` has no {what}; "
            "take another profile or implementation."
        )
    driver = _DRIVERS[cell.implementation]
    return f"{driver} completion={cell.completion}" if cell.completion else driver


def check_driver(cell: Cell, driver: str) -> None:
    """`driver` is what the kernel calls the algorithm that was measured.

    Raises `CellFailure` when it is not of the cell's implementation.
    """
    found = [name for name, mark in _MARKS.items() if mark in driver] or ["software"]
    if found != [cell.implementation]:
        raise CellFailure(
            f"Cell {cell.label}: the kernel took {driver}, which is {' and '.join(found)}."
        )


def cores_growth(node: NodeResult, begin: str, end: str) -> dict[str, int]:
    """What each counter of the node's cores grew by between two marks, as `cores.NAME.COUNTER`."""
    before, after = mark_of(node, begin).cores, mark_of(node, end).cores
    return {
        f"cores.{name}.{counter}": value - before[name][counter]
        for name, counters in after.items()
        for counter, value in counters.items()
    }


def cores_proof(cell: Cell, node: NodeResult) -> dict[str, int]:
    """What each counter of the cores grew by from before the first measurement to after the last.

    Raises `CellFailure` when they worked for another implementation.
    """
    growth = cores_growth(node, "proof.before", "proof.after")
    if cell.implementation != "hardware" and any(growth.values()):
        raise CellFailure(f"Cell {cell.label}: the cores had a part in it.")
    return growth


def offloaded_percent(node: NodeResult, run: str, size: int) -> float:
    """How much of `size` bytes the cores worked on between the marks `RUN.begin` and `RUN.end`."""
    growth = cores_growth(node, f"{run}.begin", f"{run}.end")
    return min(100.0, 100 * _offloaded_bytes(growth) / size)


def check_share(node: NodeResult, run: str, size: int) -> None:
    """Raises `CellFailure` when the cores did not do their part of a run of `size` bytes."""
    percent = offloaded_percent(node, run, size)
    if percent < _EXPECTED_PERCENT:
        raise CellFailure(
            f"Run {run}: the cores worked on {percent:.0f} % of {size} bytes; expected are "
            f"{_EXPECTED_PERCENT} % at least."
        )


def _offloaded_bytes(growth: Mapping[str, int]) -> int:
    """Bytes of messages that AES and hash cores worked on."""
    return sum(
        count for name, count in growth.items() if name.endswith((".aes_bytes", ".hash_bytes"))
    )


def _has_device(profile: Profile, implementation: Implementation) -> bool:
    if implementation == "hardware":
        return any(cores.aes or cores.hash for cores in profile.cores)
    return implementation == "software" or profile.virtio_crypto
