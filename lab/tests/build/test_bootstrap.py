# SPDX-License-Identifier: Apache-2.0
"""`./firesteel` from a bare checkout: what goes wrong there is one sentence too."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from inspect import signature
from pathlib import Path

import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.cli import app


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One that needs a single small package."""
    copy = tmp_path / "checkout"
    (copy / "requirements").mkdir(parents=True)
    (copy / "lab/src/firesteel").mkdir(parents=True)
    shutil.copytree(CHECKOUT / "scripts", copy / "scripts")
    shutil.copy2(CHECKOUT / "firesteel", copy / "firesteel")
    (copy / "lab/src/firesteel/__main__.py").write_text("import sys; print(sys.argv[1:])\n")
    (copy / "requirements/run.txt").write_text("")
    return copy


def run(
    checkout: Path, cache: Path, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    base = {**os.environ, "FIRESTEEL_CACHE": str(cache)}
    # The checkout's own Python must be found, not this environment's.
    base["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin"
    return subprocess.run(
        [str(checkout / "firesteel"), *(words or ("a b", "c"))],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**base, **environment},
    )


def test_it_makes_its_environment_once(checkout: Path, tmp_path: Path) -> None:
    first = run(checkout, tmp_path / "cache")
    assert first.stdout == "['a b', 'c']\n"
    assert "Python environment" in first.stderr
    second = run(checkout, tmp_path / "cache")
    assert (second.stdout, second.stderr) == (first.stdout, "")


def test_a_package_index_out_of_reach(checkout: Path, tmp_path: Path) -> None:
    (checkout / "requirements/run.txt").write_text(f"rich==1.0 --hash=sha256:{'0' * 64}\n")
    index = {"PIP_INDEX_URL": "http://127.0.0.1:1/simple", "PIP_CONFIG_FILE": "/dev/null"}
    done = run(checkout, tmp_path / "cache", PIP_FIND_LINKS="", PIP_RETRIES="0", **index)
    assert done.returncode == 1
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("firesteel: ")
    assert "requirements/run.txt" in last
    assert "Traceback" not in done.stderr
    left = [path.name for path in (tmp_path / "cache/venv").iterdir()]
    assert sorted(name.rsplit(".", 1)[1] for name in left) == ["lock", "log"]


def test_a_cache_that_cannot_be_made(checkout: Path) -> None:
    done = run(checkout, Path("/proc/nowhere"))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("firesteel: ")
    assert "/proc/nowhere/" in last


def test_no_python(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "dirname", "readlink", "sha256sum", "cut"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = run(checkout, tmp_path / "cache", PATH=str(programs))
    assert done.returncode == 1
    assert done.stderr.startswith("firesteel: no Python 3.11, 3.12 or 3.13 ")


def test_a_cache_that_cannot_be_written_is_one_sentence_until_all_is_there(
    checkout: Path, tmp_path: Path
) -> None:
    """As on a file system that is read-only; a directory cannot be written as a lock either."""
    cache = tmp_path / "cache"
    digest = hashlib.sha256((checkout / "requirements/run.txt").read_bytes()).hexdigest()[:16]
    locks = [cache / "venv" / f"{digest}-py3.{minor}.lock" for minor in (11, 12, 13)]
    for lock in locks:
        lock.mkdir(parents=True)
    done = run(checkout, cache)
    assert done.returncode == 1
    assert done.stderr.startswith(f"firesteel: {cache}/venv/{digest}-py3.")
    assert ".lock cannot be written" in done.stderr
    assert "FIRESTEEL_CACHE" in done.stderr
    assert done.stderr.count("\n") == 1
    for lock in locks:
        lock.rmdir()
    run(checkout, cache)
    (made,) = (cache / "venv").glob("*.lock")
    made.unlink()
    made.mkdir()
    assert run(checkout, cache).stdout == "['a b', 'c']\n", "what is there needs no lock"


@pytest.fixture
def ordinary(checkout: Path, tmp_path: Path) -> str:
    """The PATH of a user whom sudo refuses; the checkout has the table of commands."""
    table = "lab/src/firesteel/cli/commands.toml"
    (checkout / table).parent.mkdir()
    shutil.copy(CHECKOUT / table, checkout / table)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, does in (("id", "echo 1000"), ("sudo", "exit 1")):
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    return f"{programs}:{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"


@pytest.mark.parametrize("command", ["run", "build", "console"])
def test_who_may_not_build_is_refused_before_anything_is_fetched(
    checkout: Path, tmp_path: Path, ordinary: str, command: str
) -> None:
    done = run(checkout, tmp_path / "cache", command, "thesis", PATH=ordinary)
    assert done.returncode == 1
    assert done.stderr == (
        "firesteel: building needs root, and sudo refused; run this as root, or as a user who may "
        "use sudo.\n"
    )
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("line", "built"),
    [
        ("list", False),
        ("--help", False),
        ("run thesis --dry-run", False),
        ("run thesis --on tcp://h:1", False),
        ("run thesis", True),
    ],
)
def test_what_may_build_nothing_goes_on_to_make_the_environment(
    checkout: Path, tmp_path: Path, ordinary: str, line: str, built: bool
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/venv").write_text("where the environment would be made")
    if built:
        (tmp_path / "cache/build-root").mkdir()
    done = run(checkout, tmp_path / "cache", *line.split(), PATH=ordinary)
    assert "cache/venv cannot be made" in done.stderr


def test_commands_that_measure_are_among_those_that_build() -> None:
    table = tomllib.loads((CHECKOUT / "lab/src/firesteel/cli/commands.toml").read_text())
    functions = {each.name: each.callback for each in app.registered_commands if each.callback}
    measuring = {name for name, each in functions.items() if "jobs" in signature(each).parameters}
    others = {"build", "console", "profile"}
    assert measuring - {"machines"} | others == set(table["builds"]), "some machines only schedule"
    assert set(table["builds"]) <= set(functions)
