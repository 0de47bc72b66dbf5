# SPDX-License-Identifier: Apache-2.0
"""All workloads.  Nothing else lists them, or knows one by its name."""

from collections.abc import Mapping

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.model.figure import Parameter, read_parameter
from firesteel.protocols.protocol import OneBoard, Protocol
from firesteel.protocols.registry import PROTOCOLS, protocol_of
from firesteel.workloads.crypto_api import CRYPTO
from firesteel.workloads.disk import DISK
from firesteel.workloads.forwarding import FORWARDING
from firesteel.workloads.handshakes import HANDSHAKES
from firesteel.workloads.microbenchmarks import MICROBENCHMARKS
from firesteel.workloads.openssl_speed import SPEED
from firesteel.workloads.ping import PING
from firesteel.workloads.presentation import Series
from firesteel.workloads.sieve import SIEVE
from firesteel.workloads.stream import STREAM
from firesteel.workloads.traffic import Traffic
from firesteel.workloads.transfer import TRANSFER
from firesteel.workloads.workload import Session, Workload

SESSIONS: tuple[Session, ...] = (
    Traffic((PING, SIEVE, FORWARDING, STREAM, TRANSFER)),
    HANDSHAKES,
    SPEED,
    CRYPTO,
    DISK,
    MICROBENCHMARKS,
)

WORKLOADS: tuple[Workload, ...] = tuple(each for session in SESSIONS for each in session.workloads)

BY_WEIGHT: tuple[Workload, ...] = tuple(
    each for session in SESSIONS for each in reversed(session.workloads)
)
"""The same; in a session the one that says the most of offload is measured last, and comes first
where figures are shown."""

SERIES: Mapping[str, Series] = {
    series.name: series for workload in WORKLOADS for series in workload.series
}
"""All series of figures, by name."""

TRANSFERS = frozenset(series.name for series in SERIES.values() if series.is_transfer)
"""The series of transferred files."""

ON_ONE_BOARD = frozenset(
    series.name
    for workload in WORKLOADS
    if all(isinstance(each, OneBoard) for each in PROTOCOLS if workload.measures(each))
    for series in workload.series
)
"""The series that have neither links nor other nodes."""


def parameter_of(series: str, text: str) -> Parameter:
    """The parameter in the text of a figure of that series; only a study may know the series."""
    return SERIES[series].parameter(text) if series in SERIES else read_parameter(text)


def sessions_for(protocol: Protocol) -> list[Session]:
    """The sessions with a workload that can be measured of the protocol, the usual one first."""
    return [
        session
        for session in SESSIONS
        if any(workload.measures(protocol) for workload in session.workloads)
    ]


def workloads_of(cell: Cell) -> tuple[Workload, ...]:
    """The workloads that the cell has a plan of.

    Raises `FiresteelError` when there is none, or one is not measured of the cell's protocol.
    """
    protocol = protocol_of(cell)
    planned = {plan.workload for plan in cell.plans}
    found = tuple(workload for workload in WORKLOADS if workload.name in planned)
    if not found:
        allowed = [each.name for each in WORKLOADS if each.measures(protocol)]
        raise FiresteelError(
            f"Cell {cell.label}: it measures nothing; the table `{'` or `'.join(allowed)}` is "
            "missing."
        )
    for workload in found:
        if not workload.measures(protocol):
            raise FiresteelError(
                f"Cell {cell.label}: the protocol `{protocol.name}` is not measured by "
                f"`{workload.name}`."
            )
    return found


def session_of(cell: Cell) -> Session:
    """The session in which the cell is measured; `FiresteelError` when there are two."""
    workloads = workloads_of(cell)
    for session in SESSIONS:
        if set(workloads) <= set(session.workloads):
            return session
    raise FiresteelError(
        f"Cell {cell.label}: {' and '.join(each.name for each in workloads)} are not measured in "
        "one boot."
    )
