# SPDX-License-Identifier: Apache-2.0
"""The arguments of this package's commands, and a run compared with one study."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Clock
from firesteel.judge.compare import published_at, published_of
from firesteel.judge.places import beside_published
from firesteel.judge.replication.fit_file import load_fit
from firesteel.judge.results import Results
from firesteel.judge.rows import Result
from firesteel.judge.study import STUDIES, Study, load_studies
from firesteel.store.store import Store, usual_store


def option(name: str, metavar: str | None, meaning: str) -> Any:
    """An option of that name with its help, which shows no default."""
    return typer.Option(name, metavar=metavar, help=meaning, show_default=False)


RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's name; see `firesteel list`.")
]

StoreOption = Annotated[
    Path | None, option("--store", "DIR", "Where runs are [default: as `firesteel`].")
]

StudyOption = Annotated[
    str | None,
    option(
        "--study",
        "NAME",
        "A folder of published/ [default: the study of the board and the topology].",
    ),
]


def open_store(directory: Path | None) -> Store:
    """The store in that directory, or the lab's default one."""
    return Store(directory.absolute() if directory else usual_store())


def application(command: Callable[..., Any]) -> typer.Typer:
    """A program that consists of this command."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(command)
    return app


def main(app: typer.Typer) -> None:
    """Runs a program; what a user can mend is explained in a sentence, not a traceback."""
    try:
        app()
    except FiresteelError as error:
        typer.echo(f"research: {error}", err=True)
        sys.exit(error.status)


def study_for(results: Iterable[Result], name: str | None, file: str) -> Study:
    """The study that results are compared with, among the studies with such a file.  It is the
    study of that name; without a name, the first whose board and topology were measured, or else
    the first.
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
    """The results with one study's published figures; `FiresteelError` if no result was measured on
    a board and topology of the study.
    """
    published = published_of(study)
    places = [result.identity.place for result in results]
    if not published_at(places, published):
        theirs = (f"{each.board} in {each.topology}" for each in study.stands_for)
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
