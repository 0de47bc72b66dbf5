# SPDX-License-Identifier: Apache-2.0
"""Hardware compared with the best software that does the same for people: of any protocol of the
same purpose, with any suite or key that protects as much.

That offload makes a suite cheaper does not make it the best choice: a tunnel in the kernel, a
cipher that needs no AES, or another key of the server may cost less in software than the suite or
key does on the cores.

The software that hardware stands worst against is the alternative of a row, by the rule that judges
software of the same suite (`analysis.verdict`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.analysis.offload import Offload
from firesteel.analysis.pairs import Pair
from firesteel.analysis.rows import Row, Rows, grouped
from firesteel.analysis.verdict import VERDICTS, RowVerdict, verdict
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.protocols import pki
from firesteel.protocols.registry import find
from firesteel.protocols.use import Use


@dataclass(frozen=True)
class Alternative:
    """A row in hardware, and the software that it stands worst against."""

    offload: Offload
    software: Row
    judged: RowVerdict

    @property
    def hardware_name(self) -> str:
        """What the hardware is called, with the server's key where that is a part of it."""
        return _name(self.offload.label, self.offload.identity)

    @property
    def software_name(self) -> str:
        """What the software is called, likewise."""
        return _name(self.software.label, self.software.identity)


def alternatives(offloads: Sequence[Offload], rows: Rows) -> list[Alternative]:
    """Those of hardware that has any among the `rows` of its run, in their order."""
    known = grouped((row for row in rows if _is_candidate(row.identity)), _same)
    found = []
    for offload in offloads:
        row = offload.pair.other
        others = (each for each in known.get(_same(row), ()) if _is_other(each, row))
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


def _name(label: str, identity: Identity) -> str:
    return names.listed(label, identity.parameter.key or "")


def _use(identity: Identity) -> Use | None:
    protocol = find(identity.protocol)
    suite = (identity.cipher, identity.mac)
    of_connections = identity.parameter.key is not None
    return protocol.use(*suite, connections=of_connections) if protocol else None


def _is_candidate(identity: Identity) -> bool:
    """Whether it is software that people may use today, and that protects what it carries."""
    use = _use(identity)
    usual = identity.implementation == "software" and identity.is_usual
    return usual and use is not None and use.protects


def _same(row: Row) -> tuple[object, ...]:
    """What rows have in common that do the same at one place.  Which key a server has is its
    user's choice.
    """
    identity = row.identity
    use = _use(identity)
    parameter = identity.comparable.parameter.model_copy(update={"key": None})
    where = (identity.place, identity.workload, parameter)
    return (use.purpose, use.protection, *where) if use else where


def _is_other(software: Row, hardware: Row) -> bool:
    """Whether it is software of another protocol or suite, or with a key that may replace the
    hardware's.  The same suite and key is what the usual verdict compares.
    """
    one, other = software.identity, hardware.identity
    key, replaced = one.parameter.key, other.parameter.key
    if key and replaced and key != replaced:
        return pki.may_replace(key, replaced)
    return (one.protocol, one.cipher, one.mac) != (other.protocol, other.cipher, other.mac)
