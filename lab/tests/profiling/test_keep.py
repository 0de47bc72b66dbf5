# SPDX-License-Identifier: Apache-2.0
"""Profiles are made once, and taken from any run that has the same record."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from commands import call
from fake_runner import FakeRunner
from made_runs import results_of
from made_up import run_of_record

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, NodeResult
from firesteel.model.cell import Cell
from firesteel.profiling import keep
from firesteel.profiling.counts import Counts
from firesteel.profiling.document import Profile, Stack, profile_path
from firesteel.profiling.keep import check_inputs, check_same, check_sum
from firesteel.run.experiment.experiment import load_experiment
from firesteel.run.loop import Cancelled
from firesteel.store.record import Record
from firesteel.store.store import Store

COLLECTION = """\
title = "all"
[[parts]]
experiment = "openvpn"
[profiles]
cells = ["openvpn aes-256-cbc:sha256"]
"""

PAIR = ["openvpn aes-256-cbc:sha256 software", "openvpn aes-256-cbc:sha256 hardware"]


class FakeProfiler:
    """Notes whose profiles it made; those of `broken` labels fail."""

    made: list[str]
    broken: set[str]

    def profile(self, record: Record, window: str, logs: Path, cancel: threading.Event) -> Profile:
        del logs
        if cancel.is_set():
            raise Cancelled
        cell = record.cell
        if cell.label in self.broken:
            raise FiresteelError(f"Cell {cell.label}: its figures came out different.")
        self.made.append(cell.label)
        return Profile(
            cell=cell.label,
            key=record.key,
            implementation=cell.implementation,
            node=cell.measured,
            window=window,
            instructions=7,
            stacks=(Stack(frames=("ssh", "libcrypto", "libcrypto.so.3", "f"), instructions=7),),
        )


@pytest.fixture
def profiler(monkeypatch: pytest.MonkeyPatch) -> type[FakeProfiler]:
    FakeProfiler.made, FakeProfiler.broken = [], set()
    monkeypatch.setattr(keep, "profiled", lambda _, *asked: FakeProfiler().profile(*asked))
    return FakeProfiler


def records(store: Path) -> tuple[str, tuple[Record, ...]]:
    found = results_of(store, lambda cell: cell.protocol == "openvpn", experiment="openvpn")
    return found.journal.name, found.records


def test_a_label_brings_its_partner_and_both_are_made_once(
    tmp_path: Path, profiler: type[FakeProfiler]
) -> None:
    store = Store(tmp_path)
    for _ in range(2):
        run, told = records(tmp_path)
        lines: list[str] = []
        assert (
            keep.make_all(store, run, told, ["openvpn aes-256-cbc:sha256"], 1, lines.append) == []
        )
        files = list((store.runs / run / "profiles").glob("*.json"))
        assert len(files) == 2
    assert profiler.made == PAIR
    assert lines == []


def test_a_damaged_profile_of_another_run_is_told(
    tmp_path: Path, profiler: type[FakeProfiler]
) -> None:
    store = Store(tmp_path)
    run, told = records(tmp_path)
    other, _ = records(tmp_path)
    path = profile_path(store, other, told[-1].key, "transfer-8388608", "transfer-8388608")
    path.parent.mkdir()
    path.write_text("[")
    label = told[-1].cell.label
    (problem,) = keep.make_all(store, run, told, [label.rpartition(" ")[0]], 2, print)
    assert str(problem).startswith(f"{path}: ")
    assert len(profiler.made) == 1


@pytest.mark.parametrize("broken", [False, True])
def test_a_run_makes_the_profiles_of_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, profiler: type[FakeProfiler], broken: bool
) -> None:
    file = tmp_path / "all.toml"
    file.write_text(COLLECTION)
    profiler.broken = {PAIR[1]} if broken else set()
    result = call(monkeypatch, "run", str(file), "--store", str(tmp_path / "store"))
    assert sorted(profiler.made) == sorted(PAIR[:1] if broken else PAIR)
    assert result.exit_code == int(broken)
    page = Path(result.stdout.splitlines()[-1]).read_text()
    assert PAIR[0].removesuffix(" software") in page
    assert ("no profile: Cell " + PAIR[1] in result.stderr) == broken


def test_ctrl_c_ends_profiling_and_says_how_to_have_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, profiler: type[FakeProfiler]
) -> None:
    def stopped(*_: object) -> Profile:
        raise KeyboardInterrupt

    monkeypatch.setattr(profiler, "profile", stopped)
    file = tmp_path / "all.toml"
    file.write_text(COLLECTION)
    result = call(monkeypatch, "run", str(file), "--store", str(tmp_path / "store"))
    assert result.exit_code == 130
    run = Store(tmp_path / "store").journal().name
    assert f"`firesteel report {run}`" in result.stderr


CELL: Cell = load_experiment("openvpn").cells(True)[0]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    runner = FakeRunner()
    run = runner.measure(CELL, tmp_path / "logs", threading.Event())
    return Store(tmp_path).put(runner.inputs(CELL), run, {})


def test_the_same_measurement_passes(record: Record) -> None:
    check_same(record, run_of_record(record))


def test_what_was_measured_with_something_else_is_refused_before_a_board_starts(
    record: Record,
) -> None:
    here = record.versions
    check_inputs(record, here)
    other = here.model_copy(update={"image": "0" * 64, "jobs": "1" * 64})
    with pytest.raises(FiresteelError, match="another image, jobs "):
        check_inputs(record, other)


def test_other_observations_or_another_trace_are_refused(record: Record) -> None:
    run = run_of_record(record)
    peer = replace(run.nodes["peer"], data={"one": b"byte more"})
    others = replace(run, nodes=run.nodes | {"peer": peer})
    traced = replace(run, trace_digest="0" * 64)
    for other, told in ((others, "observations"), (traced, "trace")):
        with pytest.raises(FiresteelError, match=f"its {told} differs from the record"):
            check_same(record, other)


def node(begin: int, end: int) -> NodeResult:
    marks = tuple(
        Mark(f"transfer.{name}", 0, count, 0, 0, 0)
        for name, count in (("begin", begin), ("end", end))
    )
    return NodeResult("board", marks, {}, "", load_profile("socrates"))


def test_the_sum_is_that_of_the_marks_to_the_instruction() -> None:
    check_sum(Counts({}, 500, 0), node(1000, 1500), "transfer")
    for off in (499, 501):
        with pytest.raises(FiresteelError, match=f"{off} instructions .* 500"):
            check_sum(Counts({}, off, 0), node(1000, 1500), "transfer")
