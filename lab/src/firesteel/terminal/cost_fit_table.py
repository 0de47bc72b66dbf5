# SPDX-License-Identifier: Apache-2.0
"""A fit of a processor's costs, for a terminal."""

from rich.console import Console
from rich.markup import escape

from firesteel.base.checkout import CHECKOUT
from firesteel.replication.all_rows import AllRows
from firesteel.replication.cost_fit import CostFit, Predicted, Weight
from firesteel.replication.reachable import AWAY
from firesteel.terminal.grid import Grid


def show_cost_fit(console: Console, fit: CostFit, every: AllRows) -> None:
    """Costs beside their priors, rows beside what the fit says of them, how far to trust it, and
    what all rows say.
    """
    _weights(fit).show(console)
    _rows(fit).show(console)
    _summary(fit).show(console)
    _cross_validation(fit).show(console)
    for each in fit.summaries:
        told = f"The worst row of {each.role}: {each.kind} is {each.worst_row} with these costs."
        console.print(escape(told), highlight=False)
    _unseen(every).show(console)
    for line in (_reachable(every), _bears(fit), _columns(), _file(fit)):
        console.print(escape(line), highlight=False)


def _weights(fit: CostFit) -> Grid:
    heads = ("prior", "now", "fitted", "told, %")
    rows = [(weight.name, _weight(weight)) for weight in fit.weights]
    return Grid.plain("Costs in cycles, and ns of memory", heads, rows)


def _weight(weight: Weight) -> tuple[str, ...]:
    told = f"{weight.told * 100:.0f}" if weight.is_free else "least"
    return (
        _cost(weight.prior.cycles, weight.prior.nanoseconds),
        _cost(weight.now.cycles, weight.now.nanoseconds),
        _cost(weight.fitted.cycles, weight.fitted.nanoseconds),
        told,
    )


def _cost(cycles: float, nanoseconds: float) -> str:
    return f"{cycles:g} + {nanoseconds:g} ns" if nanoseconds else f"{cycles:g}"


def _rows(fit: CostFit) -> Grid:
    heads = ("cycles", "measured", "now", "fitted", "left out")
    rows = [(each.row.cost.id, _row(each)) for each in fit.rows if each.left_out is not None]
    return Grid.plain(
        "Rows of the fit: published, and how much longer the board takes, %", heads, rows
    )


def _row(each: Predicted) -> tuple[str, ...]:
    offs = (each.measured, each.now, each.fitted, each.left_out or 0)
    return f"{each.row.published:.5g}", *(f"{off:+.1f}" for off in offs)


def _summary(fit: CostFit) -> Grid:
    heads = ("rows", "now\nmedian", "now\nworst", "fitted\nmedian", "fitted\nworst")
    rows = [
        (
            f"{each.role}: {each.kind}",
            (str(each.rows), *(f"{off:.1f}" for off in (*each.now, *each.fitted))),
        )
        for each in fit.summaries
    ]
    return Grid.plain("Deviations without signs, %", heads, rows)


def _cross_validation(fit: CostFit) -> Grid:
    rows = [
        (f"{spread:.3g}", (f"{error:.3f}", "chosen" if spread == fit.spread else ""))
        for spread, error in fit.errors.items()
    ]
    return Grid.plain(
        "Error of rows that are left out, by the spread of priors", ("goals", ""), rows
    )


def _unseen(every: AllRows) -> Grid:
    heads = ("rows", "median", "worst", "goal", "", "worst row")
    rows = [
        (
            each.kind,
            (
                str(each.rows),
                *(f"{off:.1f}" for off in (each.median, each.worst)),
                f"{each.goal:g}",
                "met" if each.is_met else "missed",
                each.worst_row,
            ),
        )
        for each in every.unseen
    ]
    title = "By a fit to all rows but those of the same code: deviations without signs, %"
    return Grid.plain(title, heads, rows)


def _reachable(every: AllRows) -> str:
    return (
        f"The costs that suit the worst of all {every.rows} rows best, each at most {AWAY:g} times "
        f"its prior or as much less, bring every row within {every.least_worst:.2f} of its goal."
    )


def _bears(fit: CostFit) -> str:
    return (
        f"{fit.fitted_rows} rows determine {fit.freedom:.1f} of {len(fit.weights)} costs; priors "
        "hold the rest."
    )


def _columns() -> str:
    return (
        "told: the share of a prior's variance that the rows take away; least: the fit is at the "
        "least value allowed. left out: by a fit to all other rows. An error of 1 goal is as much "
        "as the goal of a row's kind allows."
    )


def _file(fit: CostFit) -> str:
    return f"now: {fit.path.relative_to(CHECKOUT)}; --write puts the fitted costs there."
