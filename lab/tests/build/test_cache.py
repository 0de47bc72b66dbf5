# SPDX-License-Identifier: Apache-2.0
"""A product is built once, whole or not at all, whoever else is building."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.build.cache import Cache, cache_directory, key_of, snapshot, tree_digest

BUILDER = """
import sys, time
from pathlib import Path
from firesteel.build.cache import Cache
directory, seconds = Path(sys.argv[1]), float(sys.argv[2])
def build(partial):
    (partial / "half").write_text("made")
    print("building", flush=True)
    time.sleep(seconds)
    (partial / "whole").write_text("made")
    with (directory / "built").open("a") as file:
        file.write("x")
path = Cache(directory).product("thing", "key", build)
print((path / "whole").read_text())
"""


def start(directory: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILDER, str(directory), str(seconds)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def fill(partial: Path) -> None:
    (partial / "file").write_text("content")


def never(_: Path) -> None:
    raise AssertionError("built twice")


def test_a_second_call_builds_nothing(tmp_path: Path) -> None:
    first = Cache(tmp_path).product("thing", "key", fill)
    assert Cache(tmp_path).product("thing", "key", never) == first
    assert (first / "file").read_text() == "content"


def test_two_calls_at_once_build_once(tmp_path: Path) -> None:
    builders = [start(tmp_path, 0.3) for _ in range(2)]
    for builder in builders:
        output, _ = builder.communicate(timeout=20)
        assert builder.returncode == 0
        assert output.endswith("made\n")
    assert (tmp_path / "built").read_text() == "x"


def test_who_waits_for_another_build_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    started = threading.Event()

    def slow(partial: Path) -> None:
        started.set()
        while not told:
            time.sleep(0.01)
        fill(partial)

    other = threading.Thread(target=lambda: Cache(tmp_path).product("thing", "key", slow))
    other.start()
    started.wait()
    Cache(tmp_path, waiting=told.append).product("thing", "key", never)
    other.join()
    assert told == ["thing"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_build_leaves_nothing_that_counts(
    tmp_path: Path, how: signal.Signals
) -> None:
    builder = start(tmp_path, 60)
    assert builder.stdout is not None
    assert builder.stdout.readline() == "building\n"
    builder.send_signal(how)
    builder.communicate(timeout=20)
    assert not (tmp_path / "thing" / "key").exists()
    made = Cache(tmp_path).product("thing", "key", fill)
    assert [path.name for path in made.iterdir()] == ["file"]


def test_what_dead_builds_left_is_removed_and_a_living_one_is_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    dead = tmp_path / "thing" / "dead.partial"
    living = tmp_path / "thing" / "living.partial"
    dead.mkdir(parents=True)
    living.mkdir()
    with cache.lock("thing", "living"):
        Cache(tmp_path).product("thing", "key", fill)
    assert living.exists()
    assert not dead.exists()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FiresteelError("no good"), "^no good$"),
        (OSError(errno.ENOSPC, "No space left on device"), "no space left; free some space"),
    ],
)
def test_a_failed_build_is_gone_and_can_be_tried_again(
    tmp_path: Path, error: Exception, told: str
) -> None:
    def fail(partial: Path) -> None:
        fill(partial)
        raise error

    with pytest.raises(FiresteelError, match=told):
        Cache(tmp_path).product("thing", "key", fail)
    assert list((tmp_path / "thing").iterdir()) == []
    Cache(tmp_path).product("thing", "key", fill)


def test_a_refused_start_makes_nothing(tmp_path: Path) -> None:
    def refuse() -> None:
        raise FiresteelError("not here")

    with pytest.raises(FiresteelError, match="not here"):
        Cache(tmp_path / "cache", starting=refuse).product("thing", "key", fill)
    assert not (tmp_path / "cache").exists()


def test_a_work_directory_is_kept_and_an_older_one_is_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with cache.work_directory("qemu", "old") as work:
        (work / "file").touch()
    with cache.work_directory("qemu", "old") as work:
        assert (work / "file").exists()
    with cache.work_directory("qemu", "new") as work:
        assert [path.name for path in work.parent.iterdir()] == ["new"]


def test_a_snapshot_does_not_follow_edits(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part/a").write_text("1")
    (tmp_path / "b").write_text("1")
    parts = {name: tmp_path / name for name in ("part", "b", "missing")}
    with snapshot(parts | {"other/b": tmp_path / "b"}) as copy:
        assert (copy / "other/b").read_text() == "1"
        digest = tree_digest(copy)
        (tmp_path / "part/a").write_text("2")
        assert tree_digest(copy) == digest
    assert not copy.exists()
    with snapshot(parts | {"other/b": tmp_path / "b"}) as later:
        assert tree_digest(later) != digest


def test_a_digest_follows_names_contents_and_modes_alone(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a").write_text("1")
    (tree / "notes.md").write_text("documentation")
    before = tree_digest(tree)
    os.utime(tree / "a", (0, 0))
    (tree / "notes.md").write_text("better documentation")
    assert tree_digest(tree) == before
    (tree / "a").chmod(0o755)
    executable = tree_digest(tree)
    (tree / "a").rename(tree / "b")
    assert len({before, executable, tree_digest(tree)}) == 3


def test_a_key_follows_every_input() -> None:
    keys = {key_of({}), key_of({"a": "1"}), key_of({"a": "2"}), key_of({"b": "1"})}
    assert len(keys) == 4
    assert key_of({"a": "1", "b": "2"}) == key_of({"b": "2", "a": "1"})


def test_the_directory_is_chosen_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.delenv("FIRESTEEL_CACHE")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_directory() == Path("/home/somebody/.cache/firesteel")
