# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands share, and how they write tidy rows."""

import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
import typer

from firesteel.analysis.results import Results
from firesteel.base import interrupts
from firesteel.base.errors import FiresteelError, reason_of, shortened
from firesteel.base.tidy import to_csv, to_json
from firesteel.board.profile import Clock
from firesteel.build.cache import cache_directory
from firesteel.campaign.run import Interrupted
from firesteel.experiment.experiment import MOST_SEEDS
from firesteel.experiment.sweep import USUAL_BUDGET, Method
from firesteel.store.journal import Journal
from firesteel.store.store import Store

ExperimentArgument = Annotated[
    str,
    typer.Argument(
        metavar="EXPERIMENT",
        help="An experiment's name (see `firesteel list`), or a TOML file.",
    ),
]

QuickOption = Annotated[bool, typer.Option("--quick", help="Measure fewer and smaller sizes.")]

SeedsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_SEEDS,
        metavar="N",
        help="Number of seeds for each configuration [default: the experiment's].",
    ),
]

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where records and runs are kept [default: store in the cache directory].",
        show_default=False,
    ),
]

OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="KEY=VALUE",
        help="Take only cells that match, such as protocol=ipsec; may be given more than once.",
    ),
]

JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        metavar="N",
        help="Number of cells measured in parallel [default: depends on the machine].",
    ),
]

VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="PATH=VALUES",
        help="Vary a number of boards or links, such as cpu.hertz=800MHz,1.6GHz or "
        "cores.crypto0.timing.clock_hz=50..400MHzx4log; may be given more than once, which "
        "measures all combinations.",
    ),
]

SampleOption = Annotated[
    Method | None,
    typer.Option(
        "--sample",
        help="Take a sample of all combinations: a Latin hypercube, or a Sobol sequence.",
        show_default=False,
    ),
]

CellsOption = Annotated[
    int | None,
    typer.Option(
        "--cells",
        min=1,
        metavar="N",
        help=f"Number of cells of a sample at the most [default: {USUAL_BUDGET}].",
    ),
]

DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Say how many cells are new, and what they will take; then stop. What boards are "
        "made of is built first where it is missing, because records are addressed by it.",
    ),
]

COST_HELP = (
    "What a unit of a number costs, such as 'cores.*.timing.clock_hz=1 per MHz' or "
    "cores.crypto0.pk_multipliers=2, or a whole board: socrates-2pk=30; in any unit of yours; may "
    "be given more than once."
)

ClockOption = Annotated[
    Clock | None,
    typer.Option(
        "--clock",
        help="What the clocks of boards that stand for a processor count: instructions (flat), or "
        "cycles of that processor [default: as their profiles say].",
        show_default=False,
    ),
]

Format = Annotated[
    Literal["table", "csv", "json"],
    typer.Option(
        "--format", help="A table for people, or tidy rows (one figure per row) for programs."
    ),
]

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's name; see `firesteel list`.")
]


def open_store(directory: Path | None) -> Store:
    """The store in that directory, or the default one; `FiresteelError` when it cannot be one."""
    root = directory.absolute() if directory else cache_directory() / "store"
    try:
        there = stat.S_ISDIR(root.stat().st_mode)
    except FileNotFoundError:
        return Store(root)  # It is made when something is written.
    except (OSError, ValueError) as error:
        raise FiresteelError(
            f"The store {shortened(root)} cannot be used: {reason_of(error)}."
        ) from None
    if not there:
        raise FiresteelError(f"The store {root} is a file; allowed is a directory.")
    return Store(root)


@contextmanager
def stops(what_is_kept: Callable[[Journal], str]) -> Iterator[None]:
    """What is measured inside may be stopped by the user: says how far it came, and of the cells so
    far `what_is_kept`, with status 130.
    """
    try:
        with interrupts.unwrapped():
            yield
    except Interrupted as stopped:
        journal = stopped.journal
        done, count = journal.count("done"), len(journal.entries)
        typer.echo(
            f"firesteel: stopped; {done} of {count} cells {what_is_kept(journal)}",
            err=True,
        )
        sys.exit(130)
    except KeyboardInterrupt:
        typer.echo("firesteel: stopped before anything was measured.", err=True)
        sys.exit(130)


def write_rows(results: Results, frame: pl.DataFrame, form: str) -> None:
    """Prints a frame as CSV or JSON, and on standard error how many cells are not in it."""
    sys.stdout.write(to_csv(frame) if form == "csv" else to_json(frame))
    tell_missing(results.journal)
    if results.part:
        typer.echo(f"firesteel: {results.part}", err=True)


def tell_missing(journal: Journal) -> None:
    """Says on standard error how many cells of a run have no figures, if there are such."""
    count = len(journal.entries)
    if missing := count - journal.count("done"):
        typer.echo(f"firesteel: {missing} of {count} cells have no figures.", err=True)
