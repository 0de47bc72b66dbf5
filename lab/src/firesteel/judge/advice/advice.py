# SPDX-License-Identifier: Apache-2.0
"""The advice for a question: an answer with its figures from the runs of the store.  If a study of
sensitivity exists, the advice also says how far assumptions about the board may be off before the
answer changes.

Each row (one size, key or file) is judged in its own run, as in that run's report.  All rows decide
together (`decide`).  If they disagree, `threshold` gives the size from which on no row loses.
"""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import mode
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.boards.numbers import base_of
from firesteel.boards.profile import DEFAULT_BOARD, Cpu, load_profile
from firesteel.judge import together
from firesteel.judge.advice.answer import OF_EQUAL, alternatives_in
from firesteel.judge.advice.measured import (
    Asked,
    NotMeasuredError,
    Part,
    Place,
    Question,
    Search,
    is_clear,
    named_in_files,
)
from firesteel.judge.intervals import Comparison
from firesteel.judge.pairing import disagreement
from firesteel.judge.replication.method import software_code
from firesteel.judge.results import cpus_of
from firesteel.judge.robustness import RECORDED_IN, in_a_clause, studied_of
from firesteel.judge.rows import grouped
from firesteel.judge.sensitivity import Studied, standing
from firesteel.judge.verdict import DECIDING, LOSSES, VERDICTS, Offload
from firesteel.model import names
from firesteel.model.identity import Identity, by_key
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.setup import Setup as Configuration
from firesteel.store.record import libcrypto_of
from firesteel.store.store import Store
from firesteel.workloads import titles

FARTHEST = 2
"""How many times larger than the largest size that was measured, or smaller than the smallest, one
may be that these decide for."""

NOT_STUDIED = "is not known to hold: it was not studied"

Decision = Literal["yes", "no", "equal", "inconclusive", "it depends"]

_IS = dict.fromkeys(("mixed", "inconclusive", "equal"), "is ")


def decide(rows: Iterable[Offload]) -> Decision:
    """What all rows say together."""
    verdicts = {row.verdict for row in rows}
    helps, loses = "helps" in verdicts, "loses" in verdicts
    if "mixed" in verdicts or (helps and loses):
        return "it depends"
    if helps:
        return "yes"
    if loses:
        return "no"
    return "inconclusive" if "inconclusive" in verdicts else "equal"


def size_of(row: Offload) -> int | None:
    """Bytes of the packet, block or request; None where there is no such size."""
    return row.identity.parameter.size_bytes


def sizes(rows: Iterable[Offload]) -> dict[str, list[int]]:
    """The sizes that were measured, sorted, of each experiment that has any."""
    found: dict[str, set[int]] = {}
    for row in rows:
        if (size := size_of(row)) is not None:
            found.setdefault(row.identity.workload, set()).add(size)
    return {name: sorted(each) for name, each in found.items()}


def nearest(rows: Sequence[Offload], size: int) -> list[Offload]:
    """For each experiment, the rows of the measured size that is nearest to `size` by ratio; if two
    sizes are equally near, the smaller one counts.  Rows without a size are left out.  An
    experiment is left out if all its sizes are on one side of `size` and differ from it by more
    than the factor `FARTHEST`.
    """
    kept = []
    for experiment, there in sizes(rows).items():
        if there[0] / FARTHEST <= size <= there[-1] * FARTHEST:
            best = min(there, key=lambda each: abs(math.log(max(each, 1) / size)))
            kept += [
                row for row in rows if row.identity.workload == experiment and size_of(row) == best
            ]
    return kept


def threshold(rows: Sequence[Offload]) -> tuple[str, str] | None:
    """Two sizes, in the notation of parameters.  From the first size on, no row loses or is mixed,
    and some rows help.  At the second, the next smaller measured size, a row loses or is mixed.
    None if there is no such size, or if a row without a size loses or is mixed.
    """
    bad = [row for row in rows if row.verdict in LOSSES]
    known = sorted({size for row in rows if (size := size_of(row)) is not None})
    lost = {size_of(row) for row in bad}
    if not bad or None in lost:
        return None
    below = max(size for size in lost if size is not None)
    above = [size for size in known if size > below]
    if not above or decide(row for row in rows if (size_of(row) or 0) > below) != "yes":
        return None
    told = {size_of(row): row.identity.parameter.size_text for row in rows}
    return told[above[0]], told[below]


