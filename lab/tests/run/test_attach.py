# SPDX-License-Identifier: Apache-2.0
"""A run is followed from outside: what began and ended, and that its process is gone."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import call
from fake_runner import FakeRunner
from fake_watcher import Notes
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.run.attach import Follower, under_way
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Interrupted, Options, execute
from firesteel.show.screen import Screen
from firesteel.store.journal import Entry, Journal, Progress
from firesteel.store.record import Record
from firesteel.store.store import Store

EXPERIMENT = load_experiment("quickstart")
CELLS = EXPERIMENT.cells(quick=True)
FAILING = "ipsec none:none software"


class Heard(Notes):
    """What is told of a run, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.records = 0

    def opened(self, journal: Journal) -> None:
        super().opened(journal)
        self.told.append(f"opened {journal.count('waiting')}")

    def began(self, entry: Entry, machine: str = "") -> None:
        self.told.append(f"began {entry.cell.label} {machine}".strip())

    def ended(self, entry: Entry, record: Record | None) -> None:
        super().ended(entry, record)
        self.told.append(f"{entry.state} {entry.cell.label}")
        self.records += record is not None


def started(store: Store) -> Journal:
    """A run of which this test says what happens."""
    journal = Journal(
        name="2026-11-20-quickstart-1",
        experiment="quickstart",
        title="t",
        quick=True,
        started="2026-11-20T12:00:00+00:00",
        entries=[Entry(cell=cell, key=f"{n:064x}") for n, cell in enumerate(CELLS[:4])],
    )
    store.save(journal)
    return journal


def end(journal: Journal, number: int, progress: Progress, problem: str = "") -> None:
    entry = journal.entries[number]
    entry.state, entry.seconds, entry.problem = "failed" if problem else "done", 1.5, problem
    progress.ended([(number, entry)])


def pausing(*steps: Callable[[], object]) -> Callable[[float], None]:
    """Takes a step at each pause."""
    rest = iter(steps)

    def pause(_: float) -> None:
        next(rest)()

    return pause


def test_all_that_happens_is_told_once_and_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal, heard = started(store), Heard()
    labels = [entry.cell.label for entry in journal.entries]
    progress = Progress(store.progress_path(journal.name), 2)
    progress.began(0)
    progress.began(1, on="elsewhere")
    progress.at_once(1)
    progress.began(1, on="elsewhere")
    end(journal, 0, progress)
    assert under_way(store) == [journal.name]

    def more() -> None:
        progress.at_once(0)
        progress.began(2)
        end(journal, 1, progress, "no tunnel")

    def finish() -> None:
        end(journal, 2, progress)
        store.save(journal)
        progress.close()

    follower = Follower(store, journal.name, pausing(more, finish))
    assert follower.at_once == 1
    assert follower.follow(heard) == "ended"
    assert heard.jobs == [0]
    assert heard.told == [
        "opened 3",
        f"began {labels[1]} elsewhere",
        f"began {labels[1]} elsewhere",
        f"began {labels[2]}",
        f"failed {labels[1]}",
    ]
    assert heard.remarks == ["1 of 4 cells have ended before"]
    assert follower.journal == journal, "what was not seen is in the journal"
    assert under_way(store) == []


def test_a_process_that_is_gone_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path)
    journal, heard = started(store), Heard()
    progress = Progress(store.progress_path(journal.name), 2)

    def die() -> None:
        end(journal, 3, progress)
        progress.close()

    follower = Follower(store, journal.name, pausing(die, lambda: None))
    assert follower.follow(heard) == "gone"
    assert heard.told[-1] == f"done {journal.entries[3].cell.label}", "its last word is heard"
    assert follower.journal.count("done") == 1


