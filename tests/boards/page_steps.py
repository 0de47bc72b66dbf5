# SPDX-License-Identifier: Apache-2.0
"""What a setup page has its reader do, step by step: a test does exactly that on a board.

Every block of such a page is fenced, and is a step of one of three kinds:

    ```sh                                    commands, which root types
    ```nginx title="/etc/nginx/conf.d/x"     lines to add to a file, which the text before names
    ```text                                  lines that the output of the commands before it has

A paragraph that begins with `First follow` names, by links, pages or sections of them whose steps
come before.  Any other block is an error, so that no step is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError

Kind = Literal["commands", "file", "output"]

DOCS = CHECKOUT / "docs"

EXAMPLES = "/usr/share/doc/firesteel-provider/examples"
"""Ready-made files of the package, which has them as packaging/debian says."""

_FILE = re.compile(r'^[a-z]+ title="(?P<path>/[^"\s]+)"$')
_LINK = re.compile(r"\]\((?P<page>[\w-]+\.md)(#(?P<anchor>[\w-]+))?\)")


@dataclass(frozen=True)
class Step:
    """One block; `section` is the anchor of the heading above it, `path` the path of a file."""

    page: str
    section: str
    line: int
    kind: Kind
    lines: tuple[str, ...]
    path: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"docs/{self.page}:{self.line}"


def steps_of(page: str, section: str = "") -> list[Step]:
    """All steps of a page of `docs/`, or of one section, in order, after the steps that it says to
    follow first.

    Raises `FiresteelError` for a block that is no step, and for a page or section that is missing.
    """
    found: list[Step] = []
    for part in _parts(page, section):
        found += [part] if isinstance(part, Step) else steps_of(*part)
    if not found:
        where = f"section `#{section}`" if section else "page"
        raise FiresteelError(f"docs/{page}: there is no such {where} with a step.")
    return found


def _parts(page: str, wanted: str) -> Iterator[Step | tuple[str, str]]:
    """Of the wanted section, or of all: steps, and pages with sections that come first."""
    try:
        text = (DOCS / page).read_text(encoding="utf-8")
    except OSError as error:
        raise FiresteelError(f"docs/{page}: cannot be read: {error.strerror}.") from None
    section, paragraph, commands = "", "", False
    for before, token in pairwise([Token("", "", 0), *MarkdownIt().parse(text)]):
        if before.type == "heading_open":
            section, paragraph, commands = _anchor(token.content), "", False
        elif wanted not in ("", section):
            continue
        elif before.type == "paragraph_open":
            paragraph = " ".join(token.content.split())
            if paragraph.startswith("First follow "):
                for link in _LINK.finditer(paragraph.partition(". ")[0]):
                    yield link["page"], link["anchor"] or ""
        elif token.type in ("fence", "code_block"):
            step = _step(page, section, token, paragraph, text.splitlines())
            if step.kind == "output" and not commands:
                raise FiresteelError(f"{step.place}: output of no commands in this section.")
            commands = commands or step.kind == "commands"
            yield step


def _step(page: str, section: str, token: Token, paragraph: str, source: list[str]) -> Step:
    first, end = token.map or (0, 0)
    of_file, where = _FILE.match(token.info), f"docs/{page}:{first + 1}"
    kinds: dict[str, Kind] = {"sh": "commands", "text": "output"}
    path = of_file["path"] if of_file else ""
    if token.type == "code_block":
        raise FiresteelError(f"{where}: an indented block; steps are fenced.")
    if source[end - 1].strip() != token.markup:
        raise FiresteelError(f"{where}: this block has no end.")
    if not of_file and token.info not in kinds:
        raise FiresteelError(
            f"{where}: a block of `{token.info}`; allowed are `sh` for commands, `text` for their "
            'output, and a language with title="/PATH" for lines of a file.'
        )
    if path and f"`{path}`" not in paragraph:
        raise FiresteelError(
            f"{where}: the paragraph before the block has to name `{path}`, as titles are not "
            "shown everywhere."
        )
    kind, lines = kinds.get(token.info, "file"), tuple(token.content.splitlines())
    return Step(page, section, first + 1, kind, lines, path)


def _anchor(heading: str) -> str:
    """As the site makes it of a heading."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")
