# SPDX-License-Identifier: Apache-2.0
"""Where a cell's instructions went, as `firesteel profile` left it beside the run."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from firesteel.errors import FiresteelError
from firesteel.record import check_format
from firesteel.report.sheet import MISSING, Sheet

FORMAT = 1

_MOST_FUNCTIONS = 20


class Stack(BaseModel):
    """Instructions of one place in the code; `frames` are process, layer, object and function."""

    model_config = ConfigDict(frozen=True)

    frames: tuple[str, ...]
    instructions: NonNegativeInt


class Profile(BaseModel):
    """One cell's profile in one window; `key` is its record's address."""

    model_config = ConfigDict(frozen=True)

    cell: str
    key: str
    implementation: str
    window: str = ""
    instructions: NonNegativeInt
    stacks: tuple[Stack, ...]

    @property
    def suite(self) -> str:
        """The cell's label without what computed it, and the window."""
        return self._with_window(self.cell.partition(f" {self.implementation}")[0])

    @property
    def title(self) -> str:
        """The cell's label and the window."""
        return self._with_window(self.cell)

    def _with_window(self, text: str) -> str:
        return f"{text}, {self.window}" if self.window else text


def load_profiles(directory: Path, keys: Iterable[str] | None = None) -> list[Profile]:
    """Those in the directory by name, or of these records; none when it is not there.

    Raises `FiresteelError` when one is damaged or was written by a newer Firesteel.
    """
    found = [_load(path) for path in sorted(directory.glob("*.json"))]
    wanted = None if keys is None else set(keys)
    return [profile for profile in found if wanted is None or profile.key in wanted]


def functions_sheet(software: Profile, hardware: Profile) -> Sheet:
    """The functions that take most, software beside hardware."""
    return _functions([software, hardware], f"{software.suite}: functions, software and hardware")


def function_sheet(profile: Profile) -> Sheet:
    """The functions that take most, of one profile."""
    return _functions([profile], f"{profile.title}: functions")


def in_pairs(profiles: Sequence[Profile]) -> list[tuple[Profile, ...]]:
    """Profiles, software with each hardware of the same suite, then those that stand alone."""
    software = {each.suite: each for each in profiles if each.implementation == "software"}
    told: list[tuple[Profile, ...]] = []
    used = set()
    for each in profiles:
        if each.implementation != "software" and each.suite in software:
            told.append((software[each.suite], each))
            used.add(each.suite)
        elif each.implementation != "software":
            told.append((each,))
    return told + [(each,) for suite, each in software.items() if suite not in used]


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


def _by_function(profile: Profile) -> dict[tuple[str, str, str], int]:
    """Instructions by layer, object and function, of all processes together."""
    found: dict[tuple[str, str, str], int] = {}
    for stack in profile.stacks:
        _, layer, code, function = ("", "", "", "", *stack.frames)[-4:]
        place = (layer, code, function)
        found[place] = found.get(place, 0) + stack.instructions
    return found


def _load(path: Path) -> Profile:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FiresteelError(f"{path}: this profile cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise FiresteelError(f"{path}: this profile is damaged: no JSON object.")
    check_format(content, FORMAT, "profile", str(path))
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise FiresteelError(f"{path}: this profile is damaged: {key}: {first['msg']}.") from None
