# SPDX-License-Identifier: Apache-2.0
"""Studies: what is measured for them, what they say, and what reports find of them."""

import json
import threading
from pathlib import Path

import pytest
from fake_watcher import Notes
from made_sensitivity import (
    CBC,
    BoardsRunner,
    by_registers,
    plan_of,
    run_of,
    study_of,
)

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import Mark, TopologyRun
from firesteel.judge.results import load_results
from firesteel.judge.robustness import robustness_of, studied_of
from firesteel.judge.sensitivity import (
    Sensitivity,
    crossovers,
    load,
    standing,
    studies,
    study_path,
)
from firesteel.model.cell import Cell
from firesteel.run.loop import Options, execute
from firesteel.search.plan import make_study
from firesteel.store.store import Store

TRANSFER = "OpenVPN AES-256-CBC:none, 8 MiB"


def test_a_study_has_every_verdict_at_both_ends_of_every_assumption(tmp_path: Path) -> None:
    study, journal, runner = study_of(tmp_path, "register-access", "core-clock", gain=by_registers)
    assert len(runner.boards_measured) == 3 + 2 + 2
    assert {row.identity.workload for row in study.rows} == {"ping", "file-transfer"}
    row = next(row for row in study.rows if row.name == TRANSFER)
    registers, clock = row.swings
    assert (registers.low.value, registers.nominal, registers.high.value) == (50, 120, 1000)
    speeds = [
        point.speed for point in (registers.low.point, row.nominal, registers.high.point) if point
    ]
    assert speeds == pytest.approx([4, 200 / 120, 0.2], abs=1e-4)
    assert standing(row, clock) == "holds"
    (flip,) = crossovers(row, registers)
    assert flip.verdict == "equal"
    assert flip.value == pytest.approx(200 * 0.98, rel=1e-3), "where the law says so"
    assert (study.run, study.quick, study.clocks) == (journal.name, True, ("cycles",))
    assert study.left_out[:3] == ("dma-latency", "multiplier-wait", "processor-frequency")


def test_nothing_is_measured_twice(tmp_path: Path) -> None:
    run_of(tmp_path)
    _, _, runner = study_of(tmp_path, "register-access")
    assert [board for _, board in runner.boards_measured] == [
        "socrates+register-access-50",
        "socrates+register-access-1000",
    ], "the run has the rest"
    again, _, idle = study_of(tmp_path, "register-access")
    assert idle.boards_measured == []
    first, second = studies(Store(tmp_path))
    assert first == again
    assert first.rows == second.rows


def test_a_cell_that_fails_leaves_rows_of_other_workloads_known(tmp_path: Path) -> None:
    """Handshakes and transfers are of one configuration, and cells of their own."""
    fail = ["openvpn aes-256-cbc:none hardware handshakes socrates+register-access-1000"]
    only = ["protocol=openvpn", "cipher=aes-256-cbc", "mac=none"]
    study, journal, _ = study_of(
        tmp_path, "register-access", fail=fail, only=only, experiment="thesis"
    )
    assert journal.count("failed") == 1
    known = {(row.identity.workload, row.swings[0].high.point is not None) for row in study.rows}
    assert known == {("ping", True), ("file-transfer", True)}


def test_a_verdict_needs_what_shows_the_link_at_every_end(tmp_path: Path) -> None:
    """Without traffic without a tunnel, a loss that the link makes would be one of hardware."""
    fail = ["no tunnel software socrates+processor-frequency-1600000000"]
    study, journal, _ = study_of(tmp_path, "processor-frequency", fail=fail)
    assert journal.count("failed") == 1
    for row in study.rows:
        (swing,) = row.swings
        assert swing.low.point
        assert swing.high.point is None


class _Waiting(BoardsRunner):
    """Its boards in software wait for registers of the cores."""

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        run = super().measure(cell, logs, cancel)
        mark = Mark("power-off", 2, 1, 0, 0 if cell.on_cores else 1, 0)
        object.__setattr__(run.nodes[cell.measured], "marks", (mark,))
        return run


def test_software_that_waited_for_the_cores_stands_for_no_other_board(tmp_path: Path) -> None:
    for name, wrong in (("register-access", True), ("processor-frequency", False)):
        told, plan = plan_of(name)
        store, runner = Store(tmp_path / name), _Waiting(told.catalog)
        journal = execute(
            plan.subject, plan.all_cells, Options(), runner, store.sensitivity, Notes()
        )
        if not wrong:
            make_study(plan, journal, store, told.catalog)
            continue
        with pytest.raises(FiresteelError, match="its processor waited 1 ns for registers"):
            make_study(plan, journal, store, told.catalog)


