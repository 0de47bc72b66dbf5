# SPDX-License-Identifier: Apache-2.0
"""A chart as the page has it: SVG text that takes its colours from the page's style sheet.

A panel is a picture of its own, narrow enough to be read on a phone without being scaled down; the
page sets them side by side where there is room.  Each says in words what it shows, for those who do
not see it.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import altair as alt
import vl_convert
from markupsafe import escape

from firesteel.model.cell import IN_SOFTWARE

FONT = "Arial, Helvetica, sans-serif"

_TWO_LINES = (
    "indexof(datum.label, ', ') < 0 ? datum.label : "
    "[slice(datum.label, 0, indexof(datum.label, ', ')), "
    "slice(datum.label, indexof(datum.label, ', ') + 2)]"
)
"""A name's second line is what comes behind the suite: the implementation, completion, board."""

SOFTWARE, HARDWARE, PUBLISHED = "software", "hardware", "published"

OURS = "ours"
"""Whose a figure is that is not published."""

FILLS = {SOFTWARE: "var(--software)", HARDWARE: "var(--hardware)", PUBLISHED: "var(--published)"}
"""The colour of each series; everything that is not software is drawn as hardware."""

MOST_PANELS = 16
"""Panels of a chart; what is beyond is left out, and the chart says so."""


Picture = alt.LayerChart | alt.FacetChart | alt.VConcatChart


@dataclass(frozen=True)
class Drawing:
    """SVG elements, and how large what they are in is, in pixels."""

    width: float
    height: float
    elements: str


@dataclass(frozen=True)
class Panel:
    """A picture and the title that the page sets above it; `name` is its own among the page's
    pictures, `says` what a person who does not see it reads.
    """

    title: str
    picture: Picture
    name: str
    says: str

    @property
    def svg(self) -> str:
        """As the page has it."""
        drawn = self.drawing
        return (
            f'<svg viewBox="0 0 {drawn.width:g} {drawn.height:g}" {HALO} role="img" '
            f'aria-label="{escape(self.says)}">{drawn.elements}</svg>'
        )

    @property
    def drawing(self) -> Drawing:
        """To be set into another picture."""
        return _drawing(self.picture, self.name)


HALO = 'paint-order="stroke"'
"""Of a picture: what is around its texts is below them, so that a line behind one is not in it."""


@dataclass(frozen=True)
class Chart:
    """Panels that are of one kind; `legend` is pairs of a class of the style sheet and a word."""

    panels: Sequence[Panel]
    legend: Sequence[tuple[str, str]]
    note: str = ""


@dataclass(frozen=True)
class Named:
    """A bar that lies on its side: `name` is written once for ours and, below it, published."""

    name: str
    whose: str


@dataclass(frozen=True)
class Point:
    """Of a line by size; those of one series are joined, ours and the published apart."""

    size: int
    value: float
    series: str
    whose: str = OURS


def _drawing(picture: Picture, name: str) -> Drawing:
    chart = (
        picture.configure(font=FONT, background="transparent", padding=2, aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            titleFontWeight="normal",
            titleFontSize=11,
            gridColor="var(--line)",
            labelFontSize=12,
        )
    )
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    # Each picture says in one name what it shows; its parts are none of their own.
    svg = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", svg)
    # Identifiers are global in a page, so each picture gets its own.
    svg = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    whole = re.search(r'<svg[^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', svg, re.DOTALL)
    if whole is None:
        raise ValueError(f"{name}: the renderer gave no picture")
    return Drawing(float(whole[1]), float(whole[2]), whole[3])


def left_out_note(count: int) -> str:
    """What is said of what a chart has no room for."""
    return f"{count} more are not drawn; see the tables." if count else ""


def used(series: Collection[str]) -> list[tuple[str, str]]:
    """The legend of these series: ours, which needs no word alone, and what was published."""
    ours = "ours, " if PUBLISHED in series else ""
    words = {
        SOFTWARE: f"{ours}software",
        HARDWARE: f"{ours}hardware",
        PUBLISHED: "published",
        "cpu": "CPU use; 100 % is as long as the panel's longest bar",
    }
    return [(name, text) for name, text in words.items() if name in series]


def series_of(implementation: str) -> str:
    """The series that an implementation is drawn as."""
    return SOFTWARE if implementation in IN_SOFTWARE else HARDWARE


def named_rows(rows: Sequence[Named], labels: int) -> tuple[alt.Y, alt.YOffset]:
    """The encodings of bars that lie on their side; names get `labels` pixels."""
    axis = alt.Axis(
        ticks=False,
        domain=False,
        labelPadding=6,
        minExtent=labels,
        maxExtent=labels,
        labelLimit=labels,
        labelExpr=_TWO_LINES,
        # The first of two lines is where a lone one is.
        labelOffset=-4,
        labelLineHeight=12,
    )
    order = list(dict.fromkeys(row.name for row in rows))
    whose = list(dict.fromkeys(row.whose for row in rows))
    scale = alt.Scale(paddingInner=0.2, paddingOuter=0.1)
    return (
        alt.Y("name:N", sort=order, title=None, axis=axis, scale=scale),
        alt.YOffset("whose:N", scale=alt.Scale(domain=whose)),
    )


def step(rows: Sequence[Named]) -> alt.Step:
    """The height of a bar's row: room for a name of two lines, be there one bar to it or two."""
    pixels = 15 if len({row.whose for row in rows}) > 1 else 24
    return alt.Step(pixels, **{"for": "offset"})
