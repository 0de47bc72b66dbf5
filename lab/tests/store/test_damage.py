# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a store is told in one sentence by every command that reads it."""

import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from advice_store import RATE, Runs, cell

from firesteel import cli
from firesteel.base.interrupts import SIGNALS
from firesteel.store.store import Store

ADVISE = ("advise", "--protocol", "openvpn", "--suite", "aes-256-cbc:sha256")
COMMANDS = (
    ("show",),
    ("show", "--format", "csv"),
    ("compare",),
    ("show", "--part", "limits"),
    ("report",),
    ("profile",),
    ("show", "--part", "samples"),
    ("compare", "2026-11-22-test-1"),
    ("verify",),
    (*ADVISE, "--run"),
)
"""Before the name of a run."""

STATUS: dict[tuple[str, ...], int] = {("compare", "2026-11-22-test-1"): 2}
"""Of commands whose status 1 says something of the figures."""

DEEP = "[" * 100_000


def rewrite(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def replace_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "record-changed": (
        lambda _, record: rewrite(record, packages={"openvpn": "0"}),
        "this record is damaged (its digest does not match its content); `firesteel run` measures",
    ),
    "record-empty": (lambda _, record: record.write_text(""), "this record is damaged (not valid"),
    "record-cut": (
        lambda _, record: record.write_bytes(record.read_bytes()[:200]),
        "this record is damaged (not valid JSON",
    ),
    "record-no-text": (
        lambda _, record: record.write_bytes(b"\xff\xfe"),
        "this record is damaged (not valid JSON",
    ),
    "record-deep": (lambda _, record: record.write_text(DEEP), "this record is damaged (not valid"),
    "record-half-character": (
        lambda _, record: rewrite(record, packages={"openvpn": "\ud800"}),
        "this record is damaged (its digest does not match its content)",
    ),
    "run-half-character": (
        lambda run, _: rewrite(run, title="\ud800"),
        "this run is damaged: ",
    ),
    "record-newer": (
        lambda _, record: rewrite(record, format=99),
        "this record has format 99, written by a newer Firesteel; this one reads format 2.",
    ),
    "record-missing": (lambda _, record: record.unlink(), "is missing: "),
    "record-directory": (
        lambda _, record: replace_by_directory(record),
        "cannot be read: Is a directory.",
    ),
    "record-of-another": (
        lambda _, record: shutil.copy(next(_others(record)), record),
        "this record belongs to another address; remove it.",
    ),
    "run-cut": (lambda run, _: run.write_text("{"), "this run is damaged: not valid JSON"),
    "run-no-text": (
        lambda run, _: run.write_bytes(b"\xff"),
        "this run is damaged: it is not text.",
    ),
    "run-list": (lambda run, _: run.write_text("[]"), "this run is damaged: not a JSON object."),
    "run-deep": (lambda run, _: run.write_text(DEEP), "this run is damaged: not valid JSON"),
    "run-without-cells": (
        lambda run, _: run.write_text('{"format": 1}'),
        "this run is damaged: name: Field required.",
    ),
    "run-newer": (
        lambda run, _: rewrite(run, format=99),
        "this run has format 99, written by a newer Firesteel; this one reads format ",
    ),
    "run-of-no-format": (
        lambda run, _: rewrite(run, format=None),
        "this run is damaged: it has no format number.",
    ),
    "run-of-another-name": (
        lambda run, _: rewrite(run, name="../../elsewhere"),
        "this run is damaged: it calls itself `../../elsewhere`, not `2026-11-22-test-2`.",
    ),
    "run-directory": (lambda run, _: replace_by_directory(run), "cannot be read: Is a directory."),
    "run-without-journal": (lambda run, _: run.unlink(), "has no journal: "),
    "run-missing": (
        lambda run, _: shutil.rmtree(run.parent),
        "There is no run `2026-11-22-test-2`; there are: 2026-11-22-test-1.",
    ),
}


