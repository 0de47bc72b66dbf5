# SPDX-License-Identifier: Apache-2.0
"""`firesteel design` in this process, with figures that follow from boards."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from commands import invoke
from made_sensitivity import BoardsRunner, Gain, as_fast
from rich.console import Console
from typer.testing import Result

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import PROFILES, Profile
from firesteel.cli import bench
from firesteel.sensitivity.design import load
from firesteel.store.store import Store
from firesteel.terminal.run import show_design

CLOCK = ("--smallest", "cores.*.timing.clock_hz=25..400MHz")
FAST = ("--require", "throughput >= 12 MB/s")


def by_clock(profile: Profile) -> float:
    """Twice as fast as software, 12 MB/s, at 100 MHz."""
    return (profile.cores[0].timing.used("clock_hz") or 0) / 50e6


def go(
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    *more: str,
    gain: Gain = by_clock,
    fail: Sequence[str] = (),
    experiment: str = "openvpn",
) -> Result:
    monkeypatch.setattr(bench, "make_runner", lambda catalog, *_: BoardsRunner(catalog, gain, fail))
    monkeypatch.setenv("COLUMNS", "80")
    usual = (experiment, "--quick", "--only", "suite=aes-256-cbc:none", "--jobs", "1")
    return invoke("design", *usual, *more, "--store", str(store))


def test_the_answer_comes_first_then_what_proves_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = go(monkeypatch, tmp_path, *CLOCK, *FAST)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    told = "The smallest clock of all cores that meets all requirements is "
    assert lines[0].startswith(told)
    answer = float(lines[0].removeprefix(told).removesuffix(" MHz."))
    assert 100 <= answer <= 105, "no more than 5 % above the least that would do"
    assert lines[1].startswith("At ")
    assert "MHz they are not met: throughput 11." in lines[1]
    measured = [line for line in lines if line.endswith(("yes", "no"))]
    assert [line.endswith("yes") for line in measured] == sorted(
        line.endswith("yes") for line in measured
    )
    assert all(len(line) <= 80 for line in measured)


def test_the_same_question_measures_nothing_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = go(monkeypatch, tmp_path, *CLOCK, *FAST)
    again = go(monkeypatch, tmp_path, *CLOCK, *FAST)
    assert again.stdout == first.stdout
    assert "measured in" not in again.stderr


def test_a_share_of_software_brings_software(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = go(monkeypatch, tmp_path, *CLOCK, "--require", "throughput >= 2 of software")
    assert "is 10" in result.stdout.splitlines()[0]
    assert " of software" in result.stdout


def test_the_largest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    largest = ("--largest", "cores.*.timing.register_ns=50..1000ns")

    def by_registers(profile: Profile) -> float:
        return 400 / profile.cores[0].timing.used("register_ns")

    result = go(monkeypatch, tmp_path, *largest, *FAST, gain=by_registers)
    told = "The largest register access of all cores that meets all requirements is "
    first = result.stdout.splitlines()[0]
    assert first.startswith(told)
    assert 190 <= float(first.removeprefix(told).removesuffix(" ns.")) <= 200


def test_whole_numbers_are_found_exactly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def by_multipliers(profile: Profile) -> float:
        return (profile.cores[0].used("pk_multipliers") or 0) / 10

    smallest = ("--smallest", "cores.crypto0.pk_multipliers=4,16,64,256")
    result = go(monkeypatch, tmp_path, *smallest, *FAST, gain=by_multipliers)
    assert result.stdout.startswith(
        "The smallest number of multipliers of crypto0 that meets all requirements is 64."
    )


def test_boards_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def by_cores(profile: Profile) -> float:
        return float(len(profile.cores))

    boards = ("--smallest", "board=socrates,socrates-2pk,socrates-4pk")
    result = go(monkeypatch, tmp_path, *boards, *FAST, gain=by_cores)
    assert result.stdout.startswith("The first board that meets all requirements is socrates-2pk.")


def on_boards(directory: Path, *boards: str) -> str:
    """An experiment with the same cells on each of these."""
    file = directory / "boards.toml"
    parts = (
        f'[[parts]]\nexperiment = "openvpn"\nprofiles = {{ board = "{board}" }}\n'
        for board in boards
    )
    file.write_text('title = "Two boards"\n' + "".join(parts))
    return str(file)


def test_all_boards_are_checked_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    board = (PROFILES / "socrates.toml").read_text()
    (tmp_path / "no-time.toml").write_text(f"{board}timing = {{ zero = true }}\n")
    # Such a board may have 0 ns, which is measured first, and no other.
    registers = ("--largest", "cores.crypto0.timing.register_ns=0,50,100ns")
    experiment = on_boards(tmp_path, "socrates", f"{tmp_path}/no-time.toml")
    with pytest.raises(FiresteelError, match=r"register_ns`: .*zero"):
        go(monkeypatch, tmp_path, *registers, *FAST, gain=as_fast, experiment=experiment)
    assert not list(tmp_path.rglob("run.json"))


def test_cells_of_several_boards_are_one_on_a_named_board(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    boards = ("--smallest", "board=socrates,socrates-4pk")
    experiment = on_boards(tmp_path, "socrates-2pk", "socrates")
    result = go(monkeypatch, tmp_path, *boards, *FAST, gain=lambda _: 3, experiment=experiment)
    assert result.exit_code == 0
    runs = [json.loads(path.read_text()) for path in tmp_path.rglob("run.json")]
    assert runs
    for run in runs:
        assert len(run["entries"]) == 1, "it is in both parts"


def test_what_nothing_meets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = go(monkeypatch, tmp_path, *CLOCK, "--require", "throughput >= 1000 MB/s")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == ("No clock of all cores from 25 MHz to 400 MHz meets all requirements.")
    assert lines[1].startswith("The nearest is 400 MHz: throughput 48.00 MB/s (")
    assert "2 of 58 values were measured." in lines


def test_the_other_end_alone_meets_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def by_slowness(profile: Profile) -> float:
        return 100e6 / (profile.cores[0].timing.used("clock_hz") or 1)

    result = go(monkeypatch, tmp_path, *CLOCK, *FAST, gain=by_slowness)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "All requirements are met at 25 MHz, but not behind it."
    assert lines[1].startswith("At 400 MHz they are not met: throughput 1.50 MB/s (")
    assert "that end at 25 MHz, or from the other end." in " ".join(result.stdout.split())
    largest = ("--largest", CLOCK[1])
    assert go(monkeypatch, tmp_path, *largest, *FAST, gain=by_slowness).exit_code == 0


def test_only_what_is_between_the_ends_meets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def between(profile: Profile) -> float:
        return 3.0 if 50e6 < (profile.cores[0].timing.used("clock_hz") or 0) < 250e6 else 1.0

    result = go(monkeypatch, tmp_path, *CLOCK, *FAST, "--probes", "1", gain=between)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "All requirements are met at 97.6 MHz, but not behind it."
    assert "ask for values that end at 97.6 MHz, or" in " ".join(result.stdout.split())


def test_boards_in_the_reverse_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def by_fewness(profile: Profile) -> float:
        return 3.0 / len(profile.cores)

    boards = ("--smallest", "board=socrates,socrates-2pk")
    result = go(monkeypatch, tmp_path, *boards, *FAST, gain=by_fewness)
    assert result.stdout.startswith("All requirements are met at socrates, but not behind it.")
    assert "ask for boards that end at socrates, or" in " ".join(result.stdout.split())


def test_no_board_meets_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    boards = ("--smallest", "board=socrates,socrates-2pk")
    result = go(monkeypatch, tmp_path, *boards, "--require", "throughput >= 900 MB/s", gain=as_fast)
    assert result.stdout.startswith("None of the boards asked for meets all requirements.")


def test_figures_that_do_not_agree_are_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def odd(profile: Profile) -> float:
        clock = profile.cores[0].timing.used("clock_hz") or 0
        return 1.0 if 90e6 < clock < 250e6 else 3.0

    result = go(monkeypatch, tmp_path, *CLOCK, *FAST, "--probes", "3", gain=odd)
    assert "; they are met at 25 MHz too, and not at " in " ".join(result.stdout.split())


def test_it_says_what_it_will_take(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = go(monkeypatch, tmp_path, *CLOCK, *FAST, "--dry-run")
    assert result.exit_code == 0
    assert not result.stdout
    assert result.stderr.startswith("At most 8 of 58 values are needed: 8 cells, 8 new; time: ")
    assert Store(tmp_path).design.run_names() == []
    asked = go(monkeypatch, tmp_path, *CLOCK, *FAST)
    assert asked.stderr.startswith("At most 8 of 58 values are needed: 8 cells, 8 new; time: ")
    tried = len(Store(tmp_path).design.run_names())
    assert 2 < tried <= 8
    again = go(monkeypatch, tmp_path, *CLOCK, *FAST, "--dry-run")
    assert again.stderr == (f"{tried} of 58 values are needed: {tried} cells, all in the store.\n")


def test_a_question_is_kept_with_the_runs_that_answer_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = go(monkeypatch, tmp_path, *CLOCK, *FAST).stdout
    store = Store(tmp_path)
    kept = load(store, store.design.journal().name)
    assert kept
    assert sorted(kept.order) == store.design.run_names()
    console = Console(file=(out := StringIO()), width=80)
    show_design(console, kept.answer(store))
    assert out.getvalue() == printed


def test_a_requirement_is_of_the_traffic_that_it_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named = ("--require", "file-transfer:throughput >= 96 Mbit/s")
    result = go(monkeypatch, tmp_path, *CLOCK, *named)
    assert " is 10" in result.stdout.splitlines()[0]
    assert "file-transfer:\n" in result.stdout.replace(" ", "")
    assert "not met: file-transfer:throughput 9" in result.stdout


def test_a_number_of_cores_that_nothing_uses_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    software = ("--only", "implementation=software")
    with pytest.raises(FiresteelError, match="does not use the cores; allowed are cells in hard"):
        go(monkeypatch, tmp_path, *CLOCK, *FAST, *software)


def test_tidy_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = json.loads(go(monkeypatch, tmp_path, *CLOCK, *FAST, "--format", "json").stdout)
    assert {row["requirement"] for row in rows} == {"throughput >= 12 MB/s"}
    answers = {row["candidate"] for row in rows if row["answer"]}
    assert len(answers) == 1
    assert {row["met"] for row in rows if row["candidate"] in answers} == {True}


def test_a_cell_that_fails_ends_the_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = "socrates+cores.*.timing.clock_hz=400000000"
    with pytest.raises(FiresteelError, match=r"At 400 MHz 1 of 1 cells failed.*logs: "):
        go(monkeypatch, tmp_path, *CLOCK, *FAST, fail=[failing])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (FAST, "Allowed is one of --smallest"),
        ((*CLOCK, "--largest", "cpu.hertz=1..2GHz", *FAST), "Allowed is one of --smallest"),
        ((*CLOCK, "--require", "speed >= 1"), "--require speed >= 1: there is no metric"),
        ((*CLOCK, "--require", "connections >= 1"), "nothing of this has the metric `connections`"),
        (
            (*CLOCK, "--require", "file:cpu <= 1 %"),
            "there is no traffic `file` here; allowed: ping, file-transfer, packet-sizes, [*][.]$",
        ),
        (
            (*CLOCK, "--require", "ping:throughput >= 1"),
            "`ping` has no metric `throughput`; allowed before it here: file-transfer, [*][.]$",
        ),
        (("--smallest", "cpu.hertz", *FAST), "allowed is PATH=VALUES"),
        (("--smallest", "cpu.herz=1..2GHz", *FAST), "`herz` of `cpu.herz` is unknown"),
        (("--smallest", "cpu.hertz=1GHz", *FAST), "that is one value; allowed are two or more"),
        (("--smallest", "board=socrates,nowhere", *FAST), "nowhere"),
        (("--smallest", "board=socrates,socrates", *FAST), "`socrates` is there more than once"),
        (("--smallest", "cores.crypto0.pk_multipliers=1..9", *FAST), "would be 2; allowed is 1, 4"),
    ],
)
def test_what_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: Sequence[str], problem: str
) -> None:
    with pytest.raises(FiresteelError, match=problem):
        go(monkeypatch, tmp_path, *options)
