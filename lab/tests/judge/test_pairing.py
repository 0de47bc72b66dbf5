# SPDX-License-Identifier: Apache-2.0
"""Runs of different boards: which cells stand beside which, and what their boards differ in."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from advice_store import RATE, RTT, Runs, cell
from commands import invoke
from fake_machine import FakeMachine
from fake_runner import HASH
from made_sensitivity import BoardsRunner, by_registers

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.real import real_profile
from firesteel.cli import bench
from firesteel.judge.pairing import Choice, UnlikeError, choice, disagreement, match
from firesteel.judge.replication.method import method, method_in_short
from firesteel.model.cell import Cell
from firesteel.store.store import Store

OTHER = "0" * 64
IN_HARDWARE = {"implementation": "hardware", "completion": "adaptive"}
BEFORE = {RTT: 1.0, RATE: 5.0}
AFTER = {RTT: 0.5, RATE: 8.0}


def on(board: str, **more: Any) -> Cell:
    return cell(profiles={"board": board, "peer": "peer"}, **more)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    monkeypatch.setenv("COLUMNS", "80")
    return Runs(Store(tmp_path))


def compare(runs: Runs, first: str, second: str, *more: str) -> str:
    return invoke("compare", first, second, "--store", str(runs.store.root), *more).stdout


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_boards_that_differ_are_told_before_what_changed(runs: Runs) -> None:
    first = runs.add((on("socrates"), BEFORE))
    second = runs.add((on("socrates-1600"), AFTER))
    text = compare(runs, first, second)
    assert re.match(
        r"Parameters that differ: socrates → socrates-1600\n.*\n.*\n"
        r"cpu\.hertz +800 MHz +1\.6 GHz +×2 *\n\n",
        text,
    )
    assert "Better, the largest change first" in text
    assert "OpenVPN AES-256-CBC:SHA-256 [" not in text, "one board a side needs no mark"


def test_tables_for_programs_have_the_parameters_too(runs: Runs) -> None:
    first = runs.add((on("socrates"), BEFORE))
    second = runs.add((on("socrates-1600"), AFTER))
    (row, *_) = rows(compare(runs, first, second, "--format", "csv"))
    assert (row["board_before"], row["board"]) == ("socrates", "socrates-1600")
    assert (row["cpu.hertz_before"], row["cpu.hertz_after"]) == ("800000000", "1600000000")
    (told, *_) = json.loads(compare(runs, first, second, "--format", "json"))
    assert (told["cpu.hertz_before"], told["cpu.hertz_after"]) == (8e8, 1.6e9)
    assert set(told) == set(row)


@pytest.mark.parametrize("boards", [("socrates", "ssh:root@a"), ("ssh:root@a", "socrates")])
def test_a_real_machine_is_not_compared_with_a_virtual_board(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boards: tuple[str, str]
) -> None:
    FakeMachine(tmp_path, monkeypatch)
    first, second = (runs.add((on(board), BEFORE)) for board in boards)
    with pytest.raises(FiresteelError, match="a real machine and a virtual board"):
        compare(runs, first, second)


def test_figures_of_real_machines_are_called_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeMachine(tmp_path, monkeypatch)
    measured = [(name, real_profile(name).cpu) for name in ("ssh:root@a", "ssh:root@b")]
    for said in (method(measured), method_in_short(measured)):
        assert said.startswith("ssh:root@a and ssh:root@b: real, not virtual.")
        assert "irtual time" not in said


def test_a_clock_that_changed_is_said_beside_the_figures(runs: Runs) -> None:
    record = runs.store.records(runs.store.journal(runs.add((on("socrates"), BEFORE))))[0]
    steady = {"clock.board.0.before": 1_000_000, "clock.board.0.after": 960_000}
    assert disagreement([record.model_copy(update={"proof": steady})]) == ""
    other = {"clock.board.1.before": 1_000_000, "clock.board.1.after": 600_000}
    moved = steady | other | {"governor.board.0.changed": 1}
    said = disagreement([record.model_copy(update={"proof": moved})])
    assert "CPU 1 of board went from 1000 to 600 MHz" in said
    assert "the governor of CPU 0 of board was changed" in said
    assert "CPU 0 of board went" not in said


def test_a_run_on_several_boards_has_to_be_told_which(runs: Runs) -> None:
    first = runs.add((on("socrates"), BEFORE), (on("socrates-hash"), BEFORE))
    second = runs.add((on("socrates-1600"), AFTER))
    with pytest.raises(RequestError) as caught:
        compare(runs, first, second)
    text = str(caught.value)
    assert "board socrates and socrates-hash, and with socrates-1600" in text
    assert "--only board=NAME" in text
    assert "--pair board=socrates:socrates-1600" in text
    assert "\n" not in text
    chosen = [
        compare(runs, first, second, "--pair", "board=socrates:socrates-1600"),
        compare(runs, first, second, *(w for b in ("", "-1600") for w in only(f"socrates{b}"))),
    ]
    for text in chosen:
        assert "socrates → socrates-1600" in text
    assert f"Only in {first}: " in chosen[0]
    assert "Only in" not in chosen[1]


def only(board: str) -> tuple[str, str]:
    return "--only", f"board={board}"


def test_boards_of_one_run_are_compared_by_choice(runs: Runs) -> None:
    run = runs.add((on("socrates"), BEFORE), (on("socrates-1600"), AFTER))
    assert "Parameters that differ" not in compare(runs, run, run)
    text = compare(runs, run, run, "--pair", "board=socrates:socrates-1600")
    assert "cpu.hertz" in text
    assert "+60.00 %" in text


@pytest.mark.parametrize(
    "text", ["board", "board=a", "board=a:b:c", "cipher=a:b", "=a:b", "board=:"]
)
def test_a_malformed_choice_says_what_is_allowed(text: str) -> None:
    with pytest.raises(RequestError, match="KEY=A:B .* board, link, topology"):
        choice(text)


def test_a_choice_of_what_is_not_there_is_refused(runs: Runs) -> None:
    first = runs.add((on("socrates"), BEFORE))
    second = runs.add((on("socrates-1600"), AFTER))
    with pytest.raises(RequestError, match="the second run has no cell with the board socrates;"):
        compare(runs, first, second, "--pair", "board=socrates:socrates")
    with pytest.raises(FiresteelError, match="--only board=nonesuch: no cell has that board"):
        compare(runs, first, second, "--only", "board=nonesuch")
    with pytest.raises(RequestError, match=f"{second} has no cell that matches --only"):
        compare(runs, first, second, "--only", "board=socrates")


def test_another_topology_is_refused_with_the_reason(runs: Runs) -> None:
    first = runs.add((on("socrates"), BEFORE))
    second = runs.add((on("socrates", topology="board-serves"), AFTER))
    with pytest.raises(RequestError, match="`host-host` and on `board-serves`, whose nodes or "):
        compare(runs, first, second)


def test_equal_parts_are_paired_and_others_only_if_each_run_has_one() -> None:
    slow, fast = on("socrates"), on("socrates", link_rate_bit_s=10**9)
    other = on("socrates-1600", link_rate_bit_s=10**9)
    assert match([slow, fast], [other]) == [(fast, other)]
    assert match([slow], [other]) == [(slow, other)]
    assert match([slow], []) == []
    assert match([slow, fast], [fast], [Choice("link", "own", "1 Gbit/s")]) == [(slow, fast)]
    with pytest.raises(UnlikeError, match="measured with the link own and 1 Gbit/s, and with 10 "):
        match([slow, fast], [on("socrates", link_rate_bit_s=10**10)])


def test_boards_beside_the_measured_one_are_a_part_of_the_place() -> None:
    usual = on("socrates")
    strong = usual.model_copy(update={"profiles": {"board": "socrates", "peer": "clients"}})
    assert match([usual, strong], [strong]) == [(strong, strong)]
    assert match([usual], [strong]) == [(usual, strong)]


def test_boards_of_a_sweep_are_compared(monkeypatch: pytest.MonkeyPatch, runs: Runs) -> None:
    monkeypatch.setattr(
        bench, "make_runner", lambda catalog, *_: BoardsRunner(catalog, by_registers)
    )
    monkeypatch.setattr("firesteel.show.report.write.write_report", lambda *_: runs.store.root)
    path = "cores.crypto0.timing.register_ns"
    only, vary = ("--only", "suite=aes-256-cbc:none"), ("--vary", f"{path}=50,200")
    store = ("--store", str(runs.store.root))
    invoke("run", "openvpn", "--quick", *only, *vary, *store)
    name = runs.store.journal().name
    chosen = f"board=socrates+{path}=50:socrates+{path}=200"
    told = rows(compare(runs, name, name, "--pair", chosen, "--format", "csv"))
    assert {(row[f"{path}_before"], row[f"{path}_after"]) for row in told} == {("50", "200")}, (
        "software too, whose record stands for both"
    )
    verdicts = {
        row["implementation"]: row["verdict"] for row in told if row["metric"] == "throughput"
    }
    assert verdicts == {"software": "same", "hardware": "worse"}
    text = compare(runs, name, name, "--pair", chosen)
    assert text.count("Parameters that differ") == 1
    assert re.search(r"register_ns +50 ns +200 ns +×4", text)


def test_software_is_on_the_same_boards_whether_or_not_a_run_has_hardware(
    monkeypatch: pytest.MonkeyPatch, runs: Runs
) -> None:
    monkeypatch.setattr(
        bench, "make_runner", lambda catalog, *_: BoardsRunner(catalog, by_registers)
    )
    monkeypatch.setattr("firesteel.show.report.write.write_report", lambda *_: runs.store.root)
    words = ("--only", "suite=aes-256-cbc:none", "--vary", "cores.crypto0.timing.register_ns=50")
    names = []
    for more in ((), ("--only", "implementation=software")):
        invoke("run", "openvpn", "--quick", *words, *more, "--store", str(runs.store.root))
        names.append(runs.store.journal().name)
    assert "register_ns" not in compare(runs, *names)


OLD, NEW = {"libssl3t64": "3.5.7", "curl": "8"}, {"libssl3t64": "3.5.9", "curl": "8"}


@pytest.mark.parametrize(
    ("qemu", "packages", "named"),
    [
        (HASH, OLD, ""),
        (HASH, NEW, "OpenSSL (3.5.7 → 3.5.9)"),
        (OTHER, OLD, "emulator (QEMU, build"),
        (
            HASH,
            OLD | {"linux-image-armmp": "6.12", "linux-image-6.12": "1"},
            "kernel (none → 6.12)",
        ),
        (HASH, {**OLD, "curl": "9"}, "1 package (curl 8 → 9)"),
    ],
)
def test_one_difference_is_named_beside_the_figures_and_none_is_silent(
    runs: Runs, qemu: str, packages: dict[str, str], named: str
) -> None:
    first = runs.add((on("socrates"), BEFORE), packages=OLD)
    second = runs.add((on("socrates"), AFTER if named else BEFORE), packages=packages, qemu=qemu)
    counts, said, *_ = compare(runs, first, second).splitlines()
    assert counts.startswith(f"{first} → {second}: ")
    assert said.startswith(f"The runs differ in: {named}") if named else not said
    result = invoke("compare", first, second, "--format", "csv", "--store", str(runs.store.root))
    assert (named in result.stderr) if named else not result.stderr


@pytest.mark.parametrize(
    ("allowed", "problem"),
    [
        ([], "differ in 2 things, .*emulator .*; OpenSSL .*3.5.7 → 3.5.9.*-difference openssl"),
        (["openssl"], None),
        (["emulator"], None),
        (["all"], None),
        (["kernel"], "differ in 2 things"),
        (["nonsense"], "--allow-difference nonsense: .*allowed are emulator, kernel, openssl"),
    ],
)
def test_several_differences_are_refused_unless_they_are_allowed(
    runs: Runs, allowed: list[str], problem: str | None
) -> None:
    first = runs.add((on("socrates"), BEFORE), packages=OLD)
    second = runs.add((on("socrates"), AFTER), packages=NEW, qemu=OTHER)
    more = [word for name in allowed for word in ("--allow-difference", name)]
    if problem is None:
        assert re.search(r"differ in: emulator .*; OpenSSL", compare(runs, first, second, *more))
        return
    with pytest.raises(RequestError, match=problem) as caught:
        compare(runs, first, second, *more)
    assert "\n" not in str(caught.value)


def test_a_run_whose_records_do_not_agree_says_so(runs: Runs) -> None:
    """Software was measured with another emulator than hardware."""
    store = ("--store", str(runs.store.root))
    alike = runs.add((on("socrates"), BEFORE), (on("socrates", **IN_HARDWARE), AFTER))
    unlike = runs.add((on("socrates"), BEFORE), (on("socrates", **IN_HARDWARE), AFTER))
    journal = runs.store.journal(unlike)
    other = runs.store.journal(runs.add((on("socrates", **IN_HARDWARE), AFTER), qemu=OTHER))
    journal.entries[1] = other.entries[0]
    runs.store.save(journal)
    for part in ("answer", "figures"):
        assert "same software" not in invoke("show", alike, "--part", part, *store).stdout
        told = " ".join(invoke("show", unlike, "--part", part, *store).stdout.split())
        assert "were not measured with the same software" in told
        assert "emulator (QEMU, build" in told
    assert "same software" in invoke("show", unlike, "--format", "csv", *store).stderr
    asked = ("advise", "--protocol", "openvpn", "--suite", "aes-256-cbc:sha256")
    advice = invoke(*asked, "--run", unlike, *store)
    assert "not measured with the same software" in " ".join(
        (advice.stdout + advice.stderr).split()
    )
