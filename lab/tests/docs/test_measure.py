# SPDX-License-Identifier: Apache-2.0
"""What `scripts/figures.sh measure` takes over, with a stand-in for the lab's commands."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import Lab
from fake_runner import FakeRunner
from made_sensitivity import run_of, study_of

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.cli import bench
from firesteel.judge.sensitivity import load
from firesteel.search import design as design_file
from firesteel.store.store import Store
from tools import figures, measure
from tools import recorded as functions
from tools.__main__ import main
from tools.runs import Run, load_designs, load_runs, load_studies

FAST_ENOUGH = "throughput >= 12 MB/s"


def asked(requirement: str) -> Run:
    """The question of design `core`, at which clock of the cores tunnels are so fast."""
    clock = ("--smallest", "cores.crypto0.timing.clock_hz=50,100,200MHz")
    options = ("--quick", *clock, "--only", "suite=aes-256-cbc:none", "--require", requirement)
    return Run(name="core", set="tunnels", experiment="openvpn", options=options)


def design_of(store: Path, requirement: str) -> int:
    """Answers it with boards whose hardware is as fast as their cores; gives the status."""
    words = ("openvpn", *asked(requirement).options, "--jobs", "1")
    with pytest.MonkeyPatch.context() as context:
        return Lab(store, context)("design", *words, gain=by_core_clock).exit_code


def by_core_clock(profile: Profile) -> float:
    """Twice as fast as software, 12 MB/s, at 100 MHz."""
    return (profile.cores[0].timing.used("clock_hz") or 0) / 50e6


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty place for records, of the run `tunnels`, the study `tunnels-sensitivity` and the
    question `core`, whose commands measure made-up boards in the store of the cache.
    """
    usual, place = tmp_path / "cache" / "store", tmp_path / "recorded"

    def lab(command: Sequence[str], check: bool) -> subprocess.CompletedProcess[str]:
        assert not check
        status = 0
        if command[4] == "run":
            run_of(usual)
        elif command[4] == "design":
            status = design_of(usual, command[-1])
        else:
            study_of(usual, "register-access")
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(subprocess, "run", lab)
    monkeypatch.setattr(measure, "RECORDED", place)
    monkeypatch.setattr(measure, "usual_store", lambda: usual)
    monkeypatch.setattr(
        measure, "load_runs", lambda: (Run(name="tunnels", set="tunnels", experiment="openvpn"),)
    )
    studies = (Run(name="tunnels-sensitivity", set="tunnels", experiment="openvpn"),)
    monkeypatch.setattr(measure, "load_studies", lambda: studies)
    monkeypatch.setattr(measure, "load_designs", lambda: (asked(FAST_ENOUGH),))
    return Store(place)


def kept(recorded: Store, kind: str = "records") -> set[str]:
    return {path.stem for path in (recorded.root / kind).rglob("*.json")}


def test_what_is_named_is_kept_and_what_no_longer_is_is_removed(
    recorded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["measure", "core"]) == 0
    question = design_file.load(recorded, "core")
    assert question
    assert question.order == ("core-1", "core-2", "core")
    assert recorded.design.run_names() == sorted(question.order)
    first = question.answer(recorded).search.first
    assert first
    assert first.text == "100 MHz"
    of_question = kept(recorded)
    assert len(of_question) == 3
    assert main(["measure", "tunnels"]) == 0
    assert recorded.run_names() == ["tunnels"]
    assert recorded.sensitivity.run_names() == []
    both = kept(recorded)
    assert of_question < both, "other measurements leave them there"
    assert main(["measure", "tunnels-sensitivity"]) == 0
    study = load(recorded, "tunnels-sensitivity")
    assert study
    assert study.run == "tunnels-sensitivity"
    assert {key for row in study.rows for key in row.records} <= kept(recorded) == both
    # That nothing does is an answer too.
    monkeypatch.setattr(measure, "load_designs", lambda: (asked("throughput >= 100 MB/s"),))
    assert main(["measure", "core"]) == 0
    question = design_file.load(recorded, "core")
    assert question
    assert question.answer(recorded).search.first is None
    assert recorded.design.run_names() == ["core", "core-1"], "nothing is left of the other answer"
    monkeypatch.setattr(measure, "load_studies", lambda: ())
    monkeypatch.setattr(measure, "load_designs", lambda: ())
    assert main(["measure", "tunnels"]) == 0
    assert (recorded.sensitivity.run_names(), recorded.design.run_names()) == ([], [])
    assert kept(recorded) < both


