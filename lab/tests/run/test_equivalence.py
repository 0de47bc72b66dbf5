# SPDX-License-Identifier: Apache-2.0
"""A sweep of the cores measures software once, whose record stands for all boards."""

from pathlib import Path

from fake_watcher import Notes
from made_sensitivity import BoardsRunner
from made_sweep import CLOCK, ONLY, by_clock, swept

from firesteel.judge.results import load_results
from firesteel.run.board_runner import EquivalenceRunner, measured_for
from firesteel.run.estimate import cost_estimate
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import sweep_of_options
from firesteel.run.verify import choose, verify
from firesteel.store.setup import catalog_of
from firesteel.store.store import Store

VALUES = f"{CLOCK}=50,100,200 MHz"


def test_software_is_measured_once_and_there_at_every_point(tmp_path: Path) -> None:
    journal, runner, store = swept(tmp_path, VALUES)
    assert len(journal.entries) == 6
    assert journal.count("done") == 6
    assert journal.varied == (CLOCK,)
    assert sorted(runner.boards_measured) == [
        ("openvpn aes-256-cbc:none hardware", "socrates"),
        ("openvpn aes-256-cbc:none hardware", f"socrates+{CLOCK}=200000000"),
        ("openvpn aes-256-cbc:none hardware", f"socrates+{CLOCK}=50000000"),
        ("openvpn aes-256-cbc:none software", "socrates"),
    ]
    found = load_results(store, journal.name)
    pairs = found.offloads
    of_files = [pair for pair in pairs if pair.metric == "throughput"]
    speeds = {pair.identity.board: pair.judged.speed for pair in of_files}
    assert speeds == {
        f"socrates+{CLOCK}=50000000": 0.5,
        "socrates": 1.0,
        f"socrates+{CLOCK}=200000000": 2.0,
    }


def test_the_record_that_stands_for_others_says_what_was_measured(tmp_path: Path) -> None:
    journal, _, store = swept(tmp_path, f"{CLOCK}=50,200 MHz")
    (key,) = {e.key for e in journal.entries if e.cell.implementation == "software"}
    record = store.get(key)
    assert record
    assert record.cell.profiles["board"] == "socrates"
    assert not record.stands
    assert store.record(journal, journal.entries[0]).stands


def test_what_uses_its_cores_stands_for_itself() -> None:
    told = load("openvpn", sweep=sweep_of_options([f"{CLOCK}=50 MHz"]))
    for cell in told.cells(True):
        assert (measured_for(cell, told.catalog) == cell) == cell.on_cores


def test_cells_of_a_record_that_failed_have_failed(tmp_path: Path) -> None:
    fail = ("openvpn aes-256-cbc:none software socrates",)
    journal, _, _ = swept(tmp_path, VALUES, fail=fail)
    failed = [entry for entry in journal.entries if entry.state == "failed"]
    assert [entry.cell.implementation for entry in failed] == ["software"] * 3
    assert len({entry.problem for entry in failed}) == 1
    assert journal.count("waiting") == 0


def test_a_sweep_is_verified_by_what_was_measured(tmp_path: Path) -> None:
    journal, _, store = swept(tmp_path / "store", f"{CLOCK}=50,200 MHz")
    chosen = choose(store, journal.entries, None)
    records = [store.as_measured(journal, entry) for entry in chosen.entries]
    catalog = catalog_of((each.cell, each.setup) for each in records)
    runner = BoardsRunner(catalog, by_clock)
    outcomes = verify(store, journal, chosen.entries, runner, Store(tmp_path / "x"), Notes(), 1)
    assert [outcome.verdict for outcome in outcomes] == ["same"] * 3


def test_what_a_run_will_take_is_told_before_it_starts(tmp_path: Path) -> None:
    sweep = load("openvpn", sweep=sweep_of_options([f"{CLOCK}=50,100,200 MHz"]))
    cells = select(sweep.cells(True), ONLY)
    runner = EquivalenceRunner(BoardsRunner(sweep.catalog), sweep.catalog)
    runner.prepare(cells)
    store = Store(tmp_path)
    told = cost_estimate([cells], runner, [store], 1).sentence
    unknown = "unknown, as no such cell was measured before; space: unknown."
    assert told == f"6 cells with 4 records, 4 new; time: {unknown}"
    swept(tmp_path, f"{CLOCK}=50,100 MHz")
    nowhere = cost_estimate([cells], runner, [store], 0).sentence
    assert "; time: unknown, as no machine is ready; space: about " in nowhere
    told = cost_estimate([cells], runner, [store], 2).sentence
    assert told.startswith("6 cells with 4 records, 1 new; time: about ")
    batches = [cells[at : at + 2] for at in range(0, len(cells), 2)]
    told = cost_estimate(batches, runner, [store], 2, most=2).sentence
    assert told.startswith("4 cells with 3 records, 1 new; "), "what is dearest"
    journal = store.journal()
    for entry in journal.entries:
        entry.seconds = 10
    store.save(journal)
    both = [Store(tmp_path / "other"), store]
    assert "4 new; time: about 30 s; " in cost_estimate(batches, runner, both, 2).sentence
    assert "4 new; time: about 20 s; " in cost_estimate([cells], runner, both, 2).sentence
    swept(tmp_path, VALUES)
    told = cost_estimate([cells], runner, [store], 2).sentence
    assert told == "6 cells with 4 records, all in the store."
    assert "4 new" in cost_estimate([cells], runner, [store], 2, fresh=True).sentence
