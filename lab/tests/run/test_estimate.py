# SPDX-License-Identifier: Apache-2.0
"""How long the rest of a run will take: near from the first minute on, also on a slower machine."""

import heapq
import io
import re
from pathlib import Path

import pytest
from made_runs import results_of
from rich.console import Console

from firesteel.model.cell import Cell
from firesteel.run.estimate import Eta
from firesteel.run.experiment.experiment import load_experiment
from firesteel.show.screen import Screen
from firesteel.store.journal import Entry, Journal
from firesteel.store.store import Store
from firesteel.workloads.handshakes import HandshakePlan
from firesteel.workloads.openssl_speed import SpeedPlan

JOBS = 2


def cells_of(*experiments: str) -> list[Cell]:
    return [cell for name in experiments for cell in load_experiment(name).cells(quick=True)]


def seconds_of(cell: Cell) -> float:
    """Handshakes take long, what is measured on one board is short."""
    kind = 100.0 if cell.plan(HandshakePlan) else 10.0 if cell.plan(SpeedPlan) else 30.0
    return kind * (1.4 if cell.implementation == "hardware" else 1.0)


def noted(tmp_path: Path, cells: list[Cell], name: str = "2026-01-01-all-1") -> Store:
    entries = [
        Entry(cell=cell, key=f"{number:064x}", state="done", seconds=seconds_of(cell))
        for number, cell in enumerate(cells)
    ]
    journal = Journal(
        name=name, experiment="all", title="All", quick=True, started="", entries=entries
    )
    store = Store(tmp_path)
    store.save(journal)
    return store


def errors(outlook: Eta, cells: list[Cell], slower: float) -> list[float]:
    """Predicted over true seconds left, at the start and when each cell of a run has ended.

    The run is played through with `slower` times the seconds that cells are known to take.
    """
    queue = [(seconds_of(cell) * slower, number) for number, cell in enumerate(cells)]
    ends: list[tuple[float, int]] = []
    began: dict[int, float] = {}
    now, found, truth = 0.0, [], _whole([each for each, _ in queue])
    while queue or ends:
        while queue and len(ends) < JOBS:
            seconds, number = queue.pop(0)
            began[number] = now
            heapq.heappush(ends, (now + seconds, number))
        running = [(cells[number], now - began[number]) for _, number in ends]
        told = outlook.left(running, [cells[number] for _, number in queue], JOBS)
        if told is not None and truth - now > 1:
            found.append(told / (truth - now))
        now, number = heapq.heappop(ends)
        outlook.note(cells[number], now - began[number])
    return found


def _whole(seconds: list[float]) -> float:
    free = [0.0] * JOBS
    for each in seconds:
        heapq.heappush(free, heapq.heappop(free) + each)
    return max(free)


@pytest.mark.parametrize("slower", [0.6, 1.0, 1.7])
def test_the_estimate_is_near_from_the_start(tmp_path: Path, slower: float) -> None:
    cells = cells_of("tls", "openvpn", "openssl-speed")
    outlook = Eta([noted(tmp_path, cells)])
    ratios = errors(outlook, cells, slower)
    assert len(ratios) > len(cells) / 2
    assert min(ratios) > 0.5
    assert max(ratios) < 2


def test_cells_that_were_never_measured_are_taken_to_be_like_others(tmp_path: Path) -> None:
    outlook = Eta([noted(tmp_path, cells_of("openvpn"))])
    (other,) = [cell for cell in cells_of("openvpn-hash") if cell.label.endswith("gcm software")]
    assert outlook.known(other) is None
    assert outlook.expected(other) == pytest.approx(30.0)


def test_nothing_is_said_while_nothing_is_known() -> None:
    cells = cells_of("openvpn")
    outlook = Eta([])
    assert outlook.left([], cells, JOBS) is None
    outlook.note(cells[0], 20.0)
    assert outlook.left([], cells[1:], JOBS) == pytest.approx(20.0 * len(cells[1:]) / JOBS)


def test_time_follows_the_machines_that_are_there(tmp_path: Path) -> None:
    cells = cells_of("openvpn")
    outlook = Eta([noted(tmp_path, cells)])
    whole = sum(seconds_of(cell) for cell in cells)
    assert outlook.left([], cells, 1) == pytest.approx(whole)
    assert outlook.left([], cells, 2) == pytest.approx(whole / 2)
    assert outlook.left([], cells, 0) is None
    assert outlook.left([(cells[0], 1.0)], cells[1:], 0) is None
    assert outlook.left([(cells[0], 1.0)], [], 0) == pytest.approx(seconds_of(cells[0]) - 1)
    overdue = outlook.left([(cells[0], 500.0)], [], JOBS)
    assert overdue is not None
    assert 0 < overdue < 100


def test_the_newest_run_counts_and_the_one_under_way_does_not(tmp_path: Path) -> None:
    (cell, *_) = cells_of("openvpn")
    store = noted(tmp_path, [cell])
    newer = store.journal().model_copy(update={"name": "2026-02-02-all-1"})
    newer.entries[0].seconds = 77.0
    store.save(newer)
    assert Eta([store]).known(cell) == 77.0
    assert Eta([store], besides=newer.name).known(cell) == seconds_of(cell)


def waiting(journal: Journal) -> Journal:
    """The same before anything was measured."""
    for entry in journal.entries:
        entry.state, entry.seconds = "waiting", None
    return journal


def test_the_screen_says_what_is_left_by_the_machines_that_are_there(tmp_path: Path) -> None:
    noted(tmp_path, cells_of("openvpn"))
    openvpn = results_of(tmp_path / "run", lambda cell: cell.protocol == "openvpn").journal
    console = Console(file=(out := io.StringIO()), width=100, force_terminal=True)

    def said() -> str:
        text = out.getvalue()
        out.seek(0)
        out.truncate()
        return text

    journal = waiting(openvpn)
    with Screen(console, Store(tmp_path), 0, clock=lambda: 0.0) as screen:
        screen.opened(journal)
        assert "4 cells, quick sizes, waiting for a machine" in said()
        screen.tick()
        assert "0 of 4 cells done, 0 running, 0 s so far, waiting for a machine" in said()
        screen.at_once(1)
        screen.began(journal.entries[0], "one")
        alone = said()
        screen.at_once(2)
        screen.began(journal.entries[1], "two")
        both = said()
        assert "measuring OpenVPN none:none on one: 0 s" in both
        assert "0 of 4 cells done, 2 running on 2 machines, 0 s so far, about " in both
    left = [re.findall("about ([^l]+) left", text)[-1] for text in (alone, both)]
    assert left[0] != left[1]
