# SPDX-License-Identifier: Apache-2.0
"""Why figures are far from the published ones, from the `causes.toml` of a study.

A cause is a claim.  What tests it is named in the file; whether that shows it is computed from the
figures (`research.evidence`), and so is every number of its text.  Who has seen the figures finds
some cause that fits them, so a cause of afterwards is exploratory, whatever its test shows.  It is
confirmed only by an experiment that was named before it was run.
"""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import jinja2
from jinja2.sandbox import SandboxedEnvironment
from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import EXPERIMENTS
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many, Table
from firesteel.judge.compare import rows_of
from firesteel.judge.replication.fit_file import VariantName
from firesteel.judge.rows import Result
from firesteel.judge.study import Figures, Study, one_of

FILE = "causes.toml"

_ROW = ("experiment", "protocol", "cipher", "mac", "implementation", "parameter")

LARGE = 40
"""Percent of deviation from which on a row needs a cause."""


Outcome = Literal["shown", "shown in part", "undecided", "not shown"]
"""What may come of a test."""


class Named(Table):
    """What named a cause before the figures were seen that test it."""

    experiment: Annotated[str, one_of(lambda: toml.names_in(EXPERIMENTS), "experiment")]
    """The experiment that tests it."""

    committed: date
    """The date of the commit with which the experiment came."""


class Cause(Figures):
    """Why figures deviate: all those that it chooses and that lie on its side."""

    why: str
    """The claim, in sentences; a template, in which `published(…)` is a published figure."""

    tested_by: str | None = None
    """What tests it, in words; a template too."""

    evidence: Literal["variants", "cores", "published"] | None = None
    """What tests the cause: cells with the changes that `variant` names, the page's table of CPU
    use by core, or only the published figures.  Without a test, the cause is a supposition."""

    outcome: Outcome | None = None
    """What the test shows, for reports.  `research.fidelity` computes it, and refuses another."""

    variant: Many[VariantName] | None = None
    """The variants that test it together."""

    found: Literal["after"] | Named = "after"
    """Whether the cause was found after the figures were seen, or else the experiment that named it
    before it was run.  Only the latter can confirm a cause; all others are exploratory."""

    side: Literal["above", "below"] | None = None
    """Where our figures lie, seen from the published ones; either where it is left out."""

    @model_validator(mode="after")
    def _check(self) -> "Cause":
        if self.evidence in ("variants", "cores") and not self.tested_by:
            raise ValueError(f'`tested_by` is missing; evidence "{self.evidence}" needs it')
        if self.outcome and self.evidence not in ("variants", "cores"):
            raise ValueError('`outcome` is only for evidence "variants" and "cores"')
        if (self.evidence == "variants") != bool(self.variant):
            raise ValueError('`variant` goes with evidence "variants", which needs it')
        return self

    def was_named_before(self, started: str) -> bool:
        """Whether a run that started then came later than the experiment that names the cause."""
        return isinstance(self.found, Named) and started[:10] > self.found.committed.isoformat()

    @property
    def standing(self) -> str:
        """What its test shows, and whether it was found afterwards or named before, in words."""
        tested = f"{self.outcome} by its test" if self.outcome else "tested"
        if self.evidence is None:
            tested = "supposed, without a test"
        elif self.evidence == "published":
            tested = "follows from published rows"
        found = "exploratory: found after the figures were seen"
        if isinstance(self.found, Named):
            found = f"named by the experiment `{self.found.experiment}` on {self.found.committed}"
        return f"{tested}; {found}"

    def fits(self, result: Result) -> bool:
        """Whether it is the cause of this result's deviation."""
        side = "above" if (result.deviation or 0) > 0 else "below"
        return self.side in (None, side) and self.chooses(result.columns)


class Causes(Table):
    """The file of causes."""

    cause: Annotated[tuple[Cause, ...], Field(min_length=1)]
    """Each of them; the first that fits a figure counts."""


def load_causes(study: Study) -> tuple[Cause, ...]:
    """The causes that a study names, in order, with the figures of their texts; none where it has
    no file, and `FiresteelError` when that is wrong.
    """
    path = study.file(FILE)
    if not path:
        return ()
    told = _template(path, study)
    return tuple(
        cause.model_copy(
            update={"why": told(cause.why), "tested_by": told(cause.tested_by or "") or None}
        )
        for cause in toml.read_model(path, Causes).cause
    )


def cause_of(result: Result, causes: Sequence[Cause]) -> Cause | None:
    """The first cause that fits a result."""
    return next((cause for cause in causes if cause.fits(result)), None)


def _template(path: Path, study: Study) -> Callable[[str], str]:
    """What makes texts of a study's file, with its published figures; `FiresteelError` for one that
    asks for what there is not.
    """
    published = rows_of(study)

    def figure(words: str, metric: str) -> float:
        """The value in a row, such as `ping openvpn none none software 56 B`, for a metric; the
        parameter may be left out if there is only one.
        """
        wanted = dict(zip(_ROW, words.split(" ", len(_ROW) - 1), strict=False))
        wanted["metric"] = metric
        rows = [row for row in published if all(row[key] == wanted[key] for key in wanted)]
        if len(rows) != 1:
            raise ValueError(f"there are {len(rows)} published rows of {words}, {metric}")
        return float(rows[0]["value"])

    def told(text: str) -> str:
        try:
            return environment.from_string(text).render(published=figure).strip()
        except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise FiresteelError(f"{path}: {error} in: {text.strip()[:80]}") from None

    environment = SandboxedEnvironment(undefined=jinja2.StrictUndefined)
    return told
