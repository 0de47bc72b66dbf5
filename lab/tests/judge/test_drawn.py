# SPDX-License-Identifier: Apache-2.0
"""Of a very large run a part is shown: whole groups, spread evenly, and the page says so."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from commands import call
from fake_runner import FakeRunner
from fake_watcher import Notes

from firesteel.judge import results as drawing
from firesteel.judge.results import drawn, load_results
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Options, execute
from firesteel.store.journal import Entry, Journal
from firesteel.store.store import Store

OPENVPN = load_experiment("openvpn")


def entries_of(boards: int, seeds: int = 1) -> list[Entry]:
    cells = OPENVPN.cells(quick=True, seeds=seeds)
    return [
        Entry(
            cell=cell.model_copy(
                update={"profiles": cell.profiles | {cell.measured: f"board-{board}"}}
            ),
            key=f"{number:064x}",
            state="done",
        )
        for number, (board, cell) in enumerate(product(range(boards), cells))
    ]


def test_boards_are_drawn_whole_and_evenly() -> None:
    entries = entries_of(200)
    each = len(entries) // 200
    taken = drawn(entries, each * 40 + 3)
    boards = Counter(entry.cell.profiles["board"] for entry in taken)
    assert len(boards) >= 39
    assert list(boards.values()).count(each) >= len(boards) - 1
    numbers = sorted(int(board.partition("-")[2]) for board in boards)
    assert numbers[0] < 40
    assert numbers[-1] > 160
    assert [entry.key for entry in taken] == sorted(entry.key for entry in taken)
    assert drawn(list(entries), each * 40 + 3) == taken, "the same each time"


def test_of_one_large_board_configurations_are_drawn_whole() -> None:
    entries = entries_of(1, seeds=20)
    taken = drawn(entries, 100)
    assert 0 < len(taken) <= 100
    found = Counter((each.cell.cipher, each.cell.mac) for each in taken)
    whole = Counter((each.cell.cipher, each.cell.mac) for each in entries)
    assert all(found[suite] == whole[suite] for suite in found)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journal:
    """A run with more cells than are shown."""
    for module in ("cli.show", "cli.run", "judge.robustness", "judge.results"):
        monkeypatch.setattr(f"firesteel.{module}.MOST", 20)
    experiment = load_experiment("quickstart")
    cells = experiment.cells(quick=True, seeds=5)
    return execute(experiment, cells, Options(quick=True), FakeRunner(), Store(tmp_path), Notes())


def test_every_view_says_how_much_it_shows(
    large: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ("--store", str(tmp_path))
    shown = len(load_results(Store(tmp_path), most=drawing.MOST).records)
    assert 0 < shown <= 20
    said = f"{shown} of 45 finished cells"
    where = f"`firesteel show {large.name} --part samples`"
    for words in (("show",), ("show", "--part", "answer")):
        text = " ".join(call(monkeypatch, *words, *store).stdout.split())
        assert said in text
        assert where in text
    rows = call(monkeypatch, "show", "--format", "json", *store)
    assert said in rows.stderr
    assert json.loads(rows.stdout)
    page = call(monkeypatch, "report", *store).stdout.strip()
    assert said in Path(page).read_text()
    assert "45 of 45 cells measured" in Path(page).read_text()


def test_export_has_all(large: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "all.json"
    call(
        monkeypatch,
        *("show", "--part", "samples", "--format", "json"),
        *("--output", str(output), "--store", str(tmp_path)),
    )
    rows = json.loads(output.read_text())
    assert {row["record"] for row in rows} == {entry.key for entry in large.entries}
