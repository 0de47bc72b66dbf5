# SPDX-License-Identifier: Apache-2.0
"""Hardware compared with the best software that does the same for people: of any protocol of the
same purpose, with any suite that encrypts and authenticates.

That offload makes a suite cheaper does not make it the best choice: a tunnel in the kernel, or one
whose cipher needs no AES, may cost less in software than another does on the cores.

Who has the choice of a tunnel may take one whose key needs no certificate: it stands beside tunnels
with any kind of key.

The software that hardware stands worst against is the alternative of a row, by the rule that judges
software of the same suite (`analysis.verdict`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.analysis.offload import Offload
from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Row, Rows, grouped
from firesteel.analysis.verdict import VERDICTS, RowVerdict, verdict
from firesteel.model.cell import ABSENT
from firesteel.model.identity import Identity
from firesteel.model.parameter import KEY_ALONE, Parameter
from firesteel.protocols.registry import find


@dataclass(frozen=True)
class Alternative:
    """A row in hardware, and the software that it stands worst against."""

    offload: Offload
    software: Row
    judged: RowVerdict


def alternatives(offloads: Sequence[Offload], rows: Rows) -> list[Alternative]:
    """Those of hardware that has any among the `rows` of its run, in their order."""
    known = grouped((row for row in rows if _is_candidate(row.identity)), _same)
    found = []
    for offload in offloads:
        row = offload.pair.other
        alike = [each for what in _alike(row) for each in known.get(what, ())]
        others = (each for each in alike if not _is_suite_of(each, row))
        clear = rows.get(row.identity.clear)
        judged = ((each, verdict(Pair(each, row), clear)) for each in others)
        compared = [(each, told) for each, told in judged if told and told.verdict in VERDICTS]
        if compared:
            worst, told = max(compared, key=lambda pair: _badness(pair[1]))
            found.append(Alternative(offload, worst, told))
    return found


def _badness(judged: RowVerdict) -> tuple[int, float, float]:
    """How badly hardware stands: by the verdict, then by CPU work, then by speed."""
    speed, work = judged.counted
    return VERDICTS.index(judged.verdict), work, -speed


def _is_candidate(identity: Identity) -> bool:
    """Whether it is software that people may use today, and that protects what it carries."""
    protects = ABSENT not in (identity.cipher, identity.mac)
    usual = identity.implementation == "software" and identity.is_usual
    return protects and usual and _purpose(identity) is not None


def _purpose(identity: Identity) -> str | None:
    protocol = find(identity.protocol)
    return protocol.purpose if protocol else None


def _same(row: Row) -> tuple[object, ...]:
    """What rows have in common that do the same at one place."""
    return _with(row, row.identity.comparable.parameter)


def _with(row: Row, parameter: Parameter) -> tuple[object, ...]:
    identity = row.identity
    return (_purpose(identity), identity.place, identity.workload, parameter)


def _alike(row: Row) -> list[tuple[object, ...]]:
    """What software has that may stand beside a row."""
    alone = Parameter(key=KEY_ALONE)
    parameter = row.identity.comparable.parameter
    if parameter.key is None or parameter == alone:
        return [_same(row)]
    return [_same(row), _with(row, alone)]


def _is_suite_of(software: Row, hardware: Row) -> bool:
    """Whether both are of one protocol and suite, which the usual verdict compares."""
    one, other = software.identity, hardware.identity
    return (one.protocol, one.cipher, one.mac) == (other.protocol, other.cipher, other.mac)
