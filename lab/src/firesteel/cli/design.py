# SPDX-License-Identifier: Apache-2.0
"""`firesteel design`: the smallest or largest number of a board with which requirements are met."""

import sys
from collections.abc import Sequence
from itertools import product
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis.places import Places
from firesteel.analysis.requirements import standings
from firesteel.analysis.results import load_results
from firesteel.analysis.rows import Rows
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.board.files import sweep
from firesteel.board.profile import Clock
from firesteel.campaign.run import OnVariedBoards
from firesteel.campaign.search import search
from firesteel.cli.bench import Bench, bench_at, options_for
from firesteel.cli.common import (
    ClockOption,
    ExperimentArgument,
    Format,
    JobsOption,
    OnlyOption,
    QuickOption,
    SeedsOption,
    StoreOption,
    open_store,
)
from firesteel.cli.machines import OnOption, TlsCaOption, TlsCertOption, TlsKeyOption
from firesteel.experiment.candidates import Candidate, Goal, read_candidates
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import Experiment, select
from firesteel.experiment.requirement import Requirement
from firesteel.machines.tls import Tls
from firesteel.model.cell import IN_SOFTWARE, Cell
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.terminal.design_table import Answer, Trial, frame, show_answer

USUAL_TOLERANCE = 0.05
"""Between values of a range: the answer is no more above the least value that would do."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("design")(design)


RequireOption = Annotated[
    list[str],
    typer.Option(
        "--require",
        metavar="CONDITION",
        help="What each figure in hardware must reach, such as 'link_use >= 95 %' or "
        "'cpu_seconds_per_mb <= 0.6 of software'; may be given more than once.",
    ),
]

SmallestOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH=VALUES",
        help="Find the smallest number of a board or link, such as "
        "cores.*.timing.clock_hz=25..400MHz, or the first of several boards that do: "
        "board=NAME,NAME.",
    ),
]

LargestOption = Annotated[
    str | None, typer.Option(metavar="PATH=VALUES", help="Find the largest likewise.")
]

ToleranceOption = Annotated[
    float,
    typer.Option(min=0.001, max=1.0, help="How far apart values of a range are, as a share."),
]

ProbesOption = Annotated[
    int,
    typer.Option(
        min=0,
        max=100,
        metavar="N",
        help="Measure N values spread over all of them, too, to see whether what holds at one "
        "holds at all behind it.",
    ),
]


def design(
    experiment: ExperimentArgument,
    require: RequireOption,
    smallest: SmallestOption = None,
    largest: LargestOption = None,
    tolerance: ToleranceOption = USUAL_TOLERANCE,
    probes: ProbesOption = 0,
    quick: QuickOption = False,
    only: OnlyOption = None,
    seeds: SeedsOption = None,
    jobs: JobsOption = None,
    form: Format = "table",
    store: StoreOption = None,
    clock: ClockOption = None,
    on: OnOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Find the smallest or largest number of a board with which requirements are met.

    Measures both ends of the range and then halves what is left.  Cells whose records are in the
    store are not measured again, so the same command continues after a stop.
    """
    goal, said = _question(smallest, largest)
    requirements = _requirements(require)
    told = _load(experiment, clock)
    path, candidates = read_candidates(goal, said, tolerance, told.catalog)
    cells = _cells(told.cells(quick, seeds), only or [], requirements)
    place = open_store(store)
    sweep(place.design.all_logs())
    options = options_for(cells, quick=quick, jobs=jobs, on=on)
    with bench_at(on, Tls(tls_ca, tls_cert, tls_key), told, options, place) as bench:
        trials = _Trials(told, path, cells, requirements, place, bench)
        trials.check(candidates)  # What cannot be is refused before anything is measured.
        found = search(candidates, trials.holds, probes)
    _show(Answer(goal, path, requirements, found, trials.made), form)
    if found.first is None:
        sys.exit(1)


def _load(experiment: str, clock: Clock | None) -> Experiment | Collection:
    told = load(experiment, clock=clock)
    if told.varied:
        raise RequestError(
            f"{told.name} is a sweep; allowed is an experiment whose boards do not vary."
        )
    return told


def _show(answer: Answer, form: str) -> None:
    if form == "table":
        show_answer(Console(), answer)
    else:
        sys.stdout.write(to_csv(frame(answer)) if form == "csv" else to_json(frame(answer)))


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


class _Trials:
    """Measures the cells on one board after the other; a run for each."""

    def __init__(
        self,
        told: Experiment | Collection,
        path: str,
        cells: Sequence[Cell],
        requirements: Sequence[Requirement],
        store: Store,
        bench: Bench,
    ) -> None:
        self._told = told
        self._path = path
        self._cells = cells
        self._requirements = requirements
        self._store = store
        self._bench = bench
        self.made: list[Trial] = []

    def check(self, candidates: Sequence[Candidate]) -> None:
        """Raises `FiresteelError` where a cell cannot be on the board of a candidate."""
        # Cells of one place have the same boards and links there.
        places = {(each.place, tuple(each.profiles.items())): each for each in self._cells}
        for candidate, cell in product(candidates, places.values()):
            candidate.of(cell, self._path, self._told.catalog)

    def at(self, candidate: Candidate) -> list[Cell]:
        """The cells on the board of a candidate, each once: those that differ by their boards alone
        are the same there.
        """
        moved = (candidate.of(cell, self._path, self._told.catalog) for cell in self._cells)
        return list({cell.model_dump_json(): cell for cell in moved}.values())

    def holds(self, candidate: Candidate) -> bool:
        """Measures the cells there: whether all requirements are met; `FiresteelError` where a
        cell fails, or a requirement is of a metric that none has.
        """
        rows = self._measured(candidate)
        found = standings(rows, self._requirements)
        for each in self._requirements:
            if not any(standing.requirement == each for standing in found):
                known = ", ".join(sorted(rows.metrics))
                raise FiresteelError(
                    f"--require {each.text}: nothing of this has the metric `{each.metric}`; "
                    f"there are: {known}."
                )
        trial = Trial(candidate, tuple(found))
        self.made.append(trial)
        return trial.holds

    def _measured(self, candidate: Candidate) -> Rows:
        subject = OnVariedBoards(self._told.name, f"{self._told.title}: {candidate.text}")
        place = self._store.design
        journal = self._bench.measure(subject, self.at(candidate), place, _what_is_kept)
        if failed := journal.count("failed"):
            raise FiresteelError(
                f"At {candidate.text} {failed} of {len(journal.entries)} cells failed, so nobody "
                f"knows whether the requirements are met there; logs: {place.logs(journal.name)}."
            )
        figures = load_results(place, journal.name).means
        return Rows(Places.of(figures).labelled(figures), first=True)


def _what_is_kept(_: Journal) -> str:
    return "are finished and kept. The same command continues from there."
