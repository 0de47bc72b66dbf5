# SPDX-License-Identifier: Apache-2.0
"""Whether verdicts are robust: what both clocks say, and what every assumption leaves as it is, by
the studies of the user's store and of the checkout.

A study is of records, by their addresses.  So one that comes with the checkout (`recorded/`) says
the same of a run elsewhere, as long as that has these very records.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.clocks import OtherClock, offloads_of, other_clock
from firesteel.analysis.results import Results
from firesteel.analysis.sensitivity import (
    Flip,
    Row,
    Standing,
    Study,
    Swing,
    can_lose,
    flips,
    losses,
    standing,
    standing_of_all,
    studies,
)
from firesteel.analysis.verdict import Offload, Verdict, answering, repeats
from firesteel.base.checkout import RECORDED
from firesteel.board.assumptions import Assumption
from firesteel.board.parameters import FACTOR, in_words
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.store.store import Store

State = Literal["firm", "not firm", "not known"]

Reason = Literal["assumption", "clock", "study"]
"""What makes a verdict not firm: an assumption or the other clock changes it, or a study has
another one.
"""

RECORDED_IN = "recorded/"
"""What people call the store of the checkout."""


@dataclass(frozen=True)
class Studied:
    """A row of a study, or of several; `left_out` are names of assumptions that did not vary and
    would matter, and `assumptions` those that did.  `recorded` are the names of the studies that
    come with the checkout, among those that say something of it.
    """

    row: Row
    left_out: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    recorded: tuple[str, ...] = ()

    def beside(self, older: "Studied") -> "Studied":
        """What both say of the same row; this one of an assumption that varied in both."""
        own = {swing.assumption for swing in self.row.swings}
        if own.issuperset(swing.assumption for swing in older.row.swings):
            return self
        parts = (older, self)
        swings = {swing.assumption: swing for part in parts for swing in part.row.swings}
        assumptions = {each.name: each for part in parts for each in part.assumptions}
        return Studied(
            self.row.model_copy(update={"swings": tuple(swings.values())}),
            tuple(name for name in self.left_out if name not in assumptions),
            tuple(assumptions.values()),
            (*self.recorded, *older.recorded),
        )

    def title_of(self, assumption: str) -> str:
        """What people call an assumption that varied."""
        titles = {each.name: each.title for each in self.assumptions}
        return titles.get(assumption, assumption)

    def standing_of(self, verdict: Verdict) -> Standing:
        """What becomes of that verdict over the whole range of every assumption that varied; not
        known where the studies have another one of the board as it is.
        """
        return standing_of_all(self.row) if self.row.nominal.verdict == verdict else "not known"


@dataclass(frozen=True)
class Firmness:
    """Whether a verdict is firm; `reason` is a clause that says why it is not, or what is not
    known, and empty of a firm one.  `because` is what makes it `not firm`, and `can_lose` says
    whether offload comes to lose, or to be mixed, in the range of an assumption.
    """

    state: State
    reason: str = ""
    because: frozenset[Reason] = frozenset()
    can_lose: bool = False


def firmness(verdict: Verdict, on_other_clock: Verdict | None, studied: Studied | None) -> Firmness:
    """Whether a verdict is firm, given the run's own, that of the same row on the other clock, and
    what is known of its sensitivity; None where that was not measured.

    One thing that changes it is enough for `not firm`, whatever is not known besides.
    """
    if PEER_LIMITED in (verdict, on_other_clock):
        return Firmness("not known", "the peer limits it, so there is no verdict")
    if changing := dict(_changing(verdict, on_other_clock, studied)):
        losing = studied is not None and can_lose(studied.row)
        return Firmness("not firm", "; ".join(changing.values()), frozenset(changing), losing)
    if missing := _missing(on_other_clock, studied):
        return Firmness("not known", missing)
    return Firmness("firm")


def _changing(
    verdict: Verdict, on_other_clock: Verdict | None, studied: Studied | None
) -> Iterator[tuple[Reason, str]]:
    if on_other_clock is not None and on_other_clock != verdict:
        yield "clock", f"the other clock says: {on_other_clock}"
    if studied and (changing := _of(studied, "changes")):
        yield "assumption", f"it changes with {names.all_of(changing)}"
    elif studied and studied.row.nominal.verdict != verdict:
        yield "study", f"the study has: {studied.row.nominal.verdict}"


@dataclass(frozen=True)
class Firm:
    """The verdicts of a run's answer, and what is known of them beyond the run: those on the
    `other` clock, and how sensitive each row is.
    """

    pairs: tuple[Offload, ...]
    other: OtherClock | None = None
    known: Mapping[Identity, Studied] | None = None

    def studied(self, pair: Offload) -> Studied | None:
        """What is known of the sensitivity of a row."""
        return (self.known or {}).get(pair.identity)

    def on_other_clock(self, pair: Offload) -> Verdict | None:
        """The verdict of the same row there."""
        return self.other.verdicts.get(pair.identity) if self.other else None

    def of(self, pair: Offload) -> Firmness:
        """Whether the verdict of a row is firm."""
        return firmness(pair.verdict, self.on_other_clock(pair), self.studied(pair))

    def count(self, pairs: Sequence[Offload]) -> int:
        """How many of those verdicts are firm."""
        return sum(self.of(pair).state == "firm" for pair in pairs)

    @property
    def is_studied(self) -> bool:
        """Whether anything is known of the sensitivity of some verdict."""
        return any(map(self.studied, self.pairs))

    @property
    def sentence(self) -> str:
        """How many verdicts are firm, and why others are not or may not be; nothing where nobody
        studied any.
        """
        if not self.is_studied:
            return ""
        found = [self.of(pair) for pair in self.pairs]
        states = Counter(each.state for each in found)
        firm = f"{states['firm']} of {self._verdicts}"
        said = [
            f"Firm on both clocks and over all assumed ranges: {firm}.",
            *_not_firm(found),
            *_not_known([each.reason for each in found if each.state == "not known"]),
        ]
        return " ".join(said)

    @property
    def in_short(self) -> str:
        """The same with where it is from; where nobody studied the run, what the other clock says;
        nothing where that was not measured either.
        """
        said = self.sentence or (self.other.sentence if self.other else "")
        source = f"From {RECORDED_IN}." if said and self._recorded else ""
        return " ".join(filter(None, [said, source]))

    @property
    def source(self) -> str:
        """Which studies and which run come with the checkout, if any of these says something."""
        if not self._recorded:
            return ""
        listed = ", ".join(self._recorded)
        return (
            f"That comes with the checkout ({RECORDED_IN}: {listed}), whose records are those of "
            "this run."
        )

    @property
    def _recorded(self) -> list[str]:
        studied = filter(None, map(self.studied, self.pairs))
        found = dict.fromkeys(name for each in studied for name in each.recorded)
        other = [self.other.run] if self.other and self.other.recorded else []
        return [*found, *other]

    @property
    def _verdicts(self) -> str:
        """How many there are, and of how many rows, if that is not the same."""
        count, again = len(self.pairs), len(repeats(self.pairs))
        said = f"{count} verdict{'s' if count > 1 else ''}"
        links = "two" if len({pair.identity.link for pair in self.pairs}) == 2 else "several"
        rows = f"{count - again} row{'s' if count - again > 1 else ''}, {again} over {links} links"
        return f"{said} ({rows})" if again else said


_LEFT_OUT = 3
"""How many assumptions that did not vary are named at most."""


def _not_firm(found: Sequence[Firmness]) -> list[str]:
    """How many verdicts each reason changes: an assumption 13 (4 to a loss), the other clock 3."""
    counts = Counter(reason for each in found for reason in each.because)
    losing = sum(each.can_lose for each in found)
    told = []
    if by_assumption := counts["assumption"]:
        to_a_loss = f" ({losing} to a loss)" if losing else ""
        told.append(f"an assumption changes {by_assumption}{to_a_loss}")
    if by_clock := counts["clock"]:
        told.append(f"the other clock {'' if told else 'changes '}{by_clock}")
    said = []
    if told:
        sentence = ", ".join(told)
        said.append(f"{sentence[0].upper()}{sentence[1:]}.")
    if counts["study"]:
        said.append(f"Of {counts['study']} the study has another verdict.")
    return said


def _not_known(reasons: Sequence[str]) -> list[str]:
    """Such as that 27 are not known to be, and why."""
    if not reasons:
        return []
    (reason, count), *others = Counter(reasons).most_common()
    verb = "is" if len(reasons) == 1 else "are"
    more = f" ({count}); of {len(reasons) - count} there are other reasons" if others else ""
    return [f"{len(reasons)} {verb} not known to be: {reason}{more}."]


def _missing(on_other_clock: Verdict | None, studied: Studied | None) -> str:
    """What would have to be known; nothing if all is."""
    if on_other_clock is None:
        return "the other clock was not measured"
    if studied is None:
        return "its sensitivity was not studied"
    if unknown := _of(studied, "not known"):
        return f"not measured at both ends of {names.all_of(unknown)}"
    if len(studied.left_out) > _LEFT_OUT:
        return f"{len(studied.left_out)} assumptions did not vary"
    if studied.left_out:
        return f"not varied: {', '.join(studied.left_out)}"
    return ""


def _of(studied: Studied, wanted: Standing) -> list[str]:
    """The assumptions in whose range a verdict stands so, in words."""
    row = studied.row
    return [
        studied.title_of(swing.assumption) for swing in row.swings if standing(row, swing) == wanted
    ]


_NAMED = 3
"""How many changes or assumptions are named at most."""

_WAYS = {"low": "less", "high": "more"}


def changes(studied: Studied) -> list[tuple[Swing, Flip]]:
    """All changes of a row's verdict, that which needs the smallest factor first."""
    row = studied.row
    found = [(swing, flip) for swing in row.swings for flip in flips(row, swing)]
    return sorted(found, key=lambda each: _factor(each[0].nominal, each[1].value))


