# SPDX-License-Identifier: Apache-2.0
"""What boards cost against what they give, on a terminal."""

from collections.abc import Sequence

from rich.console import Console

from firesteel.analysis.intervals import SLACK
from firesteel.analysis.pareto import Choice
from firesteel.analysis.sheet import MISSING
from firesteel.model import names
from firesteel.terminal.grid import Grid

_FRONT = "best"


def show_choices(console: Console, groups: Sequence[Sequence[Choice]]) -> None:
    """A table for each traffic, from the cheapest row on."""
    for group in groups:
        _grid(group).show(console)
    console.print(
        f"{_FRONT}: no other row of the table costs no more, is as fast, and takes as little of "
        f"the CPU; {SLACK * 100:g} % count as no difference. Costs are those that were given.",
        highlight=False,
    )


def _grid(group: Sequence[Choice]) -> Grid:
    first = group[0]
    numbers = {id(each.row): str(number) for number, each in enumerate(group, 1)}
    lines = [
        (
            f"{numbers[id(each.row)]}. {each.row.label}",
            [
                f"{each.cost:.4g}",
                _figure(each, each.speed),
                _figure(each, each.work) if each.work else MISSING,
                f"beaten by {numbers[id(each.beaten_by.row)]}" if each.beaten_by else _FRONT,
            ],
        )
        for each in group
    ]
    heads = [
        names.quantity(first.speed[0]),
        names.quantity(first.work[0]) if first.work else "CPU work",
    ]
    columns = ("cost", *(head.replace(", ", "\n") for head in heads), "")
    return Grid(first.traffic, columns, lines)


def _figure(choice: Choice, figure: tuple[str, float]) -> str:
    metric, value = figure
    mark = names.mark(converged=choice.row.results[metric].converged)
    return f"{mark}{names.number(value, metric)}"
