# SPDX-License-Identifier: Apache-2.0
"""What the boards' files must say so that named figures come out as published.

`fit.toml` of a study (`replication.fit_file`) names the numbers, and the rows that show each best;
all other rows are predictions (docs/fidelity.md).

1. The CPU's rate: rows in which the CPU is the bottleneck, where speed goes with the rate.  Figures
   on the clock `cycles` do not depend on it: there these rows are predictions, too.
2. The wire's latency, which stands for the switches and the peer of the published set-up too: round
   trips without a tunnel.

`steps` says by how much to change what the files have now, and what each row asks for; rows are
measured again with that, until nothing is left to change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import mean

from firesteel.analysis.compare import as_published, place
from firesteel.analysis.rows import Result
from firesteel.analysis.statement import Figures
from firesteel.base.errors import FiresteelError
from firesteel.base.toml_edit import numbers, with_number
from firesteel.model import names
from firesteel.model.metrics import METRICS, better
from firesteel.replication.fit_file import NANOSECONDS, Fit, Key, Number
from firesteel.store.store import write_whole

_NEAR = 0.005
"""The share of a number by which it is not worth changing."""


@dataclass(frozen=True)
class Asked:
    """What the number would be that brings one row to the published figure."""

    name: str
    metric: str
    number: int


@dataclass(frozen=True)
class Step:
    """A number of files, as it is and as it should be, and what each row asks for."""

    of: Number
    law: "Law"
    now: int
    wanted: int
    asked: tuple[Asked, ...]

    @property
    def key(self) -> str:
        """The key of the files."""
        return self.of.key

    @property
    def unit(self) -> str:
        """Of the number."""
        return self.law.unit

    @property
    def files(self) -> tuple[Path, ...]:
        """The files."""
        return self.of.paths

    @property
    def span(self) -> tuple[int, int]:
        """The least and the most that a row asks for."""
        numbers = [asked.number for asked in self.asked]
        return min(numbers), max(numbers)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to change."""
        return abs(self.wanted - self.now) <= _NEAR * self.now

    def write(self) -> None:
        """Puts the number into the files."""
        for path in self.files:
            write_whole(path, with_number(path, self.key, self.wanted).encode())


@dataclass(frozen=True)
class Law:
    """How a number follows from rows: what each `asks` for, given the number as it is, ours and the
    published figure; and what `all_ask` for.  Both are rounded to whole multiples of `grain`.
    """

    title: str
    unit: str
    grain: int
    asks: Callable[[int, Result, float], float]
    all_ask: Callable[[Sequence[float]], float]


def _rate_for(now: int, result: Result, published: float) -> float:
    """With which the speed is the published one."""
    ratio = result.value / published
    return now / (ratio if better(result.metric) == "higher" else 1 / ratio)


def _geometric_mean(values: Sequence[float]) -> float:
    return exp(mean(log(value) for value in values))


def _latency_for(now: int, result: Result, published: float) -> float:
    """With which the round trip takes the published time, half of it each way."""
    nanoseconds = NANOSECONDS[METRICS[result.metric].unit]
    return now + (published - result.value) * nanoseconds / 2


LAWS: Mapping[Key, Law] = {
    "cpu.instructions_per_second": Law(
        title="instructions a second",
        unit="instructions a second",
        grain=1_000_000,
        asks=_rate_for,
        all_ask=_geometric_mean,
    ),
    "links.latency_ns": Law(
        title="latency of the wire, ns", unit="ns", grain=1_000, asks=_latency_for, all_ask=mean
    ),
}


def steps(comparison: Iterable[Result], fit: Fit) -> tuple[Step, ...]:
    """The next step for each number on which these figures depend, beside the published ones.

    Raises `FiresteelError` when a row is missing, or the files do not agree with each other.
    """
    results = as_published(comparison)
    found = [(each, each.published) for each in results if each.published and each.value]
    return tuple(_step(number, found, fit.command) for number in fit.numbers)


def _step(number: Number, results: Sequence[tuple[Result, float]], command: str) -> Step:
    law = LAWS[number.key]
    now = _value(number.key, number.paths)
    rows = list(_picked(results, number.wanted, command))
    each = [law.asks(now, result, published) for result, published in rows]
    return Step(
        of=number,
        law=law,
        now=now,
        wanted=_rounded(law.all_ask(each), law.grain),
        asked=tuple(
            Asked(place(result), names.metric(result.metric), _rounded(asked, law.grain))
            for (result, _), asked in zip(rows, each, strict=True)
        ),
    )


def _rounded(number: float, grain: int) -> int:
    return max(0, round(number / grain) * grain)


def _picked(
    results: Sequence[tuple[Result, float]], wanted: Sequence[dict[str, str]], command: str
) -> Iterator[tuple[Result, float]]:
    """A result for each that is wanted, and the published one."""
    for keys in wanted:
        choice = Figures(**{key: (value,) for key, value in keys.items()})
        found = [each for each in results if choice.chooses(each[0].columns)]
        if len(found) != 1:
            told = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise FiresteelError(
                f"The run has {len(found)} figures of {told}; a fit needs one; `{command}` "
                "measures all of them."
            )
        yield found[0]


def _value(key: str, files: Sequence[Path]) -> int:
    found = {number for path in files for number in numbers(path, key)}
    if len(found) != 1:
        raise FiresteelError(
            f"The key `{key}` has {len(found)} values in "
            f"{', '.join(path.name for path in files)}; they are fitted together."
        )
    return found.pop()