def _factor(own: float, value: float) -> float:
    """How far a value is from the board's own, as the logarithm of their factor."""
    return abs(math.log(value / own)) if own > 0 and value > 0 else math.inf


def in_a_clause(studied: Studied) -> str:
    """Whether the verdict of a row holds: `holds unless a register access takes more than 640 ns
    (then: loses)`.
    """
    row, known = studied.row, {each.name: each for each in studied.assumptions}
    found = standing_of_all(row)
    if found == "changes":
        told = [_change(swing, flip, known) for swing, flip in changes(studied)]
        listed = names.first_of(told, _NAMED, between=", or ", last=", or ")
        return f"holds unless {listed}{_remark(studied)}"
    if found == "holds":
        return f"holds over the whole range of {_all(studied, known)}"
    missing = [
        known[each.assumption].title for each in row.swings if standing(row, each) == "not known"
    ]
    return f"is not known to hold: {names.first_of(missing, _NAMED)} was not measured at both ends"


def _change(swing: Swing, flip: Flip, known: Mapping[str, Assumption]) -> str:
    value = in_words(flip.value, swing.unit)
    if swing.unit == FACTOR:
        value = f"{value.removeprefix(FACTOR)} times what is assumed"
    said = known[swing.assumption].said
    return f"{said} {_WAYS[flip.end]} than {value} (then: {flip.verdict})"


