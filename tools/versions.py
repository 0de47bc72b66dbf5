# SPDX-License-Identifier: Apache-2.0
"""Versions of the documentation's site, a folder each (scripts/docs.sh).

`VERSION` and the first section of `CHANGELOG.md` decide what a checkout's version is.  Next to the
folders lie `versions.js`, by which pages offer the other versions, and `index.html`, which leads to
the newest release.
"""

import json
import re
from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole

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
    releases = sorted(filter(_RELEASE.fullmatch, found), key=_numbers, reverse=True)
    return releases + [UNRELEASED] * (UNRELEASED in found)


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


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
