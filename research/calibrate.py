# SPDX-License-Identifier: Apache-2.0
"""`python -m research.calibrate`: boards beside published figures of the processor that they stand
for, and the costs of the processor that follow from these.
"""

import sys
from collections.abc import Mapping
from itertools import chain, product
from statistics import median
from typing import Annotated, Literal

import polars as pl
import typer
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.model.figure import Parameter
from firesteel.store.store import LATEST
from firesteel.terminal.grid import Grid
from research.calibration import Calibration, choose
from research.calibration import calibrate as compared
from research.command import StoreOption, application, main, open_store
from research.costs import AllRows, CostFit, all_rows, counted, fit_costs
from research.processor import KINDS, ROLES, Goal, Kind, load_priors, load_processors
from research.ridge import AWAY

_NONE = "-"


def show_calibration(console: Console, found: Calibration) -> None:
    """A table for each role and kind of row, what these come to, and what has no figure."""
    several = len(found.clocks) > 1
    for role, kind in product(ROLES, KINDS):
        rows = found.measured.filter(role=role, kind=kind)
        if rows.height:
            _rows(f"{role}: {kind}", rows, found.clocks).show(console)
    groups, missed = [], []
    for each in found.groups:
        name = f"{each.role}: {each.kind}" + (f" ({each.board})" if several else "")
        goal = f"{each.goal.each:g}"
        if each.goal.median is not None:
            goal += f", median {each.goal.median:g}"
        figures = str(each.rows), f"{each.median:.1f}", f"{each.worst:.1f}", goal
        groups.append((name, (*figures, "met" if each.is_met else "missed")))
        if not each.is_met:
            missed.append(f"The goal is missed by {name}; the worst row is {each.worst_row}.")
    title = "Deviations" if several else f"Deviations of {next(iter(found.clocks))}"
    Grid.plain(title, ("rows", "median, %", "worst, %", "goals, %", ""), groups).show(console)
    told = [f"{hertz / 1e6:g} MHz" for hertz in found.clocks.values()]
    if len(set(told)) > 1:
        told = [f"{clock} ({board})" for board, clock in zip(found.clocks, told, strict=True)]
    clocks = " and ".join(dict.fromkeys(told))
    _say(
        console,
        *missed,
        f"Published figures are of a {found.processor.file.processor} at {clocks}, or "
        "scaled to that clock; a deviation is how much longer the board takes.",
    )
    missing = found.frame.filter(pl.col("board").is_null())["what"].to_list()
    if missing:
        whats = ", ".join(dict.fromkeys(missing))
        _say(console, f"Published rows without a figure here: {len(missing)}, of {whats}.")


def _say(console: Console, *sentences: str) -> None:
    for each in sentences:
        console.print(escape(each), highlight=False)


