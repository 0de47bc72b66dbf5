# SPDX-License-Identifier: Apache-2.0
"""The store keeps whole, immutable records, and says clearly what is wrong with others."""

import errno
import json
import lzma
import os
import re
import shutil
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from fake_runner import FakeRunner
from made_up import MadeUp, put, run_of_record

from firesteel import table
from firesteel.base.errors import DisputeError, FiresteelError
from firesteel.base.files import write_whole
from firesteel.boards.network import addresses
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store import observations
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Derived, Inputs, Record, own_packages
from firesteel.store.store import Store

DAY = date(2026, 11, 20)


def make_record(tmp_path: Path, cell: Cell | None = None) -> Record:
    """A record that a store elsewhere keeps."""
    runner = FakeRunner()
    cell = cell or load_experiment("quickstart").cells(quick=True)[0]
    logs = tmp_path / "logs" / cell.label.replace(" ", "-")
    run = runner.measure(cell, logs, threading.Event())
    return Store(tmp_path / "elsewhere").put(runner.inputs(cell), run, runner.packages())


@pytest.mark.parametrize(
    ("architectures", "named"),
    [
        ({"armhf"}, {"openssl": "1", "linux-image-armmp": "6"}),
        ({"arm64"}, {"openssl": "2"}),
        (
            {"armhf", "arm64"},
            {"openssl:armhf": "1", "linux-image-armmp:armhf": "6", "openssl:arm64": "2"},
        ),
    ],
)
def test_a_record_names_packages_of_its_own_boards(
    architectures: set[str], named: dict[str, str]
) -> None:
    of_run = {"openssl:armhf": "1", "linux-image-armmp:armhf": "6", "openssl:arm64": "2"}
    assert own_packages(of_run, architectures) == named
    assert own_packages(named, architectures) == named


def test_a_record_does_not_depend_on_the_other_boards_of_its_run(tmp_path: Path) -> None:
    alone = make_record(tmp_path)
    of_run = {f"{name}:armhf": version for name, version in alone.packages.items()}
    of_run |= {f"{name}:arm64": "0" for name in of_run}
    assert put(Store(tmp_path / "store"), alone.model_copy(update={"packages": of_run})) == alone


def make_journal(store: Store, name: str | None = None) -> Journal:
    cell = load_experiment("quickstart").cells(quick=True)[0]
    journal = Journal(
        name=name or store.start_run("quickstart", DAY),
        experiment="quickstart",
        title="t",
        quick=True,
        started="2026-11-20T12:00:00+00:00",
        entries=[Entry(cell=cell, key="0" * 64)],
    )
    store.save(journal)
    return journal


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    assert store.get(record.key) is None
    assert put(store, record) == record
    assert store.get(record.key) == record
    assert store.observations(record.key) == run_of_record(record)


def test_a_record_holds_no_time_host_or_path(tmp_path: Path) -> None:
    record, again = make_record(tmp_path), make_record(tmp_path / "again")
    place = Store(tmp_path / "elsewhere")
    text = place.record_path(record.key).read_text()
    assert str(tmp_path) not in text
    assert os.uname().nodename not in text
    other = Store(tmp_path / "again" / "elsewhere")
    assert text == other.record_path(again.key).read_text()


def test_the_address_depends_on_all_that_a_measurement_depends_on(tmp_path: Path) -> None:
    record = make_record(tmp_path)
    inputs = Inputs(cell=record.cell, versions=record.versions)
    keys = {inputs.key}
    for name in type(inputs.versions).model_fields:
        versions = inputs.versions.model_copy(update={name: "other"})
        keys.add(inputs.model_copy(update={"versions": versions}).key)
    keys.add(inputs.model_copy(update={"cell": inputs.cell.model_copy(update={"seed": 2})}).key)
    assert len(keys) == 8


def test_cells_that_boards_do_not_tell_apart_share_observations(tmp_path: Path) -> None:
    """Each has the figures that are derived for it."""
    store, record = Store(tmp_path), make_record(tmp_path)
    put(store, record)
    other = record.cell.model_copy(update={"ping": None})
    assert record.model_copy(update={"cell": other}).key == record.key
    found = store.get(record.key, other)
    assert found
    assert found.cell == other


def test_observations_have_the_addresses_that_the_cell_s_seed_gives_its_nodes(
    tmp_path: Path,
) -> None:
    """Some parsers look for them in what nodes hand back."""
    store, made = Store(tmp_path), make_record(tmp_path)
    cell = made.cell.model_copy(update={"seed": 2})
    record = put(store, made.model_copy(update={"cell": cell}))
    there = addresses(store.observations(record.key).topology)
    assert there == addresses(record.setup.topology.with_seed(2))
    assert there != addresses(record.setup.topology)


