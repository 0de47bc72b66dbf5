# SPDX-License-Identifier: Apache-2.0
"""What a run of a topology gives back: marks, data, consoles, and the trace's digest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firesteel.board.profile import Profile
from firesteel.board.topology import Topology


@dataclass(frozen=True)
class PortCounters:
    """A lockstep port's counters since power-on.  Sizes are Ethernet frame bytes without FCS.

    `tx_sizes`/`rx_sizes` count frames by class; class i holds sizes from `SIZE_CLASSES[i][0]` to
    `SIZE_CLASSES[i][1]` inclusive, the last one all that are larger.
    """

    tx_frames: int
    tx_bytes: int
    rx_frames: int
    rx_bytes: int
    rx_dropped: int
    tx_dropped: int
    tx_stalls: int
    tx_sizes: tuple[int, ...]
    rx_sizes: tuple[int, ...]


SIZE_CLASSES: tuple[tuple[int, int | None], ...] = (
    (0, 19),
    (20, 39),
    (40, 79),
    (80, 159),
    (160, 319),
    (320, 639),
    (640, 1279),
    (1280, 2559),
    (2560, None),
)
"""The packet-size classes of the published table 5.8 (those of Wireshark's statistics);
the last has no upper bound."""


@dataclass(frozen=True)
class Mark:
    """A named instant of a board, all times in virtual nanoseconds since power-on.

    `idle_ns` is time the CPU slept, `stalled_ns` time charged by slow registers, `user_ns` time in
    user mode.  Busy time is `time_ns - idle_ns`.  `cores` are the counters of each window of crypto
    cores, by the window's name and the counter's; `cycles` what the cost model has charged, where
    the clock counts cycles: `units` and how often each event came.  A node's last mark,
    `power-off`, is made by the probe device itself.
    """

    name: str
    time_ns: int
    instructions: int
    idle_ns: int
    stalled_ns: int
    user_ns: int
    ports: dict[str, PortCounters] = field(default_factory=dict)
    cores: dict[str, dict[str, int]] = field(default_factory=dict)
    cycles: dict[str, int] | None = None


@dataclass(frozen=True)
class Transit:
    """How long a node took to pass on the frames of a stream: from when each had come whole to when
    it began to go; `elapsed_ns` is from when the first one had come to when the last one went.
    """

    frames: int
    elapsed_ns: int
    total_ns: int
    least_ns: int
    median_ns: int
    p99_ns: int
    most_ns: int


@dataclass(frozen=True)
class NodeResult:
    """One node's log: its marks in order, data items by name, and its console text; `profile` is
    what it was run as, `large_frames` when frames that carry data arrived, `transits` how long it
    took to pass frames on, by the window (`board.trace`).
    """

    name: str
    marks: tuple[Mark, ...]
    data: dict[str, bytes]
    console: str
    profile: Profile
    large_frames: Sequence[int] = ()
    transits: Mapping[str, Transit] = field(default_factory=dict)

    def mark(self, name: str) -> Mark:
        """The mark of that name; KeyError when the node never made it."""
        for mark in self.marks:
            if mark.name == name:
                return mark
        raise KeyError(name)


@dataclass(frozen=True)
class TopologyRun:
    """All nodes of one run to power-off, the digest of the lockstep trace (hex SHA-256), and the
    topology that was run.
    """

    nodes: dict[str, NodeResult]
    trace_digest: str
    topology: Topology