def _all(studied: Studied, known: Mapping[str, Assumption]) -> str:
    """The assumptions that varied: all, or which."""
    varied = [known[each.assumption].title for each in studied.row.swings]
    if studied.left_out:
        return f"{names.first_of(varied, _NAMED)}{_remark(studied)}"
    return f"all {len(varied)} assumptions" if len(varied) > 1 else f"the assumption {varied[0]}"


def _remark(studied: Studied) -> str:
    count = len(studied.left_out)
    if not count:
        return ""
    return f" ({count} other assumption{'s' if count > 1 else ''} did not vary)"


INTERPOLATED = (
    "Values are interpolated between the ends of a range and the board's own number, the logarithm "
    "of each ratio linearly in the logarithm of the number."
)

_CONFIGURATIONS = 8
"""The same of configurations."""


@dataclass(frozen=True)
class Sensitivity:
    """Rows of one study or of several, with the assumptions that varied and the names of those that
    would mean something and did not.
    """

    rows: tuple[Row, ...]
    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...] = ()

    @staticmethod
    def of(study: Study) -> "Sensitivity":
        """All of a study."""
        return Sensitivity(study.rows, study.assumptions, study.left_out)

    @staticmethod
    def of_all(found: Iterable[Studied]) -> "Sensitivity | None":
        """What is known of these rows, together; None if there is none."""
        known = list(found)
        if not known:
            return None
        assumptions = {each.name: each for part in known for each in part.assumptions}
        left_out = dict.fromkeys(name for part in known for name in part.left_out)
        rows = tuple(part.row for part in known)
        return Sensitivity(rows, tuple(assumptions.values()), tuple(left_out))

    @property
    def judged(self) -> list[Row]:
        """The rows that have a verdict, and on whose boards something varied."""
        return [row for row in self.rows if row.swings and row.nominal.verdict != PEER_LIMITED]

    @property
    def holding(self) -> list[Row]:
        """Those whose verdict holds over the whole range of every assumption."""
        return [row for row in self.judged if standing_of_all(row) == "holds"]

    @property
    def changing(self) -> list[Row]:
        """Those whose verdict changes with some assumption."""
        return [row for row in self.judged if standing_of_all(row) == "changes"]

    @property
    def unknown(self) -> list[Row]:
        """Those that were not measured at all ends, and do not change at the others."""
        return [row for row in self.judged if standing_of_all(row) == "not known"]

    def title_of(self, assumption: str) -> str:
        """What people call an assumption."""
        return next(each.title for each in self.assumptions if each.name == assumption)

    @property
    def sentence(self) -> str:
        """How many verdicts hold, and which do not."""
        return self._sentence(named=True)

    @property
    def headline(self) -> str:
        """How many verdicts hold; for where those that do not are listed below."""
        return self._sentence(named=False)

    def _sentence(self, *, named: bool) -> str:
        count = len(self.judged)
        if not count:
            return "No verdict was given, so none could change."
        there = f"{count} verdict{'s' if count > 1 else ''}"
        verb = "hold" if count > 1 else "holds"
        told = f"{len(self.holding)} of {there} {verb} over the whole range of {self._all}"
        if changing := self.changing:
            verb = "does" if len(changing) == 1 else "do"
            told += f"; {len(changing)} {verb} not{f': {_by_configuration(changing)}' * named}"
            losing = sum(map(can_lose, changing))
            told += f"; of these {losing or 'none'} can come to lose or be mixed"
        if self.unknown:
            verb = "is" if len(self.unknown) == 1 else "are"
            told += f"; {len(self.unknown)} {verb} not known, because an end of a range is missing"
        return f"{told}."

    @property
    def _all(self) -> str:
        """The assumptions that varied: every one, or which."""
        if not self.left_out:
            return "every assumption"
        varied = _some([each.title for each in self.assumptions])
        return f"{varied} ({len(self.left_out)} other assumptions did not vary)"

    @property
    def flips(self) -> list[tuple[Row, Swing, Flip]]:
        """All first changes towards an end, and the first to a loss behind them; those of one row
        together.
        """
        return [
            (row, swing, flip)
            for row in self.changing
            for swing in row.swings
            for flip in dict.fromkeys((*flips(row, swing), *losses(row, swing)))
        ]