def _others(record: Path) -> Iterator[Path]:
    return (path for path in record.parents[1].rglob("*.json") if path != record)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Signals do afterwards what they did before."""
    before = [(number, signal.getsignal(number)) for number in SIGNALS]
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Two runs: one that nothing happens to, and one of other records."""
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    runs = Runs(Store(tmp_path / "store"))
    for qemu in ("old", "new"):
        runs.add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}), qemu=qemu)
    return runs


def inflict(runs: Runs, damage: str) -> tuple[str, str]:
    """Damages the newest run or its first record; the run's name, and what is told of it."""
    name = f"2026-11-22-test-{runs.count}"
    entry = runs.store.journal(name).entries[0]
    change, said = DAMAGE[damage]
    change(runs.store.runs / name / "run.json", runs.store.record_path(entry.key))
    return name, said


def kept(root: Path) -> dict[Path, bytes | bool]:
    """All files of a store but its index, which is a cache."""
    paths = (path for path in root.rglob("*") if root / "index" not in (path, *path.parents))
    return {path: path.is_file() and path.read_bytes() for path in paths}


def status(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """The exit status of the command line, with that of Python's own for what escapes."""
    monkeypatch.setattr(sys, "argv", ["firesteel", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_command_tells_it_in_one_sentence_and_changes_nothing(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: str,
) -> None:
    root = runs.store.root
    name, said = inflict(runs, damage)
    before = kept(root)
    for words in COMMANDS:
        ended = status(monkeypatch, *words, name, "--store", str(root))
        assert ended == STATUS.get(words, 1)
        out, errors = capsys.readouterr()
        assert out == ""
        assert errors.startswith("firesteel: ")
        assert said in errors
        assert errors.count("\n") == 1
    assert kept(root) == before


@pytest.mark.parametrize("damage", DAMAGE)
def test_list_and_advice_go_on_with_the_rest(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: str,
) -> None:
    inflict(runs, damage)
    for words, shown in ((("list",), "2026-11-22-test-1"), (ADVISE, "Yes, offload OpenVPN")):
        assert status(monkeypatch, *words, "--store", str(runs.store.root)) == 0
        out, errors = capsys.readouterr()
        assert shown in out
        assert "Traceback" not in errors


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", ["nonesuch", "", "..", "../runs", "latest/x"])
def test_an_unknown_run_is_one_sentence(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    name: str,
) -> None:
    ended = status(monkeypatch, *words, name, "--store", str(runs.store.root))
    assert ended == STATUS.get(words, 1)
    out, errors = capsys.readouterr()
    assert out == ""
    assert errors.startswith("firesteel: ")
    assert f"`{name}`" in errors
    assert ": 2026-11-22-test-1, " in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("words", [*COMMANDS, ("list",), ADVISE], ids=" ".join)
def test_runs_that_cannot_be_read_are_told_and_are_not_none(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    shutil.rmtree(runs.store.runs)
    runs.store.runs.write_text("a file in the place of the directory")
    named = () if words in (("list",), ADVISE) else ("2026-11-22-test-1",)
    ended = status(monkeypatch, *words, *named, "--store", str(runs.store.root))
    assert ended == STATUS.get(words, 1)
    _, errors = capsys.readouterr()
    assert errors.startswith(f"firesteel: {runs.store.runs}: ")
    assert errors.endswith(": Not a directory.\n")
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 5000, "File name too long"),
        ("x/y", "Not a directory"),
        ("x", "is a file; allowed is a directory"),
    ],
    ids=["long", "below-a-file", "a-file"],
)
@pytest.mark.parametrize("words", [("list",), ("show",), ADVISE, ("run", "quickstart")], ids=str)
def test_a_store_that_cannot_be_one_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    name: str,
    said: str,
) -> None:
    (tmp_path / "x").touch()
    assert status(monkeypatch, *words, "--store", str(tmp_path / name)) == 1
    _, errors = capsys.readouterr()
    assert errors.startswith("firesteel: The store /")
    assert said in errors
    assert errors.count("\n") == 1
    assert len(errors) < 300
