# SPDX-License-Identifier: Apache-2.0
"""The index of a store saves reading, and is never what is believed."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import made_up
import pytest
from fake_runner import FakeRunner
from fake_watcher import Notes

from firesteel.analysis.results import load_results
from firesteel.base.errors import FiresteelError
from firesteel.board.result import TopologyRun
from firesteel.campaign.run import Options, execute
from firesteel.experiment.experiment import load_experiment
from firesteel.model.cell import Cell
from firesteel.store import derived, index
from firesteel.store.index import Index
from firesteel.store.journal import Journal
from firesteel.store.store import Store


def run_in(root: Path) -> Journal:
    experiment = load_experiment("quickstart")
    cells = experiment.cells(quick=True)
    return execute(experiment, cells, Options(quick=True), FakeRunner(), Store(root), Notes())


def count_derived(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Labels of cells whose figures are derived from now on."""
    calls: list[str] = []
    real = derived.derive

    def counted(cell: Cell, run: TopologyRun) -> derived.Derived:
        calls.append(cell.label)
        return real(cell, run)

    monkeypatch.setattr(derived, "derive", counted)
    return calls


@pytest.mark.parametrize("packed", [1, 4, 1000])
def test_figures_come_back_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: int
) -> None:
    monkeypatch.setattr(index, "_PART", packed)
    journal = run_in(tmp_path)
    parts = len(list((tmp_path / "index").glob("*.parquet")))
    assert parts == 9 // packed
    calls = count_derived(monkeypatch)
    kept = Store(tmp_path).records(journal)
    assert not calls
    shutil.rmtree(tmp_path / "index")
    assert Store(tmp_path).records(journal) == kept
    assert len(calls) == 9


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def noise(path: Path) -> None:
    path.write_bytes(b"noise" * 5000)


@pytest.mark.parametrize("damage", [cut, empty, noise, Path.unlink])
@pytest.mark.parametrize("kind", ["*.parquet", "known.sqlite"])
def test_whatever_is_damaged_is_made_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], object],
    kind: str,
) -> None:
    monkeypatch.setattr(index, "_PART", 3)
    journal = run_in(tmp_path)
    kept = Store(tmp_path).records(journal)
    files = list((tmp_path / "index").glob(kind))
    assert files
    for path in files:
        damage(path)
    for _ in range(2):
        assert Store(tmp_path).records(journal) == kept
        assert Store(tmp_path).summary(journal.name) == journal.summary


def test_figures_that_were_changed_are_derived_again(tmp_path: Path) -> None:
    journal = run_in(tmp_path)
    kept = Store(tmp_path).records(journal)
    found = Index(tmp_path)
    found._do(lambda db: db.execute("UPDATE figures SET derived = replace(derived, '123', '124')"))
    assert Store(tmp_path).records(journal) == kept


def test_a_record_that_is_as_it_was_is_not_read_and_one_that_is_not_is(tmp_path: Path) -> None:
    journal = run_in(tmp_path)
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


def test_a_copied_store_is_known_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = run_in(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    copied = Store(tmp_path / "two")
    monkeypatch.setattr(Store, "get", lambda *_: pytest.fail("read again"))
    assert all(copied.has(entry.key) for entry in journal.entries)


def test_another_version_of_the_parsers_derives_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = run_in(tmp_path)
    calls = count_derived(monkeypatch)
    monkeypatch.setattr(derived, "parsers", lambda: "another version")
    assert all(Store(tmp_path).has(entry.key) for entry in journal.entries)
    assert len(calls) == 9


def test_a_journal_that_was_changed_is_read_again(tmp_path: Path) -> None:
    journal = run_in(tmp_path)
    store = Store(tmp_path)
    assert store.summary(journal.name).done == 9
    path = store.journal_path(journal.name)
    path.write_text(path.read_text().replace('"state":"done"', '"state":"waiting"', 1))
    assert store.summary(journal.name).waiting == 1
    path.write_text("{")
    with pytest.raises(FiresteelError, match="damaged"):
        store.summary(journal.name)


def test_a_store_without_a_place_for_an_index_is_read_all_the_same(tmp_path: Path) -> None:
    journal = run_in(tmp_path)
    kept = Store(tmp_path).records(journal)
    shutil.rmtree(tmp_path / "index")
    (tmp_path / "index").write_text("a file in the place of the directory")
    store = Store(tmp_path)
    assert store.records(journal) == kept
    assert all(store.has(entry.key) for entry in journal.entries)


def test_threads_may_put_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_PART", 5)
    journal = run_in(tmp_path)
    (found, *_) = load_results(Store(tmp_path)).records
    figures = derived.Derived(figures=found.measurement.figures, proof=found.measurement.proof)
    shared = Index(tmp_path)

    def keep(first: int) -> None:
        for number in range(first, first + 20):
            shared.keep_figures(str(number), figures)

    threads = [threading.Thread(target=keep, args=(first,)) for first in (0, 100, 200)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    names = [str(first + number) for first in (0, 100, 200) for number in range(20)]
    assert all(Index(tmp_path).figures(name) == figures for name in names)
    assert journal.count("done") == 9


def test_a_record_with_other_observations_has_other_figures(tmp_path: Path) -> None:
    journal = run_in(tmp_path)
    key = journal.entries[0].key
    store, other = Store(tmp_path), Store(tmp_path / "other")
    before = store.get(key)
    assert before
    first, *rest = before.measurement.figures
    changed = first.model_copy(update={"value": first.value / 2})
    measurement = before.measurement.model_copy(update={"figures": (changed, *rest)})
    made_up.put(other, before.model_copy(update={"measurement": measurement}))
    store.adopt(other, key)
    assert Store(tmp_path).get(key) == other.get(key) != before
