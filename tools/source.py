# SPDX-License-Identifier: Apache-2.0
"""Writes the source that the site is built from.

1. The pages of `docs/` as they are, with links that leave `docs/` led to pages of the site.
2. The pages from elsewhere in the checkout (`docs.repository`).
3. The pages made from the code (`docs.pages`).
4. The builder's configuration, `docs/zensical.toml`, beside them.

Every page must be in the navigation, and the navigation names no page that is not there.
"""

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from tools.dialect import for_the_builder
from tools.reference import PAGES
from tools.repository import OUTSIDE, with_links_of_the_site

DOCS = CHECKOUT / "docs"
"""The pages that are written by hand."""

_CONFIGURATION = DOCS / "zensical.toml"
_ASSETS = ("site.css", "iframe-worker.js")
"""What the pages load besides the theme's own files."""

_PICTURES = "*/*.svg"
"""Where pictures of pages lie."""


def write_source(directory: Path) -> None:
    """Writes it into `directory`: `zensical.toml`, and the pages below `docs`.

    Raises `FiresteelError` when the navigation and the pages do not fit each other, or a key of the
    reference has no meaning.
    """
    pages = _pages()
    configuration = _CONFIGURATION.read_text(encoding="utf-8")
    check_navigation(tomllib.loads(configuration)["project"]["nav"], set(pages))
    for path, text in pages.items():
        file = directory / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for file in (*(DOCS / name for name in _ASSETS), *sorted(DOCS.glob(_PICTURES))):
        there = directory / "docs" / file.relative_to(DOCS)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, there)
    (directory / _CONFIGURATION.name).write_text(configuration, encoding="utf-8")


def _pages() -> dict[str, str]:
    """The text of every page by its path in the site's source."""
    pages = {}
    for file in sorted(DOCS.rglob("*.md")):
        path = file.relative_to(DOCS).as_posix()
        pages[path] = _read(file, f"docs/{path}")
    for path, there in OUTSIDE.items():
        pages[there] = _read(CHECKOUT / path, path)
    return pages | {path: make() for path, make in PAGES.items()}


def _read(file: Path, path: str) -> str:
    return for_the_builder(with_links_of_the_site(file.read_text(encoding="utf-8"), path))


def check_navigation(navigation: list[Any], pages: set[str]) -> None:
    """Raises `FiresteelError` when a page is missing, in `navigation` or in `pages`, or is there
    twice.
    """
    told = list(_paths(navigation))
    for path in sorted(pages - set(told)):
        raise FiresteelError(f"{_CONFIGURATION}: the page {path} is not in the navigation (`nav`).")
    for path in told:
        if path not in pages:
            raise FiresteelError(
                f"{_CONFIGURATION}: `nav` names {path}, and there is no such page."
            )
        if told.count(path) > 1:
            raise FiresteelError(f"{_CONFIGURATION}: `nav` names {path} twice.")


def _paths(navigation: Any) -> Iterator[str]:
    """The pages that a part of the navigation names, in order."""
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, dict):
        for inner in navigation.values():
            yield from _paths(inner)
    else:
        for inner in navigation:
            yield from _paths(inner)
