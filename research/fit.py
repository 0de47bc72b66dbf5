# SPDX-License-Identifier: Apache-2.0
"""`python -m research.fit`: what the boards' files must say so that named figures come out as
published.

`fit.toml` of a study (`judge.replication.fit_file`) names the numbers, and the rows that show each
best; all other rows are predictions (docs/fidelity.md).

1. The CPU's rate: rows in which the CPU is the bottleneck, where speed goes with the rate.  Figures
   on the clock `cycles` do not depend on it: there these rows are predictions, too.
2. The wire's latency, which stands for the switches and the peer of the published set-up too: round
   trips without a tunnel.

`steps` returns the change of each number in the files, and each row's wish.  Rows are measured
again with the new numbers until nothing changes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, geometric_mean
from typing import Annotated

import typer

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole
from firesteel.boards.profile import Clock
from firesteel.judge.compare import as_published, place
from firesteel.judge.replication.fit_file import FILE, RATE, FitFile, Number, load_fit
from firesteel.judge.results import load_results
from firesteel.judge.rows import Result
from firesteel.judge.study import Figures
from firesteel.model import names
from firesteel.model.metrics import METRICS, better
from firesteel.store.store import LATEST
from research.asked import (
    RunArgument,
    StoreOption,
    StudyOption,
    application,
    beside_study,
    clock_beside,
    main,
    open_store,
    option,
    study_for,
)
from research.toml_edit import numbers, with_values

_NANOSECONDS = {"s": 1e9, "ms": 1e6, "µs": 1e3}

_NEAR = 0.005
"""The share of a number by which it is not worth changing."""


@dataclass(frozen=True)
class Step:
    """A number of the files, `now` and as all rows want it.  `asked` maps the name of each row to
    the number that would give its published figure.
    """

    of: Number
    now: int
    wanted: int
    asked: Sequence[tuple[str, int]]

    @property
    def title(self) -> str:
        """What the number is."""
        return "instructions a second" if self.of.key == RATE else "latency of the wire, ns"

    @property
    def unit(self) -> str:
        """The number's unit."""
        return "instructions a second" if self.of.key == RATE else "ns"

    @property
    def span(self) -> tuple[int, int]:
        """The least and the most that a row asks for."""
        asked = [number for _, number in self.asked]
        return min(asked), max(asked)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to change."""
        return abs(self.wanted - self.now) <= _NEAR * self.now

    def write(self) -> None:
        """Puts the number into the files."""
        table, _, key = self.of.key.rpartition(".")
        for path in self.of.paths:
            write_whole(path, with_values(path, {table: {key: self.wanted}}).encode())


def steps(comparison: Iterable[Result], fit: FitFile, clock: Clock) -> tuple[Step, ...]:
    """The next step for each number on which figures on that clock depend, compared with the
    published figures.

    Raises `FiresteelError` when a row is missing, or the files do not agree with each other.
    """
    results = [each for each in as_published(comparison) if each.published and each.value]
    return tuple(_step(each, results, fit.command(clock)) for each in fit.on(clock).numbers)


def without_effect(fit: FitFile, clock: Clock) -> list[Number]:
    """The numbers on which figures on that clock do not depend: their rows are predictions."""
    return [each for each in fit.numbers if each not in fit.on(clock).numbers]


def _step(number: Number, results: Sequence[Result], command: str) -> Step:
    """Of a rate, that with which the speed of a row is the published one; of a latency, that with
    which a round trip takes the published time, half of it each way.
    """
    now, rows = _value(number), list(_picked(results, number.wanted, command))
    if number.key == RATE:
        ratios = [(row.ratio or 1.0, better(row.metric) == "higher") for row in rows]
        each, grain = (
            [now / ratio if higher else now * ratio for ratio, higher in ratios],
            1_000_000,
        )
        wanted = geometric_mean(each)
    else:
        late = [
            ((row.published or 0.0) - row.value) * _NANOSECONDS[METRICS[row.metric].unit]
            for row in rows
        ]
        each, grain = [now + nanoseconds / 2 for nanoseconds in late], 1_000
        wanted = fmean(each)
    told = (f"{place(row)}, {names.metric(row.metric)}" for row in rows)
    asked = tuple(zip(told, (_rounded(ask, grain) for ask in each), strict=True))
    return Step(number, now, _rounded(wanted, grain), asked)


def _rounded(number: float, grain: int) -> int:
    return max(0, round(number / grain) * grain)


def _picked(
    results: Sequence[Result], wanted: Sequence[Mapping[str, str]], command: str
) -> Iterator[Result]:
    """A result for each that is wanted."""
    for keys in wanted:
        choice = Figures(**{key: (value,) for key, value in keys.items()})
        found = [each for each in results if choice.chooses(each.columns)]
        if len(found) != 1:
            told = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise FiresteelError(
                f"The run has {len(found)} figures of {told}; a fit needs one; `{command}` "
                "measures all of them."
            )
        yield found[0]


def _value(number: Number) -> int:
    table, _, key = number.key.rpartition(".")
    found = {value for path in number.paths for value in numbers(path, table, key)}
    if len(found) != 1:
        raise FiresteelError(
            f"The key `{number.key}` has {len(found)} values in "
            f"{', '.join(path.name for path in number.paths)}; they are fitted together."
        )
    return found.pop()


def fit(
    run: RunArgument = LATEST,
    write: Annotated[
        bool, option("--write", None, "Write the new values to the profiles and the topology.")
    ] = False,
    study: StudyOption = None,
    store: StoreOption = None,
) -> None:
    """Fit instruction rate and link latency to the published rows.

    Each row asks for a different number; the files contain the mean.  This is one step: measure
    again with the new numbers, until none changes.  The instruction rate is fitted to runs whose
    boards count instructions (`firesteel run --clock flat`).
    """
    results = load_results(open_store(store), run)
    chosen = study_for(results.means, study, FILE)
    comparison = beside_study(results.means, chosen)
    file, clock = load_fit(chosen), clock_beside(results, chosen)
    counted = "cycles" if clock == "cycles" else "instructions"
    for number in without_effect(file, clock):
        typer.echo(
            f"{number.key}: not fitted, as the clocks of these boards count {counted}; "
            f"`{file.command(number.clock or clock)}` measures what its fit needs."
        )
    for step in steps(comparison, file, clock):
        for name, asked in step.asked:
            typer.echo(f"  {name}: {asked:,} {step.unit}")
        files = ", ".join(str(path.relative_to(CHECKOUT)) for path in step.of.paths)
        if step.is_done:
            typer.echo(f"{step.of.key}: {step.now:,} fits; the rows ask for {step.wanted:,}.")
            continue
        typer.echo(f"{step.of.key}: the rows ask for {step.wanted:,}; now {step.now:,} ({files})")
        if write:
            step.write()


app = application(fit)

if __name__ == "__main__":
    main(app)
