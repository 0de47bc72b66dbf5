# SPDX-License-Identifier: Apache-2.0
"""Which cell of one run stands beside which of another, where the runs were made in other places.

Of each part of a place, such as the board, that what both runs have is paired.  Where they have
nothing in common, each has to have one alone, or the user says which (`Choice`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.base.errors import RequestError
from firesteel.experiment.experiment import OWN_LINK
from firesteel.model.cell import Cell

CHOSEN: Mapping[str, Callable[[Cell], str]] = {
    "board": lambda cell: cell.place.board,
    "link": lambda cell: cell.link or OWN_LINK,
    "topology": lambda cell: cell.topology,
}
"""Parts of a place that a user may choose, as `--only` calls them."""

_PARTS: Mapping[str, Callable[[Cell], str]] = {
    **CHOSEN,
    "other nodes": lambda cell: ", ".join(
        f"{node} {profile}" for node, profile in cell.profiles.items() if node != cell.measured
    ),
}


@dataclass(frozen=True)
class Choice:
    """Cells with one value of a part in the first run are paired with those with another value in
    the second.
    """

    part: str
    before: str
    after: str


class UnclearError(Exception):
    """A cell is in several places of a run, and nothing says which is to be compared: values of a
    part that both runs have nothing of in common.
    """

    def __init__(self, part: str, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(part)
        self.part, self.before, self.after = part, before, after


def choice(text: str) -> Choice:
    """What `--pair` says; `RequestError` where that is none."""
    part, _, values = text.partition("=")
    before, separator, after = values.partition(":")
    if part not in CHOSEN or not (before and separator and after) or ":" in after:
        raise RequestError(
            f"--pair {text}: allowed is KEY=A:B, which compares cells with A in the first run with "
            f"those with B in the second, with one of the keys {', '.join(CHOSEN)}."
        )
    return Choice(part, before, after)


def check(choices: Sequence[Choice], before: Sequence[Cell], after: Sequence[Cell]) -> None:
    """Raises `RequestError` for what a run does not have."""
    for each in choices:
        for value, cells, which in ((each.before, before, "first"), (each.after, after, "second")):
            there = dict.fromkeys(CHOSEN[each.part](cell) for cell in cells)
            if value not in there:
                raise RequestError(
                    f"--pair {each.part}={each.before}:{each.after}: the {which} run has no cell "
                    f"with the {each.part} {value}; there are: {', '.join(there)}."
                )


def but_for_place(cell: Cell) -> str:
    """All that paired cells have in common, the measured node included."""
    nowhere: dict[str, Any] = {"profiles": {}, "topology": "", "link_rate_bit_s": None}
    return cell.of_any_seed.model_copy(update=nowhere).model_dump_json()


def match(
    before: Sequence[Cell], after: Sequence[Cell], choices: Sequence[Choice] = ()
) -> list[tuple[Cell, Cell]]:
    """Pairs of cells that differ in their places alone, in the order of the first ones.

    Raises `UnclearError` where it is not known which belong together.
    """
    for each in choices:
        part = CHOSEN[each.part]
        before = [cell for cell in before if part(cell) == each.before]
        after = [cell for cell in after if part(cell) == each.after]
    if not before or not after:
        return []
    chosen = {each.part for each in choices}
    shared = []
    for name, part in _PARTS.items():
        values = [tuple(dict.fromkeys(map(part, cells))) for cells in (before, after)]
        if name in chosen:
            continue
        if set(values[0]) & set(values[1]):
            shared.append(part)
        elif max(map(len, values)) > 1:
            raise UnclearError(name, *values)
    found = {tuple(part(cell) for part in shared): cell for cell in after}
    keys = [(cell, tuple(part(cell) for part in shared)) for cell in before]
    return [(cell, found[key]) for cell, key in keys if key in found]