def value_text(swing: Swing, value: float) -> str:
    """A number of an assumption with its unit."""
    return in_words(value, swing.unit)


def range_text(swing: Swing) -> str:
    """The range of an assumption on a board: `50 to 200 MHz`."""
    low, high = (value_text(swing, end.value) for end in (swing.low, swing.high))
    number, _, unit = low.partition(" ")
    return f"{number if unit and high.endswith(f' {unit}') else low} to {high}"


COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(
        ("experiment", "protocol", "cipher", "mac", "implementation", "parameter"), pl.String
    ),
    **dict.fromkeys(("completion", "as_in_2015", "board", "topology", "node", "link"), pl.String),
    **dict.fromkeys(("assumption", "unit", "end"), pl.String),
    "assumed": pl.Float64,
    "metric": pl.String,
    **dict.fromkeys(("speed", "cpu_work"), pl.Float64),
    **dict.fromkeys(("verdict", "standing"), pl.String),
    "changes_at": pl.Float64,
    "changes_to": pl.String,
}
"""Of `frame`: what was judged, which assumption at which end (`own` is the board's own number), and
what was found; `changes_at` is interpolated.
"""


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    """A row for each verdict and each of the three numbers of each assumption."""
    found = [line for row in rows for swing in row.swings for line in _lines(row, swing)]
    return pl.DataFrame(found, schema=COLUMNS, orient="row")


