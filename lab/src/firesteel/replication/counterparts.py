# SPDX-License-Identifier: Apache-2.0
"""What of ours stands beside a published figure, and why there is nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from firesteel.analysis.compare import published_of
from firesteel.analysis.places import Places, beside_published, of_published
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published, Result
from firesteel.analysis.study import STUDIES, Study, load_studies
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock
from firesteel.model.cell import AS_INSTALLED, Cell
from firesteel.model.identity import Identity
from firesteel.replication.fit_file import load_fit
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


def study_for(results: Iterable[Result], name: str | None, file: str) -> Study:
    """The study that results are compared with, of those that have such a file: the one of that
    name, or the first whose board and topology were measured, or the first.
    """
    having = [study for study in load_studies() if study.file(file)]
    there = ", ".join(study.name for study in having)
    if not having:
        raise FiresteelError(f"{STUDIES}: no study has a `{file}`; one is needed.")
    if name:
        found = [study for study in having if study.name == name]
        if not found:
            raise FiresteelError(f"There is no study `{name}` with a `{file}`; there are: {there}.")
        return found[0]
    places = dict.fromkeys(result.identity.place for result in results)
    return next((study for study in having if any(map(study.was_in, places))), having[0])


def beside_study(results: Sequence[Result], study: Study) -> list[Result]:
    """The results with what they are beside of one study; `FiresteelError` where none of them was
    measured where one of its figures is compared.
    """
    published = published_of(study)
    if not of_published(results, published):
        theirs = (f"{each.board} in {each.topology}" for each in study.stands_for)
        places = (result.identity.place for result in results)
        ours = dict.fromkeys(f"{place.board} in {place.topology}" for place in places)
        experiment = load_fit(study).experiment
        hint = f"; `firesteel run {experiment} --quick` measures these" if experiment else ""
        raise FiresteelError(
            f"No figure of this run is compared with those of `{study.name}`, which stand for "
            f"{', '.join(theirs) or 'no board'}{hint}; the run has figures of "
            f"{', '.join(ours) or 'none'}."
        )
    return beside_published(results, published)


def clock_beside(results: Results, study: Study) -> Clock:
    """What the clocks of those boards of a run count whose figures are compared with a study;
    `FiresteelError` where one counts instructions and another cycles.
    """
    clocks = {board: results.clocks[board] for board in boards_beside(results, study)}
    found: set[Clock] = set(clocks.values())
    if len(found) > 1:
        told = ", ".join(f"{board} on `{clock}`" for board, clock in clocks.items())
        raise FiresteelError(
            f"The run `{results.journal.name}` has figures of both clocks beside those of "
            f"`{study.name}`: {told}; allowed is one clock, which `firesteel run --clock` sets."
        )
    return next(iter(found), "flat")


def boards_beside(results: Results, study: Study) -> list[str]:
    """The measured boards of a run that stand for one of a study."""
    wanted = {each.board for each in study.stands_for}
    return [board for board in results.clocks if board in wanted]


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
