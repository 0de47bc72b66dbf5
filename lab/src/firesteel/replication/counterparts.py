# SPDX-License-Identifier: Apache-2.0
"""What of ours stands beside a published figure, and why there is nothing."""

from collections.abc import Iterable
from dataclasses import replace

from firesteel.analysis.places import Places
from firesteel.analysis.rows import Published, Result
from firesteel.analysis.study import Study, load_studies
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.model.identity import Identity
from firesteel.store.journal import Journal
from firesteel.workloads.registry import workloads_of

NOT_MEASURED = "not measured in this run"


class Ours:
    """Our figures by what they are of, and why one is not there.

    A file transfer stands beside one of any size, as in `analysis.compare`.
    """

    def __init__(self, comparison: Iterable[Result], journal: Journal, places: Places) -> None:
        self._results: dict[tuple[Identity, str], list[Result]] = {}
        self._entries = journal.entries
        self.places = places
        for result in comparison:
            if result.identity.is_usual:
                self._results.setdefault(_key(result), []).append(result)

    def of(self, published: Published) -> list[Result]:
        """What stands beside a published figure: one a board, none where it was not measured.

        Beside software, also ours as it is installed; the fastest comes last.
        """
        identity, metric = _key(published.result)
        each_of = {"software": (AS_INSTALLED, "software"), "": ("software", "hardware")}
        return [
            result
            for each in each_of.get(identity.implementation, (identity.implementation,))
            for result in self._results.get((replace(identity, implementation=each), metric), [])
            if result.beside in (None, published)
        ]

    def reason(self, published: Published) -> str:
        """Why there is nothing beside it."""
        for entry in self._entries:
            if entry.state != "done" and _is_of(entry.cell, published.result.identity):
                if entry.state == "failed":
                    return "its cell failed"
                return "not measured, because the run was stopped"
        return NOT_MEASURED


def compared(comparison: Iterable[Result]) -> tuple[Study, ...]:
    """The studies that have figures beside ours."""
    found = {result.source for result in comparison}
    return tuple(study for study in load_studies() if study.name in found)


def is_of_a_table(source: str, table: str, studies: Iterable[Study] | None = None) -> bool:
    """Whether a row of a study's table is of one of those that are reported."""
    known = load_studies() if studies is None else studies
    return any(study.name == source and study.layouts_of(table) for study in known)


def _key(result: Result) -> tuple[Identity, str]:
    return replace(result.identity.comparable.anywhere, completion=""), result.metric


def _is_of(cell: Cell, identity: Identity) -> bool:
    suite = (identity.protocol, identity.cipher, identity.mac)
    implementation = identity.implementation in ("", cell.implementation)
    measured = any(identity.workload in workload.titles for workload in workloads_of(cell))
    return suite == (cell.protocol, cell.cipher, cell.mac) and implementation and measured
