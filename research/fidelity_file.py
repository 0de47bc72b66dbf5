# SPDX-License-Identifier: Apache-2.0
"""What the page about how near the boards come to a study is made of: its `fidelity.toml`.

Figures of the page are computed; the file has the runs that they are of, and what is to be said of
this study alone.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from firesteel.analysis.study import Study
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Many, Table, pattern
from firesteel.board.profile import Clock

FILE = "fidelity.toml"

_PAGE = pattern(
    r"^fidelity(-[a-z0-9]+)*\.md$",
    'a name that begins with `fidelity`, as "fidelity-somebody2001.md"',
)


class Runs(Table):
    """The runs that the page is made of, by their names in `recorded/runs.toml`."""

    figures: str
    """The run whose figures are compared with the published ones."""

    other: str | None = None
    """The same run on the other clock, which has to be recorded: the page compares the two."""

    longer: str | None = None
    """A run of the same transfers with longer files."""

    variants: Many[str] | None = None
    """Runs of variants, which test causes."""

    variant_ratios: str | None = None
    """The one of `variants` that has hardware; the first where it is left out."""

    @property
    def all(self) -> tuple[str, ...]:
        """Every one of them."""
        runs = (self.figures, self.other, self.longer, *(self.variants or ()))
        return tuple(filter(None, runs))


class ByClock(Table):
    """A text that is another on each clock; without a key nothing is said there."""

    flat: str | None = None
    """Where boards count instructions."""

    cycles: str | None = None
    """Where boards count cycles."""


def _which(text: Any) -> str:
    return "by clock" if isinstance(text, dict) else "text"


Text = Annotated[
    Annotated[str, Tag("text")] | Annotated[ByClock, Tag("by clock")], Discriminator(_which)
]
"""Markdown, of either clock or by the clock of the page's run."""


class Texts(Table):
    """What is said of this study alone, as Markdown; without a key nothing is said there.  A table
    with the keys `flat` and `cycles` says something else on each clock.
    """

    board: str
    """What the boards are compared with; it ends the sentence that begins `This page compares the
    virtual boards with`."""

    speed: Text | None = None
    """How the boards' speed was set; ends the sentence that a board is no model of a chip."""

    software: Text | None = None
    """Which software is compared with the published one; a paragraph."""

    cpu_use: Text | None = None
    """What the published CPU use is; a clause behind the definition of CPU work."""

    variants: str = "variants"
    """What variants are called; the heading of their section."""

    variants_section: Text | None = None
    """What they are and how they were chosen; the paragraph above their table."""

    fit: Text | None = None
    """How numbers follow from their rows; paragraphs behind the table of numbers."""

    fit_rows: Text | None = None
    """What is to be said of these rows; paragraphs behind their table."""

    not_refitted: Text | None = None
    """Why the boards no longer fit their rows."""

    kept: Text | None = None
    """Why their numbers are kept all the same."""

    hardware: Text | None = None
    """Which cores and programs are compared; sentences above the predicted rows of hardware."""

    def on(self, clock: Clock) -> "Texts":
        """What is said where the boards of the page's run have that clock."""
        said = {key: getattr(text, clock) for key, text in self if isinstance(text, ByClock)}
        return self.model_copy(update=said)


class Section(Table):
    """A section about CPU use that tests a cause."""

    title: str
    """Its heading."""

    text: str
    """The paragraphs above its tables."""


class FidelityFile(Table):
    """The file."""

    page: Annotated[str, Field(pattern=_PAGE)]
    """The page's name in docs/."""

    title: str
    """Its heading."""

    runs: Runs
    """What it is made of."""

    texts: Texts
    """What is said of this study alone."""

    two_cores: Section | None = None
    """CPU use of one core, parted as two would have it, which tests causes with evidence `cores`;
    no such section where it is left out."""

    ticks: Section | None = None
    """CPU use as /proc/stat tells it, which tests causes with evidence `ticks`; likewise."""


def load_fidelity(study: Study) -> FidelityFile | None:
    """The study's; None where it has no page, `FiresteelError` when it is not as it should be."""
    path = study.file(FILE)
    if not path:
        return None
    file = toml.read_model(path, FidelityFile)
    runs = file.runs
    if runs.variant_ratios and runs.variant_ratios not in (runs.variants or ()):
        raise FiresteelError(
            f"{path}: key `runs.variant_ratios` is `{runs.variant_ratios}`; allowed is one of "
            "`runs.variants`."
        )
    return file
