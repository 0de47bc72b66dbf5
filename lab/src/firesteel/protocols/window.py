# SPDX-License-Identifier: Apache-2.0
"""A node's work between two of its marks; a run that did not do its work has failed."""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import SIZE_CLASSES, Mark, NodeResult


class CellFailure(FiresteelError):  # noqa: N818 - the cell fails, the program does not err
    """A run whose traffic or data are not what was asked for: it gives no figures."""


LEAST_WINDOW = 0.98
"""How long the measured node's window is at the least, as a share of the client's."""

_COUNTS = {
    "irq_ns": "irq_ns",
    "softirq_ns": "softirq_ns",
    "interrupts": "intr",
    "context_switches": "ctxt",
}
"""Lines of one number that stand beside a mark, of /proc/stat and of our own."""

_COUNTED = 8
"""Columns that `top` adds up; those behind them are parts of the first two (proc_stat(5))."""

_IDLE = (3, 4)
"""The columns of them in which the CPU did nothing."""

_TICK_NS = 10**7
"""What /proc/stat counts in, whatever the kernel's tick (time(7))."""


@dataclass(frozen=True)
class Ticks:
    """The kernel's account of the time between two marks, from /proc/stat, in ns.  `busy` is
    sampled and `idle` is not, so their sum is not the window's length.
    """

    busy: int
    idle: int

    @property
    def share(self) -> float | None:
        """Busy ticks divided by all ticks, as `top` shows it; None if there were no ticks."""
        total = self.busy + self.idle
        return self.busy / total if total else None


@dataclass(frozen=True)
class Window:
    """Virtual time and counts between two marks; all times in ns.

    `busy` is when the CPU did not sleep, of several CPUs the sum of `by_cpu`; `user`, `irq` and
    `softirq` are parts of it.  `ticks` is what the kernel itself says of these.  `packets_*` are
    Ethernet frames on all of the node's ports, `sizes` their number by class, sent and received
    together.
    """

    elapsed: int
    by_cpu: tuple[int, ...]
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
    def busy(self) -> int:
        """When CPUs did not sleep."""
        return sum(self.by_cpu)

    @property
    def system(self) -> int:
        """Busy time in the kernel outside of interrupts."""
        return self.busy - self.user - self.irq - self.softirq


def window(node: NodeResult, name: str) -> Window:
    """What `node` did between its marks `NAME.begin` and `NAME.end`.

    Raises `CellFailure` when a mark, or what goes with it, is missing.
    """
    first, last = ends_of(node, name)
    before, after = _stat(node, f"{name}.begin"), _stat(node, f"{name}.end")
    grown = {field: value - before[field] for field, value in after.items()}
    sent, received = (_sum(last, each) - _sum(first, each) for each in ("tx_frames", "rx_frames"))
    return Window(
        elapsed=last.time_ns - first.time_ns,
        by_cpu=busy_by_cpu(first, last),
        user=last.user_ns - first.user_ns,
        irq=grown["irq_ns"],
        softirq=grown["softirq_ns"],
        ticks=_ticks([grown[f"tick{column}"] for column in range(_COUNTED)]),
        interrupts=grown["interrupts"],
        context_switches=grown["context_switches"],
        packets_sent=sent,
        packets_received=received,
        sizes=tuple(a - b for a, b in zip(_sizes(last), _sizes(first), strict=True)),
    )


def busy_between(first: Mark, last: Mark) -> int:
    """How long the CPU did not sleep, in ns; of several the sum, as in /proc/stat."""
    return sum(busy_by_cpu(first, last))


def busy_by_cpu(first: Mark, last: Mark) -> tuple[int, ...]:
    """How long each CPU did not sleep, in ns.

    A real machine's kernel counts idle time in ticks, by which it may exceed a short window.
    """
    before, after = (
        [each.time_ns - each.idle_ns for each in mark.cpus or (mark,)] for mark in (first, last)
    )
    return tuple(max(b - a, 0) for a, b in zip(before, after, strict=True))


def ends_of(node: NodeResult, name: str) -> tuple[Mark, Mark]:
    """The node's marks `NAME.begin` and `NAME.end`.

    Raises `CellFailure` when one is missing, or they are of the same instant.
    """
    first, last = mark_of(node, f"{name}.begin"), mark_of(node, f"{name}.end")
    if last.time_ns <= first.time_ns:
        raise CellFailure(f"Node {node.name}: the window {name} has no length.")
    return first, last


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


def _stat(node: NodeResult, mark: str) -> dict[str, int]:
    """What goes with a mark: counts by their names, and ticks by columns."""
    text = data_of(node, f"{mark}.cpu")
    split = map(str.split, text.decode(errors="replace").splitlines())
    lines = {words[0]: words[1:] for words in split if words}
    values: dict[str, int] = {}
    for field, name in _COUNTS.items():
        if not (found := lines.get(name)) or not found[0].isdigit():
            raise CellFailure(f"Node {node.name}: {mark}.cpu lacks {field}.")
        values[field] = int(found[0])
    # The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, …
    ticks = lines.get("cpu", [])[:_COUNTED]
    if len(ticks) < _COUNTED or not all(map(str.isdigit, ticks)):
        raise CellFailure(f"Node {node.name}: {mark}.cpu lacks the ticks of the CPU.")
    return values | {f"tick{column}": int(each) for column, each in enumerate(ticks)}


def _ticks(grown: Sequence[int]) -> Ticks:
    # As in `top`: the kernel says of idle time that it may seem to go back.
    idle = sum(max(grown[column], 0) for column in _IDLE)
    busy = sum(ticks for column, ticks in enumerate(grown) if column not in _IDLE)
    return Ticks(busy * _TICK_NS, idle * _TICK_NS)


def _sum(mark: Mark, counter: str) -> int:
    return sum(int(getattr(port, counter)) for port in mark.ports.values())


def _sizes(mark: Mark) -> tuple[int, ...]:
    """The frames of all ports by class, sent and received together."""
    found = [sizes for port in mark.ports.values() for sizes in (port.tx_sizes, port.rx_sizes)]
    return tuple(map(sum, zip(*found, strict=True))) or (0,) * len(SIZE_CLASSES)
