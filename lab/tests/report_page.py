# SPDX-License-Identifier: Apache-2.0
"""Reads a report's HTML and checks what holds for every one of them."""

import html.parser
import re
from itertools import pairwise

VOID = {"meta", "br", "link", "img", "path", "line", "input", "hr", "rect"}
KINDS = ("text/csv", "text/plain", "application/json", "application/gzip")
DATA = tuple(f"data:{kind};base64," for kind in KINDS)


class Page(html.parser.HTMLParser):
    """Sees that every element is closed, and notes what there is.

    `headings` are levels and texts in order; `open_rows` are rows of tables that are not folded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.downloads: dict[str, str] = {}
        self.tags: set[str] = set()
        self.headings: list[tuple[int, str]] = []
        self.pictures: list[dict[str, str]] = []
        self.heads_without_scope = 0
        self.open_rows = 0
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.tags.add(tag)
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [
            given[name] for name in ("src", "href", "xlink:href", "srcset") if name in given
        ]
        if "download" in given:
            self.downloads[given["download"]] = given["href"]
        if tag == "svg":
            self.pictures.append(given)
        if tag == "th" and "scope" not in given:
            self.heads_without_scope += 1
        if tag == "tr" and "details" not in self.open:
            self.open_rows += 1
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, text = self.headings[-1]
            self.headings[-1] = (level, text + data)


def read(page: str) -> Page:
    """The page, parsed."""
    content = Page()
    content.feed(page)
    return content


def check(page: str) -> Page:
    """Asserts that the page is whole, stands alone and can be read without seeing it."""
    content = read(page)
    assert content.open == []
    assert len(content.ids) == len(set(content.ids))
    assert "script" not in content.tags
    assert not re.findall(r"@import|url\((?!#)", page)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    for link in content.links:
        assert link.startswith(DATA) or (link.startswith("#") and link[1:] in content.ids), link
    assert '<summary id="virtual-time">How time is counted: ' in page
    assert '<p class="caveat">Virtual time ' in page
    levels = [level for level, _ in content.headings]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(picture["role"] == "img" for picture in content.pictures)
    assert all(len(picture["aria-label"]) > 20 for picture in content.pictures)
    assert content.heads_without_scope == 0
    assert page.count("<table>") == page.count("<caption>")
    for body in re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL):
        assert body.count("<tr>") == body.count('<th scope="row"')
    return content
