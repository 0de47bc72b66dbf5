# SPDX-License-Identifier: Apache-2.0
"""Where a cell's instructions and its time went, as tables and as tidy rows: by layer, by part of
the time, by function, and which code for cryptography really ran.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from firesteel.judge.places import Places
from firesteel.model.cell import IN_SOFTWARE
from firesteel.model.names import MISSING
from firesteel.profiling.document import ESTIMATED, PARTS, Profile, Spent, load
from firesteel.profiling.symbols import LAYERS, Layer
from firesteel.show.grid import Grid, Text
from firesteel.store.record import Record
from firesteel.workloads import titles

COLUMNS = ("cell", "implementation", "window", "process", "layer", "object", "function")
"""Columns of tidy rows; the last one, `instructions`, is a number."""

MOST_FUNCTIONS = 20
"""Functions that a page names."""

_WIDEST = 38
"""Letters of a function and its object in a table, which leave room for numbers on 80 columns."""

_LAYER, _OBJECT, _FUNCTION = 1, 2, 3

_CRYPTOGRAPHY: tuple[Layer, ...] = (
    *("libcrypto", "kernel crypto", "driver", "provider", "libfiresteel"),
)

_LEAST = 0.01
"""The share of a cell's instructions from which on code is named."""


@dataclass(frozen=True)
class Code:
    """A function for cryptography that ran, and its share of the cell's instructions.

    A program or the kernel may have several implementations of an algorithm; a profile shows which
    one ran.
    """

    profile: Profile
    object: str
    function: str
    share: float


def named_by_place(profiles: Iterable[Profile], records: Iterable[Record]) -> list[Profile]:
    """Profiles of cells of these records, whose labels say where they were measured where that does
    not go without saying.
    """
    cells = {record.key: record.cell for record in records}
    places = Places.of_cells(cells.values())
    return [
        each.model_copy(update={"cell": places.label(cell.configuration, cell.place)})
        if (cell := cells.get(each.key))
        else each
        for each in profiles
    ]


def load_profiles(directory: Path, keys: Iterable[str] | None = None) -> list[Profile]:
    """Those in the directory by name, or of these records; none when it is not there.

    Raises `FiresteelError` when one is damaged or was written by a newer Firesteel.
    """
    found = [profile for path in sorted(directory.glob("*.json")) if (profile := load(path))]
    wanted = None if keys is None else set(keys)
    return [profile for profile in found if wanted is None or profile.key in wanted]


def in_pairs(profiles: Sequence[Profile]) -> list[tuple[Profile, ...]]:
    """Profiles: software with each hardware of the same suite, then profiles without a partner."""
    software = {suite([each, each]): each for each in profiles if each.implementation == "software"}
    told: list[tuple[Profile, ...]] = []
    used = set()
    for each in profiles:
        name = suite([each, each])
        if each.implementation not in IN_SOFTWARE and name in software:
            told.append((software[name], each))
            used.add(name)
        elif each.implementation != "software":
            told.append((each,))
    return told + [(each,) for name, each in software.items() if name not in used]


def profile_grids(
    profiles: Sequence[Profile], spents: Sequence[Spent], most: int = MOST_FUNCTIONS
) -> list[Grid]:
    """Of profiles side by side: where the time went, as far as that is known of all of them; the
    layers; the `most` functions that take most.
    """
    of = {id(each.profile): each for each in spents}
    known = [of[id(each)] for each in profiles if id(each) in of]
    time = by_part(known) if len(known) == len(profiles) else None
    return [*filter(None, (time, by_layer(profiles), by_function(profiles, most)))]


def by_part(spents: Sequence[Spent]) -> Grid | None:
    """The seconds of the window, and their shares of all."""
    lines = {part: [each.seconds[part] for each in spents] for part in PARTS}
    whole = [each.elapsed for each in spents]
    estimated = "" if all(each.exact for each in spents) else f"; {ESTIMATED}"
    title = f"where the time went{estimated}"
    profiles = [each.profile for each in spents]
    return _beside(profiles, title, "part|s", lines | {"elapsed": whole}, whole, ".4f")


