# SPDX-License-Identifier: Apache-2.0
"""What `scripts/figures.sh measure` takes over, with a stand-in for the lab's commands."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_sensitivity import run_of, study_of

from firesteel.base.errors import FiresteelError
from firesteel.docs import record
from firesteel.docs.runs import Run
from firesteel.sensitivity.study import load
from firesteel.store.store import Store


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty place for records, of the run `tunnels` and the study `tunnels-sensitivity`, whose
    commands measure made-up boards in the store of the cache.
    """
    usual, place = tmp_path / "cache" / "store", tmp_path / "recorded"

    def lab(command: Sequence[str], check: bool) -> subprocess.CompletedProcess[str]:
        assert not check
        if command[4] == "run":
            run_of(usual)
        else:
            study_of(usual, "register-access")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", lab)
    monkeypatch.setattr(record, "RECORDED", place)
    monkeypatch.setattr(record, "cache_directory", lambda: tmp_path / "cache")
    monkeypatch.setattr(record, "load_runs", lambda: (Run(name="tunnels", experiment="openvpn"),))
    studies = (Run(name="tunnels-sensitivity", experiment="openvpn"),)
    monkeypatch.setattr(record, "load_studies", lambda: studies)
    return Store(place)


def test_a_run_is_kept_with_its_records_and_a_study_without(recorded: Store) -> None:
    assert record.main(["measure", "tunnels"]) == 0
    assert recorded.run_names() == ["tunnels"]
    assert recorded.sensitivity.run_names() == []
    kept = {path.stem for path in (recorded.root / "records").rglob("*.json")}
    assert record.main(["measure", "tunnels-sensitivity"]) == 0
    assert recorded.sensitivity.run_names() == ["tunnels-sensitivity"]
    study = load(recorded, "tunnels-sensitivity")
    assert study
    assert study.run == "tunnels-sensitivity"
    assert {key for row in study.rows for key in row.records} <= kept
    assert {path.stem for path in (recorded.root / "records").rglob("*.json")} == kept


def test_what_is_no_longer_named_is_removed(
    recorded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert record.main(["measure"]) == 0
    monkeypatch.setattr(record, "load_studies", lambda: ())
    assert record.main(["measure", "tunnels"]) == 0
    assert recorded.run_names() == ["tunnels"]
    assert recorded.sensitivity.run_names() == []


def test_a_name_that_nothing_has_is_refused(
    recorded: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record.main(["measure", "tunels"]) == 1
    assert "no run `tunels`; there are: tunnels, tunnels-sensitivity" in capsys.readouterr().err
    assert recorded.run_names() == []


def test_what_failed_is_not_kept(recorded: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1)
    )
    with pytest.raises(FiresteelError, match="`tunnels` failed"):
        record._measure(["tunnels"])
    assert recorded.run_names() == []
