# SPDX-License-Identifier: Apache-2.0
"""What one node did between two of its marks; a run that did not do what it should has failed."""

import re
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.result import SIZE_CLASSES, Mark, NodeResult


class CellFailure(FiresteelError):  # noqa: N818 - the cell fails, the program does not err
    """A run whose traffic or data are not what was asked for: it gives no figures."""


_FIELDS = {
    "irq_ns": re.compile(rb"^irq_ns (\d+)$", re.MULTILINE),
    "softirq_ns": re.compile(rb"^softirq_ns (\d+)$", re.MULTILINE),
    "interrupts": re.compile(rb"^intr (\d+) ", re.MULTILINE),
    "context_switches": re.compile(rb"^ctxt (\d+)$", re.MULTILINE),
}

_TICKS = re.compile(rb"^cpu +(\d+(?: \d+){7,})$", re.MULTILINE)
"""The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, …"""

_COUNTED = 8
"""Columns that `top` adds up; those behind them are parts of the first two (proc_stat(5))."""

_IDLE = (3, 4)
"""The columns of them in which the CPU did nothing."""

_USER_HZ = 100
"""What /proc/stat counts a second in, whatever the kernel's tick (time(7))."""


@dataclass(frozen=True)
class Ticks:
    """How the kernel parts the time between two marks in /proc/stat, in ns: its own account, of
    which `busy` is sampled and `idle` is not, so that the sum is not the window's length.
    """

    busy: int
    idle: int

    @property
    def share(self) -> float | None:
        """Busy ticks by all ticks, as `top` has it; None where there were none."""
        total = self.busy + self.idle
        return self.busy / total if total else None


@dataclass(frozen=True)
class Window:
    """Virtual time and counts between two marks; all times in ns.

    `busy` is when the CPU did not sleep; `user`, `irq` and `softirq` are parts of it.  `ticks` is
    what the kernel itself says of these.  `packets_*` and `bytes_*` are Ethernet frames on all of
    the node's ports, `sizes` their number by class, sent and received together.
    """

    elapsed: int
    busy: int
    user: int
    irq: int
    softirq: int
    ticks: Ticks
    interrupts: int
    context_switches: int
    packets_sent: int
    packets_received: int
    sizes: tuple[int, ...]

    @property
    def system(self) -> int:
        """Busy time in the kernel outside of interrupts."""
        return self.busy - self.user - self.irq - self.softirq


def window(node: NodeResult, name: str) -> Window:
    """What `node` did between its marks `NAME.begin` and `NAME.end`.

    Raises `CellFailure` when a mark, or what goes with it, is missing.
    """
    first, last = mark_of(node, f"{name}.begin"), mark_of(node, f"{name}.end")
    before, after = _cpu(node, f"{name}.begin"), _cpu(node, f"{name}.end")
    elapsed = last.time_ns - first.time_ns
    if elapsed <= 0:
        raise CellFailure(f"Node {node.name}: the window {name} has no length.")
    return Window(
        elapsed=elapsed,
        busy=busy_between(first, last),
        user=last.user_ns - first.user_ns,
        irq=after["irq_ns"] - before["irq_ns"],
        softirq=after["softirq_ns"] - before["softirq_ns"],
        ticks=_ticks_between(node, f"{name}.begin", f"{name}.end"),
        interrupts=after["interrupts"] - before["interrupts"],
        context_switches=after["context_switches"] - before["context_switches"],
        packets_sent=_sum(last, "tx_frames") - _sum(first, "tx_frames"),
        packets_received=_sum(last, "rx_frames") - _sum(first, "rx_frames"),
        sizes=tuple(a - b for a, b in zip(_sizes(last), _sizes(first), strict=True)),
    )


def busy_between(first: Mark, last: Mark) -> int:
    """How long the CPU did not sleep, in ns."""
    return last.time_ns - first.time_ns - (last.idle_ns - first.idle_ns)


def mark_of(node: NodeResult, name: str) -> Mark:
    """The node's mark of that name; `CellFailure` when it made none."""
    try:
        return node.mark(name)
    except KeyError:
        raise CellFailure(f"Node {node.name} never made the mark {name}.") from None


def data_of(node: NodeResult, name: str) -> bytes:
    """The node's data item of that name; `CellFailure` when it sent none."""
    if name not in node.data:
        raise CellFailure(f"Node {node.name} sent no data named {name}.")
    return node.data[name]


def _cpu(node: NodeResult, mark: str) -> dict[str, int]:
    text = data_of(node, f"{mark}.cpu")
    values: dict[str, int] = {}
    for field, pattern in _FIELDS.items():
        found = pattern.search(text)
        if not found:
            raise CellFailure(f"Node {node.name}: {mark}.cpu lacks {field}.")
        values[field] = int(found[1])
    return values


def _ticks_between(node: NodeResult, first: str, last: str) -> Ticks:
    before, after = _ticks(node, first), _ticks(node, last)
    grown = [now - then for then, now in zip(before, after, strict=True)]
    # As in `top`: the kernel says of idle time that it may seem to go back.
    idle = sum(max(grown[column], 0) for column in _IDLE)
    busy = sum(ticks for column, ticks in enumerate(grown) if column not in _IDLE)
    return Ticks(busy * 10**9 // _USER_HZ, idle * 10**9 // _USER_HZ)


def _ticks(node: NodeResult, mark: str) -> list[int]:
    found = _TICKS.search(data_of(node, f"{mark}.cpu"))
    if not found:
        raise CellFailure(f"Node {node.name}: {mark}.cpu lacks the ticks of the CPU.")
    return [int(column) for column in found[1].split()[:_COUNTED]]


def _sum(mark: Mark, counter: str) -> int:
    return sum(int(getattr(port, counter)) for port in mark.ports.values())


def _sizes(mark: Mark) -> tuple[int, ...]:
    totals = [0] * len(SIZE_CLASSES)
    for port in mark.ports.values():
        for sizes in (port.tx_sizes, port.rx_sizes):
            totals = [total + size for total, size in zip(totals, sizes, strict=True)]
    return tuple(totals)
