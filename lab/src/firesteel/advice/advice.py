# SPDX-License-Identifier: Apache-2.0
"""The advice for a question: an answer with its figures, and where they stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firesteel import names
from firesteel.advice.pairs import Measured, Pair, find_pairs
from firesteel.advice.question import Question, how_to_measure
from firesteel.advice.setup import Setup, setup
from firesteel.advice.verdict import NOISE, Answer, Row, answer, is_shown, nearest, threshold
from firesteel.breakeven import break_even
from firesteel.errors import FiresteelError
from firesteel.results import figures_frame
from firesteel.store import Store


@dataclass(frozen=True)
class Part:
    """Figures of one pair of records, or of one a seed; an experiment is in one part alone."""

    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]

    @property
    def break_evens(self) -> list[str]:
        """From which size on hardware costs less, a sentence each; of the first seed."""
        software, hardware = (
            figures_frame(
                [f for f in each.record.measurement.figures if f.experiment in self.experiments],
                each.record.inputs.cell.completion,
            )
            for each in (self.pairs[0].software, self.pairs[0].hardware)
        )
        return [found.sentence for found in break_even(software.vstack(hardware))]

    @property
    def experiments(self) -> list[str]:
        """In the order of the records."""
        return list(dict.fromkeys(row.experiment for row in self.rows))


@dataclass(frozen=True)
class Advice:
    """The newest pairs of records for a question; `size` in bytes if one was asked for."""

    question: Question
    size: int | None
    parts: tuple[Part, ...]
    others: tuple[str, ...]
    """Other profiles that the store has it for."""

    remarks: tuple[str, ...]

    @property
    def rows(self) -> list[Row]:
        """All figures."""
        return [row for part in self.parts for row in part.rows]

    @property
    def deciding(self) -> list[Row]:
        """Those that decide: of the nearest size, if one was asked for and anything was measured by
        size.
        """
        if self.size is not None and (near := nearest(self.rows, self.size)):
            return near
        return self.rows

    @property
    def answer(self) -> Answer:
        """By the rule of `verdict`."""
        return answer(self.deciding)

    @property
    def profile(self) -> str:
        """That of the measured node, in all parts."""
        return self.parts[0].pairs[0].profile

    @property
    def setup(self) -> Setup | None:
        """How to configure it; None where it should be left alone."""
        if self.answer not in ("yes", "it depends"):
            return None
        return setup(self.parts[0].pairs[0].cell)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        what = f"{self.question.what} on `{self.profile}`"
        if self.answer == "yes":
            return f"Yes, offload {what}: {self._counts}."
        if self.answer == "no":
            return f"No, leave {what} to software: {self._counts}."
        if self.answer == "no difference":
            return f"It makes no difference for {what}: {self._counts}."
        least = threshold(self.deciding)
        when = f"yes from {least} on, no below" if least else "on what counts for you"
        return f"It depends for {what}, {when}: {self._counts}."

    @property
    def about_size(self) -> str:
        """What became of the size that was asked for; nothing if there was none."""
        if self.size is None:
            return ""
        near = nearest(self.rows, self.size)
        if not near:
            return "Nothing was measured by size, so all figures count."
        return "".join(_about(self.size, experiment, rows) for experiment, rows in _grouped(near))

    @property
    def _counts(self) -> str:
        """How many figures stand how, and the greatest gain and loss."""
        rows = [row for row in self.deciding if row.verdict]
        if len(rows) == 1:
            return _figure(rows[0])
        told = []
        for verdict, word in _WORDS.items():
            those = [row for row in rows if row.verdict == verdict]
            if those:
                extreme = "" if verdict == "same" else f" (most: {_figure(_furthest(those))})"
                told.append(f"{len(those)} {word}{extreme}")
        return f"of {len(rows)} figures {', '.join(told)}"


_WORDS = {
    "better": "better in hardware",
    "same": f"the same within {100 * NOISE:g} %",
    "worse": "worse in hardware",
}


def advise(
    store: Store, question: Question, size: int | None = None, run: str | None = None
) -> Advice:
    """The advice from the newest records, or from those of that run.

    Raises `FiresteelError`, with the command that measures it, when there are none.
    """
    search, pairs = find_pairs(store, question, run)
    profile = pairs[0].profile
    parts: list[Part] = []
    for alike in _but_for_seed(pairs):
        known = {name for part in parts for name in part.experiments}
        rows = tuple(row for row in _rows(alike) if row.experiment not in known)
        if alike[0].profile == profile and rows:
            parts.append(Part(alike, rows))
    if not any(row.verdict for part in parts for row in part.rows):
        raise FiresteelError(
            f"The records of {question.what} in software and in hardware have no figure in common "
            f"that decides; {how_to_measure(question)}."
        )
    others = tuple(sorted({pair.profile for pair in pairs} - {profile}))
    return Advice(question, size, tuple(parts), others, tuple(search.remarks))


def _but_for_seed(pairs: Sequence[Pair]) -> list[tuple[Pair, ...]]:
    """Pairs that differ in their seed alone together, by seed."""
    groups: dict[tuple[str, ...], dict[int, Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.but_for_seed, {}).setdefault(pair.cell.seed, pair)
    return [tuple(by_seed[seed] for seed in sorted(by_seed)) for by_seed in groups.values()]


def _rows(pairs: Sequence[Pair]) -> Iterator[Row]:
    """The figures that all records have, in the order of the first."""
    software = [_values(pair.software) for pair in pairs]
    hardware = [_values(pair.hardware) for pair in pairs]
    for name in hardware[0]:
        _, _, metric, _ = name
        if is_shown(metric) and all(name in values for values in (*software, *hardware)):
            values = tuple(
                (one[name], other[name]) for one, other in zip(software, hardware, strict=True)
            )
            yield Row(*name, values)


def _values(measured: Measured) -> dict[tuple[str, str, str, str], float]:
    """By experiment, parameter, metric and unit."""
    return {
        (figure.experiment, figure.parameter, figure.metric, figure.unit): figure.value
        for figure in measured.record.measurement.figures
    }


def _grouped(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    experiments = dict.fromkeys(row.experiment for row in rows)
    return [(name, [row for row in rows if row.experiment == name]) for name in experiments]


def _about(size: int, experiment: str, rows: Sequence[Row]) -> str:
    nearest_size = rows[0].parameter.split(",")[0]
    name = names.experiment(experiment)
    if rows[0].size == size:
        return f"{name}: {nearest_size} was measured. "
    return f"{name}: of the sizes that were measured {nearest_size} is nearest to {size} B. "


def _furthest(rows: Sequence[Row]) -> Row:
    """The row whose figures are furthest from each other."""

    def distance(row: Row) -> float:
        return max(row.ratio, 1 / row.ratio) if row.ratio else float("inf")

    return max(rows, key=distance)


def _figure(row: Row) -> str:
    """As `throughput at 1408 B 11.53 → 60.37 MB/s, ×5.24`."""
    ratio = "" if row.ratio is None else f", ×{row.ratio:.3g}"
    values = " → ".join(names.number(v, row.unit, row.metric) for v in (row.software, row.hardware))
    unit = f" {names.unit(row.unit)}" if names.unit(row.unit) else ""
    return f"{names.metric(row.metric)} at {row.parameter} {values}{unit}{ratio}"
