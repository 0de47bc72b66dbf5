# SPDX-License-Identifier: Apache-2.0
"""The advice for a question: an answer with its figures, and how far assumptions
about the board may be off before it changes, as far as a study of sensitivity in the store says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.advice.answer import alternatives_in
from firesteel.advice.decision import (
    Decision,
    JudgedRow,
    Part,
    decide,
    nearest,
    parts_of,
    ranges,
    threshold,
)
from firesteel.advice.described import Asked, named_in_files
from firesteel.advice.records import NotMeasuredError, Place, Question, Search, find_pairs
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.results import cpus_of
from firesteel.analysis.robustness import RECORDED_IN, in_a_clause, studied_of
from firesteel.analysis.rows import grouped
from firesteel.analysis.sensitivity import Studied, standing_of_all
from firesteel.analysis.sheet import comparison_texts
from firesteel.analysis.verdict import VERDICTS, Alternative
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import base_of
from firesteel.board.profile import Cpu, load_profile
from firesteel.model import names
from firesteel.model.identity import Identity, by_key
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.setup import Setup
from firesteel.replication.method import software_code
from firesteel.store.libcrypto import libcrypto_of
from firesteel.store.store import Store
from firesteel.workloads import titles

NOT_STUDIED = "is not known to hold: it was not studied"


@dataclass(frozen=True)
class Confidence:
    """What is known of the rows that decide; `how_to_study` is the half of a sentence that says how
    more can be known.
    """

    rows: Sequence[JudgedRow]
    known: Mapping[Identity, Studied]
    how_to_study: str

    def of(self, row: JudgedRow) -> Studied | None:
        """What is known of a row; nothing where a study has another verdict of it."""
        found = self.known.get(row.identity)
        return found if found and found.row.nominal.verdict == row.verdict else None

    @property
    def sentence(self) -> str:
        """How many verdicts hold, or on what a lone one depends, or that nothing is known."""
        studied = [self.of(row) for row in self.rows]
        if not any(studied):
            return f"How far assumptions may be off is not known; {self.how_to_study}."
        clauses = self._clauses
        if len(clauses) == 1:
            one = len(self.rows) == 1
            return f"{'It' if one else 'Each verdict'} {next(iter(clauses))}."
        holding = sum(each is not None and standing_of_all(each.row) == "holds" for each in studied)
        verb = "holds" if holding == 1 else "hold"
        return (
            f"{holding} of {len(self.rows)} verdicts {verb} over the whole range of every "
            "assumption that varied."
        )

    @property
    def lines(self) -> list[str]:
        """What is known of each row, those of which the same is together; nothing where the
        sentence says it all.
        """
        clauses = self._clauses
        if len(clauses) == 1:
            return []
        said = [f"{_named(rows)} {clause}." for clause, rows in clauses.items()]
        if NOT_STUDIED in clauses:
            said.append(f"What is not known yet: {self.how_to_study}.")
        return said

    @property
    def source(self) -> str:
        """Which studies come with the checkout, if any of these says something."""
        found = (each.recorded for row in self.rows if (each := self.of(row)))
        listed = ", ".join(dict.fromkeys(name for recorded in found for name in recorded))
        return f"That comes with the checkout ({RECORDED_IN}: {listed})." if listed else ""

    @property
    def _clauses(self) -> dict[str, list[JudgedRow]]:
        return grouped(self.rows, self._clause)

    def _clause(self, row: JudgedRow) -> str:
        found = self.of(row)
        return in_a_clause(found) if found else NOT_STUDIED


def _named(rows: Sequence[JudgedRow]) -> str:
    """The rows by experiment: `Flood ping, 56 B, 1000 B:`."""
    of = grouped(rows, lambda row: row.experiment)
    told = (
        names.listed(titles.experiment(name), *(row.parameter for row in those))
        for name, those in of.items()
    )
    return f"{'; '.join(told)}:"


@dataclass(frozen=True)
class Advice:
    """The newest pairs of records for a question; `size` in bytes if one was asked for."""

    question: Question
    size: int | None
    parts: tuple[Part, ...]
    place: Place
    """The board and the links of all parts."""
    others: tuple[Place, ...]
    """Other boards and topologies that the store has it for."""

    remarks: tuple[str, ...]
    studied: Mapping[Identity, Studied] = field(default_factory=dict)
    """What studies of sensitivity say of the rows."""
    alternatives: tuple[Alternative, ...] = ()
    """How its rows stand beside other software, where the run of the hardware has any."""

    how_to_study: str = ""
    """The half of a sentence that says how more can be known of how far assumptions may be off."""

    @property
    def confidence(self) -> Confidence:
        """How far assumptions may be off."""
        return Confidence(self.deciding, self.studied, self.how_to_study)

    @property
    def rows(self) -> list[JudgedRow]:
        """All of them."""
        return [row for part in self.parts for row in part.rows]

    @property
    def deciding(self) -> list[JudgedRow]:
        """Those that decide: of the nearest size, if one was asked for and anything was measured by
        size.
        """
        if self.size is not None and (near := nearest(self._judged, self.size)):
            return near
        return self._judged

    @property
    def answer(self) -> Decision:
        """By the rule of `decision`."""
        return decide(self.deciding)

    @property
    def profile(self) -> str:
        """That of the measured node, in all parts."""
        return self.place.profile

    @property
    def measured_cpus(self) -> tuple[tuple[str, Cpu | None], ...]:
        """The board's."""
        return cpus_of(pair.hardware.record for part in self.parts for pair in part.pairs)

    @property
    def software_code(self) -> str:
        """What is to be said of the code that software ran; nothing where it is the fastest."""
        software = [pair.software.record for part in self.parts for pair in part.pairs]
        return (
            "" if libcrypto_of(software) else software_code(each.inputs.cell for each in software)
        )

    @property
    def unconverged(self) -> bool:
        """Whether a figure has not converged."""
        return not all(figure.converged for row in self.rows for figure in row.figures)

    @property
    def peer_limited(self) -> int:
        """How many rows say nothing of the board, because the peer limited them."""
        return sum(row.verdict == PEER_LIMITED for row in self.rows)

    @property
    def setup(self) -> Setup | None:
        """How to configure it; None where it should be left alone."""
        if self.answer not in ("yes", "it depends"):
            return None
        pair = self.parts[0].pairs[0]
        return protocol_of(pair.cell).setup(pair.cell, pair.board)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        what = f"{self.question.in_full} on {self.place.board}"
        if self.answer == "yes":
            return f"Yes, offload {what}: {self._counts}."
        if self.answer == "no":
            return f"No, leave {what} to software: {self._counts}."
        if self.answer == "no difference":
            return f"It makes no difference for {what}: {self._counts}."
        sizes = threshold(self.deciding)
        when = "on what matters to you"
        if sizes:
            when = f"yes from {sizes[0]} on, no at {sizes[1]} (nothing was measured in between)"
        return f"It depends for {what}, {when}: {self._counts}."

    @property
    def about_size(self) -> str:
        """What became of the size that was asked for; nothing if there was none."""
        if self.size is None:
            return ""
        near = nearest(self._judged, self.size)
        if not near:
            return "No figure depends on size, so all count."
        told = [_about(self.size, name, rows, self._ranges) for name, rows in _grouped(near)]
        far = [name for name in self._ranges if name not in {row.experiment for row in near}]
        return "".join([*told, *(f"{self._too_far(name)} " for name in far)])

    @property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        return ranges(self._judged)

    def _too_far(self, experiment: str) -> str:
        """Why the sizes of an experiment do not decide."""
        low, high = self._ranges[experiment]
        return (
            f"{titles.experiment(experiment)}: {self.size} B is too far from the measured sizes "
            f"({low} B to {high} B) to decide."
        )

    def check_size(self) -> None:
        """Raises `FiresteelError` when a size was asked for of which no size measured tells."""
        if self.size is not None and self._ranges and not nearest(self._judged, self.size):
            told = " ".join(self._too_far(name) for name in self._ranges)
            raise FiresteelError(
                f"--size {self.size}: {told} Measure it with an experiment of that size "
                "(docs/experiments.md)."
            )

    @property
    def _judged(self) -> list[JudgedRow]:
        return [row for row in self.rows if row.verdict and row.verdict != PEER_LIMITED]

    @property
    def _counts(self) -> str:
        """How many rows have each verdict, and the greatest gain and loss."""
        rows = self.deciding
        if len(rows) == 1 and (said := rows[0].verdict):
            return f"it {_IS.get(said, '')}{said}{_extreme(rows)}"
        told = []
        for each in VERDICTS:
            those = [row for row in rows if row.verdict == each]
            if those:
                word = f"{_IS.get(each, '')}{each} in {len(those)}"
                told.append(f"{word}{_extreme(those)}")
        return f"of {len(rows)} rows it {', '.join(told)}"


