# SPDX-License-Identifier: Apache-2.0
"""What tells apart the boards and links that two records were measured on."""

from collections.abc import Iterable
from dataclasses import dataclass

from firesteel.base.quantity import in_words
from firesteel.board.numbers import Value, cost_at, unit_at
from firesteel.store.setup import Setup, cores_in_words


@dataclass(frozen=True)
class Difference:
    """A parameter by its path, and what it is on either side; None where a side has none.

    A window of cores that one side lacks is one difference, in words.
    """

    path: str
    before: Value | None
    after: Value | None

    @property
    def unit(self) -> str:
        """That of both values; empty where they have none."""
        return unit_at(self.path)

    @property
    def is_number(self) -> bool:
        """Whether it has a size; else it is a word, or whether something is there."""
        return not any(isinstance(each, bool | str) for each in (self.before, self.after))

    @property
    def values(self) -> tuple[float | str | None, float | str | None]:
        """Both for a table: numbers in the unit of the path, or words."""
        if self.is_number:
            return _number(self.before), _number(self.after)
        return _word(self.before), _word(self.after)

    @property
    def factor(self) -> float | None:
        """The value after, divided by the one before; None where that says nothing."""
        one, other = _number(self.before), _number(self.after)
        return other / one if one and other else None

    def text(self, value: Value | None) -> str:
        """One of its values for people: `100 MHz`, `coherent`."""
        if value is None or isinstance(value, bool | str):
            return _word(value) or "\N{EN DASH}"
        return in_words(value, self.unit)


def differences(before: Setup, after: Setup, measured: str) -> tuple[Difference, ...]:
    """All parameters that are not the same, those of the measured board first."""
    one, other = before.parts(measured), after.parts(measured)
    found: dict[str, Difference] = {}
    windows = _windows_of_one(before, after, measured)
    for path in dict.fromkeys((*one, *other)):
        if one.get(path) == other.get(path):
            continue
        window = next((each for each in windows if path.startswith(f"{each.path}.")), None)
        if window:
            found[window.path] = window
        else:
            said = (_value(setup, measured, path) for setup in (before, after))
            found[path] = Difference(path, *said)
    return tuple(found.values())


def _number(value: Value | None) -> float | None:
    return None if value is None or isinstance(value, bool | str) else float(value)


def _word(value: Value | None) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value is None else str(value)


def _value(setup: Setup, measured: str, path: str) -> Value | None:
    """What a side has, usual costs included, which are no part of its own."""
    node, colon, rest = path.partition(":")
    profile = setup.profiles[node if colon else measured]
    found = setup.parts(measured).get(path)
    return cost_at(profile, rest if colon else path) if found is None else found


def _windows_of_one(before: Setup, after: Setup, measured: str) -> list[Difference]:
    """The windows of cores that one of the sides has alone."""
    one, other = (dict(_windows(each, measured)) for each in (before, after))
    paths: Iterable[str] = dict.fromkeys((*one, *other))
    return [
        Difference(path, one.get(path), other.get(path))
        for path in paths
        if (path in one) != (path in other)
    ]


def _windows(setup: Setup, measured: str) -> Iterable[tuple[str, str]]:
    for node, profile in setup.profiles.items():
        at = "" if node == measured else f"{node}:"
        for cores in profile.cores:
            words = cores_in_words(cores).removeprefix(f"{cores.name} ")
            yield f"{at}cores.{cores.name}", words.strip("()")
