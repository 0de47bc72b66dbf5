# SPDX-License-Identifier: Apache-2.0
"""What else was in use during a measurement: the other nodes' CPUs, the links, the cores.

With the measured node's own CPU use these figures say what limited it (`analysis.bound`).
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from firesteel.board.result import NodeResult, PortCounters, TopologyRun
from firesteel.board.topology import Link
from firesteel.model.cell import Cell
from firesteel.protocols.offload import cores_growth, offloaded_percent
from firesteel.protocols.window import CellFailure, Window, mark_of
from firesteel.workloads.rows import Value

_GAP_BYTES = 24
"""What a frame takes of the wire besides its own bytes: preamble, FCS, and the gap to the next one
(docs/lockstep.md)."""

FULL_FRAME_BYTES = 1514 + _GAP_BYTES
"""What the largest one takes of it."""


class Transferred(Protocol):
    """What a transfer took."""

    @property
    def seconds(self) -> float:
        """How long."""

    @property
    def throughput(self) -> float:
        """In MB/s."""


_UNSURE = 1e-2
"""Of a transfer's time, where it is the difference of two files': each of them begins and ends with
interrupts that the controller delays, and TCP opens its window in the first one.  A few frames
beside a file's are counted with it, too.
"""

_LEAST_QUEUE = 2
"""Frames that a port takes ahead of the wire whatever its link's queue."""


def load_values(
    cell: Cell, run: TopologyRun, name: str, measured_ns: float | None = None
) -> Iterator[Value]:
    """Of the window between every node's marks `NAME.begin` and `NAME.end`, or of the
    `measured_ns` within it that the figures are of.  Another node may mark the end later than the
    measured one, as word of it has to come over the same link: what it did is of the same time.

    Raises `CellFailure` when a mark is missing or a link carried more than it can.
    """
    measured = run.nodes[cell.measured]
    elapsed = measured_ns or _elapsed(measured, name)
    if len(run.nodes) > 1:
        others = [node for node in run.nodes.values() if node.name != cell.measured]
        yield "peer_cpu", 100 * sum(_busy(node, name) for node in others) / elapsed
        used = _link_use(run, name, measured_ns)
        yield "link_use", min(100 * used, 100)
    if cell.on_cores:
        yield "core_busy", min(100 * _core_busy(measured, name) / elapsed, 100)


def offload_values(cell: Cell, node: NodeResult, name: str, size: int) -> Iterator[Value]:
    """Of a hardware cell: how much of a window's `size` bytes the measured node's cores did."""
    if cell.on_cores:
        yield "offloaded", offloaded_percent(cell, node, name, size)


def cpu_values(during: Window) -> Iterator[Value]:
    """What the measured node's CPU did in a window, and its packets."""
    parts = {
        "cpu": during.busy,
        "cpu_user": during.user,
        "cpu_system": during.system,
        "cpu_softirq": during.softirq,
        "cpu_irq": during.irq,
    }
    for metric, time in parts.items():
        yield metric, 100 * time / during.elapsed
    yield from tick_values(during)
    yield "context_switches", during.context_switches
    yield "interrupts", during.interrupts
    yield "packets_sent", during.packets_sent
    yield "packets_received", during.packets_received


def tick_values(during: Window) -> Iterator[Value]:
    """What the measured node's kernel itself says of `cpu`, by its ticks; nothing of a window so
    short that there were none.
    """
    share = during.ticks.share
    if share is not None:
        yield "cpu_tick", 100 * share
        yield "cpu_tick_busy", 100 * during.ticks.busy / during.elapsed


def wire_bytes(before: PortCounters, after: PortCounters) -> int:
    """How much of the wire a port's frames took, in the busier direction, in bytes.

    Padding is left out, so that it is no more than they took.
    """
    sent = after.tx_bytes - before.tx_bytes + _GAP_BYTES * (after.tx_frames - before.tx_frames)
    received = after.rx_bytes - before.rx_bytes + _GAP_BYTES * (after.rx_frames - before.rx_frames)
    return max(sent, received)


