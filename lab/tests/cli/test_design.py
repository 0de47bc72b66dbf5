# SPDX-License-Identifier: Apache-2.0
"""`firesteel design` in this process, with figures that follow from boards."""

import json
import re
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from commands import Lab
from made_sensitivity import Gain, as_fast
from rich.console import Console
from typer.testing import Result

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import PROFILES, Profile
from firesteel.search.design import load
from firesteel.show.run import show_design
from firesteel.store.store import Store

CLOCK = ("--smallest", "cores.*.timing.clock_hz=25..400MHz")
FAST = ("--require", "throughput >= 12 MB/s")


def by_clock(profile: Profile) -> float:
    """Twice as fast as software, 12 MB/s, at 100 MHz."""
    return (profile.cores[0].timing.used("clock_hz") or 0) / 50e6


def go(
    lab: Lab,
    *more: str,
    gain: Gain = by_clock,
    fail: Sequence[str] = (),
    experiment: str = "openvpn",
) -> Result:
    usual = (experiment, "--quick", "--only", "suite=aes-256-cbc:none", "--jobs", "1")
    return lab("design", *usual, *more, gain=gain, fail=fail)


def of_cores(value: Callable[[Any], float | None]) -> Gain:
    """A gain that follows from the first window of cores."""
    return lambda profile: value(profile.cores[0]) or 0


def in_the_middle(profile: Profile) -> float:
    return 3.0 if 50e6 < (profile.cores[0].timing.used("clock_hz") or 0) < 250e6 else 1.0


MULTIPLIERS = ("--smallest", "cores.crypto0.pk_multipliers=4,16,64,256")
TWO, THREE = (
    ("--smallest", f"board=socrates,socrates-2pk{more}") for more in ("", ",socrates-4pk")
)

ANSWERS: dict[str, tuple[tuple[str, ...], Gain, int, str]] = {
    "largest": (
        ("--largest", "cores.*.timing.register_ns=50..1000ns", *FAST),
        of_cores(lambda cores: 400 / cores.timing.used("register_ns")),
        0,
        "The largest register access of all cores that meets all requirements is 19",
    ),
    "whole numbers": (
        (*MULTIPLIERS, *FAST),
        of_cores(lambda cores: (cores.used("pk_multipliers") or 0) / 10),
        0,
        "The smallest number of multipliers of crypto0 that meets all requirements is 64.",
    ),
    "boards": (
        (*THREE, *FAST),
        lambda profile: float(len(profile.cores)),
        0,
        "The first board that meets all requirements is socrates-2pk.",
    ),
    "reverse order": (
        (*TWO, *FAST),
        lambda profile: 3.0 / len(profile.cores),
        1,
        (
            "All requirements are met at socrates, but not behind it. … "
            "ask for boards that end at socrates, or"
        ),
    ),
    "no board": (
        (*TWO, "--require", "throughput >= 900 MB/s"),
        as_fast,
        1,
        "None of the boards asked for meets all requirements.",
    ),
    "share of software": (
        (*CLOCK, "--require", "throughput >= 2 of software"),
        by_clock,
        0,
        "The smallest clock of all cores that meets all requirements is 10… of software",
    ),
    "traffic": (
        (*CLOCK, "--require", "file-transfer:throughput >= 96 Mbit/s"),
        by_clock,
        0,
        "… is 10… not met: file-transfer:throughput 9… file-transfer: …",
    ),
    "nothing": (
        (*CLOCK, "--require", "throughput >= 1000 MB/s"),
        by_clock,
        1,
        (
            "No clock of all cores from 25 MHz to 400 MHz meets all requirements. The nearest is "
            "400 MHz: throughput 48.00 MB/s (… 2 of 58 values were measured."
        ),
    ),
    "the other end": (
        (*CLOCK, *FAST),
        of_cores(lambda cores: 100e6 / (cores.timing.used("clock_hz") or 1)),
        1,
        (
            "All requirements are met at 25 MHz, but not behind it. At 400 MHz they are not met: …"
            "1.50 MB/s (… that end at 25 MHz, or from the other end."
        ),
    ),
    "between": (
        (*CLOCK, *FAST, "--probes", "1"),
        in_the_middle,
        1,
        (
            "All requirements are met at 97.6 MHz, but not behind it. … "
            "ask for values that end at 97.6 MHz, or"
        ),
    ),
    "disagreement": (
        (*CLOCK, *FAST, "--probes", "3"),
        of_cores(lambda cores: 1.0 if 90e6 < (cores.timing.used("clock_hz") or 0) < 250e6 else 3.0),
        0,
        "…; they are met at 25 MHz too, and not at ",
    ),
}
"""Questions, the gain of boards, the status, and how the answer begins; `…` stands for anything."""


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer(lab: Lab, name: str) -> None:
    words, gain, status, said = ANSWERS[name]
    result = go(lab, *words, gain=gain)
    assert result.exit_code == status
    expected = ".*".join(map(re.escape, said.split("…")))
    assert re.match(expected, " ".join(result.stdout.split())), result.stdout


