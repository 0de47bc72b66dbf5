# SPDX-License-Identifier: Apache-2.0
"""The source of the documentation's site (`python -m tools site DIRECTORY`, by scripts/docs.sh).

It is `docs/` with the pages of `OUTSIDE`, whose links lead to pages of the site, and the builder's
configuration, `docs/zensical.toml`.  Every page must be in the navigation, and the navigation names
no page that is not there.  `llms.txt` has all pages in one file, for programs that read.

A site has its versions in a folder each.  `VERSION` and the first section of `CHANGELOG.md` decide
what a checkout's version is.  Next to the folders lie `versions.js`, by which pages offer the other
versions, and `index.html`, which leads to the newest release.
"""

import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole

DOCS = CHECKOUT / "docs"

OUTSIDE: Mapping[str, str] = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "published/README.md": "project/published.md",
}
"""Where pages from elsewhere in the checkout are in the site's source."""

_CONFIGURATION = DOCS / "zensical.toml"
_FILES = ("site.css", "iframe-worker.js", "*/*.svg")
"""What pages load besides the theme's own files."""

_LINK = re.compile(r"(!?)\[([^\]\[]*)\]\(([^)\s]+)\)")
"""A link or a picture."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~)")
_LIST = re.compile(r"^(?:[-*+]|1[.)]) ")


def write_source(directory: Path) -> None:
    """Writes it into `directory`: `zensical.toml`, `llms.txt`, and the pages below `docs`.

    Raises `FiresteelError` when the navigation and the pages do not fit each other.
    """
    pages = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
    pages |= {there: CHECKOUT / path for path, there in OUTSIDE.items()}
    configuration = _CONFIGURATION.read_text(encoding="utf-8")
    project = tomllib.loads(configuration)["project"]
    check_navigation(project["nav"], set(pages))
    texts = {}
    for there, file in pages.items():
        text = file.read_text(encoding="utf-8")
        texts[there] = with_links_of_the_site(text, file.relative_to(CHECKOUT).as_posix())
        _place(directory, there).write_text(for_the_builder(texts[there]), encoding="utf-8")
    whole = for_machines(project, texts)
    (directory / "llms.txt").write_text(whole, encoding="utf-8")
    for name in _FILES:
        for file in sorted(DOCS.glob(name)):
            shutil.copy(file, _place(directory, file.relative_to(DOCS).as_posix()))
    shutil.copy(_CONFIGURATION, directory)


def _place(directory: Path, path: str) -> Path:
    file = directory / "docs" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def check_navigation(navigation: list[Any], pages: set[str]) -> None:
    """Raises `FiresteelError` when a page is missing, in `navigation` or in `pages`, or is there
    twice.
    """
    named = Counter(_paths(navigation))
    for path in sorted(pages | set(named)):
        if path not in pages:
            raise FiresteelError(
                f"{_CONFIGURATION}: `nav` names {path}, and there is no such page."
            )
        if named[path] != 1:
            raise FiresteelError(
                f"{_CONFIGURATION}: the navigation (`nav`) names the page {path} {named[path]} "
                "times."
            )


def for_machines(project: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """One file of all pages in the order of the navigation, without comments.  A line before each
    page names it; its links are relative to that name.
    """
    parts = [f"# {project['site_name']}", f"> {project['site_description']}"]
    for path in _paths(project["nav"]):
        text = re.sub(r"\n{3,}", "\n\n", _COMMENT.sub("", texts[path]))
        parts += [f"Page: {path}", text.strip()]
    return "\n\n".join(parts) + "\n"


def _paths(part: Any) -> Iterator[str]:
    """The pages that a part of the navigation names, in order."""
    if isinstance(part, str):
        yield part
    else:
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _paths(inner)


def with_links_of_the_site(text: str, path: str) -> str:
    """The text of the checkout's page `path`, with links to the site's pages and pictures; a link
    to any other file becomes plain text.
    """
    here = _in_site(path) or path

    def of_the_site(link: re.Match[str]) -> str:
        picture, label, target = link.groups()
        if target.startswith("#") or "://" in target:
            return link[0]
        file, hash_sign, anchor = target.partition("#")
        there = _in_site(normpath(str(PurePosixPath(path).parent / file)))
        if there is None:
            return label
        return (
            f"{picture}[{label}]({relpath(there, PurePosixPath(here).parent)}{hash_sign}{anchor})"
        )

    return _LINK.sub(of_the_site, text)


def _in_site(path: str) -> str | None:
    """Where the page or picture `path` of the checkout is in the site's source; otherwise None."""
    inside = PurePosixPath(path)
    if inside.parts[:1] == ("docs",) and inside.suffix in (".md", ".svg"):
        return str(inside.relative_to("docs"))
    return OUTSIDE.get(path)


def for_the_builder(text: str) -> str:
    """The same page with an empty line before each list and table.  Pages are in CommonMark, while
    the site's builder reads a dialect that needs these lines.
    """
    made: list[str] = []
    in_code = in_list = False
    for line in text.split("\n"):
        before = made[-1] if made else ""
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            begins_list = bool(_LIST.match(line)) and not in_list
            begins_table = line.startswith("|") and not before.startswith("|")
            if before and (begins_list or begins_table):
                made.append("")
            in_list = bool(line) and (in_list or begins_list)
        made.append(line)
    return "\n".join(made)


UNRELEASED = "unreleased"

_SCRIPT = CHECKOUT / "docs" / "versions.js"
_RELEASE = re.compile(r"\d+(?:\.\d+)+")


def version() -> str:
    """The folder of this checkout's site: its release, or `unreleased`."""
    release = (CHECKOUT / "VERSION").read_text(encoding="utf-8").strip()
    sections = re.findall(
        r"^## (.*)", (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    first = sections[0].split()[0] if sections else ""
    if first not in (UNRELEASED.capitalize(), release):
        raise FiresteelError(
            f"CHANGELOG.md begins with the section `{first}`; allowed are `Unreleased` and "
            f"`{release}`, the release in VERSION."
        )
    return first.lower()


def versions(site: Path) -> list[str]:
    """The folders of versions in a site: releases from the newest on, then `unreleased`."""
    found = [each.name for each in site.iterdir() if (each / "index.html").is_file()]
    releases = filter(_RELEASE.fullmatch, found)
    newest = sorted(releases, key=lambda each: [*map(int, each.split("."))], reverse=True)
    return newest + [UNRELEASED] * (UNRELEASED in found)


def write_index(site: Path) -> None:
    """Writes what lies next to the versions of a site."""
    found = versions(site)
    script = f"const versions = {json.dumps(found)};\n{_SCRIPT.read_text(encoding='utf-8')}"
    write_whole(site / "versions.js", script.encode())
    page = (
        "<!doctype html>\n"
        '<html lang="en"><meta charset="utf-8"><title>Firesteel</title>\n'
        f'<meta http-equiv="refresh" content="0; url={found[0]}/index.html">\n'
        f'<p><a href="{found[0]}/index.html">Firesteel {found[0]}</a></html>\n'
    )
    write_whole(site / "index.html", page.encode())
