# SPDX-License-Identifier: Apache-2.0
"""Reading the probe device's log: marks and data that a guest wrote, one JSON object a line.

The log is the only source of figures, so reading is strict: whatever is not exactly as the device
writes it is an error that names the line.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from firesteel.base.errors import FiresteelError
from firesteel.board.result import SIZE_CLASSES, Mark, PortCounters

VERSION = 2
"""The version of the log that is understood."""

POWER_OFF = "power-off"
"""The name given to the log's last record, which an orderly power-off makes."""

_Count = Annotated[int, Field(ge=0)]
_Sizes = Annotated[
    tuple[_Count, ...], Field(min_length=len(SIZE_CLASSES), max_length=len(SIZE_CLASSES))
]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Start(_Record):
    kind: Literal["start"]
    version: int


class _Port(_Record):
    tx_frames: _Count
    tx_bytes: _Count
    rx_frames: _Count
    rx_bytes: _Count
    rx_dropped: _Count
    tx_dropped: _Count
    tx_stalls: _Count
    tx_sizes: _Sizes
    rx_sizes: _Sizes


class _Instant(_Record):
    time_ns: _Count
    instructions: _Count
    idle_ns: _Count
    stalled_ns: _Count
    user_ns: _Count
    ports: dict[str, _Port]
    cores: dict[str, dict[str, _Count]]
    cycles: dict[str, _Count] | None = None


class _Mark(_Instant):
    kind: Literal["mark"]
    name: str


class _End(_Instant):
    kind: Literal["end"]


class _Data(_Record):
    kind: Literal["data"]
    name: str
    time_ns: _Count
    bytes: _Count
    base64: str


_Line = Annotated[_Start | _Mark | _Data | _End, Field(discriminator="kind")]
_LINE: TypeAdapter[_Start | _Mark | _Data | _End] = TypeAdapter(_Line)


@dataclass(frozen=True)
class ProbeLog:
    """What a node wrote: marks in order, data by name, and whether it ended in order.

    A log that `ended` has a last mark named `power-off`, made by the device.
    """

    marks: tuple[Mark, ...]
    data: dict[str, bytes]
    ended: bool


class ProbeLogError(FiresteelError):
    """A log that is not as the device writes it; the text names file and line."""


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
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        try:
            reader.take(_LINE.validate_json(line))
        except ValidationError as error:
            raise ProbeLogError(f"{path}, line {number}: {_first(error)}.") from None
        except ValueError as error:
            raise ProbeLogError(f"{path}, line {number}: {error}.") from None
    if not reader.started:
        raise ProbeLogError(f"{path}: is empty.")
    return ProbeLog(tuple(reader.marks), reader.data, reader.ended)


class _Reader:
    """Takes records in order; `ValueError` says why one cannot stand where it does."""

    def __init__(self) -> None:
        self.started = False
        self.ended = False
        self.time_ns = 0
        self.marks: list[Mark] = []
        self.data: dict[str, bytes] = {}

    def take(self, record: _Start | _Mark | _Data | _End) -> None:
        if isinstance(record, _Start):
            self._take_start(record)
            return
        if not self.started:
            raise ValueError("comes before the start record")
        if self.ended:
            raise ValueError("comes after the end record")
        if record.time_ns < self.time_ns:
            raise ValueError(f"goes back in time, from {self.time_ns} to {record.time_ns} ns")
        self.time_ns = record.time_ns
        if isinstance(record, _Data):
            self._take_data(record)
        elif isinstance(record, _Mark):
            self.marks.append(_mark(record.name, record))
        else:
            self.marks.append(_mark(POWER_OFF, record))
            self.ended = True

    def _take_start(self, record: _Start) -> None:
        if self.started:
            raise ValueError("is a second start record")
        if record.version != VERSION:
            raise ValueError(f"log version {record.version} is unknown; allowed is {VERSION}")
        self.started = True

    def _take_data(self, record: _Data) -> None:
        if record.name in self.data:
            raise ValueError(f"data item `{record.name}` comes twice")
        try:
            content = base64.b64decode(record.base64, validate=True)
        except binascii.Error:
            raise ValueError(f"data item `{record.name}` is not base64") from None
        if len(content) != record.bytes:
            raise ValueError(
                f"data item `{record.name}` has {len(content)} bytes but says {record.bytes}"
            )
        self.data[record.name] = content


def _mark(name: str, instant: _Instant) -> Mark:
    return Mark(
        name=name,
        time_ns=instant.time_ns,
        instructions=instant.instructions,
        idle_ns=instant.idle_ns,
        stalled_ns=instant.stalled_ns,
        user_ns=instant.user_ns,
        ports={name: PortCounters(**port.model_dump()) for name, port in instant.ports.items()},
        cores=instant.cores,
        cycles=instant.cycles,
    )


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    found = json.dumps(first["input"], default=str)[:60]
    return f"{place or 'record'} is {found}: {first['msg']}"
