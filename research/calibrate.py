# SPDX-License-Identifier: Apache-2.0
"""`python -m research.calibrate`: boards beside published figures of the processor that they stand
for, and the costs of the processor that follow from these.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from statistics import median
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import RequestError
from firesteel.base.tidy import to_csv, to_json
from firesteel.store.store import LATEST
from firesteel.terminal.grid import Grid
from research.calibration import Board, Calibration, Line, choose
from research.calibration import calibrate as compared
from research.command import StoreOption, application, main, open_store
from research.costs import AllRows, CostFit, all_rows, counted, fit_costs
from research.processor import KINDS, ROLES, Goal, Kind, Role, load_priors, load_processors
from research.ridge import AWAY

_NONE = "-"


def show_calibration(console: Console, found: Calibration) -> None:
    """A table for each role and kind of row, what these come to, and what has no figure."""
    several = len(found.clocks) > 1
    for role, kind in product(ROLES, KINDS):
        if found.of(role, kind):
            _lines(found, role, kind).show(console)
    names, rows, missed = [], [], []
    for each in found.groups:
        names.append(f"{each.role}: {each.kind}" + (f" ({each.board.label})" if several else ""))
        figures = f"{each.median:.1f}", f"{each.worst:.1f}", _goals(each.goal)
        rows.append((str(each.rows), *figures, "met" if each.is_met else "missed"))
        if not each.is_met:
            missed.append(f"The goal is missed by {names[-1]}; the worst row is {each.worst_row}.")
    title = "Deviations" if several else f"Deviations of {next(iter(found.clocks)).label}"
    heads = ("rows", "median, %", "worst, %", "goals, %", "")
    Grid(title, heads, list(zip(names, rows, strict=True))).show(console)
    _say(
        console,
        *missed,
        f"Published figures are of a {found.processor.file.processor} at {_clocks(found)}, or "
        "scaled to that clock; a deviation is how much longer the board takes.",
    )
    if missing := found.missing:
        whats = ", ".join(dict.fromkeys(cost.what for cost in missing))
        _say(console, f"Published rows without a figure here: {len(missing)}, of {whats}.")


def _say(console: Console, *sentences: str) -> None:
    for each in sentences:
        console.print(escape(each), highlight=False)


def _goals(goal: Goal) -> str:
    return f"{goal.each:g}" + (f", median {goal.median:g}" if goal.median is not None else "")


def _clocks(found: Calibration) -> str:
    """The clocks of the boards, each with its board if they have several."""
    clocks = {f"{hz / 1e6:g} MHz": board for board, hz in found.clocks.items()}
    if len(clocks) == 1:
        return next(iter(clocks))
    return " and ".join(f"{hz / 1e6:g} MHz ({board.label})" for board, hz in found.clocks.items())


def _lines(found: Calibration, role: Role, kind: Kind) -> Grid:
    """A row's published figure, once if all boards have one clock, and what boards make of it."""
    boards = list(found.clocks)
    each_its_own = len(set(found.clocks.values())) > 1
    heads = ["source"] if each_its_own else ["source", "published"]
    for board in boards:
        above = f"{board.name}\n{board.clock}\n" if len(boards) > 1 else ""
        names = ("published", "board", "off, %") if each_its_own else ("board", "off, %")
        heads += [above + name for name in names]
    rows = [
        (line.cost.parameter.text, list(_cells(line, boards, each_its_own)))
        for line in found.of(role, kind)
    ]
    return Grid(f"{role}: {kind}", heads, rows)


def _cells(line: Line, boards: Sequence[Board], each_its_own: bool) -> Iterator[str]:
    yield line.cost.source
    published = [f"{_number(of.published)} {line.cost.unit}" for of in line.boards.values()]
    if not each_its_own:
        yield published[0]
    of_board = dict(zip(line.boards, published, strict=True))
    for board in boards:
        if each_its_own:
            yield of_board.get(board, _NONE)
        of = line.boards.get(board)
        yield from (_number(of.ours), f"{of.deviation:+.1f}") if of else (_NONE, _NONE)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def show_cost_fit(console: Console, fit: CostFit, every: AllRows) -> None:
    """Costs beside their priors, rows beside what the fit says of them, how far to trust it, and
    what all rows say.
    """
    for grid in (_weights(fit), _own_rows(fit), _summary(fit), _errors(fit), _unseen(every)):
        grid.show(console)
    _say(
        console,
        f"The costs that suit the worst of all {len(every.off)} rows best, each at most {AWAY:g} "
        f"times its prior or as much less, bring every row within {every.minimax:.2f} of its goal.",
        f"{len(fit.own_rows)} rows determine {fit.freedom:.1f} of {len(fit.weights)} costs; priors "
        "hold the rest.",
        "told: the share of a prior's variance that the rows take away; least: the fit is at the "
        "least value allowed. left out: by a fit to all other rows. An error of 1 goal is as much "
        "as the goal of a row's kind allows.",
        f"now: {fit.path.relative_to(CHECKOUT)}; --write puts the fitted costs there.",
    )


