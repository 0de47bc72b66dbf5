# SPDX-License-Identifier: Apache-2.0
"""Why figures are far from the published ones, from the `causes.toml` of each study.

A cause is a claim.  What tests it is named in the file; whether that shows it is computed from the
figures, and so is every number of its text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Literal

import jinja2
from pydantic import Field

from firesteel.analysis.published import load_published
from firesteel.analysis.rows import Result
from firesteel.analysis.study import files
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Many, Table

_FILE = "causes.toml"

HALF = 0.5
"""The share of their deviation that rows may keep where a test shows their cause."""

PART = 0.75
"""The share that they may keep where it shows a part of it."""

SLACK = 5.0
"""Percentage points by which a variant's other rows may be farther off with it."""

Outcome = Literal["shown", "shown in part", "not shown", "supposed", "follows from published rows"]


@dataclass(frozen=True)
class Deviations:
    """Absolute deviations in percent of a row without and with what tests a cause; `is_claimed`
    where the cause claims the row.
    """

    before: float
    after: float
    is_claimed: bool = True


@dataclass(frozen=True)
class Finding:
    """What came of testing a cause; the medians are of absolute deviations in percent."""

    outcome: Outcome
    rows: int = 0
    before: float = 0.0
    after: float = 0.0
    others: int = 0
    others_before: float = 0.0
    others_after: float = 0.0
    nearer: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether more than a supposition stands behind the cause."""
        return self.outcome in ("shown", "follows from published rows")


class Cause(Table):
    """Why rows deviate: those in which every given key has one of the values.

    `evidence` says what tests it: `variants`, cells with the changes that `variant` names; a
    table of docs/fidelity.md; or `published`, where it follows from the published rows alone.
    Without that it is but supposed.  `why` and `tested_by` are templates:
    `published(…)` is a published figure.
    """

    why: str
    tested_by: str | None = None
    evidence: Literal["variants", "cores", "published"] | None = None
    variant: Many[str] | None = None
    experiment: Many[str] | None = None
    protocol: Many[str] | None = None
    cipher: Many[str] | None = None
    mac: Many[str] | None = None
    implementation: Many[str] | None = None
    parameter: Many[str] | None = None
    metric: Many[str] | None = None
    side: Literal["above", "below"] | None = None

    def fits(self, result: Result) -> bool:
        """Whether it is the cause of this result's deviation."""
        columns = result.columns
        keys = set(Cause.model_fields) - {"why", "tested_by", "evidence", "variant", "side"}
        side = "above" if (result.deviation or 0) > 0 else "below"
        return self.side in (None, side) and all(
            columns[key] in values for key in keys if (values := getattr(self, key))
        )

    @property
    def reason(self) -> str:
        """`why`, with its figures."""
        return _rendered(self.why)

    @property
    def test(self) -> str:
        """`tested_by`, with its figures; nothing where no test is named."""
        return _rendered(self.tested_by or "")


class Causes(Table):
    """The file of causes."""

    cause: Annotated[tuple[Cause, ...], Field(min_length=1)]


def load_causes() -> tuple[Cause, ...]:
    """The named causes, in order; `FiresteelError` when a file is wrong."""
    return tuple(cause for path in files(_FILE) for cause in toml.read_model(path, Causes).cause)


def cause_of(result: Result, causes: Sequence[Cause]) -> Cause | None:
    """The first cause that fits a result."""
    return next((cause for cause in causes if cause.fits(result)), None)


def finding(cause: Cause, tested: Iterable[Deviations]) -> Finding:
    """Whether a cause is shown, by the rows of what tests it.

    It is shown where the rows that it claims keep no more than half of their deviation, three of
    four come nearer, and the other rows of the same cells do not go farther off.
    """
    if cause.evidence == "published":
        return Finding("follows from published rows")
    rows = list(tested)
    claimed = [row for row in rows if row.is_claimed]
    others = [row for row in rows if not row.is_claimed]
    if not claimed:
        return Finding("supposed")
    before, after = _medians(claimed)
    others_before, others_after = _medians(others)
    nearer = sum(abs(row.after) < abs(row.before) for row in claimed)
    partly = after > HALF * before or nearer < PART * len(claimed)
    if after > PART * before:
        outcome: Outcome = "not shown"
    elif partly or others_after > others_before + SLACK:
        outcome = "shown in part"
    else:
        outcome = "shown"
    medians = (before, after, len(others), others_before, others_after)
    return Finding(outcome, len(claimed), *medians, nearer=nearer)


def _medians(rows: Sequence[Deviations]) -> tuple[float, float]:
    if not rows:
        return 0.0, 0.0
    return median(abs(row.before) for row in rows), median(abs(row.after) for row in rows)


def _rendered(text: str) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    environment.globals["published"] = _published
    try:
        return environment.from_string(text).render().strip()
    except jinja2.TemplateError as error:
        raise FiresteelError(f"{_FILE}: {error} in: {text.strip()[:80]}") from None


def _published(words: str, metric: str) -> float:
    """The figure of a published row: `ping openvpn none none software 56 B` and a metric."""
    experiment, protocol, cipher, mac, implementation, *parameter = words.split(" ", 5)
    wanted = {
        "experiment": experiment,
        "protocol": protocol,
        "cipher": cipher,
        "mac": mac,
        "implementation": implementation,
        "metric": metric,
    } | ({"parameter": parameter[0]} if parameter else {})
    rows = [each.result for each in load_published() if _is(each.result, wanted)]
    if len(rows) != 1:
        raise FiresteelError(
            f"{_FILE}: there are {len(rows)} published rows of {words}, {metric}; one is needed."
        )
    return rows[0].value


def _is(result: Result, wanted: Mapping[str, str]) -> bool:
    if result.metric != wanted["metric"]:
        return False  # Columns are of known metrics alone.
    columns = result.columns
    return all(columns[key] == value for key, value in wanted.items())
