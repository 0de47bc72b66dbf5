# SPDX-License-Identifier: Apache-2.0
"""Runs: what is measured, what comes from the store, and what becomes of failures and Ctrl-C."""

import _thread
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runner import FakeRunner
from fake_watcher import Notes

from firesteel.base.errors import StoreError
from firesteel.base.files import Claim, write_whole
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.run.experiment.experiment import Experiment, load_experiment
from firesteel.run.loop import Interrupted, Options, default_jobs, execute
from firesteel.store.journal import Journal
from firesteel.store.store import Store

LABELS = [cell.label for cell in load_experiment("quickstart").cells()]


def go(
    store: Store,
    runner: FakeRunner,
    *,
    jobs: int = 1,
    fresh: bool = False,
    watcher: Notes | None = None,
) -> Journal:
    experiment: Experiment = load_experiment("quickstart")
    options = Options(quick=True, fresh=fresh, jobs=jobs)
    cells = experiment.cells(quick=True)
    return execute(experiment, cells, options, runner, store, watcher or Notes())


def files(store: Store) -> dict[str, bytes]:
    records = store.root / "records"
    return {path.name: path.read_bytes() for path in records.rglob("*.json")}


def test_a_run_measures_all_cells_in_order_and_keeps_them(tmp_path: Path) -> None:
    store, runner = Store(tmp_path), FakeRunner()
    journal = go(store, runner)
    assert runner.measured == LABELS
    assert [entry.state for entry in journal.entries] == ["done"] * 9
    assert store.journal() == journal
    assert [record.cell.label for record in store.records(journal)] == LABELS
    assert not store.logs(journal.name).exists()


def test_a_second_run_takes_all_from_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    go(store, FakeRunner())
    runner, notes = FakeRunner(), Notes()
    journal = go(store, runner, watcher=notes)
    assert runner.measured == []
    assert notes.endings == ["stored"] * 9
    assert journal.count("done") == 9


def test_fresh_measures_again_and_finds_the_same(tmp_path: Path) -> None:
    store = Store(tmp_path)
    go(store, FakeRunner())
    before = files(store)
    runner = FakeRunner()
    assert go(store, runner, fresh=True).count("done") == 9
    assert runner.measured == LABELS
    assert files(store) == before


def pause(_: Cell, cancel: threading.Event) -> None:
    cancel.wait(0.05)


@pytest.mark.parametrize("fresh", [False, True])
def test_of_two_runs_at_once_one_measures_each_cell(tmp_path: Path, fresh: bool) -> None:
    runners = FakeRunner(before=pause), FakeRunner(before=pause)
    with ThreadPoolExecutor(2) as pool:
        both = pool.map(lambda each: go(Store(tmp_path), each, jobs=2, fresh=fresh), runners)
        assert [journal.count("done") for journal in both] == [9, 9]
    measured = [label for runner in runners for label in runner.measured]
    assert sorted(measured) == sorted(LABELS * (2 if fresh else 1))
    assert not list((tmp_path / "claims").iterdir())


def test_a_claim_that_ctrl_c_interrupts_can_be_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    claim = store.claim("key")
    with monkeypatch.context() as context:
        context.setattr("os.fstat", interrupted)
        with pytest.raises(KeyboardInterrupt):
            claim.take()
    assert not store.claim("key").take()
    claim.release()
    assert claim.take()
    claim.release()


def test_a_cell_that_another_process_measures_is_waited_for(tmp_path: Path) -> None:
    store, runner = Store(tmp_path), FakeRunner()
    inputs = runner.inputs(load_experiment("quickstart").cells(quick=True)[3])
    claim = store.claim(inputs.key)
    assert claim.take()
    assert not store.claim(inputs.key).take()

    class Other(Notes):
        """Measures that cell when the run has nothing else to do."""

        def remark(self, text: str) -> None:
            super().remark(text)
            run = FakeRunner().measure(inputs.cell, tmp_path / "logs", threading.Event())
            store.put(inputs, run, runner.packages())
            claim.release()

    notes = Other()
    assert go(store, runner, watcher=notes).count("done") == 9
    assert LABELS[3] not in runner.measured
    assert notes.endings == ["measured"] * 8 + ["stored"]
    assert notes.remarks == ["another process is measuring the remaining cells"]


def test_a_failed_cell_keeps_its_logs_and_the_others_go_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = go(store, FakeRunner(fail=["ipsec none:none software"]))
    assert (journal.count("done"), journal.count("failed")) == (8, 1)
    entry = next(entry for entry in journal.entries if entry.state == "failed")
    assert entry.problem.startswith("Node `board` failed: ")
    logs = store.logs(journal.name)
    assert [path.name for path in logs.iterdir()] == ["ipsec-none-none-software"]
    assert (logs / entry.slug / "console").read_text() == "booting\n"
    again = FakeRunner()
    assert go(store, again).count("done") == 9
    assert again.measured == ["ipsec none:none software"]


