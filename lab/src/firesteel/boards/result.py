# SPDX-License-Identifier: Apache-2.0
"""What a run of a topology gives back: marks, data, consoles and the trace's digest; and how they
are read from the probe device's log and the lockstep's trace (docs/lockstep.md).

The log has one JSON object a line.  It is the only source of figures, so whatever is not exactly as
the device writes it is an error that names the line.
"""

import base64
import binascii
import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.boards.topology import Topology

SIZE_CLASSES: tuple[tuple[int, int | None], ...] = (
    *((0, 19), (20, 39), (40, 79), (80, 159), (160, 319), (320, 639), (640, 1279), (1280, 2559)),
    (2560, None),
)
"""The packet-size classes of the published table 5.8, from Wireshark's statistics; the last has no
upper bound.
"""

_Count = Annotated[int, Field(ge=0, strict=True)]
_Sizes = Annotated[
    tuple[_Count, ...], Field(min_length=len(SIZE_CLASSES), max_length=len(SIZE_CLASSES))
]


@dataclass(frozen=True)
class PortCounters:
    """A lockstep port's counters since power-on.  Sizes are Ethernet frame bytes without FCS.

    `tx_sizes`/`rx_sizes` count frames by class; class i holds sizes from `SIZE_CLASSES[i][0]` to
    `SIZE_CLASSES[i][1]` inclusive, the last one all that are larger.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    tx_frames: _Count
    tx_bytes: _Count
    rx_frames: _Count
    rx_bytes: _Count
    rx_dropped: _Count
    tx_dropped: _Count
    tx_stalls: _Count
    tx_sizes: _Sizes
    rx_sizes: _Sizes


@dataclass(frozen=True)
class CpuClock:
    """The clock of one of several CPUs: `time_ns` is what `instructions` (or `units` of cycles, on
    that clock) take, and `idle_ns`, `stalled_ns` and `waited_ns`, to the nanosecond.  `waited_ns`
    is time that the CPU waited for another CPU's event.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    time_ns: _Count
    instructions: _Count
    units: _Count
    idle_ns: _Count
    stalled_ns: _Count
    waited_ns: _Count
    user_ns: _Count


@dataclass(frozen=True)
class Mark:
    """A named instant of a board, all times in virtual nanoseconds since power-on.

    `idle_ns` is time the CPU slept, `stalled_ns` time charged by slow registers, `user_ns` time in
    user mode.  Busy time is `time_ns - idle_ns`.  `cores` are the counters of each window of crypto
    cores, by the names of window and counter.  `cycles` are the charges of the cost model, if the
    clock counts cycles: `units`, and the number of each event.  `cpus` are the clocks of several
    CPUs, of which the mark's own figures, but for its time, are the sums.  A node's last mark,
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
    cpus: tuple[CpuClock, ...] = ()


@dataclass(frozen=True)
class Transit:
    """The time that a node took to forward the frames of a stream: from each frame's complete
    arrival to the start of its departure.  `elapsed_ns` spans the first arrival and the last
    departure.
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
    """One node's log: its marks in order, data items by name, and its console text.  `profile` is
    the node's board, and `large_frames` has the arrivals of frames that carry data.  `transits` has
    the forwarding times by window.
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


VERSION = 2
"""The version of the log that is understood."""

POWER_OFF = "power-off"
"""The name given to the log's last record, which an orderly power-off makes."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Start(_Record):
    kind: Literal["start"]
    version: int


class _Instant(_Record):
    kind: Literal["mark", "end"]
    name: str = ""
    time_ns: _Count
    instructions: _Count
    idle_ns: _Count
    stalled_ns: _Count
    user_ns: _Count
    ports: dict[str, PortCounters]
    cores: dict[str, dict[str, _Count]]
    cycles: dict[str, _Count] | None = None
    cpus: tuple[CpuClock, ...] = ()


class _Data(_Record):
    kind: Literal["data"]
    name: str
    time_ns: _Count
    bytes: _Count
    base64: str


_Line = Annotated[_Start | _Instant | _Data, Field(discriminator="kind")]
_LINE: TypeAdapter[_Start | _Instant | _Data] = TypeAdapter(_Line)


class ProbeLogError(FiresteelError):
    """A log that is not as the device writes it; the text names file and line."""