def test_the_answer_comes_first_then_what_proves_it_and_all_is_kept(lab: Lab) -> None:
    result = go(lab, *CLOCK, *FAST)
    assert result.exit_code == 0
    assert result.stderr.startswith("At most 8 of 58 values are needed: 8 cells, 8 new; time: ")
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
    store = Store(lab.store)
    kept = load(store, store.design.journal().name)
    assert kept
    tried = store.design.run_names()
    assert sorted(kept.order) == tried
    show_design(Console(file=(out := StringIO()), width=80), kept.answer(store))
    assert out.getvalue() == result.stdout
    again = go(lab, *CLOCK, *FAST)
    assert again.stdout == result.stdout
    assert "measured in" not in again.stderr
    dry = go(lab, *CLOCK, *FAST, "--dry-run")
    count = len(tried)
    assert dry.stdout == f"{count} of 58 values are needed: {count} cells, all in the store.\n"
    rows = json.loads(go(lab, *CLOCK, *FAST, "--format", "json").stdout)
    assert {row["requirement"] for row in rows} == {"throughput >= 12 MB/s"}
    answers = {row["candidate"] for row in rows if row["answer"]}
    assert len(answers) == 1
    assert {row["met"] for row in rows if row["candidate"] in answers} == {True}


def test_a_dry_run_measures_nothing(lab: Lab) -> None:
    result = go(lab, *CLOCK, *FAST, "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("At most 8 of 58 values are needed: 8 cells, 8 new; time: ")
    assert Store(lab.store).design.run_names() == []


def on_boards(directory: Path, *boards: str) -> str:
    """An experiment with the same cells on each of these."""
    file = directory / "boards.toml"
    parts = (
        f'[[parts]]\nexperiment = "openvpn"\nprofiles = {{ board = "{board}" }}\n'
        for board in boards
    )
    file.write_text('title = "Two boards"\n' + "".join(parts))
    return str(file)


def test_all_boards_are_checked_before_anything_is_measured(lab: Lab) -> None:
    board = (PROFILES / "socrates.toml").read_text()
    (lab.store / "no-time.toml").write_text(f"{board}timing = {{ zero = true }}\n")
    # Such a board may have 0 ns, which is measured first, and no other.
    registers = ("--largest", "cores.crypto0.timing.register_ns=0,50,100ns")
    experiment = on_boards(lab.store, "socrates", f"{lab.store}/no-time.toml")
    with pytest.raises(FiresteelError, match=r"register_ns`: .*zero"):
        go(lab, *registers, *FAST, gain=as_fast, experiment=experiment)
    assert not list(lab.store.rglob("run.json"))


def test_cells_of_several_boards_are_one_on_a_named_board(lab: Lab) -> None:
    boards = ("--smallest", "board=socrates,socrates-4pk")
    experiment = on_boards(lab.store, "socrates-2pk", "socrates")
    result = go(lab, *boards, *FAST, gain=lambda _: 3, experiment=experiment)
    assert result.exit_code == 0
    runs = [json.loads(path.read_text()) for path in lab.store.rglob("run.json")]
    assert runs
    assert {len(run["entries"]) for run in runs} == {1}, "it is in both parts"


def test_a_cell_that_fails_ends_the_search(lab: Lab) -> None:
    failing = "socrates+cores.*.timing.clock_hz=400000000"
    with pytest.raises(FiresteelError, match=r"At 400 MHz 1 of 1 cells failed.*logs: "):
        go(lab, *CLOCK, *FAST, fail=[failing])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (FAST, "Allowed is one of --smallest"),
        ((*CLOCK, "--largest", "cpu.hertz=1..2GHz", *FAST), "Allowed is one of --smallest"),
        ((*CLOCK, "--require", "speed >= 1"), "--require speed >= 1: there is no metric"),
        ((*CLOCK, "--require", "connections >= 1"), "no row here has the metric `connections`"),
        (
            (*CLOCK, "--require", "file:cpu <= 1 %"),
            "there is no traffic `file` here; allowed: ping, file-transfer, packet-sizes, [*][.]$",
        ),
        (
            (*CLOCK, "--require", "ping:throughput >= 1"),
            "`ping` has no metric `throughput`; .* the metric may be: file-transfer, [*][.]$",
        ),
        (
            (*CLOCK, *FAST, "--only", "implementation=software"),
            "do not use the cores; choose cells in hardware",
        ),
        (("--smallest", "cpu.hertz", *FAST), "allowed is PATH=VALUES"),
        (("--smallest", "cpu.herz=1..2GHz", *FAST), "`herz` of `cpu.herz` is unknown"),
        (("--smallest", "cpu.hertz=1GHz", *FAST), "that is one value; allowed are two or more"),
        (("--smallest", "board=socrates,nowhere", *FAST), "nowhere"),
        (("--smallest", "board=socrates,socrates", *FAST), "`socrates` appears more than once"),
        (("--smallest", "cores.crypto0.pk_multipliers=1..9", *FAST), "would be 2; allowed is 1, 4"),
    ],
)
def test_what_is_refused(lab: Lab, options: Sequence[str], problem: str) -> None:
    with pytest.raises(FiresteelError, match=problem):
        go(lab, *options)
