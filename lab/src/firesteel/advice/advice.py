# SPDX-License-Identifier: Apache-2.0
"""The advice for a question: an answer with its figures, and where they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.advice.alternatives import alternatives_in
from firesteel.advice.decision import Decision, JudgedRow, decide, nearest, ranges, threshold
from firesteel.advice.measuring import how_to_measure_at
from firesteel.advice.part import Part, but_for_seed, judged_rows
from firesteel.advice.question import Question, how_to_measure, how_to_study
from firesteel.advice.records import Place, RecordPair, Search, find_pairs, has_other_clock
from firesteel.advice.sureness import Sureness
from firesteel.advice.unmeasured import measured_around, parts_at
from firesteel.advice.wanted import Asked, Wanted, named_in_files
from firesteel.analysis.alternatives import Alternative
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.comparison import Comparison
from firesteel.analysis.results import cpus_of
from firesteel.analysis.sheet import comparison_texts
from firesteel.analysis.verdict import VERDICTS
from firesteel.base.errors import FiresteelError
from firesteel.board.numbers import base_of
from firesteel.board.profile import Cpu, load_profile
from firesteel.experiment.experiment import OWN_LINK
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.setup import Setup
from firesteel.replication.method import software_code
from firesteel.sensitivity.find import studied_of
from firesteel.sensitivity.firm import Studied
from firesteel.store.libcrypto import libcrypto_of
from firesteel.store.store import Store
from firesteel.workloads import titles


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

    @property
    def sureness(self) -> Sureness:
        """How far assumptions may be off."""
        return Sureness(self.deciding, self.studied, self._how_to_study)

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
    def _how_to_study(self) -> str:
        pair = self.parts[0].pairs[0]
        hardware, place = pair.hardware, self.place
        link = place.link or OWN_LINK
        asked = replace(self.question, profile=place.profile, topology=place.topology, link=link)
        other = pair.board.cpu.clock if pair.board and has_other_clock(hardware) else None
        return how_to_study(asked, hardware.experiment, hardware.quick, other)

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
    store: Store, question: Question, size: int | None = None, run: str | None = None
) -> Advice:
    """The advice from the newest records, or from those of that run.

    Raises `FiresteelError`, with the command that measures it, when there are none.
    """
    search, pairs = find_pairs(store, question, run)
    place = pairs[0].place
    parts: list[Part] = []
    for alike in but_for_seed(pairs):
        known = {name for part in parts for name in part.experiments}
        rows = tuple(row for row in judged_rows(alike) if row.experiment not in known)
        if alike[0].place == place and rows:
            parts.append(Part(alike, rows))
    others = tuple(dict.fromkeys(pair.place for pair in pairs if pair.place != place))
    return _of_parts(store, question, size, parts, search, place, others)


def advise_for(
    store: Store,
    question: Question,
    asked: Asked,
    size: int | None = None,
    run: str | None = None,
) -> Advice:
    """The advice for a board or links that are described, from the records of an equal board.

    Raises `FiresteelError` likewise; where no board measured is equal, the error says what the
    nearest ones answer, and what measures this one.
    """
    anywhere = replace(question, profile=None, topology=None, link=None)
    search, pairs = find_pairs(store, anywhere, run)
    bases = [pair for pair in pairs if question.fits(pair.cell)]
    if question.profile and not asked.board:
        board = bases[0].board if bases else None
        asked = replace(asked, board=(question.profile, board or load_profile(question.profile)))
    there = replace(question, profile=None)
    bases = bases or [pair for pair in pairs if there.fits(named_in_files(pair.cell))]
    bases = bases or find_pairs(store, there, run)[1]  # It says what is missing.
    base, wanted, parts = _told_of(bases, asked, pairs)
    if not parts:
        how = how_to_measure_at(question, wanted, base.hardware)
        raise FiresteelError(
            f"The store {store.root} has no measurement of {question.what} on the board "
            f"{wanted.place.name}. {measured_around(wanted, pairs, size)}; {how}."
        )
    return _of_parts(store, question, size, parts, search, parts[0].pairs[0].place)


def _told_of(
    bases: Sequence[RecordPair], asked: Asked, pairs: Sequence[RecordPair]
) -> tuple[RecordPair, Wanted, list[Part]]:
    """Of the topologies and links in which something was measured, the first in which the pairs
    tell of what is asked for, with what they say; else the first, with nothing.

    Raises `FiresteelError` where none has such a number.
    """
    places: dict[tuple[str, str], RecordPair] = {}
    for pair in bases:
        places.setdefault((base_of(pair.cell.topology), pair.cell.link), pair)
    tried: list[tuple[RecordPair, Wanted]] = []
    problem: FiresteelError | None = None
    for base in places.values():
        try:
            tried.append((base, Wanted.of(base, asked)))
        except FiresteelError as error:
            problem = problem or error
    if problem and not tried:
        raise problem
    found = ((base, wanted, parts_at(wanted, pairs)) for base, wanted in tried)
    return next((each for each in found if each[-1]), (*tried[0], []))


def _of_parts(
    store: Store,
    question: Question,
    size: int | None,
    parts: Sequence[Part],
    search: Search,
    place: Place,
    others: tuple[Place, ...] = (),
) -> Advice:
    """The advice; `FiresteelError` where the figures do not say anything."""
    verdicts = {row.verdict for part in parts for row in part.rows}
    if verdicts == {PEER_LIMITED}:
        raise FiresteelError(
            f"The peer limited every row of {question.what}, so its records say nothing about the "
            f"board {place.name}; measure again with `--peer clients`."
        )
    if not any(row.judged for part in parts for row in part.rows):
        raise FiresteelError(
            f"The records of {question.what} in software and in hardware have no common figure for "
            f"a verdict; {how_to_measure(question)}."
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