def _weights(fit: CostFit) -> Grid:
    rows = []
    for each in fit.weights:
        costs = [
            f"{of.cycles:g} + {of.nanoseconds:g} ns" if of.nanoseconds else f"{of.cycles:g}"
            for of in (each.prior, each.now, each.fitted)
        ]
        told = f"{each.reduction * 100:.0f}" if each.is_free else "least"
        rows.append((each.name, (*costs, told)))
    return Grid("Costs in cycles, and ns of memory", ("prior", "now", "fitted", "told, %"), rows)


def _own_rows(fit: CostFit) -> Grid:
    rows = []
    for each in fit.own_rows:
        offs = (each.measured, each.now, each.fitted, each.left_out or 0)
        cells = (f"{each.row.published:.5g}", *(f"{off:+.1f}" for off in offs))
        rows.append((each.row.cost.id, cells))
    heads = ("cycles", "measured", "now", "fitted", "left out")
    return Grid("Rows of the fit: published, and how much longer the board takes, %", heads, rows)


def _summary(fit: CostFit) -> Grid:
    rows = []
    for role, kind in product(ROLES, KINDS):
        of = [each for each in fit.rows if (each.row.cost.role, each.row.cost.kind) == (role, kind)]
        if of:
            now, fitted = (
                [f"{middle:.1f}", f"{worst:.1f}"]
                for middle, worst in (_size([e.now for e in of]), _size([e.fitted for e in of]))
            )
            worst_row = max(of, key=lambda each: abs(each.fitted)).row.cost.id
            rows.append((f"{role}: {kind}", (str(len(of)), *now, *fitted, worst_row)))
    heads = ("rows", "now\nmedian", "now\nworst", "fitted\nmedian", "fitted\nworst", "worst row")
    return Grid("Deviations without signs, %", heads, rows)


def _errors(fit: CostFit) -> Grid:
    rows = [
        (f"{spread:.3g}", (f"{error:.3f}", "chosen" if spread == fit.spread else ""))
        for spread, error in fit.errors.items()
    ]
    return Grid("Error of rows that are left out, by the spread of priors", ("goals", ""), rows)


def _unseen(every: AllRows) -> Grid:
    rows = []
    for kind in KINDS:
        off = {row.cost.id: off for row, off in every.off if row.cost.kind == kind}
        if off:
            middle, worst = _size(list(off.values()))
            goal = every.goals[kind].each
            met = "met" if worst <= goal else "missed"
            worst_row = max(off, key=lambda name: abs(off[name]))
            figures = (f"{middle:.1f}", f"{worst:.1f}", f"{goal:g}", met, worst_row)
            rows.append((kind, (str(len(off)), *figures)))
    title = "By a fit to all rows but those of the same code: deviations without signs, %"
    return Grid(title, ("rows", "median", "worst", "goal", "", "worst row"), rows)


def _size(deviations: Sequence[float]) -> tuple[float, float]:
    """The median and the largest, without signs."""
    sizes = [abs(each) for each in deviations]
    return median(sizes), max(sizes)


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
        frame = found.frame
        if form == "table":
            show_calibration(console, found)
    else:
        rows, priors = counted(chosen, results[0], place), load_priors(chosen)
        costs = fit_costs(chosen, rows, priors)
        frame = costs.frame
        if form == "table":
            show_cost_fit(console, costs, all_rows(chosen, rows, priors))
        if write:
            costs.write()
    if form != "table":
        sys.stdout.write(to_csv(frame) if form == "csv" else to_json(frame))


app = application(calibrate)

if __name__ == "__main__":
    main(app)
