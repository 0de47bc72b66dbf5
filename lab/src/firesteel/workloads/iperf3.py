# SPDX-License-Identifier: Apache-2.0
"""What iperf3 reports of a stream: its client's JSON, with that of the server in it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from firesteel.protocols.window import CellFailure

_LEAST_COVERED = 0.7
"""Of the time that is asked for: an interval that is longer than others may lie across its ends."""

_ROUNDING = 0.02
"""Seconds by which an interval may lie outside: reports are made by a timer that a busy board
serves late.
"""


class _Sum(BaseModel):
    start: float
    end: float
    seconds: float
    bytes: int
    packets: int = 0
    lost_packets: int = 0
    retransmits: int = 0


class _Interval(BaseModel):
    sum: _Sum


class _End(BaseModel):
    sum_sent: _Sum | None = None
    sum_received: _Sum | None = None


class _Side(BaseModel):
    """What one end of the stream says."""

    intervals: tuple[_Interval, ...] = ()
    end: _End = _End()
    error: str = ""


class _Report(_Side):
    server_output_json: _Side | None = None


@dataclass(frozen=True)
class Flow:
    """What arrived: `arrived` bytes in all; in the time that was asked for, `rate` bytes a second,
    and of `messages` datagrams so many `lost`.  `retransmitted` are the sender's TCP segments.
    """

    arrived: int
    rate: float
    messages: int
    lost: int
    retransmitted: int


def flow_of(text: bytes, name: str, *, sent: bool, between: tuple[float, float]) -> Flow:
    """A stream that the client `sent`, or else received; figures are of the seconds `between`.

    Raises `CellFailure` when the stream broke off, or nothing arrived.
    """
    report = _read(text, name)
    server = report.server_output_json
    if report.error or server is None or server.error:
        why = report.error or (server.error if server else "the server says nothing")
        raise CellFailure(f"{name}: iperf3 failed: {why}.")
    receiver, sender = (server, report) if sent else (report, server)
    parts = _parts(receiver.intervals, between)
    seconds = sum(part.seconds for part in parts)
    if seconds < _LEAST_COVERED * (between[1] - between[0]):
        raise CellFailure(
            f"{name}: the receiver reports {seconds:.3f} s of those from {between[0]:g} to "
            f"{between[1]:g}."
        )
    if not sum(part.bytes for part in parts):
        raise CellFailure(f"{name}: nothing arrived.")
    ended = sender.end.sum_sent
    return Flow(
        arrived=sum(interval.sum.bytes for interval in receiver.intervals),
        rate=sum(part.bytes for part in parts) / seconds,
        messages=sum(part.packets for part in parts),
        lost=sum(part.lost_packets for part in parts),
        retransmitted=ended.retransmits if ended else 0,
    )


def _read(text: bytes, name: str) -> _Report:
    try:
        return _Report.model_validate(json.loads(text))
    except (ValueError, ValidationError):
        said = text.decode(errors="replace").strip()[:200]
        raise CellFailure(f"{name}: this is no report of iperf3: {said}") from None


def _parts(intervals: Sequence[_Interval], between: tuple[float, float]) -> list[_Sum]:
    first, last = between
    return [
        interval.sum
        for interval in intervals
        if interval.sum.start >= first - _ROUNDING and interval.sum.end <= last + _ROUNDING
    ]
