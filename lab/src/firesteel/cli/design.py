# SPDX-License-Identifier: Apache-2.0
"""`firesteel design`: the smallest or largest number of a board with which requirements are met."""

import sys
from collections.abc import Sequence
from itertools import product
from typing import Annotated

import typer
from rich.console import Console

from firesteel.analysis.design import Answer, Trial, standings_of
from firesteel.analysis.design_file import Question, save
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.board.catalog import Catalog
from firesteel.board.files import sweep
from firesteel.board.numbers import ALL, Path
from firesteel.board.profile import Clock
from firesteel.campaign.run import OnVariedBoards
from firesteel.campaign.search import look_ahead, search
from firesteel.cli.bench import Bench, bench_at, options_for
from firesteel.cli.common import (
    ClockOption,
    DryRunOption,
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
from firesteel.experiment.candidates import BOARD, Candidate, Goal, read_candidates
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import Experiment, select
from firesteel.experiment.requirement import Requirement
from firesteel.machines.tls import Tls
from firesteel.model.cell import IN_SOFTWARE, Cell
from firesteel.protocols.site import site_of
from firesteel.store.journal import Journal
from firesteel.store.store import Store
from firesteel.terminal.design_table import frame, show_answer
from firesteel.workloads.overlay import nodes_with_cores
from firesteel.workloads.registry import workloads_of

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
        help="What each figure in hardware must reach, such as 'throughput >= 940 Mbit/s', "
        "'file-transfer:cpu <= 50 %' where several kinds of traffic have the metric, or "
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
    dry_run: DryRunOption = False,
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
    _check_traffic(cells, requirements)
    place = open_store(store)
    sweep(place.design.all_logs())
    options = options_for(cells, quick=quick, jobs=jobs, on=on)
    with bench_at(on, Tls(tls_ca, tls_cert, tls_key), told, options, place) as bench:
        trials = _Trials(told, path, cells, requirements, place, bench)
        trials.check(candidates)  # What cannot be is refused before anything is measured.
        trials.foretell(candidates, probes)
        if dry_run:
            return
        found = search(candidates, trials.holds, probes)
    answer = Answer(goal, path, requirements, found, trials.made)
    save(place, Question.of(answer))
    _show(answer, form)
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


def _check_cores(catalog: Catalog, cells: Sequence[Cell], path: str) -> None:
    """Raises `FiresteelError` where a number of cores is asked for that no cell uses."""
    of = Path.of(path)
    if of.on_cores and not any(
        (of.node or cell.measured) in nodes_with_cores(cell, site_of(cell, catalog))
        for cell in cells
    ):
        raise FiresteelError(
            f"{path}: it makes no difference to what is chosen, which does not use the cores; "
            "allowed are cells in hardware."
        )


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
        _check_cores(self._told.catalog, self._cells, self._path)
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

    def foretell(self, candidates: Sequence[Candidate], probes: int) -> None:
        """Says on standard error what the search will take at the most, by the records that are
        there.
        """
        cells = {id(each): self.at(each) for each in candidates}
        self._bench.runner.prepare([cell for those in cells.values() for cell in those])

        def known(candidate: Candidate) -> bool | None:
            records = self._bench.recorded(cells[id(candidate)])
            if records is None:
                return None
            return all(each.holds for each in standings_of(records, self._requirements))

        ahead = look_ahead(candidates, known, probes)
        batches = [cells[id(candidates[index])] for index in (*ahead.sure, *ahead.may)]
        told = self._bench.foretell_some(batches, len(ahead.sure), ahead.most)
        at_most = f"At most {ahead.most}" if ahead.may else f"{ahead.most}"
        what = "boards" if self._path == BOARD else "values"
        typer.echo(f"{at_most} of {len(candidates):,} {what} are needed: {told}", err=True)

    def holds(self, candidate: Candidate) -> bool:
        """Measures the cells there: whether all requirements are met; `FiresteelError` where a
        cell fails, or a requirement is not of what was measured.
        """
        run = self._measured(candidate)
        trial = Trial.of(candidate, self._store, run, self._requirements)
        self.made.append(trial)
        return trial.holds

    def _measured(self, candidate: Candidate) -> str:
        subject = OnVariedBoards(self._told.name, f"{self._told.title}: {candidate.text}")
        place = self._store.design
        journal = self._bench.measure(subject, self.at(candidate), place, _what_is_kept)
        if failed := journal.count("failed"):
            raise FiresteelError(
                f"At {candidate.text} {failed} of {len(journal.entries)} cells failed, so nobody "
                f"knows whether the requirements are met there; logs: {place.logs(journal.name)}."
            )
        return journal.name


def _what_is_kept(_: Journal) -> str:
    return "are finished and kept. The same command continues from there."