_IS = {"left to software": "is ", "mixed": "is "}


def advise(
    store: Store,
    question: Question,
    size: int | None = None,
    run: str | None = None,
    asked: Asked | None = None,
) -> Advice:
    """The advice from the newest records, or from those of that run; for a board or links that are
    described, from the records of equal ones.

    Raises `NotMeasuredError` when there are none.
    """
    if asked:
        search, parts = _described(store, question, run, asked)
        return _of_parts(store, question, size, parts, search)
    search, pairs = find_pairs(store, question, run)
    place = pairs[0].place
    parts = parts_of(pairs, lambda pair: pair.place == place)
    others = tuple(dict.fromkeys(pair.place for pair in pairs if pair.place != place))
    return _of_parts(store, question, size, parts, search, others)


def _described(
    store: Store, question: Question, run: str | None, asked: Asked
) -> tuple[Search, list[Part]]:
    """What was measured on equal boards and links, in the first of the topologies that has any."""
    anywhere = replace(question, profile=None, topology=None, link=None)
    search, pairs = find_pairs(store, anywhere, run)
    bases = [pair for pair in pairs if question.fits(pair.cell)]
    if question.profile and not asked.board:
        board = bases[0].board if bases else None
        asked = replace(asked, board=(question.profile, board or load_profile(question.profile)))
    there = replace(question, profile=None)
    bases = bases or [pair for pair in pairs if there.fits(named_in_files(pair.cell))]
    bases = bases or find_pairs(store, there, run)[1]  # It says what is missing.
    problem: FiresteelError | None = None
    missing: NotMeasuredError | None = None
    for base in by_key(bases, lambda pair: (base_of(pair.cell.topology), pair.cell.link)).values():
        try:
            wanted = asked.beside(base)
        except FiresteelError as error:
            problem = problem or error
            continue
        if parts := parts_of(pairs, wanted.is_at):
            return search, parts
        why = (
            f"The store {store.root} has no measurement of {question.what} on the board "
            f"{wanted.place.name}"
        )
        missing = missing or NotMeasuredError(why, question, wanted, base.hardware)
    reason = missing or problem
    assert reason is not None
    raise reason


