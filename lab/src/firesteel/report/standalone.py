# SPDX-License-Identifier: Apache-2.0
"""A chart as a picture of its own: an SVG file that needs no style sheet.

Its panels stand below each other, under the legend, so that it is as narrow as a phone.  Colours
are those of the page's light scheme, on a ground of its own, so it can be read on a dark page too.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import wrap

from markupsafe import escape

from firesteel.report.charts import FONT, HALO, Chart, Panel

WIDTH = 400
"""Pixels across."""

_MARGIN, _GAP = 12, 14
"""Pixels around all, and between panels."""

_LINE, _TITLE = 17, 18
"""Pixels of a line of the legend, and of a panel's title."""

_SWATCH = 16
"""Pixels of the colour before an entry of the legend, and of the gap behind it."""

_LETTERS = 54
"""As many as a line has room for, in the widest usual font."""

_COLOURED_AS = {"cpu": "band", "class-other": "band", "line": "ink"}
"""The colours of entries of the legend that are not called as these are."""

_STYLE = Path(__file__).parent / "style.css"


def standalone(chart: Chart) -> str:
    """The picture; what it shows is also its name (`says`)."""
    parts: list[str] = []
    y = float(_MARGIN)
    for style, words in chart.legend:
        for number, line in enumerate(wrap(words, _LETTERS)):
            y += _LINE
            parts += [] if number else [_swatch(style, y)]
            parts.append(_text(line, _MARGIN + _SWATCH, y))
    for panel in chart.panels:
        y += _GAP
        for line in wrap(panel.title, _LETTERS):
            y += _TITLE
            parts.append(_text(line, _MARGIN, y, ' font-weight="bold"'))
        drawn, height = _placed(panel, y + _GAP / 2)
        parts.append(drawn)
        y += _GAP / 2 + height
    return _coloured("".join(_whole(parts, y + _MARGIN, says(chart))))


def says(chart: Chart) -> str:
    """What a person who does not see it reads."""
    return " ".join(panel.says for panel in chart.panels)


def _whole(parts: list[str], height: float, label: str) -> Iterator[str]:
    size = f'width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} color="var(--ink)" '
    yield f'font-family="{FONT}" font-size="12px" {HALO} role="img" '
    yield f'aria-label="{escape(label)}">\n'
    yield f'<rect width="{WIDTH}" height="{height:g}" rx="6" fill="var(--paper)" '
    yield 'stroke="var(--line)"/>\n'
    yield from (f"{part}\n" for part in parts)
    yield "</svg>\n"


def _placed(panel: Panel, y: float) -> tuple[str, float]:
    """A panel from there on, and its height; one that is too wide is made smaller."""
    drawn = panel.drawing
    scale = min(1.0, (WIDTH - 2 * _MARGIN) / drawn.width)
    smaller = f" scale({scale:.4f})" if scale < 1 else ""
    where = f'transform="translate({_MARGIN},{y:g}){smaller}"'
    return f"<g {where}>{drawn.elements}</g>", drawn.height * scale


def _text(words: str, x: float, y: float, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y - 4:g}" fill="currentColor"{more}>{escape(words)}</text>'


def _swatch(style: str, y: float) -> str:
    name, _, dashed = style.partition(" ")
    colour = f"var(--{_COLOURED_AS.get(name, name)})"
    if dashed or name == "line":
        dashes = ' stroke-dasharray="5,3"' if dashed else ""
        line = f'd="M{_MARGIN},{y - 8:g}h12" fill="none" stroke-width="2"'
        return f'<path {line} stroke="{colour}"{dashes}/>'
    pale = ' stroke="var(--published)"' if colour == "var(--band)" else ""
    return f'<rect x="{_MARGIN}" y="{y - 13:g}" width="12" height="9" fill="{colour}"{pale}/>'


def _coloured(svg: str) -> str:
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda name: _colours()[name[1]], svg)


@cache
def _colours() -> Mapping[str, str]:
    """The light scheme, which the style sheet has first."""
    style = _STYLE.read_text(encoding="utf-8")
    scheme = re.search(r":root \{(.*?)\}", style, re.DOTALL)
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+);", scheme[1] if scheme else ""))
