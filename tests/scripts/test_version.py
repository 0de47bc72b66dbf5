# SPDX-License-Identifier: Apache-2.0
"""There is one version, in the file VERSION, from which the compiled parts take theirs."""

import tomllib
from pathlib import Path

import firesteel

CHECKOUT = Path(__file__).parents[2]


def test_the_lab_is_of_the_same_version() -> None:
    version = (CHECKOUT / "VERSION").read_text().strip()
    project = tomllib.loads((CHECKOUT / "lab/pyproject.toml").read_text())["project"]
    assert project["version"] == firesteel.__version__ == version