def _of_parts(
    store: Store,
    question: Question,
    size: int | None,
    parts: Sequence[Part],
    search: Search,
    others: tuple[Place, ...] = (),
) -> Advice:
    """The advice; `FiresteelError` where the figures do not say anything."""
    place = parts[0].pairs[0].place
    verdicts = {row.verdict for part in parts for row in part.rows}
    if verdicts == {PEER_LIMITED}:
        raise FiresteelError(
            f"The peer limited every row of {question.what}, so its records say nothing about the "
            f"board {place.name}; measure again with `--peer clients`."
        )
    if not any(row.judged for part in parts for row in part.rows):
        raise NotMeasuredError(
            f"The records of {question.what} in software and in hardware have no common figure for "
            "a verdict",
            question,
        )
    studied = _studied(store, parts, search.remarks)
    remarks = tuple(search.remarks)
    beside = _alternatives(store, parts)
    found = Advice(question, size, tuple(parts), place, others, remarks, studied, beside)
    found.check_size()
    return found


def _studied(store: Store, parts: Sequence[Part], remarks: list[str]) -> Mapping[Identity, Studied]:
    """What the store's studies say of these records; one that is damaged is a remark."""
    keys = {
        each.key
        for part in parts
        for pair in part.pairs
        for each in (pair.software, pair.hardware, pair.clear)
        if each
    }
    try:
        return studied_of(store, keys)
    except FiresteelError as error:
        remarks.append(str(error))
        return {}


def _alternatives(store: Store, parts: Sequence[Part]) -> tuple[Alternative, ...]:
    """Each row in the run that has it, which is read once."""
    by_run: dict[str, set[Identity]] = {}
    for part in parts:
        those = by_run.setdefault(part.pairs[0].hardware.run, set())
        those.update(row.identity for row in part.rows)
    found = (alternatives_in(store, run, those) for run, those in by_run.items())
    return tuple(each for some in found for each in some)


def _grouped(rows: Sequence[JudgedRow]) -> list[tuple[str, list[JudgedRow]]]:
    experiments = dict.fromkeys(row.experiment for row in rows)
    return [(name, [row for row in rows if row.experiment == name]) for name in experiments]


def _about(
    size: int, experiment: str, rows: Sequence[JudgedRow], measured: Mapping[str, tuple[int, int]]
) -> str:
    nearest_size = rows[0].identity.parameter.size_text
    name = titles.experiment(experiment)
    if rows[0].size == size:
        return f"{name}: {nearest_size} was measured. "
    low, high = measured[experiment]
    all_sizes = f"of the measured sizes, {low} B to {high} B,"
    return f"{name}: {all_sizes} {nearest_size} is nearest to {size} B. "


def _extreme(rows: Sequence[JudgedRow]) -> str:
    """The figure that differs most, of those that decide and have converged; nothing where none
    does.
    """
    row = rows[0]
    if row.verdict == "makes no difference":
        return ""
    if row.verdict == "left to software":
        judged = [each.judged for each in rows if each.judged]
        most = max(judged, key=lambda each: each.cost)
        return f" (costs {'up to ' if len(rows) > 1 else ''}{most.cost_in_percent})"
    told = [
        (each, figure)
        for each in rows
        for figure in each.figures
        if _decides(each, figure) and figure.converged
    ]
    return f" (most: {_figure(*max(told, key=_distance))})" if told else ""


def _decides(row: JudgedRow, figure: Comparison) -> bool:
    judged = row.judged
    return judged is not None and figure.metric in (judged.metric, judged.work_by)


def _distance(told: tuple[JudgedRow, Comparison]) -> float:
    ratio = told[1].ratio
    return max(ratio, 1 / ratio) if ratio else float("inf")


def _figure(row: JudgedRow, figure: Comparison) -> str:
    """As `throughput at 1408 B 11.53 → 60.37 MB/s, ×5.24`."""
    mark = names.mark(converged=figure.converged)
    ratio = "" if figure.ratio is None else f", ×{mark}{figure.ratio:.3g}"
    values = " → ".join(comparison_texts(figure))
    unit = f" {short}" if (short := names.unit_of(figure.metric)) else ""
    return f"{names.metric(figure.metric)} at {row.parameter} {values}{unit}{ratio}"