def comparisons(row: Offload) -> list[Comparison]:
    """All figures by which a row is judged, in the order of hardware's figures."""
    pair = row.pair
    return list(pair.comparisons(name for name in pair.other.results if name in DECIDING))


@dataclass(frozen=True)
class Advice:
    """The newest measurements for a question; `size` in bytes if one was asked for.  `others` are
    other boards and topologies for which the store has measurements.  `studied` is what studies of
    sensitivity say about the rows.  `alternatives` compares the rows with other software of their
    run.
    """

    question: Question
    size: int | None
    parts: tuple[Part, ...]
    others: tuple[Place, ...]
    remarks: tuple[str, ...]
    studied: Mapping[Identity, Studied] = field(default_factory=dict)
    alternatives: tuple[Offload, ...] = ()
    how_to_study: str = ""
    """A clause that says how to find out how far assumptions may be off."""

    @property
    def place(self) -> Place:
        """The board and the links of all parts."""
        return self.parts[0].place

    @property
    def rows(self) -> list[Offload]:
        """All of them."""
        return [row for part in self.parts for row in part.rows]

    @property
    def judged(self) -> list[Offload]:
        """The rows that say something about the board."""
        return [row for row in self.rows if not row.judged.peer_limited]

    @property
    def deciding(self) -> list[Offload]:
        """Those that decide: of the nearest size, if one was asked for and anything was measured by
        size.
        """
        near = [] if self.size is None else nearest(self.judged, self.size)
        return near or self.judged

    @property
    def answer(self) -> Decision:
        """By the rule of `decide`."""
        return decide(self.deciding)

    @property
    def measured_cpus(self) -> tuple[tuple[str, Cpu], ...]:
        """The board's."""
        return cpus_of(each for part in self.parts for each in part.of("hardware"))

    @property
    def software_code(self) -> str:
        """What is to be said of the code that software ran; nothing where it is the fastest."""
        software = [each for part in self.parts for each in part.of("software")]
        return "" if libcrypto_of(software) else software_code(software)

    @property
    def unconverged(self) -> bool:
        """Whether a figure has not converged."""
        return not all(each.converged for row in self.rows for each in comparisons(row))

    @property
    def peer_limited(self) -> int:
        """How many rows say nothing of the board, because the peer limited them."""
        return len(self.rows) - len(self.judged)

    @property
    def setup(self) -> Configuration | None:
        """How to configure offload; None if offload should not be used."""
        if self.answer not in ("yes", "it depends"):
            return None
        part = self.parts[0]
        return protocol_of(part.cell).setup(part.cell, part.board)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        what = f"{self.question.in_full} on {self.place.board}"
        if self.answer == "yes":
            return self._yes(what)
        if self.answer == "no":
            return f"No, leave {what} to software: {self._counts}."
        if self.answer == "equal":
            return f"Offload and software are equal for {what}: {self._counts}."
        if self.answer == "inconclusive":
            return f"Not known for {what}; more seeds (--seeds) can tell: {self._counts}."
        when = "on what matters to you"
        if sizes := threshold(self.deciding):
            when = f"yes from {sizes[0]} on, no at {sizes[1]} (nothing was measured in between)"
        return f"It depends for {what}, {when}: {self._counts}."

    def _yes(self, what: str) -> str:
        """The answer yes; other software comes first if it does better in every row."""
        offload = f"offload {what}:"
        several = len(self.alternatives)
        better = [
            each.software_name for each in self.alternatives if each.judged.verdict == "loses"
        ]
        if not better:
            return f"Yes, {offload} {self._counts}."
        other = f"Other {OF_EQUAL}, such as {mode(better)}, is better in"
        if len(better) < several:
            return f"Yes, {offload} {self._counts}. {other} {len(better)} of {several} rows."
        rows = f"all {several} rows" if several > 1 else "this row"
        return (
            f"{other} {rows}. If you cannot use it, {offload} compared with the same in software, "
            f"{self._counts}."
        )

    @property
    def _counts(self) -> str:
        """How many rows have each verdict, and the greatest gain and loss."""
        rows = self.deciding
        told = []
        for verdict in VERDICTS:
            if those := [row for row in rows if row.verdict == verdict]:
                count = f" in {len(those)}" if len(rows) > 1 else ""
                told.append(f"{_IS.get(verdict, '')}{verdict}{count}{_extreme(those)}")
        of = f"of {len(rows)} rows " if len(rows) > 1 else ""
        return f"{of}it {', '.join(told)}"

    @property
    def about_size(self) -> str:
        """How the requested size was used; empty if no size was requested."""
        if self.size is None:
            return ""
        there = sizes(self.judged)
        if not there:
            return "No figure depends on size, so all count."
        near = grouped(nearest(self.judged, self.size), lambda row: row.identity.workload)
        told = []
        for experiment, known in there.items():
            said = f"{titles.experiment(experiment)}: of the measured sizes, {known[0]} B to "
            said += f"{known[-1]} B, "
            if rows := near.get(experiment):
                text = rows[0].identity.parameter.size_text
                told.append(f"{said}{text} is nearest to {self.size} B.")
            else:
                told.append(f"{said}none is near enough to {self.size} B to decide.")
        return " ".join(told)

    def check_size(self) -> None:
        """Raises `FiresteelError` if the requested size is too far from every measured size."""
        if self.size is not None and sizes(self.judged) and not nearest(self.judged, self.size):
            raise FiresteelError(
                f"--size {self.size}: {self.about_size} Measure it with an experiment of that size "
                "(docs/experiments.md)."
            )

    def studied_of(self, row: Offload) -> Studied | None:
        """What is known of a row; nothing where a study has another verdict of it."""
        found = self.studied.get(row.identity)
        return found if found and found.row.nominal.verdict == row.verdict else None

    @property
    def confidence(self) -> list[str]:
        """First, how many verdicts hold, on what a single verdict depends, or that nothing is
        known.  Then, what is known about each row, with equal rows together, and the source of this
        knowledge.
        """
        rows = self.deciding
        studied = [self.studied_of(row) for row in rows]
        if not any(studied):
            said = "How sensitive the verdicts are to assumptions about the board is unknown"
            return [f"{said}; {self.how_to_study}."]
        clauses = grouped(rows, self._clause)
        if len(clauses) == 1:
            told = [f"{'It' if len(rows) == 1 else 'Each verdict'} {next(iter(clauses))}."]
        else:
            holding = sum(standing(each.row) == "holds" for each in studied if each)
            hold = "holds" if holding == 1 else "hold"
            over = "over the whole range of every assumption that varied"
            told = [f"{holding} of {len(rows)} verdicts {hold} {over}."]
            told += [f"{_named(those)} {clause}." for clause, those in clauses.items()]
            if NOT_STUDIED in clauses:
                told.append(f"How sensitive the others are is unknown; {self.how_to_study}.")
        told += together.sentences([each.row for each in studied if each])
        recorded = dict.fromkeys(name for each in studied if each for name in each.recorded)
        if recorded:
            told.append(f"That comes with the checkout ({RECORDED_IN}: {', '.join(recorded)}).")
        return told

    def _clause(self, row: Offload) -> str:
        found = self.studied_of(row)
        return in_a_clause(found) if found else NOT_STUDIED


