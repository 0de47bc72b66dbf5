# SPDX-License-Identifier: Apache-2.0
"""The store keeps whole, immutable records, and says clearly what is wrong with others."""

import errno
import json
import os
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest
from fake_runner import FakeRunner

from firesteel.base.errors import FiresteelError
from firesteel.experiment.experiment import load_experiment
from firesteel.model.cell import Cell
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.store.store import Store, write_whole

DAY = date(2026, 11, 20)


def make_record(tmp_path: Path, cell: Cell | None = None) -> Record:
    runner = FakeRunner()
    cell = cell or load_experiment("quickstart").cells(quick=True)[0]
    logs = tmp_path / "logs" / cell.label.replace(" ", "-")
    measurement = runner.measure(cell, logs, threading.Event())
    return Record(inputs=runner.inputs(cell), measurement=measurement, packages=runner.packages())


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
    assert store.get(record.inputs.key) is None
    store.put(record)
    assert store.get(record.inputs.key) == record
    text = store.record_path(record.inputs.key).read_text()
    assert Record.from_json(text, "x").to_json() == text


def test_a_record_holds_no_time_host_or_path(tmp_path: Path) -> None:
    text = make_record(tmp_path).to_json()
    assert str(tmp_path) not in text
    assert os.uname().nodename not in text
    assert text == make_record(tmp_path / "elsewhere").to_json()


def test_the_address_depends_on_every_input(tmp_path: Path) -> None:
    inputs = make_record(tmp_path).inputs
    keys = {inputs.key}
    for name in type(inputs.versions).model_fields:
        versions = inputs.versions.model_copy(update={name: "other"})
        keys.add(inputs.model_copy(update={"versions": versions}).key)
    keys.add(inputs.model_copy(update={"cell": inputs.cell.model_copy(update={"seed": 2})}).key)
    assert len(keys) == 8


def test_a_cell_without_later_plans_keeps_the_address_that_it_had(tmp_path: Path) -> None:
    """What a cell has learnt to say since must not make the records of others unreadable."""
    record = make_record(tmp_path)
    said = record.inputs.cell.model_dump(mode="json")
    assert list(said)[-3:] == ["ping", "transfer", "seed"]
    assert Record.from_json(record.to_json(), "x").inputs.key == record.inputs.key
    assert "crypto" in load_experiment("kernel-crypto").cells()[0].model_dump(mode="json")


def test_the_same_record_may_be_put_twice_but_no_other(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    store.put(record)
    store.put(record)
    changed = record.measurement.model_copy(update={"trace": "f" * 64})
    with pytest.raises(FiresteelError, match="this record differs .the trace of the links"):
        store.put(record.model_copy(update={"measurement": changed}))
    figures = (record.measurement.figures[0].model_copy(update={"value": 9.5}),)
    changed = record.measurement.model_copy(update={"figures": figures})
    with pytest.raises(FiresteelError, match="ping 56 B rtt_mean is now 9.5"):
        store.put(record.model_copy(update={"measurement": changed}))
    assert store.get(record.inputs.key) == record


@pytest.mark.parametrize("damage", ["cut", "flip", "list", "empty", "binary", "no-format"])
def test_a_damaged_record_is_one_sentence_and_is_replaced(tmp_path: Path, damage: str) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    store.put(record)
    path = store.record_path(record.inputs.key)
    whole = path.read_text()
    damaged = {
        "cut": whole[:200],
        "flip": whole.replace('"tunnel_bytes": 123', '"tunnel_bytes": 124'),
        "list": "[]",
        "empty": "",
        "no-format": "{}",
        "binary": "",
    }[damage]
    path.write_text(damaged)
    if damage == "binary":
        path.write_bytes(b"\xff\xfe")
    with pytest.raises(FiresteelError, match=r"this record is damaged") as caught:
        store.get(record.inputs.key)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    store.put(record)
    assert path.read_text() == whole


def test_a_record_of_a_newer_format_is_one_sentence(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    store.put(record)
    path = store.record_path(record.inputs.key)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    with pytest.raises(FiresteelError, match="has format 2, written by a newer Firesteel"):
        store.get(record.inputs.key)


def test_a_record_under_a_wrong_address_is_refused(tmp_path: Path) -> None:
    store, record = Store(tmp_path), make_record(tmp_path)
    write_whole(store.record_path("ab" * 32), record.to_json().encode())
    with pytest.raises(FiresteelError, match="belongs to another address"):
        store.get("ab" * 32)


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
    with pytest.raises(FiresteelError, match="the disk is full"):
        store.put(record)
    assert not [path for path in store.root.rglob("*") if path.is_file()]


FILL = """
import sys
from pathlib import Path
from firesteel.base.errors import FiresteelError
from firesteel.store import write_whole
try:
    for number in range(1000):
        write_whole(Path(sys.argv[1]) / str(number), b"x" * 5000)
except FiresteelError as error:
    print(error)
print(sorted({path.stat().st_size for path in Path(sys.argv[1]).iterdir()}))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_disk_that_is_really_full_keeps_only_whole_files(tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=64k tmpfs "$1" && exec "$2" -c "$3" "$1"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", str(tmp_path), sys.executable, FILL]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "mount:" in done.stderr:
        pytest.skip("this machine allows no mounts")
    said, sizes = done.stdout.splitlines()
    assert "not written, because the disk is full" in said
    assert sizes == "[5000]"


def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    with pytest.raises(FiresteelError, match="cannot be written: Not a directory"):
        store.start_run("quickstart", DAY)


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


def test_an_unknown_run_lists_the_known_ones(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(FiresteelError, match="There are no runs in .* yet"):
        store.journal()
    make_journal(store)
    with pytest.raises(FiresteelError, match="no run `x`; there are: 2026-11-20-quickstart-1."):
        store.journal("x")
    with pytest.raises(FiresteelError, match="no run `../runs/2026"):
        store.journal("../runs/2026-11-20-quickstart-1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this run is damaged: not valid JSON"),
        ("[]", "this run is damaged: not a JSON object"),
        ("{}", "this run is damaged: it has no format number"),
        ('{"format": 7}', "has format 7, written by a newer Firesteel"),
        ('{"format": 1}', "this run is damaged: name: "),
    ],
)
def test_a_damaged_run_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    store = Store(tmp_path)
    journal = make_journal(store)
    (tmp_path / "runs" / journal.name / "run.json").write_text(text)
    with pytest.raises(FiresteelError, match=message):
        store.journal(journal.name)


def test_a_record_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = make_journal(store)
    journal.entries[0].state = "done"
    with pytest.raises(FiresteelError, match="record of `no tunnel` .* is missing"):
        store.records(journal)
