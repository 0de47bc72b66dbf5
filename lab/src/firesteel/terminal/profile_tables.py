# SPDX-License-Identifier: Apache-2.0
"""Profiles as tables: where the time went, by layer, by function, with what computes side by side;
and as tidy rows.
"""

from collections.abc import Sequence

import polars as pl

from firesteel.profiling.document import Profile
from firesteel.profiling.layers import LAYERS
from firesteel.profiling.spent import PARTS, Spent
from firesteel.terminal.grid import Grid

COLUMNS = ("cell", "implementation", "window", "process", "layer", "object", "function")
"""Columns of tidy rows; the last one, `instructions`, is a number."""

_WIDEST = 38
"""Letters of a function and its object in a table."""

_LAYER, _OBJECT, _FUNCTION = 1, 2, 3


def by_layer(profiles: Sequence[Profile]) -> Grid:
    """Instructions of each layer, and their share of all."""
    counts = [profile.totals(_LAYER) for profile in profiles]
    rows: list[tuple[str, list[str]]] = [
        (layer, _texts(profiles, [count[(layer,)] for count in counts]))
        for layer in LAYERS
        if any(count[(layer,)] for count in counts)
    ]
    rows.append(("all", _texts(profiles, [profile.instructions for profile in profiles])))
    return Grid(
        f"{_suite(profiles)}, window {profiles[0].window}: layers", _columns(profiles), rows
    )


def by_part(spents: Sequence[Spent]) -> Grid:
    """The seconds of the window, and their shares of all."""
    profiles = [each.profile for each in spents]
    rows: list[tuple[str, list[str]]] = []
    for part in PARTS:
        texts: list[str] = []
        for each in spents:
            seconds = each.seconds[part]
            texts += [f"{seconds:.4f}", f"{100 * seconds / each.elapsed:.2f}"]
        rows.append((part, texts))
    rows.append(
        ("elapsed", [text for each in spents for text in (f"{each.elapsed:.4f}", "100.00")])
    )
    columns = [text for each in profiles for text in (f"{each.implementation}\ns", "\n%")]
    title = f"{_suite(profiles)}, window {profiles[0].window}: where the time went"
    if not all(each.exact for each in spents):
        title += " (estimated)"
    return Grid(title, columns, rows)


def by_function(profiles: Sequence[Profile], most: int) -> Grid:
    """The `most` functions that take most in any of the profiles."""
    counts = [profile.totals(_FUNCTION, _OBJECT, _LAYER) for profile in profiles]
    largest = {place: max(count[place] for count in counts) for count in counts for place in count}
    top = sorted(largest, key=lambda place: (-largest[place], place))[:most]
    rows = [
        (
            _label(function, code),
            _texts(profiles, [count[function, code, layer] for count in counts]),
        )
        for function, code, layer in top
    ]
    return Grid(f"{_suite(profiles)}: functions that take most", _columns(profiles), rows)


def tidy(profiles: Sequence[Profile]) -> pl.DataFrame:
    """A row a stack."""
    rows = [
        dict(
            zip(
                COLUMNS,
                (profile.cell, profile.implementation, profile.window, *stack.frames),
                strict=True,
            ),
            instructions=stack.instructions,
        )
        for profile in profiles
        for stack in profile.stacks
    ]
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(COLUMNS, pl.String)
    return pl.DataFrame(rows, schema={**schema, "instructions": pl.Int64})


def _columns(profiles: Sequence[Profile]) -> list[str]:
    columns = []
    for profile in profiles:
        columns += [f"{profile.implementation}\nmillions", "\n%"]
    return columns


def _texts(profiles: Sequence[Profile], instructions: Sequence[int]) -> list[str]:
    texts = []
    for profile, count in zip(profiles, instructions, strict=True):
        share = 100 * count / (profile.instructions or 1)
        texts += [f"{count / 1e6:,.3f}", f"{share:.2f}"] if count else ["–", "–"]
    return texts


def _label(function: str, code: str) -> str:
    """A function and its object, cut to what leaves room for numbers on 80 columns."""
    where = f" [{code.partition('.so')[0].strip('[]')}]"
    room = _WIDEST - len(where)
    return (function if len(function) <= room else f"{function[: room - 1]}…") + where


def _suite(profiles: Sequence[Profile]) -> str:
    first = profiles[0]
    return first.cell if len(profiles) == 1 else first.configuration