def _named(rows: Sequence[Offload]) -> str:
    """The rows by experiment: `Flood ping, 56 B, 1000 B:`."""
    of = grouped(rows, lambda row: row.identity.workload)
    told = (
        names.listed(titles.experiment(name), *(row.identity.parameter.text for row in those))
        for name, those in of.items()
    )
    return f"{'; '.join(told)}:"


def comparison_texts(compared: Comparison) -> tuple[str, str]:
    """Both figures, marked where one has not converged."""
    one, other = (
        names.mark(converged=each.converged) + names.number(each.value, compared.metric)
        for each in (compared.one, compared.other)
    )
    return one, other


def _extreme(rows: Sequence[Offload]) -> str:
    """The figure that differs most, of those that decide and have converged; nothing where none
    does.
    """
    if rows[0].verdict in ("equal", "inconclusive"):
        return ""
    told = [
        (row, figure)
        for row in rows
        for figure in comparisons(row)
        if figure.metric in (row.judged.metric, row.judged.work_by) and figure.converged
    ]
    if not told:
        return ""

    def distance(told: tuple[Offload, Comparison]) -> float:
        ratio = told[1].ratio
        return max(ratio, 1 / ratio) if ratio else math.inf

    row, figure = max(told, key=distance)
    ratio = "" if figure.ratio is None else f", ×{figure.ratio:.3g}"
    ratio += f" ±{figure.margin:.1g}" if figure.margin else ""
    values = " → ".join(comparison_texts(figure))
    unit = f" {short}" if (short := names.unit_of(figure.metric)) else ""
    at = row.identity.parameter.text
    return f" (most: {names.metric(figure.metric)} at {at} {values}{unit}{ratio})"


