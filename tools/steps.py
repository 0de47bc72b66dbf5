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
from typing import Literal

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError

Kind = Literal["commands", "file", "output"]

DOCS = CHECKOUT / "docs"

_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
_FILE = re.compile(r'^[a-z]+ title="(?P<path>/[^"\s]+)"$')
_FIRST = "First follow "
_LINK = re.compile(r"\]\((?P<page>[\w-]+\.md)(#(?P<anchor>[\w-]+))?\)")


@dataclass(frozen=True)
class Step:
    """One block; `section` is the anchor of the heading above it, `path` that of a file."""

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


@dataclass(frozen=True)
class _Item:
    """A heading, a paragraph, or a block: fenced with its info string, or indented."""

    kind: Literal["heading", "paragraph", "block", "indented"]
    line: int
    lines: tuple[str, ...]
    info: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def steps_of(page: str, section: str = "") -> list[Step]:
    """All steps of a page of `docs/`, or of one section of it, in order, with those of what it says
    to follow first.

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
    section, paragraph, commands = "", "", False
    for item in _items(page):
        if item.kind == "heading":
            section, paragraph, commands = _anchor(item.text), "", False
        elif wanted not in ("", section):
            continue
        elif item.kind == "paragraph":
            paragraph = item.text
            if paragraph.startswith(_FIRST):
                for link in _LINK.finditer(paragraph.partition(". ")[0]):
                    yield link["page"], link["anchor"] or ""
        else:
            step = _step(page, section, item, paragraph)
            if step.kind == "output" and not commands:
                raise FiresteelError(f"{step.place}: output of no commands in this section.")
            commands = commands or step.kind == "commands"
            yield step


def _step(page: str, section: str, item: _Item, paragraph: str) -> Step:
    if item.kind == "indented":
        raise FiresteelError(f"docs/{page}:{item.line}: an indented block; steps are fenced.")
    of_file = _FILE.match(item.info)
    kinds: dict[str, Kind] = {"sh": "commands", "text": "output"}
    if not of_file and item.info not in kinds:
        raise FiresteelError(
            f"docs/{page}:{item.line}: a block of `{item.info}`; allowed are `sh` for commands, "
            '`text` for their output, and a language with title="/PATH" for lines of a file.'
        )
    path = of_file["path"] if of_file else ""
    if path and f"`{path}`" not in paragraph:
        raise FiresteelError(
            f"docs/{page}:{item.line}: the paragraph before the block has to name `{path}`, as "
            "titles are not shown everywhere."
        )
    kind = kinds.get(item.info, "file")
    return Step(page, section, item.line, kind, item.lines, path)


def _anchor(heading: str) -> str:
    """As the site makes it of a heading."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")


def _items(page: str) -> Iterator[_Item]:
    """All of a page; comments and tables count as paragraphs."""
    lines = _text(page).splitlines()
    at = 0
    while at < len(lines):
        end = at + 1
        if fence := _FENCE.match(lines[at]):
            while end < len(lines) and lines[end].strip() != fence["marks"]:
                end += 1
            if end == len(lines):
                raise FiresteelError(f"docs/{page}:{at + 1}: this block has no end.")
            body = tuple(line.removeprefix(fence["indent"]) for line in lines[at + 1 : end])
            yield _Item("block", at + 1, body, fence["info"].strip())
            end += 1
        elif lines[at].startswith("#"):
            yield _Item("heading", at + 1, (lines[at].lstrip("# "),))
        elif lines[at].startswith("    "):
            yield _Item("indented", at + 1, (lines[at],))
        elif lines[at].strip():
            while end < len(lines) and lines[end].strip() and not _FENCE.match(lines[end]):
                end += 1
            yield _Item("paragraph", at + 1, tuple(line.strip() for line in lines[at:end]))
        at = end


def _text(page: str) -> str:
    try:
        return (DOCS / page).read_text(encoding="utf-8")
    except OSError as error:
        raise FiresteelError(f"docs/{page}: cannot be read: {error.strerror}.") from None
