# SPDX-License-Identifier: Apache-2.0
"""`firesteel design`: the smallest or largest number of a board with which requirements are met."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import typer
from rich.console import Console

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.numbers import ALL, Path
from firesteel.cli.application import command
from firesteel.cli.bench import Bench, Measuring
from firesteel.cli.common import Format, as_text, open_store
from firesteel.judge.requirements import Requirement
from firesteel.model.cell import IN_SOFTWARE, Cell
from firesteel.protocols.site import site_of
from firesteel.run.estimate import Estimate
from firesteel.run.experiment.experiment import select
from firesteel.run.loop import OnVariedBoards
from firesteel.search.design import (
    BOARD,
    Answer,
    Candidate,
    Goal,
    Question,
    Trial,
    most_tried,
    read_candidates,
    records_of,
    save,
    search,
    standings_of,
)
from firesteel.show.run import design_frame, show_design
from firesteel.workloads.cells import nodes_with_cores
from firesteel.workloads.registry import workloads_of

USUAL_TOLERANCE = 0.05
"""Between values of a range: the answer is no more above the least value that would do."""


@command("design")
def design(
    experiment: str,
    require: list[str],
    measuring: Measuring,
    smallest: str | None = None,
    largest: str | None = None,
    tolerance: float = USUAL_TOLERANCE,
    probes: int = 0,
    form: Format = "table",
) -> Estimate | None:
    """Vary a board's parameter to find the smallest or largest value that meets requirements.

    The command measures both ends of the range and then bisects the range.  After an interruption,
    repeat the command; it keeps finished cells.
    """
    goal, said = _question(smallest, largest)
    requirements = _requirements(require)
    told = measuring.load(experiment)
    if told.varied:
        raise RequestError(
            f"{told.name} is a sweep; allowed is an experiment whose boards do not vary."
        )
    path, candidates = read_candidates(goal, said, tolerance, told.catalog)
    all_cells = told.cells(measuring.quick, measuring.seeds)
    cells = _cells(all_cells, measuring.only or [], requirements)
    _check_traffic(cells, requirements)
    place = open_store(measuring.store)
    with measuring.bench(told, cells, place, place.design) as bench:
        trials = _Trials(path, cells, requirements, bench)
        trials.check(candidates)  # What cannot be is refused before anything is measured.
        cost = trials.foretell(candidates, probes, dry=measuring.dry_run)
        if measuring.dry_run:
            return cost
        found = search(candidates, trials.holds, probes)
    answer = Answer(goal, path, requirements, found, trials.made)
    save(place, Question.of(answer))
    if form == "table":
        show_design(Console(), answer)
    else:
        sys.stdout.write(as_text(design_frame(answer), form))
    if found.first is None:
        sys.exit(1)
    return None


def _question(smallest: str | None, largest: str | None) -> tuple[Goal, str]:
    if smallest and not largest:
        return "smallest", smallest
    if largest and not smallest:
        return "largest", largest
    raise RequestError("Allowed is one of --smallest PATH=VALUES and --largest PATH=VALUES.")


def _requirements(said: Sequence[str]) -> tuple[Requirement, ...]:
    found = []
    for text in said:
        try:
            found.append(Requirement.read(text))
        except ValueError as error:
            raise FiresteelError(f"--require {text}: {error}.") from None
    return tuple(dict.fromkeys(found))


def _cells(
    cells: Sequence[Cell], only: Sequence[str], requirements: Sequence[Requirement]
) -> list[Cell]:
    """The chosen cells in hardware, or all chosen ones if none is, with the software that they are
    compared with.
    """
    chosen = select(cells, only)
    judged = [cell for cell in chosen if cell.implementation not in IN_SOFTWARE] or list(chosen)
    partners: set[str] = set()
    if any(each.of_software for each in requirements):
        partners = {cell.of_any_implementation.model_dump_json() for cell in judged}
    kept = {cell.model_dump_json() for cell in judged} | partners
    return [cell for cell in cells if cell.model_dump_json() in kept]


def _check_traffic(cells: Sequence[Cell], requirements: Sequence[Requirement]) -> None:
    """Raises `FiresteelError` where a requirement is of traffic that no cell has."""
    there = [series.name for cell in cells for each in workloads_of(cell) for series in each.series]
    for each in requirements:
        if each.traffic not in ("", ALL, *there):
            known = ", ".join(dict.fromkeys((*there, ALL)))
            raise FiresteelError(
                f"--require {each.text}: there is no traffic `{each.traffic}` here; allowed: "
                f"{known}."
            )


@dataclass(frozen=True)
class _Trials:
    """Measures the cells on one board after the other; a run for each, which `made` has."""

    path: str
    cells: Sequence[Cell]
    requirements: Sequence[Requirement]
    bench: Bench
    made: list[Trial] = field(default_factory=list)

    def check(self, candidates: Sequence[Candidate]) -> None:
        """Raises `FiresteelError` where a cell cannot be on the board of a candidate, or the number
        is of cores that no cell uses.
        """
        catalog, of = self.bench.told.catalog, Path.of(self.path)
        if of.on_cores and not any(
            (of.node or cell.measured) in nodes_with_cores(cell, site_of(cell, catalog))
            for cell in self.cells
        ):
            raise FiresteelError(
                f"{self.path}: it makes no difference to the chosen cells, which do not use the "
                "cores; choose cells in hardware."
            )
        # Cells of one place have the same boards and links there.
        places = {(each.place, tuple(each.profiles.items())): each for each in self.cells}
        for candidate, cell in product(candidates, places.values()):
            candidate.of(cell, self.path, catalog)

    def at(self, candidate: Candidate) -> list[Cell]:
        """The cells on the board of a candidate, each once: cells that differ only by their boards
        are the same there.
        """
        moved = (candidate.of(cell, self.path, self.bench.told.catalog) for cell in self.cells)
        return list({cell.model_dump_json(): cell for cell in moved}.values())

    def foretell(self, candidates: Sequence[Candidate], probes: int, *, dry: bool) -> Estimate:
        """Says what the search will take at the most, by the records that are there.  It goes to
        standard error, or is the result of a dry run, for which nothing is built.
        """
        cells = {id(each): self.at(each) for each in candidates}
        every = [cell for those in cells.values() for cell in those]
        if unprepared := self.bench.prepare(every, dry=dry):
            return unprepared

        def known(candidate: Candidate) -> bool:
            records = self.bench.recorded(cells[id(candidate)])
            if records is None:
                raise LookupError
            return all(each.holds for each in standings_of(records, self.requirements))

        try:
            tried = list(search(candidates, known, probes).tried)
            batches, most, at_most = [cells[id(candidates[n])] for n in tried], len(tried), ""
        except LookupError:  # It depends on what will be measured.
            batches, at_most = list(cells.values()), "At most "
            most = most_tried(len(candidates), probes)
        told = self.bench.estimate(batches, most)
        what = "boards" if self.path == BOARD else "values"
        needed = f"{at_most}{most} of {len(candidates):,} {what} are needed"
        typer.echo(f"{needed}: {told.sentence}", err=not dry)
        return told

    def holds(self, candidate: Candidate) -> bool:
        """Measures the cells there: whether all requirements are met; `FiresteelError` where a
        cell fails, or a requirement is not of what was measured.
        """
        subject = OnVariedBoards(self.bench.told.name, f"{self.bench.told.title}: {candidate.text}")
        journal = self.bench.measure(subject, self.at(candidate))
        if failed := journal.count("failed"):
            logs = self.bench.store.design.logs(journal.name)
            raise FiresteelError(
                f"At {candidate.text} {failed} of {len(journal.entries)} cells failed, so it is "
                f"unknown whether the requirements are met there; logs: {logs}."
            )
        records = records_of(self.bench.store, journal.name)
        trial = Trial(candidate, journal.name, standings_of(records, self.requirements))
        self.made.append(trial)
        return trial.holds
