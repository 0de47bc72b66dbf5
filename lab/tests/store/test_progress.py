# SPDX-License-Identifier: Apache-2.0
"""A run under way: its journal costs the same for each cell, and is whole whatever happens."""

import errno
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError, StoreError
from firesteel.base.files import append_whole
from firesteel.model.cell import Cell
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store.journal import (
    Entry,
    Journal,
    Progress,
    State,
    Summary,
    is_under_way,
    read_progress,
)
from firesteel.store.store import Store

(CELL, *_) = load_experiment("quickstart").cells(quick=True)


def started(store: Store, cells: int = 3) -> Journal:
    entries = [Entry(cell=at_seed(number), key=f"{number:064x}") for number in range(cells)]
    journal = Journal(
        name=store.start_run("quickstart", date(2026, 11, 20)),
        experiment="quickstart",
        title="t",
        quick=True,
        started="2026-11-20T12:00:00+00:00",
        entries=entries,
    )
    store.save(journal)
    return journal


def at_seed(seed: int) -> Cell:
    return CELL.model_copy(update={"seed": seed + 1})


def end(journal: Journal, number: int, progress: Progress, problem: str = "") -> None:
    entry = journal.entries[number]
    entry.state, entry.seconds, entry.problem = "failed" if problem else "done", 1.5, problem
    progress.ended([(number, entry)])


def states(run: Summary) -> list[State]:
    return [entry.state for entry in run.entries]


def test_a_journal_under_way_has_what_has_ended(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = started(store)
    path = store.progress_path(journal.name)
    before = store.journal_path(journal.name).read_bytes()
    with Progress(path, 2) as progress:
        progress.began(0)
        progress.began(1, on="elsewhere")
        end(journal, 1, progress, "Node `board` failed.\nlast line")
        assert is_under_way(path)
        assert store.journal() == journal
        assert states(store.summary(journal.name)) == states(journal)
        assert store.journal_path(journal.name).read_bytes() == before
    assert not is_under_way(path), "a process that is gone holds no lock"
    assert store.journal() == journal, "what it wrote is not lost"
    store.save(journal)
    assert not path.exists()
    assert store.journal() == journal
    assert states(store.summary(journal.name)) == states(journal)


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = started(store)
    path = store.progress_path(journal.name)
    with Progress(path, 1) as progress:
        end(journal, 0, progress)
        whole = path.stat().st_size
        end(journal, 1, progress)
    content = path.read_bytes()
    for size in range(whole, len(content)):
        path.write_bytes(content[:size])
        assert states(store.journal()) == ["done", "waiting", "waiting"]
    path.write_bytes(b"")
    assert store.journal().count("waiting") == 3


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text.replace('"cell":1', '"cell":7'), "there is no cell 7"),
        (lambda text: text.replace('"cell":1', '"cell":-1'), "there is no cell -1"),
        (lambda text: text.replace('"done"', '"lost"'), "Input should be"),
        (lambda text: text.replace('"what":"done",', ""), "Input should be"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "newer Firesteel"),
        (lambda text: text.replace('"jobs": 2', '"jobs": "many"'), "jobs"),
        (lambda text: "x" + text, "not valid JSON"),
        (lambda text: text + "\0\0\n", "Invalid JSON"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, damage: Callable[[str], str], why: str) -> None:
    store = Store(tmp_path)
    journal = started(store)
    path = store.progress_path(journal.name)
    with Progress(path, 2) as progress:
        end(journal, 1, progress)
    path.write_text(damage(path.read_text()))
    with pytest.raises(FiresteelError, match=why) as caught:
        store.journal()
    assert str(caught.value).startswith(f"{path}: this run's progress ")
    assert "\n" not in str(caught.value)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"whole\n")
    real = os.write

    def fill(file: int, content: bytes) -> int:
        if len(content) < 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, content[:4])

    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    with monkeypatch.context() as context:
        context.setattr(os, "write", fill)
        with pytest.raises(StoreError, match="the disk is full"):
            append_whole(file, b"another\n", path)
    append_whole(file, b"last\n", path)
    os.close(file)
    assert path.read_bytes() == b"whole\nlast\n"


def test_it_is_read_on_from_where_it_was_read_to(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = started(store)
    path = store.progress_path(journal.name)
    assert read_progress(path) is None
    with Progress(path, 2) as progress:
        progress.began(0, "one")
        first = read_progress(path)
        assert first
        progress.at_once(3)
        second = read_progress(path, first[1])
        assert second
        end(journal, 0, progress)
        third = read_progress(path, second[1])
    assert third
    told = [(each.what, each.jobs, each.on) for seen in (first, second, third) for each in seen[0]]
    assert told[:2] == [("side by side", 2, ""), ("began", 0, "one")]
    assert told[2:] == [("side by side", 3, ""), ("done", 0, "")]
