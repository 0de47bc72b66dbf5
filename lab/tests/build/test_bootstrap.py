# SPDX-License-Identifier: Apache-2.0
"""`./firesteel` from a bare checkout: what goes wrong there is one sentence too."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.base.checkout import CHECKOUT


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


def run(checkout: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    base = {**os.environ, "FIRESTEEL_CACHE": str(cache)}
    # The checkout's own Python must be found, not this environment's.
    base["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin"
    return subprocess.run(
        [str(checkout / "firesteel"), "a b", "c"],
        check=False,
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
