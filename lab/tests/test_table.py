# SPDX-License-Identifier: Apache-2.0
"""Tidy rows of a run: made once, and again when what they follow from changes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from made_runs import results_of
from made_up import MadeUp
from polars.testing import assert_frame_equal

from firesteel import table
from firesteel.base.errors import FiresteelError
from firesteel.store.journal import Progress
from firesteel.store.store import Store
from firesteel.table import choose, rows


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose latest run is of OpenVPN."""
    results_of(tmp_path, lambda cell: cell.cipher != "none", experiment="openvpn")
    return Store(tmp_path)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one whenever rows are made from records."""
    found: list[int] = []

    def counted(records: object) -> pl.DataFrame:
        found.append(1)
        return samples_of(records)  # type: ignore[arg-type]

    samples_of = table.samples_of
    monkeypatch.setattr(table, "samples_of", counted)
    return found


def kept(store: Store) -> list[bytes]:
    """What the index has of rows."""
    with closing(sqlite3.connect(store.root / "index" / "cache.sqlite")) as database:
        found = database.execute("SELECT content FROM kept WHERE kind = 'rows'").fetchall()
    return [content for (content,) in found]


def test_rows_are_made_once_and_are_the_same_from_the_index(store: Store, made: list[int]) -> None:
    first = rows(store)
    assert_frame_equal(rows(Store(store.root)), first)
    assert len(made) == 1
    assert len(kept(store)) == 1
    samples = table.samples_of(store.records(store.journal()))
    assert_frame_equal(first, samples)
    assert set(first["seed"]) == {1}
    assert not first["cell"].is_null().any()


def test_rows_are_made_again_by_other_parsers(store: Store, made: list[int]) -> None:
    rows(store)
    rows(Store(store.root, parsers=MadeUp("others")))
    assert len(made) == 2
    assert len(kept(store)) == 1, "nothing is left of those before"


def test_rows_are_made_again_when_the_run_has_other_cells(store: Store, made: list[int]) -> None:
    before = rows(store).height
    journal = store.journal()
    del journal.entries[-1]
    store.save(journal)
    assert rows(store).height < before
    assert len(made) == 2


def test_rows_follow_from_code_and_from_what_happens_in_a_run(store: Store) -> None:
    name = store.find()
    made: list[int] = []

    def make(_: object) -> bytes:
        made.append(1)
        return bytes(len(made))

    assert store.rows(name, b"", make) == store.rows(name, b"", make) == bytes(1)
    assert store.rows(name, b"other code", make) == bytes(2)
    with Progress(store.progress_path(name), 1):
        assert store.rows(name, b"other code", make) == bytes(3)


def test_a_damaged_record_is_noticed_although_rows_were_kept(store: Store) -> None:
    rows(store)
    path = store.record_path(store.journal().entries[0].key)
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2', 1))
    with pytest.raises(FiresteelError, match="damaged"):
        rows(Store(store.root))
    path.unlink()
    with pytest.raises(FiresteelError, match="missing"):
        rows(Store(store.root))


def test_rows_are_chosen_by_their_columns(store: Store) -> None:
    found = rows(store)
    part = choose(found, {"experiment": "ping", "at": "56 B,1000 B", "mac": "sha256"})
    assert set(part["parameter"]) == {"56 B", "1000 B"}
    assert set(part["mac"]) == {"sha256"}
    assert choose(found, {"mac": "nothing"}).is_empty()
    with pytest.raises(FiresteelError, match="figures have no `colour`; allowed are experiment"):
        choose(found, {"colour": "red"})


def test_without_a_rate_of_links_the_topologys_own_is_meant(store: Store) -> None:
    own = rows(store)
    faster = own.with_columns(pl.lit("1 Gbit/s").alias("link"))
    both = pl.concat([own, faster])
    assert_frame_equal(choose(both, {}), own)
    assert_frame_equal(choose(both, {"link": "1 Gbit/s"}), faster)
    assert_frame_equal(choose(faster, {}), faster)