RUN = """
import sys, time
from pathlib import Path
import made_up
from fake_runner import FakeRunner
from fake_watcher import Notes
from firesteel.run.loop import Options, execute
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store.record import use
from firesteel.store.store import Store
use(made_up.MadeUp())
experiment = load_experiment("quickstart")
def before(cell, cancel):
    if cell.label.startswith("ipsec"):
        print("there", flush=True)
        time.sleep(60)
execute(experiment, experiment.cells(quick=True), Options(quick=True), FakeRunner(before=before),
        Store(Path(sys.argv[1])), Notes())
"""


def test_a_run_that_was_killed_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-P", "-c", RUN, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    store = Store(tmp_path)
    (name,) = store.run_names()
    assert under_way(store) == []
    result = call(monkeypatch, "show", name, "--follow", "--store", str(tmp_path))
    assert result.exit_code == 1
    assert result.stdout.startswith(f"The process of the run {name} is gone: 5 of 9 cells are done")
    runner, notes = FakeRunner(), Notes()
    execute(EXPERIMENT, CELLS, Options(quick=True), runner, store, notes)
    assert len(runner.measured) == 4
    assert notes.endings == ["stored"] * 5 + ["measured"] * 4


def test_watch_says_how_a_run_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    with pytest.raises(FiresteelError, match=f"No run is under way in {tmp_path}; "):
        call(monkeypatch, "show", "--follow", "--store", str(tmp_path))
    journal = execute(EXPERIMENT, CELLS, Options(), FakeRunner(), store, Notes())
    result = call(monkeypatch, "show", journal.name, "--follow", "--store", str(tmp_path))
    assert result.exit_code == 0
    assert f"The run {journal.name} has ended: 9 of 9 cells are done" in result.stdout
    journal = execute(
        EXPERIMENT, CELLS, Options(fresh=True), FakeRunner(fail=[FAILING]), store, Notes()
    )
    result = call(monkeypatch, "show", journal.name, "--follow", "--store", str(tmp_path))
    assert result.exit_code == 1
    assert "has ended: 8 of 9 cells are done, 1 failed" in result.stdout
    with pytest.raises(Interrupted):
        execute(EXPERIMENT, CELLS, Options(fresh=True), Stopped(), store, Notes())
    result = call(monkeypatch, "show", store.run_names()[-1], "--follow", "--store", str(tmp_path))
    assert result.exit_code == 1
    assert "was stopped: 0 of 9 cells are done." in result.stdout


@pytest.mark.parametrize("command", ["sensitivity", "design"])
def test_watch_names_the_command_that_made_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    place = Store(tmp_path, command)
    journal = execute(EXPERIMENT, CELLS, Options(), FakeRunner(), place, Notes())
    result = call(monkeypatch, "show", journal.name, "--follow", "--store", str(tmp_path))
    assert f"9 of 9 cells are done; the same `firesteel {command}` has the answer" in result.stdout
    lost = started(place)
    progress = Progress(place.progress_path(lost.name), 2)
    progress.began(0)
    progress.close()
    result = call(monkeypatch, "show", lost.name, "--follow", "--store", str(tmp_path))
    assert f"the same `firesteel {command}` continues from there" in result.stdout
    with pytest.raises(FiresteelError, match="and not those of `firesteel sensitivity`"):
        call(monkeypatch, "show", "--follow", "--store", str(tmp_path))


class Stopped(FakeRunner):
    """Is stopped by the user at once."""

    def packages(self) -> dict[str, str]:
        raise KeyboardInterrupt


def test_many_cells_from_the_store_are_one_line(tmp_path: Path) -> None:
    console = Console(file=(out := io.StringIO()), width=100)
    store = Store(tmp_path)
    cells = EXPERIMENT.cells(quick=True, seeds=12)
    with Screen(console, store, 1) as screen:
        execute(EXPERIMENT, cells[:-1], Options(quick=True), FakeRunner(), store, Notes())
        execute(EXPERIMENT, cells, Options(quick=True), FakeRunner(), store, screen)
    lines = out.getvalue().splitlines()
    assert lines[1] == "[107/108] 107 cells from the store"
    assert len(lines) == 4
    assert lines[-1].startswith("[108/108] ")
