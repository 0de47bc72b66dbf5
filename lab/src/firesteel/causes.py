# SPDX-License-Identifier: Apache-2.0
"""Why figures are far from the published ones, from `published/causes.toml`."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from firesteel.published import PUBLISHED
from firesteel.schema import Many, Table

CAUSES = PUBLISHED.parent / "causes.toml"


class Cause(Table):
    """Why rows deviate: those in which every given key has one of the values.

    `evidence` is the table of docs/fidelity.md that shows it; without that it is but supposed.
    """

    why: str
    shown_by: str | None = None
    evidence: Literal["habits", "handshakes"] | None = None
    experiment: Many[str] | None = None
    protocol: Many[str] | None = None
    cipher: Many[str] | None = None
    mac: Many[str] | None = None
    implementation: Many[str] | None = None
    parameter: Many[str] | None = None
    metric: Many[str] | None = None
    side: Literal["above", "below"] | None = None

    def fits(self, row: dict[str, Any]) -> bool:
        """Whether it is the cause of this row's deviation."""
        keys = set(Cause.model_fields) - {"why", "shown_by", "evidence", "side"}
        side = "above" if row["value"] > row["published"] else "below"
        return self.side in (None, side) and all(
            row[key] in values for key in keys if (values := getattr(self, key))
        )


class Causes(Table):
    """The file of causes."""

    cause: Annotated[tuple[Cause, ...], Field(min_length=1)]


def cause_of(row: dict[str, Any], causes: Sequence[Cause]) -> Cause | None:
    """The first cause that fits a row."""
    return next((cause for cause in causes if cause.fits(row)), None)