def least_seconds(
    cell: Cell, run: TopologyRun, receiver: NodeResult, transfer: Transferred, names: Sequence[str]
) -> float:
    """The time that the receiver's links needed for the frames that carried a transfer: those of
    the first window in `names` without those of the other, if there is one.

    No transfer takes less.  Raises `CellFailure` when one is said to have taken so much less that
    its figure must be wrong.
    """
    links = {port.interface: port.link for port in run.topology.ports(receiver.name)}
    most = 0.0
    for interface, link in links.items():
        sizes = [_received(receiver, name, interface) for name in names]
        carried = sizes[0] - sum(sizes[1:])
        needed = _wire_ns(link, carried - _ahead(link)) / 1e9
        most = max(most, needed)
        if needed > transfer.seconds * (1 + _UNSURE):
            raise CellFailure(
                f"Cell {cell.label}: {transfer.throughput:.2f} MB/s is impossible: its frames used "
                f"{carried} bytes of the link `{link.name}`, for which it needs {needed:.6f} s at "
                f"{link.rate_bit_s} bit/s, and {transfer.seconds:.6f} s were measured."
            )
    return most


def _received(node: NodeResult, name: str, interface: str) -> int:
    """The bytes of the wire that a port's received frames took in a window."""
    first, last = (mark_of(node, f"{name}.{which}").ports[interface] for which in ("begin", "end"))
    return last.rx_bytes - first.rx_bytes + _GAP_BYTES * (last.rx_frames - first.rx_frames)


def _link_use(run: TopologyRun, name: str, measured_ns: float | None) -> float:
    """The share of the time in which the busiest cable was busy, in its busier direction."""
    most = 0.0
    for node in run.nodes.values():
        first, last = mark_of(node, f"{name}.begin"), mark_of(node, f"{name}.end")
        elapsed = last.time_ns - first.time_ns
        links = {port.interface: port.link for port in run.topology.ports(node.name)}
        for interface, after in last.ports.items():
            link, carried = links[interface], wire_bytes(first.ports[interface], after)
            _check_rate(node, link, carried, elapsed)
            most = max(most, _wire_ns(link, carried) / (measured_ns or elapsed))
    return most


def _check_rate(node: NodeResult, link: Link, carried: int, elapsed: int) -> None:
    if _wire_ns(link, carried - _ahead(link)) > elapsed:
        raise CellFailure(
            f"Node {node.name}: in {elapsed / 1e6:.3f} ms {carried} bytes passed the link "
            f"`{link.name}`, which at {link.rate_bit_s} bit/s carries "
            f"{elapsed * link.rate_bit_s // (8 * 10**9)}."
        )


def _ahead(link: Link) -> int:
    """Frames are counted when a port takes them, so as many as wait for the wire may be ahead."""
    return (max(link.queue_frames, _LEAST_QUEUE) + 1) * FULL_FRAME_BYTES


def _wire_ns(link: Link, size: int) -> float:
    return size * 8e9 / link.rate_bit_s


def _elapsed(node: NodeResult, name: str) -> int:
    elapsed = mark_of(node, f"{name}.end").time_ns - mark_of(node, f"{name}.begin").time_ns
    if elapsed <= 0:
        raise CellFailure(f"Node {node.name}: the window {name} has no length.")
    return elapsed


def _busy(node: NodeResult, name: str) -> int:
    """How long the node's CPU did not sleep, in ns."""
    first, last = mark_of(node, f"{name}.begin"), mark_of(node, f"{name}.end")
    return _elapsed(node, name) - (last.idle_ns - first.idle_ns)


def _core_busy(node: NodeResult, name: str) -> int:
    """How long the busiest engine computed, in ns; a window of cores has one of each kind."""
    growth = cores_growth(node, f"{name}.begin", f"{name}.end")
    return max((ns for counter, ns in growth.items() if counter.endswith("_busy_ns")), default=0)
