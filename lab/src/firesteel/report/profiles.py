# SPDX-License-Identifier: Apache-2.0
"""Where a cell's instructions went, as `firesteel profile` left it beside the run."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from firesteel.analysis.places import Places
from firesteel.analysis.sheet import MISSING, Sheet
from firesteel.model.cell import IN_SOFTWARE
from firesteel.profiling.document import Profile, load
from firesteel.profiling.spent import ESTIMATED, PARTS, Spent
from firesteel.store.record import Record

_MOST_FUNCTIONS = 20


def title(profile: Profile) -> str:
    """The cell's label and the window."""
    return f"{profile.cell}, {profile.window}"


def suite(profile: Profile) -> str:
    """The cell's label without what computed it, and the window."""
    return f"{profile.configuration}, {profile.window}"


def named_by_place(profiles: Iterable[Profile], records: Iterable[Record]) -> list[Profile]:
    """Profiles of cells of these records, whose labels say where they were measured where that does
    not go without saying.
    """
    cells = {record.key: record.inputs.cell for record in records}
    places = Places.of_cells(cells.values())
    return [
        profile.model_copy(
            update={"cell": places.label(cell.configuration, cell.place) if cell else profile.cell}
        )
        for profile in profiles
        for cell in (cells.get(profile.key),)
    ]


def load_profiles(directory: Path, keys: Iterable[str] | None = None) -> list[Profile]:
    """Those in the directory by name, or of these records; none when it is not there.

    Raises `FiresteelError` when one is damaged or was written by a newer Firesteel.
    """
    found = [profile for path in sorted(directory.glob("*.json")) if (profile := load(path))]
    wanted = None if keys is None else set(keys)
    return [profile for profile in found if wanted is None or profile.key in wanted]


def functions_sheet(software: Profile, hardware: Profile) -> Sheet:
    """The functions that take most, software beside hardware."""
    return _functions([software, hardware], f"{suite(software)}: functions, software and hardware")


def function_sheet(profile: Profile) -> Sheet:
    """The functions that take most, of one profile."""
    return _functions([profile], f"{title(profile)}: functions")


def spent_sheet(spents: Sequence[Spent]) -> Sheet | None:
    """Where the time of each window went, in seconds; nothing without any."""
    rows = []
    for each in spents:
        seconds = [*(each.seconds[part] for part in PARTS), each.elapsed]
        rows.append([title(each.profile), *(f"{value:.3f}" for value in seconds)])
    caption = "Where the time went, seconds of the window"
    if not all(each.exact for each in spents):
        caption += f"; {ESTIMATED}"
    return Sheet(caption, (*PARTS, "elapsed"), rows, head="cell, window") if rows else None


def in_pairs(profiles: Sequence[Profile]) -> list[tuple[Profile, ...]]:
    """Profiles, software with each hardware of the same suite, then those that stand alone."""
    software = {suite(each): each for each in profiles if each.implementation == "software"}
    told: list[tuple[Profile, ...]] = []
    used = set()
    for each in profiles:
        if each.implementation not in IN_SOFTWARE and suite(each) in software:
            told.append((software[suite(each)], each))
            used.add(suite(each))
        elif each.implementation != "software":
            told.append((each,))
    return told + [(each,) for name, each in software.items() if name not in used]


def _functions(profiles: Sequence[Profile], caption: str) -> Sheet:
    counts = [_by_function(profile) for profile in profiles]
    every = dict.fromkeys(place for count in counts for place in count)
    top = sorted(every, key=lambda place: -max(count.get(place, 0) for count in counts))
    rows = []
    for place in top[:_MOST_FUNCTIONS]:
        cells = []
        for profile, count in zip(profiles, counts, strict=True):
            instructions = count.get(place, 0)
            share = 100 * instructions / (profile.instructions or 1)
            cells += [f"{instructions:,}", f"{share:.1f} %"] if instructions else [MISSING] * 2
        layer, code, function = place
        rows.append([function, layer, code, *cells])
    columns = ("layer", "object", *("instructions", "share") * len(profiles))
    groups = (("", 2), *((profile.implementation, 2) for profile in profiles))
    return Sheet(caption, columns, rows, groups, head="function", wordy=frozenset({0, 1}))


def _by_function(profile: Profile) -> dict[tuple[str, ...], int]:
    """Instructions by layer, object and function, of all processes together."""
    return dict(profile.totals(1, 2, 3))
