# SPDX-License-Identifier: Apache-2.0
"""Whether a verdict is firm: what both clocks say, and what every assumption leaves as it is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.clocks import OtherClock
from firesteel.analysis.offload import Offload
from firesteel.analysis.over_links import repeats
from firesteel.analysis.verdict import Verdict
from firesteel.board.assumptions import Assumption
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.sensitivity.flips import Standing, can_lose, standing, standing_of_all
from firesteel.sensitivity.study import Row

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