@dataclass
class ProbeLog:
    """What a node wrote: marks in order, data by name, and whether it ended in order.

    A log that `ended` has a last mark named `power-off`, made by the device.
    """

    marks: tuple[Mark, ...] = ()
    data: dict[str, bytes] = field(default_factory=dict)
    started: bool = False
    ended: bool = False
    time_ns: int = 0

    def take(self, record: _Start | _Instant | _Data) -> None:
        """The next record; `ValueError` says why it cannot stand where it does."""
        if isinstance(record, _Start):
            if self.started:
                raise ValueError("is a second start record")
            if record.version != VERSION:
                raise ValueError(f"log version {record.version} is unknown; allowed is {VERSION}")
            self.started = True
            return
        if not self.started:
            raise ValueError("comes before the start record")
        if self.ended:
            raise ValueError("comes after the end record")
        if record.time_ns < self.time_ns:
            raise ValueError(f"goes back in time, from {self.time_ns} to {record.time_ns} ns")
        self.time_ns = record.time_ns
        if isinstance(record, _Data):
            self.data[record.name] = self._content(record)
            return
        self.ended = record.kind == "end"
        if self.ended == bool(record.name):
            raise ValueError("is a mark without a name, or an end with one")
        known = {key: value for key, value in record if key != "kind"}
        self.marks += (Mark(**known | ({"name": POWER_OFF} if self.ended else {})),)

    def _content(self, record: _Data) -> bytes:
        what = f"data item `{record.name}`"
        if record.name in self.data:
            raise ValueError(f"{what} comes twice")
        try:
            content = base64.b64decode(record.base64, validate=True)
        except binascii.Error:
            raise ValueError(f"{what} is not base64") from None
        if len(content) != record.bytes:
            raise ValueError(f"{what} has {len(content)} bytes but says {record.bytes}")
        return content


def read_probe_log(path: Path) -> ProbeLog:
    """The log in the file `path`; raises `ProbeLogError` when it is damaged.

    A log without an end is whole as far as it goes: its node still runs or was stopped.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ProbeLogError(f"{path}: cannot be read: {error.strerror}.") from None
    if lines.pop():
        raise ProbeLogError(f"{path}, line {len(lines) + 1}: is cut short.")
    log = ProbeLog()
    for number, line in enumerate(lines, start=1):
        try:
            log.take(_LINE.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "record"
            found = json.dumps(first["input"], default=str)[:60]
            why = f"{place} is {found}: {first['msg']}"
            raise ProbeLogError(f"{path}, line {number}: {why}.") from None
        except ValueError as error:
            raise ProbeLogError(f"{path}, line {number}: {error}.") from None
    if not log.started:
        raise ProbeLogError(f"{path}: is empty.")
    return log


LARGE_FRAME = 600
"""Bytes from which on a frame carries data; acknowledgements and control messages are shorter."""


def large_frames(path: Path) -> Sequence[int]:
    """When each large frame arrived that the node took, in virtual ns, in order."""
    return array(
        "q",
        (
            time
            for kind, time, (_, length) in _frames(path)
            if kind == "rx" and length >= LARGE_FRAME
        ),
    )


_TRANSIT = "transit-"

_Stream = tuple[str, int]
"""Frames of one port and one length."""

_Streams = dict[_Stream, list[int]]
"""When frames came whole, or began to go, by stream."""


def transits(path: Path, marks: Sequence[Mark]) -> dict[str, Transit]:
    """How long the node took to pass frames on in each of its windows `transit-*`, by the window.

    They have the commonest length that one port received.  The forwarded frames have a length of
    which another port sent as many.  A fragmented frame is forwarded when its last part is.  A
    window in which it sent fewer or more of all lengths is left out.
    """
    times = {mark.name: mark.time_ns for mark in marks}
    windows = {
        name: (begin, times[f"{name}.end"])
        for mark, begin in times.items()
        if (name := mark.removesuffix(".begin")) != mark
        and name.startswith(_TRANSIT)
        and f"{name}.end" in times
    }
    come: dict[str, _Streams] = {name: defaultdict(list) for name in windows}
    gone: dict[str, _Streams] = {name: defaultdict(list) for name in windows}
    for kind, time, stream in _frames(path) if windows else ():
        for name, (begin, end) in windows.items():
            if begin <= time <= end:
                (come if kind == "rx" else gone)[name][stream].append(time)
    found = {name: _transit(come[name], gone[name]) for name in windows}
    return {name: transit for name, transit in found.items() if transit}


def _frames(path: Path) -> Iterator[tuple[str, int, _Stream]]:
    with path.open(encoding="ascii") as trace:
        for line in trace:
            words = line.split()
            if words[0] == "tx":
                yield "tx", int(words[1]), (words[3], int(words[4]))
            elif words[0] == "rx" and words[5] == "taken":
                yield "rx", int(words[1]), (words[2], int(words[3]))


def _transit(come: _Streams, gone: _Streams) -> Transit | None:
    if not come:
        return None
    counts = Counter({stream: len(times) for stream, times in come.items()})
    stream, count = counts.most_common(1)[0]
    parts = [
        times for (port, _), times in gone.items() if port != stream[0] and len(times) == count
    ]
    if not parts:
        return None
    begun, ended = come[stream], list(map(max, zip(*parts, strict=True)))
    took = sorted(end - begin for begin, end in zip(begun, ended, strict=True))
    return Transit(
        frames=count,
        elapsed_ns=ended[-1] - begun[0],
        total_ns=sum(took),
        least_ns=took[0],
        median_ns=took[(count - 1) // 2],
        p99_ns=took[-(-99 * count // 100) - 1],
        most_ns=took[-1],
    )
