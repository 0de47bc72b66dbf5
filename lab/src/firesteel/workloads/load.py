# SPDX-License-Identifier: Apache-2.0
"""What else was in use during a measurement: the other nodes' CPUs, the links, the cores, the disk.

With the measured node's own CPU use these figures say what limited it (`judge.bound`).
"""

from collections.abc import Iterator, Mapping, Sequence

from firesteel.boards.profile import STORAGE, Storage
from firesteel.boards.result import NodeResult, PortCounters, TopologyRun
from firesteel.boards.topology import Link
from firesteel.model.cell import Cell
from firesteel.model.metrics import EACH_CPU
from firesteel.protocols.offload import cores_growth, offloaded_percent
from firesteel.protocols.window import (
    CellFailure,
    Window,
    busy_between,
    busy_by_cpu,
    ends_of,
)
from firesteel.workloads.workload import Value

_GAP_BYTES = 24
"""What a frame takes of the wire besides its own bytes: preamble, FCS, and the gap to the next one
(docs/lockstep.md)."""

FULL_FRAME_BYTES = 1514 + _GAP_BYTES
"""What the largest one takes of it."""

_UNSURE = 2e-2
"""Of a transfer's time, where it is the difference of two files': each of them begins and ends with
interrupts that the controller delays, and TCP opens its window in the first one, later where one
CPU waits for another.  A few frames beside a file's are counted with it, too.
"""

_BEGINNING = 5e-3
"""Seconds by which TCP's beginnings of two files may differ: some round trips.  On a fast link with
short files this is more than `_UNSURE`.
"""

_LEAST_QUEUE = 2
"""Frames that a port takes ahead of the wire whatever its link's queue."""


def load_values(
    cell: Cell, run: TopologyRun, name: str, measured_ns: float | None = None
) -> Iterator[Value]:
    """Load in the window between every node's marks `NAME.begin` and `NAME.end`, or in the part
    `measured_ns` of it that the figures cover.  Another node may mark the end later than the
    measured one, as word of it has to come over the same link: what it did is of the same time.

    Raises `CellFailure` when a mark is missing or a link carried more than it can.
    """
    measured = run.nodes[cell.measured]
    first, last = ends_of(measured, name)
    elapsed = measured_ns or last.time_ns - first.time_ns
    by_cpu = [100 * busy / elapsed for busy in busy_by_cpu(first, last)]
    if len(by_cpu) > 1:
        yield "cpu_busiest", max(by_cpu)
        if len(by_cpu) <= len(EACH_CPU):
            yield from zip(EACH_CPU, by_cpu, strict=False)
    if len(run.nodes) > 1:
        others = [node for node in run.nodes.values() if node.name != cell.measured]
        busy = sum(busy_between(*ends_of(node, name)) for node in others)
        yield "peer_cpu", 100 * busy / elapsed
        yield "link_use", min(100 * _link_use(run, name, measured_ns), 100)
    if cell.on_cores:
        # A window of cores has one engine of each kind; the busiest counts.
        growth = cores_growth(measured, f"{name}.begin", f"{name}.end")
        times = [ns for counter, ns in growth.items() if counter.endswith("_busy_ns")]
        if times:  # A real machine's driver counts none.
            yield "core_busy", min(100 * max(times) / elapsed, 100)
    if storage := measured.profile.storage:
        busy_ns = _storage_ns(storage, first.cores[STORAGE], last.cores[STORAGE])
        yield "storage_busy", min(100 * busy_ns / elapsed, 100)


def offload_values(cell: Cell, node: NodeResult, name: str, size: int) -> Iterator[Value]:
    """The share of a window's `size` bytes that the measured node's cores did in a hardware
    cell.
    """
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
        yield "cpu_tick", 100 * share * len(during.by_cpu)
        yield "cpu_tick_busy", 100 * during.ticks.busy / during.elapsed


def least_seconds(
    cell: Cell, run: TopologyRun, receiver: NodeResult, seconds: float, names: Sequence[str]
) -> float:
    """The time of the receiver's links for the frames that carried a transfer: the frames of the
    first window in `names`, without the frames of the second, if given.

    No transfer takes less.  Raises `CellFailure` when one is said to have taken so much less that
    its figure must be wrong.
    """
    most = 0.0
    for port in run.topology.ports(receiver.name):
        link, sizes = port.link, []
        for name in names:
            first, last = (mark.ports[port.interface] for mark in ends_of(receiver, name))
            sizes.append(_wire_bytes(first, last)[0])
        carried = sizes[0] - sum(sizes[1:])
        needed = _wire_ns(link, carried - _ahead(link)) / 1e9
        most = max(most, needed)
        if needed - seconds > max(_UNSURE * seconds, _BEGINNING):
            raise CellFailure(
                f"Cell {cell.label}: a transfer in {seconds:.6f} s is impossible: its frames used "
                f"{carried} bytes of the link `{link.name}`, for which it needs {needed:.6f} s at "
                f"{link.rate_bit_s} bit/s."
            )
    return most


def _storage_ns(storage: Storage, before: Mapping[str, int], after: Mapping[str, int]) -> float:
    """How long the medium transferred; or, if that is longer, how long each place in the queue was
    taken in the mean.
    """
    grown = {counter: count - before[counter] for counter, count in after.items()}
    seconds = (
        grown["read_bytes"] / storage.read_byte_s + grown["written_bytes"] / storage.write_byte_s
    )
    return max(1e9 * seconds, grown["busy_ns"] / storage.queue_depth)


def _wire_bytes(before: PortCounters, after: PortCounters) -> tuple[int, int]:
    """How much of the wire the frames took that a port received and sent, in bytes.

    Padding is left out, so that it is no more than they took.
    """
    received = after.rx_bytes - before.rx_bytes + _GAP_BYTES * (after.rx_frames - before.rx_frames)
    sent = after.tx_bytes - before.tx_bytes + _GAP_BYTES * (after.tx_frames - before.tx_frames)
    return received, sent


def _link_use(run: TopologyRun, name: str, measured_ns: float | None) -> float:
    """The share of the time in which the busiest cable was busy, in its busier direction."""
    most = 0.0
    for node in run.nodes.values():
        first, last = ends_of(node, name)
        elapsed = last.time_ns - first.time_ns
        links = {port.interface: port.link for port in run.topology.ports(node.name)}
        for interface, after in last.ports.items():
            link, carried = links[interface], max(_wire_bytes(first.ports[interface], after))
            if _wire_ns(link, carried - _ahead(link)) > elapsed:
                raise CellFailure(
                    f"Node {node.name}: in {elapsed / 1e6:.3f} ms {carried} bytes passed the link "
                    f"`{link.name}`, which at {link.rate_bit_s} bit/s carries "
                    f"{elapsed * link.rate_bit_s // (8 * 10**9)}."
                )
            most = max(most, _wire_ns(link, carried) / (measured_ns or elapsed))
    return most


def _ahead(link: Link) -> int:
    """Frames are counted when a port takes them, so as many as wait for the wire may be ahead."""
    return (max(link.queue_frames, _LEAST_QUEUE) + 1) * FULL_FRAME_BYTES


def _wire_ns(link: Link, size: int) -> float:
    return size * 8e9 / link.rate_bit_s
