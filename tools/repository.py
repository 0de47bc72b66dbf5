# SPDX-License-Identifier: Apache-2.0
"""Pages of the checkout that lie outside of `docs/`: their links, as the site needs them.

In the checkout such a page links to files.  In the site a link to a file that is a page there leads
to that page; of any other, its text remains.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from posixpath import normpath, relpath

OUTSIDE: Mapping[str, str] = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "published/README.md": "project/published.md",
}
"""Where pages from elsewhere in the checkout are in the site's source."""

_LINK = re.compile(r"(?<!!)\[([^\]\[]*)\]\(([^)\s]+)\)")
"""A link; pictures are files of the site too, and lie beside their page."""


def place(path: str) -> str | None:
    """Where the file `path` of the checkout is in the site's source; None when it is no page."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    inside = PurePosixPath(path)
    if inside.parts[:1] == ("docs",) and inside.suffix == ".md":
        return str(inside.relative_to("docs"))
    return None


def with_links_of_the_site(text: str, path: str) -> str:
    """The text of the checkout's page `path`, with its links as the site needs them."""
    here = place(path) or path

    def of_the_site(link: re.Match[str]) -> str:
        label, target = link[1], link[2]
        if target.startswith("#") or "://" in target:
            return link[0]
        file, hash_sign, anchor = target.partition("#")
        there = place(normpath(str(PurePosixPath(path).parent / file)))
        if there is None:
            return label
        return f"[{label}]({relpath(there, PurePosixPath(here).parent)}{hash_sign}{anchor})"

    return _LINK.sub(of_the_site, text)