class Mended(MadeUp):
    """Another version of the parsers."""

    def derive(self, cell: Cell, run: TopologyRun) -> Derived:
        return Derived(figures=super().derive(cell, run).figures[:1], proof={})


def test_a_parser_that_is_mended_measures_nothing_again(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    put(store, record)
    cached = MadeUp()
    assert Store(tmp_path, parsers=cached).get(record.key) == record
    assert not cached.asked, "figures come from the cache"
    mended = Mended("another version")
    for _ in range(2):
        found = Store(tmp_path, parsers=mended).get(record.key)
        assert found
        assert found.figures == record.figures[:1]
    assert len(mended.asked) == 1


def test_the_version_of_the_parsers_covers_all_that_they_import() -> None:
    lab = Path(table.__file__).parent
    used = {
        name.split(".")[1]
        for package in table.PARSERS
        for path in (lab / package).rglob("*.py")
        for name in re.findall(
            r"^from (firesteel\.[a-z_.]+) import", path.read_text(), re.MULTILINE
        )
    }
    assert used <= set(table.PARSERS)


def test_the_same_record_may_be_put_twice_but_no_other(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    put(store, record)
    put(store, record)
    with pytest.raises(FiresteelError, match="digest of all frames"):
        put(store, record.model_copy(update={"trace": "f" * 64}))
    figures = (record.figures[0].model_copy(update={"value": 9.5}),)
    with pytest.raises(FiresteelError, match=r"ping 56 B rtt_mean .*9\.5"):
        put(store, record.model_copy(update={"figures": figures}))
    assert store.get(record.key) == record


def without_cache(store: Store) -> Store:
    """The store with no figures but those that are derived."""
    shutil.rmtree(store.root / "index", ignore_errors=True)
    return Store(store.root)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "damaged"),
        (lambda path: path.write_bytes(lzma.compress(b"{}")), "damaged .not those"),
    ],
    ids=["missing", "empty", "cut", "others"],
)
def test_damaged_observations_are_one_sentence_and_are_replaced(
    tmp_path: Path, damage: Callable[[Path], object], why: str
) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    put(store, record)
    path = store.observations_path(record.key)
    damage(path)
    with pytest.raises(FiresteelError, match=f"observations .*{why}") as caught:
        without_cache(store).get(record.key)
    assert "\n" not in str(caught.value)
    put(store, record)
    assert without_cache(store).get(record.key) == record


def test_a_damaged_record_is_replaced(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    put(store, record)
    path = store.record_path(record.key)
    whole = path.read_bytes()
    for damaged in (whole[:200], b"", whole.replace(b'"openvpn": "2', b'"openvpn": "3')):
        path.write_bytes(damaged)
        with pytest.raises(FiresteelError, match="record is damaged"):
            store.get(record.key)
        put(store, record)
        assert path.read_bytes() == whole


def test_an_interrupted_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"before")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, record = Store(tmp_path / "store"), make_record(tmp_path)

    def fill(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(FiresteelError, match="disk is full"):
        put(store, record)
    assert not [path for path in store.root.rglob("*") if path.is_file()]


def test_runs_are_numbered_and_the_last_one_made_latest_is_meant_by_latest(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = make_journal(store), make_journal(store)
    assert (first.name, second.name) == ("2026-11-20-quickstart-1", "2026-11-20-quickstart-2")
    store.make_latest(first.name)
    assert store.journal() == first
    store.make_latest(second.name)
    assert store.journal() == second
    assert store.run_names() == [first.name, second.name]
    (tmp_path / "runs" / "latest").unlink()
    assert store.journal().name in (first.name, second.name)
    done = [entry.model_copy(update={"state": "done"}) for entry in first.entries]
    finished = first.model_copy(update={"entries": done})
    store.save(finished)
    store.save(second)
    assert store.journal() == finished, "the newer one has cells left to measure"
    store.save(second.model_copy(update={"entries": done}))
    for age, name in enumerate((second.name, first.name), 1):
        os.utime(tmp_path / "runs" / name, (age, age))
    assert store.journal().name == first.name


def test_what_comes_out_otherwise_is_kept_beside_the_record(tmp_path: Path) -> None:
    store, record = Store(tmp_path / "store"), make_record(tmp_path)
    put(store, record)
    before = store.record_path(record.key).read_bytes()
    other = record.model_copy(update={"trace": "0" * 64})
    for _ in range(2):  # The same once more is no other file.
        with pytest.raises(DisputeError, match="this record differs") as caught:
            put(store, other)
        kept, observed = sorted((store.root / "disputes").rglob("*.*"))
        assert f"the other one is kept as {kept}." in str(caught.value)
    assert store.record_path(record.key).read_bytes() == before
    assert store.get(record.key) == record
    assert json.loads(kept.read_text())["trace"] == "0" * 64
    text = lzma.decompress(observed.read_bytes()).decode()
    assert json.loads(kept.read_text())["observed"] == observations.digest_of(text)
