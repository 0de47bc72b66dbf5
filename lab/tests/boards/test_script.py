# SPDX-License-Identifier: Apache-2.0
"""Scripts as nodes are sent them."""

import subprocess
from pathlib import Path

import pytest

from firesteel.boards.job import script
from firesteel.boards.profile import BOARD_FILES

SCRIPTS = sorted((BOARD_FILES / "jobs").rglob("*.sh"))


def test_a_comment_changes_nothing(tmp_path: Path) -> None:
    commented, plain = tmp_path / "commented", tmp_path / "plain"
    commented.write_text("# Why.\nif true; then\n\t# What.\n\techo '#' # not these\nfi\n")
    plain.write_text("if true; then\n\techo '#' # not these\nfi\n")
    assert script(commented) == script(plain)
    assert script(plain).content == plain.read_bytes()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.name))
def test_without_comments_a_script_is_still_one(path: Path) -> None:
    checked = subprocess.run(["sh", "-n"], input=script(path).content, check=False)
    assert checked.returncode == 0
