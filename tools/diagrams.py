# SPDX-License-Identifier: Apache-2.0
"""Diagrams of pages: `docs/pictures/NAME.pikchr` is a text in the language Pikchr, and `NAME.svg`
is drawn from it.

An SVG contains a digest of its text and of itself.  So only people who change a text need Pikchr,
which is in Debian's package `fossil`.  The text begins with its licence and a description of the
diagram, both as comments.  It uses the report's colours: `$ink`, `$line` and so on.
"""

import re
import subprocess
from hashlib import sha256
from html import unescape
from pathlib import Path

from markupsafe import escape

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.show.report.charts import FONT, in_both_schemes, schemes

DIRECTORY = CHECKOUT / "docs" / "pictures"

_MARGIN = 12
_DRAWN = re.compile(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>', re.DOTALL)
_DIGEST = re.compile(r"<!-- ([0-9a-f]{64}) -->\n\Z")


def diagrams() -> dict[Path, str]:
    """What each SVG should be, by its path; `FiresteelError` if one cannot be drawn."""
    found = {}
    for path in sorted(DIRECTORY.glob("*.pikchr")):
        text, svg = path.read_text(encoding="utf-8"), path.with_suffix(".svg")
        drawn = svg.read_text(encoding="utf-8") if svg.is_file() else ""
        found[svg] = drawn if is_of(drawn, text) else _sealed(_draw(path, text), text)
    return found


def in_page(name: str) -> str:
    """The diagram in Markdown, with its description; `FiresteelError` if there is none."""
    path = DIRECTORY / f"{name}.pikchr"
    if not path.is_file():
        allowed = ", ".join(each.stem for each in sorted(DIRECTORY.glob("*.pikchr")))
        raise FiresteelError(f"There is no diagram `{name}`; allowed is one of {allowed}.")
    text = path.read_text(encoding="utf-8")
    return f"![{says(text)}]({DIRECTORY.name}/{name}.svg)"


def says(text: str) -> str:
    """What the diagram shows, in words: the comments at the head of its text, after the licence."""
    head, _, _ = text.partition("\n\n")
    return " ".join(line.lstrip("# ") for line in head.splitlines()[1:])


def is_of(svg: str, text: str) -> bool:
    """Whether the SVG was drawn from the text, and not changed since."""
    return _sealed(_DIGEST.sub("", svg), text) == svg


def _sealed(svg: str, text: str) -> str:
    digest = sha256("\0".join((text, repr(schemes()), svg)).encode()).hexdigest()
    return f"{svg}<!-- {digest} -->\n"


def _draw(path: Path, text: str) -> str:
    names = sorted(schemes()[0], key=lambda name: name != "ink")  # 0 is what Pikchr draws with.
    colours = "".join(f"${name} = {number};" for number, name in enumerate(names))
    try:
        done = subprocess.run(
            ["fossil", "pikchr", "-"],
            input=f"{colours} {text}",
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise FiresteelError(
            f"{path.relative_to(CHECKOUT)} has changed; install Pikchr (Debian's package "
            "`fossil`) to draw it again."
        ) from None
    drawn = _DRAWN.search(done.stdout)
    if done.returncode or not drawn:
        wrong = unescape(done.stdout) + done.stderr
        raise FiresteelError(f"{path.relative_to(CHECKOUT)}: {wrong}".strip())
    wide, high = (round(float(each)) + 2 * _MARGIN for each in drawn.groups()[:2])
    return in_both_schemes(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {wide} {high}" font-family="{FONT}" font-size="16" '
        f'role="img" aria-label="{escape(says(text))}">'
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{wide}" height="{high}" rx="6" '
        f'fill="var(--paper)" stroke="var(--line)"/>{_named(drawn[3], names)}</svg>'
    )


def _named(elements: str, names: list[str]) -> str:
    """The elements with presentation attributes instead of styles, and with names of colours."""
    plain = re.sub(
        r'(?<= )style="([^"]*)"',
        lambda style: re.sub(r"([\w-]+):([^;]*);?", r'\1="\2" ', style[1]).rstrip(),
        elements,
    )
    return re.sub(r"rgb\(0,0,(\d+)\)", lambda code: f"var(--{names[int(code[1])]})", plain)