def advise(
    store: Store,
    question: Question,
    size: int | None = None,
    run: str | None = None,
    asked: Asked | None = None,
) -> Advice:
    """The advice from the newest records of the default board, or from the records of a given board
    or run.  If a board or links are described, the records of equal boards and links count.

    Raises `NotMeasuredError` when there are none, and `FiresteelError` where figures say nothing or
    are only of boards that nobody asked for.
    """
    if asked:
        search, parts = _described(store, question, run, asked)
        others: tuple[Place, ...] = ()
    else:
        search = Search(store, question, run)
        found = search.find()
        place = found[0].place
        parts = _once(part for part in found if part.place == place)
        others = tuple(dict.fromkeys(part.place for part in found if part.place != place))
    place = parts[0].place
    if not (asked or run or question.profile) and place.profile != DEFAULT_BOARD:
        raise FiresteelError(_only_elsewhere(store, question, (place, *others)))
    if all(row.judged.peer_limited for part in parts for row in part.rows):
        raise FiresteelError(
            f"The peer limited every row of {question.what}, so its records say nothing about the "
            f"board {place.name}; measure again with `--peer clients`."
        )
    try:
        studied = studied_of(store, _keys(parts))
    except FiresteelError as error:
        search.remarks.append(str(error))
        studied = {}
    apart = disagreement(record for part in parts for record in part.records)
    remarks = (*search.remarks, *filter(None, [apart]))
    advice = Advice(question, size, tuple(parts), others, remarks, studied)
    advice.check_size()
    decide = {row.identity for row in advice.deciding}
    alternatives = (alternatives_in(store, part.journal.name, decide) for part in parts)
    return replace(advice, alternatives=tuple(chain(*alternatives)))


def _only_elsewhere(store: Store, question: Question, places: Iterable[Place]) -> str:
    """That the default board was not measured, but others were, and what asks for one of them."""
    first, *more = dict.fromkeys(place.profile for place in places)
    told = ["--protocol", question.protocol, "--suite", f"{question.cipher}:{question.mac}"]
    asked = (("--topology", question.topology), ("--link", question.link))
    told += [word for option, value in asked if value for word in (option, value)]
    told += ["--store", str(store.root), "--board", first]
    others = f"; other boards are {names.first_of(more, 3)}" if more else ""
    return (
        f"The store {store.root} has no figures for {question.what} on the board "
        f"`{DEFAULT_BOARD}`, which counts without --board; `firesteel advise {shlex.join(told)}` "
        f"answers for `{first}`{others}."
    )


def _keys(parts: Iterable[Part]) -> set[str]:
    """The records that the rows may be made of, with those without a tunnel."""
    keys = {each.key for part in parts for each in part.records}
    clear = (each for part in parts for each in part.journal.entries if is_clear(each.cell))
    return keys | {each.key for each in clear}


def _once(parts: Iterable[Part]) -> list[Part]:
    """The parts, the newest first, with each experiment once."""
    found: list[Part] = []
    for part in parts:
        mine = part.without({name for each in found for name in each.experiments})
        found += [mine] if mine.rows else []
    return found


def _described(
    store: Store, question: Question, run: str | None, asked: Asked
) -> tuple[Search, list[Part]]:
    """What was measured on equal boards and links, in the first of the topologies that has any."""
    anywhere = replace(question, profile=None, topology=None, link=None)
    search = Search(store, anywhere, run)
    parts = search.find()
    bases = [part for part in parts if question.fits(part.cell)]
    if question.profile and not asked.board:
        board = bases[0].board if bases else None
        asked = replace(asked, board=(question.profile, board or load_profile(question.profile)))
    there = replace(question, profile=None)
    bases = bases or [part for part in parts if there.fits(named_in_files(part.cell))]
    bases = bases or Search(store, there, run).find()  # It says what is missing.
    problem: FiresteelError | None = None
    for base in by_key(bases, lambda part: (base_of(part.cell.topology), part.cell.link)).values():
        try:
            wanted = asked.beside(base)
        except FiresteelError as error:
            problem = problem or error
            continue
        if found := _once(filter(wanted.is_at, parts)):
            return search, found
        if not isinstance(problem, NotMeasuredError):
            why = (
                f"The store {store.root} has no measurement of {question.what} on the board "
                f"{wanted.place.name}"
            )
            problem = NotMeasuredError(why, question, wanted, base)
    assert problem is not None
    raise problem
