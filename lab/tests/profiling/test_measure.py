# SPDX-License-Identifier: Apache-2.0
"""A profile is of the record's very run, or there is none."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runner import FakeRunner
from made_up import run_of_record

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, NodeResult
from firesteel.model.cell import Cell
from firesteel.profiling.counts import Counts
from firesteel.profiling.measure import check_inputs, check_same, check_sum
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store.record import Record
from firesteel.store.store import Store

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
