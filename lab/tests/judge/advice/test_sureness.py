# SPDX-License-Identifier: Apache-2.0
"""How sure advice is, by the studies of sensitivity in the store."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from advice_store import CPU_TIME, LONG_RTT, RATE, RTT, Runs, cell
from commands import invoke
from made_sensitivity import point, swing_of

from firesteel.boards.assumptions import load_assumptions
from firesteel.judge.advice.advice import advise
from firesteel.judge.sensitivity import Point, Row, Study, Swing, save
from firesteel.judge.verdict import Offload
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import select
from firesteel.search.commands import ask
from firesteel.store.store import Store

SUITE = ("openvpn", "aes-256-cbc:sha256")
SOFTWARE = {RTT: 1.0, LONG_RTT: 2.0, RATE: 5.0, CPU_TIME: 0.2}
HARDWARE = {RTT: 1.0, LONG_RTT: 1.5, RATE: 8.0, CPU_TIME: 0.1}


def swing(row: Offload, standing: str) -> Swing:
    """A swing over which the row's verdict holds or changes."""
    own = Point.of(row.judged)
    return swing_of(own, point(0.5, 2.0) if standing == "changes" else own)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("COLUMNS", "80")
    return Runs(Store(tmp_path))


def call(runs: Runs, *more: str) -> str:
    command = ("advise", "--protocol", SUITE[0], "--suite", SUITE[1])
    return invoke(*command, "--store", str(runs.store.root), *more).stdout


def told(runs: Runs, *more: str) -> str:
    return " ".join(call(runs, *more).split())


def study(
    runs: Runs,
    standings: Sequence[str],
    left_out: tuple[str, ...] = (),
    records: tuple[str, ...] | None = None,
    **nominal: Any,
) -> Path:
    """Keeps a study of the advised rows, as many as there are standings."""
    found = advise(runs.store, ask(*SUITE))
    keys = tuple(each.key for each in found.parts[0].records)
    rows = [
        Row(
            identity=row.identity,
            name="x",
            metric="throughput",
            records=keys if records is None else records,
            nominal=Point.of(row.judged).model_copy(update=nominal),
            swings=(swing(row, standing),),
        )
        for row, standing in zip(found.rows, standings, strict=False)
    ]
    made = Study(
        run="2026-11-22-test-1",
        experiment="openvpn",
        title="t",
        quick=True,
        started="2026-11-22T00:00:00+00:00",
        clocks=("cycles",),
        assumptions=load_assumptions(),
        left_out=left_out,
        rows=tuple(rows),
    )
    journal = runs.store.journal().model_copy(update={"name": made.run})
    runs.store.sensitivity.save(journal)
    return save(runs.store, made)


def test_without_a_study_the_command_that_makes_one_is_told(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), HARDWARE))
    text = told(runs)
    assert " to assumptions about the board is unknown; `firesteel sensitivity " in text
    found = json.loads(call(runs, "--format", "json"))["sensitivity"]["how_to_study"]
    name, quick, *only = shlex.split(found.split("`")[1])[2:]
    assert quick == "--quick"
    cells = select(load(name).cells(quick=True), only[1::2])
    assert {each.implementation for each in cells if ask(*SUITE).fits(each)} == {
        "software",
        "hardware",
    }


def test_a_recorded_study_is_told_as_such(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), HARDWARE))
    study(runs, ["holds"] * 3)
    assert "comes with the checkout" not in told(runs)
    checkout = Store(tmp_path / "checkout")
    checkout.root.mkdir()
    runs.store.sensitivity.runs.rename(checkout.sensitivity.runs)
    monkeypatch.setattr("firesteel.judge.robustness.RECORDED", checkout.root)
    assert "That comes with the checkout (recorded/: 2026-11-22-test-1)." in told(runs)
    (row, *_) = json.loads(call(runs, "--format", "json"))["rows"]
    assert row["sensitivity"]["recorded"] == ["2026-11-22-test-1"]


def test_one_row_says_what_it_depends_on(runs: Runs) -> None:
    runs.add((cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0}))
    study(runs, ["changes"])
    assert " It holds unless a register access takes more than " in told(runs)
    (row,) = json.loads(call(runs, "--format", "json"))["rows"]
    found = row["sensitivity"]
    assert (found["standing"], found["varied"]) == ("changes", ["register-access"])
    (change,) = found["changes"]
    assert (change["towards"], change["unit"]) == ("high", "ns")
    assert 100 < change["at"] < 200
    assert found["clause"] in told(runs)


def test_rows_that_differ_are_told_one_by_one(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), HARDWARE))
    study(runs, ["holds", "changes"])
    text = told(runs)
    assert "1 of 3 verdicts holds over the whole range of every assumption that varied." in text
    assert "Flood ping, 56 B: holds over" in text
    assert "Flood ping, 1000 B: holds unless" in text
    assert "File transfer, 16 MiB: is not known to hold: it was not studied." in text
    assert "How sensitive the others are is unknown; `firesteel sensitivity" in text


def test_a_study_of_other_records_or_with_another_verdict_says_nothing(runs: Runs) -> None:
    runs.add((cell(), SOFTWARE), (cell("hardware"), HARDWARE))
    study(runs, ["holds"] * 3, records=("f" * 64,))
    assert "is unknown; " in told(runs)
    study(runs, ["holds"] * 3, verdict="loses")
    assert "is unknown; " in told(runs)