def test_a_study_is_kept_and_read_as_it_was(tmp_path: Path) -> None:
    study, _, _ = study_of(tmp_path, "register-access", gain=by_registers)
    assert load(Store(tmp_path), study.run) == study


def damage(path: Path, change: object) -> None:
    content = json.loads(path.read_text())
    content["rows"][0]["name"] = change
    path.write_text(json.dumps(content))


def test_a_damaged_study_is_told_in_one_sentence(tmp_path: Path) -> None:
    study, _, _ = study_of(tmp_path, "register-access")
    path = study_path(Store(tmp_path), study.run)
    damage(path, "other")
    with pytest.raises(FiresteelError) as error:
        studies(Store(tmp_path))
    assert str(error.value).startswith(f"{path}: this study of sensitivity is damaged (its digest")
    assert str(error.value).endswith("`firesteel sensitivity` makes it again from its records.")


def test_a_run_finds_what_is_known_of_its_rows(tmp_path: Path) -> None:
    study, _, _ = study_of(tmp_path, "register-access", "core-clock")
    results = load_results(Store(tmp_path), run_of(tmp_path))
    found = Sensitivity.of_all(studied_of(Store(tmp_path), results.keys).values())
    assert found
    assert dict(found) == {name: getattr(study, name) for name in dict(found)}
    by_row = studied_of(Store(tmp_path), results.keys)
    assert {each.row for each in by_row.values()} == set(study.rows)
    assert {each.left_out for each in by_row.values()} == {study.left_out}


def test_several_studies_of_other_assumptions_say_what_one_of_all_says(tmp_path: Path) -> None:
    first, _, _ = study_of(tmp_path, "register-access", gain=by_registers)
    study_of(tmp_path, *first.left_out[:2], gain=by_registers)
    results = load_results(Store(tmp_path), run_of(tmp_path))
    found = Sensitivity.of_all(studied_of(Store(tmp_path), results.keys).values())
    assert found is not None
    assert [each.name for each in found.assumptions] == ["register-access", *first.left_out[:2]]
    assert found.left_out == first.left_out[2:]
    whole, _, _ = study_of(tmp_path / "whole", gain=by_registers)
    by_name = {row.identity: row for row in whole.rows}
    for row in found.rows:
        named = {each.name for each in found.assumptions}
        swings = [swing for swing in by_name[row.identity].swings if swing.assumption in named]
        assert list(row.swings) == swings


def test_studies_of_other_records_say_nothing_of_a_run(tmp_path: Path) -> None:
    study_of(tmp_path, "register-access")
    results = load_results(Store(tmp_path), run_of(tmp_path, only=("suite=aes-256-gcm:gcm",)))
    assert studied_of(Store(tmp_path), results.keys) == {}


def test_the_answer_says_how_many_verdicts_are_firm_once_they_were_studied(tmp_path: Path) -> None:
    results, store = load_results(Store(tmp_path), run_of(tmp_path)), Store(tmp_path)
    assert not robustness_of(store, results).in_short, "there is neither a study nor another clock"
    study_of(tmp_path, "register-access", gain=by_registers)
    assert robustness_of(store, results).in_short == (
        "Firm on both clocks and over all assumed ranges: 0 of 15 verdicts. An assumption changes "
        "5 (5 to a loss). 10 are not known to be: the other clock was not measured."
    )


def test_a_cell_that_fails_leaves_its_end_unknown(tmp_path: Path) -> None:
    fail = ["socrates+register-access-1000"]
    study, journal, _ = study_of(tmp_path, "register-access", fail=fail)
    assert journal.count("failed") == 1
    for row in study.rows:
        assert row.swings[0].high.point is None
        assert standing(row) == "not known"
    said = study.headline
    assert f"; {len(study.rows)} are not known, because an end of a range is missing." in said


@pytest.mark.parametrize(("speed", "known"), [(1.5, True), (1.6, False)])
def test_a_recorded_study_is_of_another_build_of_the_emulator_that_did_the_same(
    tmp_path: Path, speed: float, known: bool
) -> None:
    recorded, own = tmp_path / "recorded", Store(tmp_path / "own")
    study, _, _ = study_of(recorded, "register-access")
    run = run_of(own.root, gain=lambda _: speed, only=CBC, qemu="1" * 64)
    results = load_results(own, run)
    assert results.keys.isdisjoint(key for row in study.rows for key in row.records)
    found = studied_of(own, results.keys, Store(recorded))
    assert set(found) == ({row.identity for row in study.rows} if known else set())