def test_cells_that_are_recorded_are_there_before_a_run(
    recorded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["measure", "tunnels"]) == 0
    usual = Store(recorded.root.with_name("cache") / "store")
    shutil.rmtree(usual.root)
    there: list[set[str]] = []
    monkeypatch.setattr(measure, "_execute", lambda *_: there.append(usual.keys()))
    assert main(["measure", "tunnels"]) == 1, "nothing was run"
    assert there == [kept(recorded)] != [set()]


def test_a_name_that_nothing_has_is_refused(
    recorded: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "tunels"]) == 1
    told = capsys.readouterr().err
    assert "no run `tunels`; there are: tunnels, tunnels-sensitivity, core, set=tunnels" in told
    assert recorded.run_names() == []


def test_a_set_is_measured_by_its_name(recorded: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [Run(name=name, set=name[:-1], experiment="openvpn") for name in ("a1", "a2", "b1")]
    monkeypatch.setattr(measure, "load_runs", lambda: runs)
    assert main(["measure", "set=a"]) == 0
    assert recorded.run_names() == ["a1", "a2"]
    assert main(["measure", "a"]) == 1, "it may be the name of a run"


def test_a_budget_has_the_sum_of_each_set_with_shared_cells_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [("one", "a", ()), ("two", "b", ("--seeds", "3")), ("three", "a", ())]
    runs = [
        f'[[run]]\nname = "{name}"\nset = "{of}"\nexperiment = "quickstart"\n'
        f"options = {['--quick', '--only', 'protocol=none', *more]}\n"
        for name, of, more in named
    ]
    path = tmp_path / "runs.toml"
    path.write_text("".join(runs))
    monkeypatch.setattr("tools.runs.RUNS", path)
    monkeypatch.setattr(bench, "make_runner", lambda *_: FakeRunner())
    assert main(["budget"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert [line[:4] for line in lines if "sum" not in line] == [
        ["set", "run", "cells", "seeds"],
        ["a", "one", "1", "1"],
        ["a", "three", "1", "1"],
        ["b", "two", "3", "3"],
    ]
    sums = [line for line in lines if "sum" in line]
    assert [line[:3] for line in sums] == [
        ["a", "sum", "1"],
        ["b", "sum", "3"],
        ["all", "sum", "3"],
    ]
    assert all(line[-1].isdigit() for line in sums)
    path.write_text(runs[0].replace("quickstart", "quickstar"))
    assert main(["budget"]) == 1
    assert "`one` of a: " in capsys.readouterr().err


def test_what_failed_is_not_kept(recorded: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1)
    )
    with pytest.raises(FiresteelError, match="`tunnels` failed"):
        measure.measure(["tunnels"])
    assert recorded.run_names() == []


def test_a_page_shows_the_answer(recorded: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "load_designs", lambda: (asked(FAST_ENOUGH),))
    text = '<!-- {{ design("core") }} -->\n<!--/-->\n'
    before = figures.rendered(text, recorded)
    assert "scripts/figures.sh measure core" in before
    assert main(["measure", "core"]) == 0
    lines = figures.rendered(before, recorded).splitlines()
    assert "The smallest clock of crypto0 that meets all requirements is 100 MHz." in lines
    with pytest.raises(
        FiresteelError, match=r'`design\("cor"\)`: .* has no such question of design'
    ):
        figures.rendered(text.replace("core", "cor"), recorded)


def test_the_page_has_the_commands_that_were_recorded() -> None:
    page = (CHECKOUT / "docs" / "design.md").read_text(encoding="utf-8")
    told = re.findall(r"```\n\./firesteel (.*?)```\n\n<!-- {{ design\(\"(.*?)\"\)", page, re.DOTALL)
    commands = {name: shlex.split(words.replace("\\\n", " ")) for words, name in told}
    assert commands == {
        each.name: ["design", each.experiment, *each.options] for each in load_designs()
    }


UNRECORDED: set[str] = set()
"""What is named and not measured yet."""


def test_all_that_is_named_is_recorded_but_for_what_is_said_here() -> None:
    store = Store(RECORDED)
    named = {run.name for run in load_runs()} - set(store.run_names())
    named |= {study.name for study in load_studies() if load(store, study.name) is None}
    assert named == UNRECORDED
