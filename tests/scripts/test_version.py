# SPDX-License-Identifier: Apache-2.0
"""One version, in the file VERSION: compiled parts take it from there, other files repeat it."""

import re
import tomllib
from pathlib import Path

import firesteel

CHECKOUT = Path(__file__).parents[2]


def test_the_lab_is_of_the_same_version() -> None:
    version = (CHECKOUT / "VERSION").read_text().strip()
    project = tomllib.loads((CHECKOUT / "lab/pyproject.toml").read_text())["project"]
    assert project["version"] == firesteel.__version__ == version


def test_the_changelog_and_the_citation_name_it() -> None:
    version = (CHECKOUT / "VERSION").read_text().strip()
    citation = (CHECKOUT / "CITATION.cff").read_text()
    released = re.search(r"^date-released: (.*)$", citation, re.MULTILINE)
    assert f"\nversion: {version}\n" in citation
    assert released
    heads = re.findall(r"^## (.*)$", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heads[:2] == ["Unreleased", f"{version} — {released[1]}"]
