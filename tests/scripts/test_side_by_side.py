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


@pytest.mark.parametrize("part", ["model", "lib", "provider", "frontends/wolfssl"])
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


def test_a_failure_is_named_when_it_happens(tmp_path: Path) -> None:
    """The summary is too late for a run that is ended before it."""
    (tmp_path / "test_x.py").write_text("def test_good(): pass\ndef test_bad(): raise ValueError\n")
    # Its own base directory: otherwise pytest first removes those of earlier runs
    options = ["--rootdir", str(tmp_path), "--basetemp", str(tmp_path / "of-tests"), "-q"]
    options += ["-p", "side_by_side", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-n", "1", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT / "tests")},
        check=False,
        capture_output=True,
        text=True,
    )
    before_summary, _, _ = done.stdout.partition("FAILURES")
    assert "Failed (call): test_x.py::test_bad" in before_summary
    assert "test_good" not in done.stdout
