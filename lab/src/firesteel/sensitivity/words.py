# SPDX-License-Identifier: Apache-2.0
"""What is known of a row's sensitivity, in words: unless what its verdict holds."""

import math
from collections.abc import Mapping

from firesteel.board.assumptions import Assumption
from firesteel.board.quantity import FACTOR, in_words
from firesteel.model import names
from firesteel.sensitivity.firm import Studied
from firesteel.sensitivity.flips import Flip, flips, standing, standing_of_all
from firesteel.sensitivity.study import Swing

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
