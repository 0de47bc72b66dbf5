# SPDX-License-Identifier: Apache-2.0
"""iperf3's report of a stream: the client's JSON, which contains the server's."""

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
    start: float = 0
    end: float = 0
    seconds: float = 0
    bytes: int = 0
    packets: int = 0
    lost_packets: int = 0
    retransmits: int = 0


class _Interval(BaseModel):
    sum: _Sum


class _End(BaseModel):
    sum_sent: _Sum = _Sum()


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
    try:
        report = _Report.model_validate_json(text)
    except ValidationError:
        said = text.decode(errors="replace").strip()[:200]
        raise CellFailure(f"{name}: this is no report of iperf3: {said}") from None
    server = report.server_output_json or _Side(error="the server says nothing")
    if error := report.error or server.error:
        raise CellFailure(f"{name}: iperf3 failed: {error}.")
    receiver, sender = (server, report) if sent else (report, server)
    first, last = between[0] - _ROUNDING, between[1] + _ROUNDING
    intervals = [interval.sum for interval in receiver.intervals]
    parts = [each for each in intervals if each.start >= first and each.end <= last]
    seconds = sum(part.seconds for part in parts)
    if seconds < _LEAST_COVERED * (between[1] - between[0]):
        raise CellFailure(
            f"{name}: the receiver reports {seconds:.3f} s of those from {between[0]:g} to "
            f"{between[1]:g}."
        )
    if not sum(part.bytes for part in parts):
        raise CellFailure(f"{name}: nothing arrived.")
    return Flow(
        arrived=sum(each.bytes for each in intervals),
        rate=sum(part.bytes for part in parts) / seconds,
        messages=sum(part.packets for part in parts),
        lost=sum(part.lost_packets for part in parts),
        retransmitted=sender.end.sum_sent.retransmits,
    )