def _rows(title: str, rows: pl.DataFrame, clocks: Mapping[str, float]) -> Grid:
    """A row's published figure, once if all boards have one clock, and what boards make of it."""
    own = len(set(clocks.values())) > 1
    columns = ("published", "ours", "off") if own else ("ours", "off")
    names = {"published": "published", "ours": "board", "off": "off, %"}
    heads = ["source"] if own else ["source", "published"]
    for board in clocks:
        above = "\n".join((*board.split(", ")[:2], "")) if len(clocks) > 1 else ""
        heads += [above + names[column] for column in columns]
    lines: dict[str, list[str]] = {}
    told = {}
    for row in rows.to_dicts():
        published = f"{_number(row['published'])} {row['unit']}"
        off = f"{row['deviation_percent']:+.1f}"
        texts = {"published": published, "ours": _number(row["ours"]), "off": off}
        told[row["id"], row["label"]] = [texts[column] for column in columns]
        first = [row["source"]] if own else [row["source"], published]
        lines.setdefault(
            row["id"], [Parameter(operation=row["what"], size_bytes=row["size"]).text, *first]
        )
    none = [_NONE] * len(columns)
    return Grid.plain(
        title,
        heads,
        [
            (first[0], [*first[1:], *chain(*(told.get((name, each), none) for each in clocks))])
            for name, first in lines.items()
        ],
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def show_cost_fit(
    console: Console, fit: CostFit, every: AllRows, goals: Mapping[Kind, Goal]
) -> None:
    """Costs beside their priors, rows beside what the fit says of them, how far to trust it, and
    what all rows say.
    """
    for grid in (_weights(fit), _own_rows(fit), _summary(fit), _errors(fit), _unseen(every, goals)):
        grid.show(console)
    _say(
        console,
        f"The costs that suit the worst of all {every.rows.height} rows best, each at most "
        f"{AWAY:g} times its prior or as much less, bring every row within {every.minimax:.2f} of "
        "its goal.",
        f"{fit.own_rows.height} rows determine {fit.freedom:.1f} of {fit.weights.height} costs; "
        "priors hold the rest.",
        "told: the share of a prior's variance that the rows take away; least: the fit is at the "
        "least value allowed. left out: by a fit to all other rows. An error of 1 goal is as much "
        "as the goal of a row's kind allows.",
        f"now: {fit.path.relative_to(CHECKOUT)}; --write puts the fitted costs there.",
    )


def _weights(fit: CostFit) -> Grid:
    rows = []
    for each in fit.weights.to_dicts():
        costs = []
        for when in ("prior", "now", "fitted"):
            cycles, nanoseconds = each[f"{when}_cycles"], each[f"{when}_nanoseconds"]
            costs.append(f"{cycles:g} + {nanoseconds:g} ns" if nanoseconds else f"{cycles:g}")
        told = "least" if each["at_least"] else f"{each['told'] * 100:.0f}"
        rows.append((each["name"], (*costs, told)))
    return Grid.plain(
        "Costs in cycles, and ns of memory", ("prior", "now", "fitted", "told, %"), rows
    )


def _own_rows(fit: CostFit) -> Grid:
    offs = ("measured", "now", "fitted", "left_out")
    rows = [
        (each["id"], (f"{each['published']:.5g}", *(f"{each[off]:+.1f}" for off in offs)))
        for each in fit.own_rows.to_dicts()
    ]
    heads = ("cycles", "measured", "now", "fitted", "left out")
    return Grid.plain(
        "Rows of the fit: published, and how much longer the board takes, %", heads, rows
    )


def _summary(fit: CostFit) -> Grid:
    rows = []
    for role, kind in product(ROLES, KINDS):
        of = fit.rows.filter(role=role, kind=kind)
        if of.height:
            (*now, _), fitted = _sizes(of, "now"), _sizes(of, "fitted")
            rows.append((f"{role}: {kind}", (str(of.height), *now, *fitted)))
    heads = ("rows", "now\nmedian", "now\nworst", "fitted\nmedian", "fitted\nworst", "worst row")
    return Grid.plain("Deviations without signs, %", heads, rows)


def _sizes(rows: pl.DataFrame, column: str) -> tuple[str, str, str]:
    """The median and the largest, without signs, and which row that is."""
    sizes = [abs(each) for each in rows[column]]
    worst = max(sizes)
    return f"{median(sizes):.1f}", f"{worst:.1f}", rows["id"][sizes.index(worst)]


def _errors(fit: CostFit) -> Grid:
    rows = [
        (f"{spread:.3g}", (f"{error:.3f}", "chosen" if spread == fit.spread else ""))
        for spread, error in fit.errors.items()
    ]
    return Grid.plain(
        "Error of rows that are left out, by the spread of priors", ("goals", ""), rows
    )


def _unseen(every: AllRows, goals: Mapping[Kind, Goal]) -> Grid:
    rows = []
    for kind in KINDS:
        of = every.rows.filter(kind=kind)
        if of.height:
            middle, worst, worst_row = _sizes(of, "off")
            goal = goals[kind].each
            met = "met" if bool((of["off"].abs() <= goal).all()) else "missed"
            rows.append((kind, (str(of.height), middle, worst, f"{goal:g}", met, worst_row)))
    title = "By a fit to all rows but those of the same code: deviations without signs, %"
    return Grid.plain(title, ("rows", "median", "worst", "goal", "", "worst row"), rows)


def calibrate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Runs of `calibration`, also on several boards, which stand in columns "
            "[default: latest].",
            show_default=False,
        ),
    ] = None,
    processor: Annotated[
        str | None,
        typer.Option(
            "--processor",
            metavar="NAME",
            help="The processor, a folder of published/ [default: the one that the boards stand "
            "for].",
            show_default=False,
        ),
    ] = None,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="Fit the processor's costs to the rows for it instead, from one run on a board "
            "whose instructions were counted.",
        ),
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="With --fit: write the costs to board/processors/.")
    ] = False,
    form: Annotated[
        Literal["table", "csv", "json"],
        typer.Option("--format", help="A table for people, or tidy rows for programs."),
    ] = "table",
    store: StoreOption = None,
) -> None:
    """Compare boards with published figures of the processor that they stand for.

    Rows that a board may be fitted to stand apart from rows that are held out, with the median and
    the worst deviation of each and the goals.
    """
    if write and not fit:
        raise RequestError("--write goes with --fit, which makes the costs that are written.")
    if fit and len(runs or []) > 1:
        raise RequestError(f"--fit takes one run; {len(runs or [])} are named.")
    place, console = open_store(store), Console()
    results = [load_results(place, run) for run in runs or [LATEST]]
    chosen = choose(load_processors(), results, processor)
    if not fit:
        found = compared(chosen, results)
        frame = found.frame.drop("label")
        if form == "table":
            show_calibration(console, found)
    else:
        rows, priors = counted(chosen, results[0], place), load_priors(chosen)
        costs = fit_costs(chosen, rows, priors)
        frame = costs.weights
        if form == "table":
            every = all_rows(chosen, rows, priors)
            show_cost_fit(console, costs, every, chosen.file.goals)
        if write:
            costs.write()
    if form != "table":
        sys.stdout.write(to_csv(frame) if form == "csv" else to_json(frame))


app = application(calibrate)

if __name__ == "__main__":
    main(app)