def test_logs_of_cells_of_one_name_are_told_apart_by_place(tmp_path: Path) -> None:
    journal = go(Store(tmp_path), FakeRunner())
    (entry, *_) = journal.entries
    elsewhere = entry.cell.model_copy(update={"topology": "hub"})
    both = [entry, entry.model_copy(update={"cell": elsewhere})]
    names = [journal.model_copy(update={"entries": both}).logs_of(each) for each in both]
    assert names == [f"{entry.slug}-socrates-{where}-board" for where in ("host-host", "hub")]
    assert journal.logs_of(entry) == entry.slug


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def interrupt_at(label: str) -> Callable[[Cell, threading.Event], None]:
    def before(cell: Cell, cancel: threading.Event) -> None:
        if cell.label == label:
            _thread.interrupt_main()
            assert cancel.wait(10)

    return before


# The interrupt may come between the opening of a file and the statement that closes it
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <_io.FileIO:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished_and_a_rerun_goes_on(tmp_path: Path, jobs: int) -> None:
    store = Store(tmp_path)
    stopped = FakeRunner(before=interrupt_at(LABELS[4]))
    with pytest.raises(Interrupted) as caught:
        go(store, stopped, jobs=jobs)
    assert "latest" not in [path.name for path in store.runs.iterdir()]
    done = caught.value.journal.count("done")
    assert 3 <= done <= 5
    assert caught.value.journal.count("waiting") == 9 - done
    assert store.journal() == caught.value.journal
    runner = FakeRunner()
    assert go(store, runner, jobs=jobs).count("done") == 9
    assert len(runner.measured) == 9 - done
    whole = Store(tmp_path / "whole")
    go(whole, FakeRunner())
    assert files(store) == files(whole)


def test_ctrl_c_while_a_cell_ends_does_not_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, given_back = Claim.release, []

    def interrupted(claim: Claim) -> None:
        release(claim)
        given_back.append(claim)
        if len(given_back) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Claim, "release", interrupted)
    with pytest.raises(Interrupted) as caught:
        go(Store(tmp_path), FakeRunner())
    assert caught.value.journal.count("done") == len(files(Store(tmp_path)))


def test_a_damaged_record_is_told_and_measured_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal = go(store, FakeRunner())
    path = store.record_path(journal.entries[2].key)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    runner, notes = FakeRunner(), Notes()
    go(store, runner, watcher=notes)
    assert runner.measured == [LABELS[2]]
    assert len(notes.remarks) == 1
    assert "damaged" in notes.remarks[0]
    assert path.read_bytes() == whole


class Drifting(FakeRunner):
    """Breaks the promise that a cell is a pure function of its inputs."""

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        found = super().measure(cell, logs, cancel)
        return replace(found, trace_digest="0" * 64)


def test_a_cell_that_comes_out_different_has_failed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    go(store, FakeRunner())
    before = files(store)
    journal = go(store, Drifting(), fresh=True)
    assert journal.count("failed") == 9
    assert "this record differs" in journal.entries[0].problem
    assert files(store) == before


@pytest.mark.parametrize("full", ["records", "runs", ""])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_ends_the_run_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str, jobs: int
) -> None:
    store = Store(tmp_path)
    whole = write_whole

    def refuse(path: Path, content: bytes) -> None:
        if full in path.relative_to(tmp_path).parts or not full:
            raise StoreError("full")
        whole(path, content)

    def refuse_line(_: int, content: bytes, path: Path) -> None:
        refuse(path, content)

    def fill(cell: Cell, cancel: threading.Event) -> None:
        if cell.label == LABELS[3]:
            monkeypatch.setattr("firesteel.store.store.write_whole", refuse)
            if full != "records":
                monkeypatch.setattr("firesteel.store.journal.append_whole", refuse_line)
        elif cell.label == LABELS[4]:
            assert cancel.wait(10)

    runner = FakeRunner(before=fill)
    with pytest.raises(StoreError, match=r"^full$"):
        go(store, runner, jobs=jobs)
    assert set(LABELS[:2]) <= set(runner.measured) <= set(LABELS[:4])
    journal = store.journal()
    assert journal.count("failed") == 0
    assert journal.count("waiting") >= 5
    assert all(entry.seconds is None for entry in journal.entries if entry.state == "waiting")
    assert len(files(store)) >= 2


def test_a_store_that_cannot_be_written_is_told_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("")
    runner = FakeRunner()
    with pytest.raises(StoreError, match="records: .*File exists"):
        go(Store(tmp_path), runner)
    assert runner.prepared == 0


@pytest.mark.parametrize(
    ("kilobytes", "least", "most"), [(100_000, 1, 1), (1_600_000, 1, 1), (10**9, 1, 9)]
)
def test_cells_side_by_side_fit_cpus_and_memory(
    tmp_path: Path, kilobytes: int, least: int, most: int
) -> None:
    (tmp_path / "meminfo").write_text(f"MemTotal: 5 kB\nMemAvailable: {kilobytes} kB\n")
    cells = load_experiment("quickstart").cells()
    assert least <= default_jobs(cells, tmp_path / "meminfo") <= most
    assert default_jobs(cells[:1], tmp_path / "meminfo") == 1
