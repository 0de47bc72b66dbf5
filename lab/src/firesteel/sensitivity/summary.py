# SPDX-License-Identifier: Apache-2.0
"""What a study of sensitivity says: how many verdicts hold over the whole range of every
assumption, which do not, and at which value each changes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from firesteel.analysis.bound import PEER_LIMITED
from firesteel.board.assumptions import Assumption
from firesteel.board.quantity import in_words
from firesteel.model import names
from firesteel.sensitivity.firm import Studied
from firesteel.sensitivity.flips import Flip, can_lose, flips, losses, standing, standing_of_all
from firesteel.sensitivity.study import Row, Study, Swing

INTERPOLATED = (
    "Values are interpolated between the ends of a range and the board's own number, the logarithm "
    "of each ratio linearly in the logarithm of the number."
)

_NAMED = 3
"""How many assumptions a sentence names at most."""

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
