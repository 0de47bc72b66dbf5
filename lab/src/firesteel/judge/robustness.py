# SPDX-License-Identifier: Apache-2.0
"""Whether verdicts are robust: whether both clocks agree, and whether a verdict changes with an
assumption, according to the studies in the user's store and in the checkout.

A study refers to records by their addresses.  So a study in the checkout (`recorded/`) also applies
to a run elsewhere, if the run contains the same records, or equal records from another build of the
emulator (`RecordFile.outcome`).

The clock `flat` charges each instruction alike, `cycles` what it costs a processor
(docs/virtual-time.md).  Neither is the truth, and they err in opposite ways, so a verdict that both
give (`other_clock`) does not come from the clock.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import FACTOR, in_words
from firesteel.boards.profile import Clock, Cpu
from firesteel.judge import together
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.pairing import apart, words_of
from firesteel.judge.results import MOST, Results, load_results
from firesteel.judge.sensitivity import (
    Crossover,
    Standing,
    Studied,
    Swing,
    can_lose,
    crossovers,
    standing,
    studies,
)
from firesteel.judge.verdict import Offload, Verdict, answering, repeats
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.store.store import Store

State = Literal["firm", "not firm", "not known"]

Reason = Literal["assumption", "clock", "study"]
"""Why a verdict is not firm: an assumption changes it, the other clock changes it, or a study has a
different verdict.
"""

RECORDED_IN = "recorded/"
"""What people call the store of the checkout."""


@dataclass(frozen=True)
class OtherClock:
    """What the same run on the other clock says about a run's rows.  `both` are the rows of this
    run's answer that the other run also has, each with this run's row first.
    """

    run: str
    clock: Clock
    both: tuple[tuple[Offload, Offload], ...]
    verdicts: Mapping[Identity, Verdict] = field(default_factory=dict)
    """The other run's, of all rows."""
    recorded: bool = False
    """Whether the other run is one that comes with the checkout."""
    differences: str = ""
    """The differences between the runs other than their clocks."""

    @property
    def sentence(self) -> str:
        """How many verdicts both clocks give, which they do not, and what else may be why."""
        others = [
            f"{names.listed(own.in_short, own.at)}: {other.verdict} there, {own.verdict} here"
            for own, other in self.both
            if own.verdict != other.verdict
        ]
        said = f"No row was measured on the clock `{self.clock}` too."
        if count := len(self.both):
            same = f"{count - len(others)} of {count} verdicts are the same"
            but = f"; not those of {'; '.join(others)}" if others else ""
            said = f"On the clock `{self.clock}` {same}{but}."
        return said + (f" The runs also differ in: {self.differences}." if self.differences else "")


@dataclass(frozen=True)
class RowRobustness:
    """Whether a verdict is firm; `reason` is a clause that says why it is not, or what is not
    known, and empty of a firm one.  `because` is what makes it `not firm`, and `can_lose` says
    whether offload comes to lose, or to be mixed, in the range of an assumption.
    """

    state: State
    reason: str = ""
    because: frozenset[Reason] = frozenset()
    can_lose: bool = False


def row_robustness(
    verdict: Verdict, on_other_clock: Verdict | None, studied: Studied | None
) -> RowRobustness:
    """Whether a verdict is firm.  The arguments are the run's verdict, the same row's verdict on
    the other clock, and the row's sensitivity; None stands for what was not measured.

    If anything changes the verdict, it is `not firm`, whatever else is unknown.
    """
    if PEER_LIMITED in (verdict, on_other_clock):
        return RowRobustness("not known", "the peer limits it, so there is no verdict")
    changing: dict[Reason, str] = {}
    if on_other_clock not in (None, verdict):
        changing["clock"] = f"the other clock says: {on_other_clock}"
    if studied and (those := _of(studied, "changes")):
        changing["assumption"] = f"it changes with {names.all_of(those)}"
    elif studied and studied.row.nominal.verdict != verdict:
        changing["study"] = f"the study has: {studied.row.nominal.verdict}"
    if changing:
        losing = studied is not None and can_lose(studied.row)
        return RowRobustness("not firm", "; ".join(changing.values()), frozenset(changing), losing)
    missing = ""
    if verdict == "inconclusive":
        missing = _INCONCLUSIVE
    elif on_other_clock is None:
        missing = "the other clock was not measured"
    elif studied is None:
        missing = "sensitivity not studied"
    elif unknown := _of(studied, "not known"):
        missing = f"not measured at both ends of {names.all_of(unknown)}"
    elif len(studied.left_out) > _LEFT_OUT:
        missing = f"{len(studied.left_out)} assumptions did not vary"
    elif studied.left_out:
        missing = f"not varied: {', '.join(studied.left_out)}"
    return RowRobustness("not known" if missing else "firm", missing)


