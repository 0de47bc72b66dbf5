# SPDX-License-Identifier: Apache-2.0
"""Tests that share a build directory go to one process, by the names that they have in a run."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

scope = runpy.run_path(str(CHECKOUT / "tests/side_by_side.py"))["scope"]


@pytest.mark.parametrize("part", ["model", "lib", "provider"])
def test_all_tests_of_a_compiled_part_have_one_scope(part: str) -> None:
    script = (CHECKOUT / "scripts/test.sh").read_text()
    (root,) = (word for word in script.split() if word.startswith("--rootdir"))
    options = ["-c", "lab/pyproject.toml", root, "-q", "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"{part}/tests"],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONPATH": "tests"},
        check=True,
        capture_output=True,
        text=True,
    )
    names = [line for line in done.stdout.splitlines() if "::" in line]
    assert len({name.partition("::")[0] for name in names}) > 1
    assert {scope(name) for name in names} == {f"{part}/tests"}


def test_other_tests_stay_with_their_file() -> None:
    assert scope("tests/boards/test_wire.py::test_x[lib/tests/]") == "tests/boards/test_wire.py"