def _lines(row: Row, swing: Swing) -> Iterable[dict[str, object]]:
    of = row.identity
    columns = of.columns(row.metric)
    about = {name: columns[name] for name in COLUMNS if name in columns and name != "unit"}
    by_end: dict[str, Flip] = {flip.end: flip for flip in flips(row, swing)}
    said = {"assumption": swing.assumption, "unit": swing.unit, "standing": standing(row, swing)}
    for end, value, point in (
        ("low", swing.low.value, swing.low.point),
        ("own", swing.nominal, row.nominal),
        ("high", swing.high.value, swing.high.point),
    ):
        flip = by_end.get(end)
        yield {
            **about,
            **of.where,
            **said,
            "end": end,
            "assumed": value,
            "speed": point.speed if point else None,
            "cpu_work": point.work if point else None,
            "verdict": point.verdict if point else None,
            "changes_at": flip.value if flip else None,
            "changes_to": flip.verdict if flip else None,
        }


def _some(texts: Sequence[str]) -> str:
    if len(texts) <= _NAMED:
        return names.all_of(texts)
    return names.first_of(texts, _NAMED)


def _by_configuration(rows: Iterable[Row]) -> str:
    """Rows with each configuration named once: `IPsec AES-256-GCM, 56 B, 1000 B; SSH …`."""
    ats: dict[str, list[str]] = {}
    for row in rows:
        at = row.identity.parameter.text
        ats.setdefault(row.name.removesuffix(f", {at}"), []).append(at)
    told = [names.listed(name, *these) for name, these in list(ats.items())[:_CONFIGURATIONS]]
    more = sum(len(these) for these in list(ats.values())[_CONFIGURATIONS:])
    return "; ".join([*told, *([f"and {more} more"] if more else [])])


def sensitivity_of(store: Store, results: Results) -> Sensitivity | None:
    """What all studies say of a run's rows; None if nothing is known of any.

    Raises `FiresteelError` when a study is damaged.
    """
    return Sensitivity.of_all(studied(store, results).values())


def studied(
    store: Store, results: Results, recorded: Store | None = None
) -> dict[Identity, Studied]:
    """The same of each row, for `firm.firmness`."""
    return studied_of(store, _keys(results), recorded)


def studied_of(
    store: Store, keys: Collection[str], recorded: Store | None = None
) -> dict[Identity, Studied]:
    """What all studies together say of the rows that are made of the records at these addresses: of
    an assumption that varied in several, the newest of the store, or else of the `recorded` ones
    (default: those of the checkout).

    Other records would be of other boards or programs, whatever they are called.
    """
    known = set(keys)
    found: dict[Identity, Studied] = {}
    for study, recorded_as in _studies(store, recorded or Store(RECORDED)):
        for row in study.rows:
            if known.issuperset(row.records):
                here = Studied(row, study.left_out, study.assumptions, recorded_as)
                newer = found.get(row.identity)
                found[row.identity] = _together(newer, here) if newer else here
    return found


def firm_of(store: Store, results: Results, recorded: Store | None = None) -> Firm:
    """What is known of a run's verdicts: from the store, or else from the `recorded` runs and
    studies (default: those of the checkout).

    Raises `FiresteelError` when a study is damaged.
    """
    recorded = recorded or Store(RECORDED)
    other = other_clock(store, results, recorded)
    return Firm(answering(offloads_of(results)), other, studied(store, results, recorded))


def _studies(store: Store, recorded: Store) -> Iterator[tuple[Study, tuple[str, ...]]]:
    """All studies, those of the store first; the name of each that is recorded besides."""
    yield from ((study, ()) for study in studies(store))
    if recorded.root != store.root:
        yield from ((study, (study.run,)) for study in studies(recorded))


def _keys(results: Results) -> set[str]:
    return {record.key for record in results.records}


def _together(newer: Studied, older: Studied) -> Studied:
    """Both of a row; where they have other records, as with more seeds, what varies more."""
    if newer.row.records == older.row.records:
        return newer.beside(older)
    return max(newer, older, key=lambda studied: len(studied.row.swings))