def by_layer(profiles: Sequence[Profile]) -> Grid | None:
    """Instructions of each layer in millions, and their share of all."""
    counts = [profile.totals(_LAYER) for profile in profiles]
    lines = {layer: [count[(layer,)] / 1e6 for count in counts] for layer in LAYERS}
    whole = [profile.instructions / 1e6 for profile in profiles]
    there = {layer: numbers for layer, numbers in lines.items() if any(numbers)}
    return _beside(profiles, "layers", "layer|millions", there | {"all": whole}, whole, ",.3f")


def by_function(profiles: Sequence[Profile], most: int) -> Grid | None:
    """The `most` functions that take most in any of the profiles, of all processes together."""
    counts = [profile.totals(_FUNCTION, _OBJECT, _LAYER) for profile in profiles]
    largest = {place: max(count[place] for count in counts) for count in counts for place in count}
    top = sorted(largest, key=lambda place: (-largest[place], place))[:most]
    lines = {place: [count[place] / 1e6 for count in counts] for place in top}
    whole = [profile.instructions / 1e6 for profile in profiles]
    title = "functions that take most"
    return _beside(profiles, title, "function|millions", lines, whole, ",.3f")


def _beside(
    profiles: Sequence[Profile],
    title: str,
    heads: str,
    lines: Mapping[str, Sequence[float]] | Mapping[tuple[str, ...], Sequence[float]],
    whole: Sequence[float],
    form: str,
) -> Grid | None:
    """A number of each profile, and its percentage of the `whole`; `heads` name lines and
    numbers.
    """
    of, _, unit = heads.partition("|")
    rows: list[dict[str, Text]] = []
    for name, numbers in lines.items():
        row: dict[str, Text] = {of: name if isinstance(name, str) else _label(*name[:2])}
        for profile, number, every in zip(profiles, numbers, whole, strict=True):
            there = number or form == ".4f"
            row[f"{profile.implementation}|{unit}"] = f"{number:{form}}" if there else MISSING
            share = 100 * number / (every or 1)
            row[f"{profile.implementation}|%"] = f"{share:.2f}" if there else MISSING
        rows.append(row)
    return Grid.of(f"{suite(profiles)}: {title}", rows)


def _label(function: str, code: str) -> str:
    """A function and its object, cut where they are long."""
    where = f" [{code.partition('.so')[0].strip('[]')}]"
    room = _WIDEST - len(where)
    return (function if len(function) <= room else f"{function[: room - 1]}…") + where


def suite(profiles: Sequence[Profile]) -> str:
    """The cell, of several without what computed it; and the window."""
    first = profiles[0]
    name = first.cell if len(profiles) == 1 else first.configuration
    return f"{name}, {first.window}"


def code_that_ran(profiles: Iterable[Profile]) -> Iterator[Code]:
    """The functions of cryptography that took a hundredth of a profile or more, largest first."""
    for profile in profiles:
        for (layer, place, function), count in profile.totals(1, 2, 3).most_common():
            share = count / (profile.instructions or 1)
            # Of some nothing but an address is known.
            nameless = function.startswith("@") and not function.endswith(")")
            if layer in _CRYPTOGRAPHY and share >= _LEAST and not nameless:
                yield Code(profile, place, function, share)


def code_grid(profiles: Iterable[Profile]) -> Grid | None:
    """A row a function; None without profiles."""
    rows: list[dict[str, Text]] = [
        {
            "cell": code.profile.configuration,
            "implementation": titles.implementation(code.profile.implementation),
            "object": code.object,
            "code": code.function,
            "share of instructions": f"{100 * code.share:.1f} %",
        }
        for code in code_that_ran(profiles)
    ]
    prose = ("implementation", "object", "code")
    return Grid.of("Cryptographic code that ran", rows, wordy=prose)


def tidy(profiles: Sequence[Profile]) -> pl.DataFrame:
    """A row a stack."""
    rows = [
        (each.cell, each.implementation, each.window, *stack.frames, stack.instructions)
        for each in profiles
        for stack in each.stacks
    ]
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(COLUMNS, pl.String)
    return pl.DataFrame(rows, schema=schema | {"instructions": pl.Int64}, orient="row")
