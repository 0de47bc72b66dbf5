# SPDX-License-Identifier: Apache-2.0
"""Whether a verdict is firm: what both clocks say, and what every assumption leaves as it is."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.clocks import OtherClock
from firesteel.analysis.offload import Offload
from firesteel.analysis.verdict import Verdict
from firesteel.board.assumptions import Assumption
from firesteel.model.identity import Identity
from firesteel.sensitivity.flips import standing
from firesteel.sensitivity.study import Row

State = Literal["firm", "not firm", "not known"]


@dataclass(frozen=True)
class Studied:
    """A row of a study, or of several; `left_out` are names of assumptions that did not vary and
    would matter, and `assumptions` those that did.
    """

    row: Row
    left_out: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()

    def beside(self, older: "Studied") -> "Studied":
        """What both say of the same row; this one of an assumption that varied in both."""
        parts = (older, self)
        swings = {swing.assumption: swing for part in parts for swing in part.row.swings}
        assumptions = {each.name: each for part in parts for each in part.assumptions}
        return Studied(
            self.row.model_copy(update={"swings": tuple(swings.values())}),
            tuple(name for name in self.left_out if name not in assumptions),
            tuple(assumptions.values()),
        )


@dataclass(frozen=True)
class Firmness:
    """Whether a verdict is firm; `reason` is a clause that says why it is not, or what is not
    known, and empty of a firm one.
    """

    state: State
    reason: str = ""


def firmness(verdict: Verdict, on_other_clock: Verdict | None, studied: Studied | None) -> Firmness:
    """Whether a verdict is firm, given the run's own, that of the same row on the other clock, and
    what is known of its sensitivity; None where that was not measured.

    One thing that changes it is enough for `not firm`, whatever is not known besides.
    """
    if PEER_LIMITED in (verdict, on_other_clock):
        return Firmness("not known", "limited by the peer, so there is no verdict")
    if on_other_clock is not None and on_other_clock != verdict:
        return Firmness("not firm", f"the other clock says: {on_other_clock}")
    if studied and (changing := _of(studied.row, "changes")):
        return Firmness("not firm", f"it changes with {', '.join(changing)}")
    if studied and studied.row.nominal.verdict != verdict:
        return Firmness("not firm", f"the study has: {studied.row.nominal.verdict}")
    if missing := _missing(on_other_clock, studied):
        return Firmness("not known", missing)
    return Firmness("firm")


def firm_sentence(
    pairs: Iterable[Offload], other: OtherClock | None, known: Mapping[Identity, Studied]
) -> str:
    """How many verdicts of a run are firm, and why others are not or may not be; nothing without
    pairs.
    """
    verdicts = other.verdicts if other else {}
    found = [
        firmness(each.verdict, verdicts.get(each.identity), known.get(each.identity))
        for each in pairs
    ]
    if not found:
        return ""
    states = Counter(each.state for each in found)
    said = [f"Of {len(found)} verdicts {states['firm']} are firm"]
    for state in ("not firm", "not known"):
        reasons = Counter(each.reason for each in found if each.state == state)
        told = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common(_NAMED))
        if told:
            said.append(f"{states[state]} {_STATES[state]} ({told})")
    return ", ".join(said) + "."


_NAMED = 2
"""How many reasons are named at most."""

_LEFT_OUT = 3
"""How many assumptions that did not vary are named at most."""

_STATES = {"not firm": "are not", "not known": "are not known to be"}


def _missing(on_other_clock: Verdict | None, studied: Studied | None) -> str:
    """What would have to be known; nothing if all is."""
    if on_other_clock is None:
        return "it was not measured on the other clock"
    if studied is None:
        return "its sensitivity was not studied"
    if unknown := _of(studied.row, "not known"):
        return f"not measured at both ends of {', '.join(unknown)}"
    if len(studied.left_out) > _LEFT_OUT:
        return f"{len(studied.left_out)} assumptions did not vary"
    if studied.left_out:
        return f"not varied: {', '.join(studied.left_out)}"
    return ""


def _of(row: Row, wanted: str) -> list[str]:
    return [swing.assumption for swing in row.swings if standing(row, swing) == wanted]