@dataclass(frozen=True)
class Robustness:
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

    def of(self, pair: Offload) -> RowRobustness:
        """Whether the verdict of a row is firm."""
        return row_robustness(pair.verdict, self.on_other_clock(pair), self.studied(pair))

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
        firm = [pair for pair, each in zip(self.pairs, found, strict=True) if each.state == "firm"]
        firm_rows = map(self.studied, firm)
        said = [
            f"Firm on both clocks and over all assumed ranges: {len(firm)} of {self._verdicts}.",
            *_not_firm(found),
            *_not_known([each.reason for each in found if each.state == "not known"]),
            *together.sentences(studied.row for studied in firm_rows if studied),
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


_INCONCLUSIVE = "it is inconclusive"
"""Why a verdict that nothing changes is not firm all the same."""

_LEFT_OUT = 3
"""How many assumptions that did not vary are named at most."""


def _not_firm(found: Sequence[RowRobustness]) -> list[str]:
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


def _not_known(all_reasons: Sequence[str]) -> list[str]:
    """Such as that 27 are not known to be, and why; before them how many are inconclusive."""
    reasons = [reason for reason in all_reasons if reason != _INCONCLUSIVE]
    unsure = len(all_reasons) - len(reasons)
    told = [f"{unsure} {'is' if unsure == 1 else 'are'} inconclusive."] if unsure else []
    if not reasons:
        return told
    (reason, count), *others = Counter(reasons).most_common()
    verb = "is" if len(reasons) == 1 else "are"
    more = f" ({count}); of {len(reasons) - count} there are other reasons" if others else ""
    return [*told, f"{len(reasons)} {verb} not known to be: {reason}{more}."]


def _of(studied: Studied, wanted: Standing) -> list[str]:
    """The assumptions in whose range a verdict stands so, in words."""
    row = studied.row
    return [
        studied.title_of(swing.assumption) for swing in row.swings if standing(row, swing) == wanted
    ]


_NAMED = 3
"""How many changes or assumptions are named at most."""

_WAYS = {"low": "less", "high": "more"}


def changes(studied: Studied) -> list[tuple[Swing, Crossover]]:
    """All changes of a row's verdict, that which needs the smallest factor first."""
    row = studied.row
    found = [(swing, flip) for swing in row.swings for flip in crossovers(row, swing)]

    def far(each: tuple[Swing, Crossover]) -> float:
        own, value = each[0].nominal, each[1].value
        return abs(math.log(value / own)) if own > 0 and value > 0 else math.inf

    return sorted(found, key=far)


def in_a_clause(studied: Studied) -> str:
    """Whether the verdict of a row holds: `holds unless a register access takes more than 640 ns
    (then: loses)`.
    """
    row, known = studied.row, {each.name: each for each in studied.assumptions}
    found, left = standing(row), len(studied.left_out)
    varied = [known[each.assumption].title for each in row.swings]
    remark = f" ({left} other assumption{'s' if left > 1 else ''} did not vary)" if left else ""
    if found == "changes":
        told = [
            f"{known[swing.assumption].said} {_WAYS[flip.end]} than {_value(swing, flip)} "
            f"(then: {flip.verdict})"
            for swing, flip in changes(studied)
        ]
        return f"holds unless {names.first_of(told, _NAMED, ', or ', ', or ')}{remark}"
    if found == "not known":
        missing = names.first_of(_of(studied, "not known"), _NAMED)
        if not missing:
            return "is not known to hold: no assumption was varied"
        return f"is not known to hold: {missing} lacks a measurement at one end"
    of = f"all {len(varied)} assumptions" if len(varied) > 1 else f"the assumption {varied[0]}"
    of = f"{names.first_of(varied, _NAMED)}{remark}" if left else of
    does = "holds" if found == "holds" else "stays inconclusive"
    return f"{does} over the whole range of {of}"


def _value(swing: Swing, flip: Crossover) -> str:
    value = in_words(flip.value, swing.unit)
    if swing.unit == FACTOR:
        return f"{value.removeprefix(FACTOR)} times what is assumed"
    return value


def studied_of(
    store: Store, keys: Collection[str], recorded: Store | None = None
) -> dict[Identity, Studied]:
    """What all studies together say about the rows that are made of the records of `store` at these
    addresses.  If an assumption varied in several studies, the store's newest study counts, or else
    the newest of the `recorded` studies (default: the checkout's).

    Other records would be of other boards or programs, whatever they are called.  Raises
    `FiresteelError` when a study or one of the records is damaged.
    """
    known, recorded = set(keys), recorded or Store(RECORDED)
    found: dict[Identity, Studied] = {}
    for place in (store,) if recorded.root == store.root else (store, recorded):
        counterpart = _counterpart(known, store, place)
        for study in studies(place):
            recorded_as = () if place is store else (study.run,)
            for each in study.rows:
                own = tuple(filter(None, map(counterpart, each.records)))
                if len(own) < len(each.records):
                    continue
                row = each.model_copy(update={"records": own})
                here = Studied(row, study.left_out, study.assumptions, recorded_as)
                newer = found.get(row.identity, here)
                if newer.row.records == row.records:
                    found[row.identity] = here if newer is here else newer.beside(here)
                else:  # As with more seeds; what varies more.
                    found[row.identity] = max(newer, here, key=lambda each: len(each.row.swings))
    return found


def _counterpart(keys: Collection[str], store: Store, place: Store) -> Callable[[str], str | None]:
    """For an address in `place`, that of the same record, or of an equal one, of `store`: one of
    these `keys`, or None.
    """

    @cache
    def by_outcome() -> Mapping[str, str]:
        return {outcome: key for key in keys if (outcome := store.outcome(key))}

    def of(key: str) -> str | None:
        if key in keys or place is store:
            return key if key in keys else None
        return by_outcome().get(place.outcome(key) or "")

    return of


def robustness_of(store: Store, results: Results, recorded: Store | None = None) -> Robustness:
    """What is known about a run's verdicts, from the store or else from the `recorded` runs and
    studies (default: the checkout's).

    Raises `FiresteelError` when a study is damaged.
    """
    recorded = recorded or Store(RECORDED)
    other = other_clock(store, results, recorded)
    known = studied_of(store, results.keys, recorded)
    return Robustness(answering(results.offloads), other, known)


def other_clock(store: Store, results: Results, recorded: Store | None = None) -> OtherClock | None:
    """A comparison with the newest run in the store that differs from this run only in its clock;
    None if there is no such run, or if nothing was offloaded.

    If the store has no such run, the store `recorded` counts, if one of its runs contains the same
    or equal records.  Then that run's counterpart on the other clock is used.
    """
    own = results.offloads
    if not own:
        return None
    for place in filter(None, (store, recorded)):
        is_own = place.root == store.root
        if (is_own or _has_same(place, store, results)) and (
            found := next(_twins(place, results), None)
        ):
            clock = next(cpu.clock for _, cpu in found.measured_cpus)
            there = {(each.identity, each.metric): each for each in found.offloads}
            pairs = [(one, there.get((one.identity, one.metric))) for one in own]
            counted = answering(own)
            return OtherClock(
                found.journal.name,
                clock,
                tuple((one, two) for one, two in pairs if two and one in counted),
                {two.identity: two.verdict for _, two in pairs if two},
                recorded=not is_own,
                differences=words_of(apart(results.records, found.records)),
            )
    return None


def _has_same(place: Store, store: Store, results: Results) -> bool:
    """Whether a run of `place` is made of the records that this one of `store` is made of, or of
    more.
    """
    counterpart = _counterpart(results.keys, store, place)
    of, quick = results.journal.experiment, results.journal.quick
    journals = (place.journal(each.name) for each in place.runs_of(of, quick=quick))
    return any(
        results.keys <= {counterpart(each.key) for each in journal.entries if each.state == "done"}
        for journal in journals
    )


def _twins(store: Store, results: Results) -> Iterator[Results]:
    """Runs like this one on another clock, the newest first; damaged ones are none."""
    for run in store.runs_of(results.journal.experiment, quick=results.journal.quick):
        if run.name == results.journal.name:
            continue
        try:
            found = load_results(store, run.name, MOST)
        except FiresteelError:
            continue
        if differ_in_clock(results.measured_cpus, found.measured_cpus):
            yield found


def differ_in_clock(ours: Sequence[tuple[str, Cpu]], theirs: Sequence[tuple[str, Cpu]]) -> bool:
    """Whether the boards are the same but for their clocks, which all differ."""
    one, two = dict(ours), dict(theirs)
    return one.keys() == two.keys() and all(
        mine.clock != two[name].clock and mine.on_clock("flat") == two[name].on_clock("flat")
        for name, mine in one.items()
    )
