# SPDX-License-Identifier: Apache-2.0
"""An icicle of where instructions went: the whole above, below it its parts, as wide as they are.

Static SVG with a title on every part.  Colours are variables of the page's style sheet, `--layer-0`
to `--layer-10`; `standalone` makes a picture that has its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from markupsafe import escape

from firesteel.profiling.layers import LAYERS, REST

WIDTH = 960
"""The picture's units across."""

_ROW = 22
_LETTER = 6.4
"""The width of a letter, about."""

_LEAST = 1.0
"""Units of width below which a part is not drawn; its title is in that of the one above."""

_PLAIN = LAYERS.index(REST)
"""The number of the colour of what is of no layer."""

_COLOURS: Mapping[str, int] = {name: number for number, name in enumerate(LAYERS)}

STANDALONE_COLOURS = (
    ("#e3edf9", "#22334a"),
    ("#fbe7d0", "#4a3317"),
    ("#f0ece4", "#3b362c"),
    ("#dff0e0", "#1f3d25"),
    ("#d2ead9", "#17432f"),
    ("#eae3f6", "#352a4d"),
    ("#f7dfe4", "#4a2430"),
    ("#d9eff0", "#1b3d40"),
    ("#f6efc6", "#433c12"),
    ("#efe0ce", "#46351f"),
    ("#e6e9ec", "#31363c"),
)
"""Light and dark, in the order of `LAYERS`; those of the report's style sheet are the same."""


class Counted(Protocol):
    """What is drawn: frames from the whole to its part, and how many instructions."""

    @property
    def frames(self) -> Sequence[str]:
        """From the outermost inwards."""

    @property
    def instructions(self) -> int:
        """Those of exactly this place."""


@dataclass
class _Part:
    name: str
    layer: int
    instructions: int = 0
    parts: dict[str, "_Part"] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return 1 + max((part.depth for part in self.parts.values()), default=0)


def icicle(stacks: Iterable[Counted], title: str) -> str:
    """The picture as SVG for a page; `title` is its name, the whole's too."""
    whole = _tree(stacks, title)
    height = whole.depth * _ROW
    label = (
        f"Icicle of instructions, {title}; the table lists the functions with most instructions."
    )
    parts = "".join(_drawn(whole, 0.0, 0, whole.instructions or 1))
    return (
        f'<svg class="flame" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}">{parts}</svg>'
    )


def standalone(stacks: Iterable[Counted], title: str) -> str:
    """The picture as a file of its own, light or dark as its reader has it."""
    light, dark = (
        "".join(f"--layer-{n}:{both[place]};" for n, both in enumerate(STANDALONE_COLOURS))
        for place in (0, 1)
    )
    style = (
        f"<style>svg{{{light}--paper:#fff;color:#1b1f24;background:#fff;"
        f"font:12px Arial,Helvetica,sans-serif}}@media (prefers-color-scheme:dark)"
        f"{{svg{{{dark}--paper:#14171b;color:#e6e9ec;background:#14171b}}}}</style>"
    )
    picture = icicle(stacks, title)
    opened = '<svg xmlns="http://www.w3.org/2000/svg"'
    return picture.replace("<svg", opened, 1).replace(">", f">{style}", 1) + "\n"


def _tree(stacks: Iterable[Counted], title: str) -> _Part:
    whole = _Part(title, _PLAIN)
    for stack in stacks:
        whole.instructions += stack.instructions
        part = whole
        name = stack.frames[1] if len(stack.frames) > 1 else ""
        layer = _COLOURS.get(name, _PLAIN)
        for depth, frame in enumerate(stack.frames):
            part = part.parts.setdefault(frame, _Part(frame, layer if depth else _PLAIN))
            part.instructions += stack.instructions
    return whole


def _drawn(part: _Part, x: float, depth: int, total: int) -> Iterable[str]:
    width = WIDTH * part.instructions / total
    if width < _LEAST:
        return
    percent = 100 * part.instructions / total
    told = escape(f"{part.name}: {part.instructions:,} instructions, {percent:.1f} %")
    y = depth * _ROW
    yield (
        f'<g><title>{told}</title><rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{_ROW}" '
        f'fill="var(--layer-{part.layer})" stroke="var(--paper)"/>'
    )
    if text := _fitting(part.name, width):
        yield f'<text x="{x + 4:.2f}" y="{y + 15}" fill="currentColor">{escape(text)}</text>'
    yield "</g>"
    largest = sorted(part.parts.values(), key=lambda each: (-each.instructions, each.name))
    for each in largest:
        yield from _drawn(each, x, depth + 1, total)
        x += WIDTH * each.instructions / total


def _fitting(name: str, width: float) -> str:
    letters = int((width - 8) / _LETTER)
    if len(name) <= letters:
        return name
    return f"{name[: letters - 1]}…" if letters >= 5 else ""
