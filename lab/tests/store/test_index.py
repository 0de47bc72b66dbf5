# SPDX-License-Identifier: Apache-2.0
"""The index of a store saves work, and is never what is believed."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from advice_store import RATE, Runs, cell
from fake_runner import FakeRunner
from fake_watcher import Notes
from made_up import MadeUp

from firesteel.base.errors import FiresteelError
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Options, execute
from firesteel.store.journal import Journal
from firesteel.store.store import Store


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache directory."""
    path = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("FIRESTEEL_CACHE", str(path))
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A run of nine cells."""
    experiment = load_experiment("quickstart")
    cells = experiment.cells(quick=True)
    store = Store(tmp_path)
    return execute(experiment, cells, Options(quick=True), FakeRunner(), store, Notes())


def database(root: Path) -> Path:
    return root / "index" / "cache.sqlite"


def test_figures_come_back_as_they_were(tmp_path: Path, journal: Journal) -> None:
    parsers = MadeUp()
    kept = Store(tmp_path, parsers=parsers).records(journal)
    assert not parsers.asked
    shutil.rmtree(tmp_path / "index")
    assert Store(tmp_path, parsers=parsers).records(journal) == kept
    assert len(parsers.asked) == 9


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-10]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"noise" * 5000),
        Path.unlink,
    ],
)
def test_whatever_is_damaged_is_made_again(
    tmp_path: Path, journal: Journal, damage: Callable[[Path], object]
) -> None:
    kept = Store(tmp_path).records(journal)
    damage(database(tmp_path))
    for _ in range(2):
        assert Store(tmp_path).records(journal) == kept
        assert Store(tmp_path).summary(journal.name).count("done") == 9


def test_what_was_changed_is_made_again(tmp_path: Path, journal: Journal) -> None:
    kept = Store(tmp_path).records(journal)
    with closing(sqlite3.connect(database(tmp_path), isolation_level=None)) as found:
        found.execute("UPDATE kept SET content = CAST(replace(content, '123', '124') AS BLOB)")
    assert Store(tmp_path).records(journal) == kept


def test_a_record_that_is_as_it_was_is_not_looked_into(tmp_path: Path, journal: Journal) -> None:
    key = journal.entries[0].key
    store = Store(tmp_path)
    assert store.has(key)
    path = store.record_path(key)
    whole = path.read_bytes()
    for content in (whole[:100], b"", whole.replace(b'"openvpn": "2', b'"openvpn": "3')):
        path.write_bytes(content)
        with pytest.raises(FiresteelError, match="record is damaged"):
            store.has(key)
    path.write_bytes(whole)
    assert store.has(key)
    path.unlink()
    assert not store.has(key)


def test_a_journal_that_was_changed_is_read_again(tmp_path: Path, journal: Journal) -> None:
    store = Store(tmp_path)
    assert store.summary(journal.name).count("done") == 9
    path = store.journal_path(journal.name)
    path.write_text(path.read_text().replace('"state":"done"', '"state":"waiting"', 1))
    assert store.summary(journal.name).count("waiting") == 1
    path.write_text("{")
    with pytest.raises(FiresteelError, match="damaged"):
        store.summary(journal.name)


def test_a_store_without_a_place_for_an_index_has_it_elsewhere(
    tmp_path: Path, journal: Journal, cache: Path
) -> None:
    kept = Store(tmp_path).records(journal)
    shutil.rmtree(tmp_path / "index")
    (tmp_path / "index").write_text("a file in the place of the directory")
    for parsers, times in ((MadeUp(), 9), (MadeUp(), 0)):
        store = Store(tmp_path, parsers=parsers)
        assert store.records(journal) == kept
        assert all(store.has(entry.key) for entry in journal.entries)
        assert len(parsers.asked) == times
    shutil.rmtree(cache)
    cache.write_text("a file in the place of the cache")
    store = Store(tmp_path, parsers=(parsers := MadeUp()))
    for _ in range(2):
        assert store.records(journal) == kept
        assert len(parsers.asked) == 9, "what is in memory lasts as long as the store is open"
    cache.unlink()


COMMANDS = (
    ("list",),
    ("show",),
    ("compare",),
    ("report",),
    ("advise", "--protocol", "openvpn", "--suite", "aes-256-cbc:sha256"),
)

READ = """
import sys
import made_up
from firesteel.cli import main
from firesteel.store.record import use
use(made_up.MadeUp())
main()
"""


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """The store as a user has it who may only read it."""
    Runs(Store(tmp_path)).add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}))
    shutil.rmtree(tmp_path / "index")
    for path in (tmp_path, *tmp_path.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    yield tmp_path
    for path in (tmp_path, *tmp_path.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def without_rights(words: list[str]) -> list[str]:
    """A command that may not write to what modes protect, whoever starts it."""
    if os.geteuid() != 0:
        return words
    if not shutil.which("setpriv"):
        pytest.skip("root may write to everything, and there is no setpriv to take that right away")
    taken = "-dac_override,-dac_read_search,-fowner"
    return ["setpriv", f"--inh-caps={taken}", f"--bounding-set={taken}", "--", *words]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_who_may_only_read_a_store_reads_all_of_it(
    read_only: Path, cache: Path, words: tuple[str, ...]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in read_only.rglob("*")}
    command = [sys.executable, "-c", READ, *words, "--store", str(read_only)]
    done = subprocess.run(
        without_rights(command),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in read_only.rglob("*")} == before
    if words == ("report",):
        assert Path(done.stdout.strip()).is_relative_to(cache)
