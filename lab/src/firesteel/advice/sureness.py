# SPDX-License-Identifier: Apache-2.0
"""How sure the advice is: how far assumptions about the board may be off before it changes, as far
as a study of sensitivity in the store says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.advice.decision import JudgedRow
from firesteel.analysis.rows import grouped
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.sensitivity.firm import RECORDED_IN, Studied
from firesteel.sensitivity.flips import standing_of_all
from firesteel.sensitivity.words import in_a_clause
from firesteel.workloads import titles

NOT_STUDIED = "is not known to hold: it was not studied"


@dataclass(frozen=True)
class Sureness:
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
