# SPDX-License-Identifier: Apache-2.0
"""A sweep says in how many rows offload helps and loses, and between which values that changes."""

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_sweep import (
    CLOCK,
    REGISTER,
    ManyRunner,
    by_both,
    by_clock,
    results_of,
    speed_sweep,
)
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.boards.profile import Profile
from firesteel.judge.advice.answer import Kind
from firesteel.judge.advice.sweep import SweepAnswer, sweep_answer
from firesteel.judge.results import Coordinates, load_results, of_records
from firesteel.judge.thresholds import outcomes, title
from firesteel.judge.verdict import RowVerdict
from firesteel.model.identity import Limit, side_of
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import select
from firesteel.run.experiment.sweep import sweep_of_options
from firesteel.show.report.write import render
from firesteel.show.run import show_answer
from firesteel.store.store import Store

FIVE = f"{CLOCK}=25..400 MHz x5 log"


def answer_of(root: Path, *vary: str, **options: Any) -> SweepAnswer:
    found = sweep_answer(results_of(root, *vary, **options))
    assert found
    return found


def clock_of(board: Profile) -> float:
    return (board.cores[0].timing.used("clock_hz") or 0) / 1e6


def switched(board: Profile) -> float:
    """Between 25 and 50 MHz the driver begins to use the core: a straight line would lose there."""
    return 1.0 if clock_of(board) <= 25 else 1.5


def in_the_middle(board: Profile) -> float:
    """Faster from 50 to 100 MHz alone."""
    return 1.5 if 50 <= clock_of(board) <= 100 else 0.8


@pytest.mark.parametrize(
    ("gain", "headline", "course"),
    [
        (
            by_clock,
            "It depends: offload loses in 10 of 25 rows (",
            "loses from 25 MHz to 50 MHz, equal at 100 MHz, helps from 200 MHz to 40",
        ),
        (
            switched,
            "It depends: offload helps in 20 of 25 rows and loses in none.",
            "equal at 25 MHz, helps from 50 MHz to 400 MHz.",
        ),
        (
            in_the_middle,
            "It depends: offload loses in 15 of 25 rows (",
            "loses at 25 MHz, helps from 50 MHz to 100 MHz, loses from 200 MHz to 400 MHz.",
        ),
        (
            lambda _: 1.5,
            "Yes: offload helps in 25 of 25 rows and loses in none.",
            "helps from 25 MHz to 400 MHz.",
        ),
        (
            lambda _: 1.0,
            "No: offload helps in none of 25 rows and loses in none.",
            "equal from 25 MHz to 400 MHz.",
        ),
    ],
)
def test_the_points_between_which_offload_begins_to_help_are_named(
    tmp_path: Path, gain: Callable[[Profile], float], headline: str, course: str
) -> None:
    answer = answer_of(tmp_path, FIVE, gain=gain)
    assert answer.headline.startswith(headline)
    told = f"File transfer, OpenVPN, by clock of crypto0: {course}"
    assert any(each.startswith(told) for each in answer.sentences)
    assert [at for (at,) in answer.points] == [25e6, 50e6, 100e6, 200e6, 400e6]


def test_the_command_measures_between_the_points_of_a_change(tmp_path: Path) -> None:
    (sentence,) = answer_of(tmp_path / "x", FIVE).sentences[-1:]
    assert "between 100 MHz and 200 MHz: `firesteel run openvpn --quick " in sentence
    results = results_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both)
    answer = sweep_answer(results)
    assert answer
    found = re.search("`firesteel run (.*)`", answer.sentences[-1])
    assert found
    name, quick, *options = shlex.split(found[1])
    assert quick == "--quick"
    pairs = list(zip(options[::2], options[1::2], strict=True))
    vary = [value for option, value in pairs if option == "--vary"]
    only = [value for option, value in pairs if option == "--only"]
    cells = select(load(name, sweep=sweep_of_options(vary)).cells(quick=True), only)
    boards = {cell.profiles["board"] for cell in cells}
    assert len(boards) == 4
    measured = {entry.cell.profiles["board"] for entry in results.journal.entries}
    assert len(boards & measured) == 2, "both ends were measured"
    suites = {(cell.protocol, cell.cipher, cell.mac) for cell in cells}
    assert suites == {("openvpn", "aes-256-cbc", "none")}


def test_an_inconclusive_point_lies_between_those_that_are_named(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE)

    def unsure(at: Coordinates, kind: Kind) -> Kind:
        margin = 0.5 if at == (100e6,) else 0.0
        pairs = (
            replace(each, judged=replace(each.judged, speed_margin=margin)) for each in kind.pairs
        )
        return replace(kind, pairs=tuple(pairs))

    kinds = [
        replace(of, at={at: unsure(at, each) for at, each in of.at.items()}) for of in answer.kinds
    ]
    course, *_, narrowing = replace(answer, kinds=tuple(kinds), rows=()).sentences
    assert course.endswith(
        ": loses from 25 MHz to 50 MHz, inconclusive at 100 MHz, helps from 200 MHz to 400 MHz."
    )
    assert "between 50 MHz and 200 MHz (inconclusive at 100 MHz): `firesteel run" in narrowing


def test_rows_that_begin_to_gain_at_other_values_are_told_apart(tmp_path: Path) -> None:
    """The mean of both sizes would hide that small blocks need a faster core."""

    def by_size(board: Profile, size: int) -> float:
        return clock_of(board) / (50 if size > 256 else 100)

    answer = sweep_answer(speed_sweep(tmp_path / "one", by_size))
    assert answer
    kind, by_row, _ = answer.sentences
    assert kind.endswith("helps from 100 MHz to 400 MHz."), "the mean of both"
    small, large = by_row.split("; ")
    assert small.startswith("Row by row: OpenSSL AES-256-CBC, 256 B: loses from 25 MHz to 50 MHz,")
    assert small.endswith(" equal at 100 MHz, helps from 200 MHz to 400 MHz")
    assert large.endswith(" equal at 50 MHz, helps from 100 MHz to 400 MHz.")
    assert answer.headline == (
        "It depends: offload loses in 3 of 10 rows (OpenSSL AES-256-CBC, 256 B at 25 MHz; OpenSSL "
        "AES-256-CBC, 256 B at 50 MHz; OpenSSL AES-256-CBC, 16384 B at 25 MHz). Offload helps in 5."
    )
    same = sweep_answer(speed_sweep(tmp_path / "two", lambda *_: 2.0))
    assert same
    assert len(same.sentences) == 1
    mixed = sweep_answer(speed_sweep(tmp_path / "x", lambda _, size: 0.8 if size <= 256 else 4.0))
    assert mixed
    assert mixed.word == "It depends", "no kind gains at any point, but rows do"
    assert mixed.headline.endswith(" at 100 MHz and 2 more). Offload helps in 5.")


def test_of_two_numbers_each_is_told_over_the_other(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both)
    transfer = answer.kinds[-1]
    assert answer.where(transfer, 0) == (
        "changes between 50 MHz and 400 MHz, in 2 of 2 combinations of the other numbers"
    )
    assert answer.where(transfer, 1) == (
        "changes between 50 ns and 200 ns, in 3 of 5 combinations of the other numbers"
    )
    still = answer_of(tmp_path / "x", FIVE, f"{REGISTER}=50,200ns")
    assert still.where(still.kinds[-1], 1) == "changes nothing"
    nothing = answer_of(tmp_path / "y", f"{REGISTER}=0,100ns", gain=free_registers)
    assert nothing.where(nothing.kinds[-1], 0) == "helps at 0 ns, loses at 100 ns"
    assert "register_ns=0ns..100ns x4'" in nothing.sentences[-1], "nothing has no logarithm"


def free_registers(profile: Profile) -> float:
    """Faster where a register access takes nothing."""
    return 1.4 - profile.cores[0].timing.used("register_ns") / 100


def test_a_grid_of_which_a_figure_is_missing_is_a_grid_still(tmp_path: Path) -> None:
    at = f"socrates+{CLOCK}=25000000+{REGISTER}=50"
    missing = answer_of(tmp_path / "x", FIVE, f"{REGISTER}=50,200ns", gain=by_both, fail=[at])
    assert missing.is_grid
    failed = answer_of(tmp_path / "y", FIVE, fail=[f"socrates+{CLOCK}=25000000"])
    assert failed.headline.startswith("It depends: offload loses in 5 of 20 rows")
    assert "loses at 50 MHz" in failed.sentences[0]


def test_a_sweep_with_one_point_is_a_sweep_and_advice_names_no_list_of_values(
    tmp_path: Path,
) -> None:
    said = f"{CLOCK}=50,100,200 MHz"
    whole = results_of(tmp_path, said, only=("suite=aes-256-cbc:sha256",))
    journal = whole.journal.model_copy(update={"options": (("--vary", said),)})
    first = (each for each in whole.records if "=200" in each.cell.place.board)
    results = of_records(journal, first)
    answer = sweep_answer(results)
    assert answer
    assert answer.headline == "Yes: offload helps in 5 of 5 rows and loses in none."
    page = render(results)
    assert "firesteel advise --protocol openvpn" in page
    assert " --with " not in page


def test_a_sample_says_which_number_matters(tmp_path: Path) -> None:
    vary = (f"{CLOCK}=25..400 MHz log", f"{REGISTER}=100..110 ns")
    answer = answer_of(tmp_path, *vary, gain=by_both, method="lhs", budget=112)
    assert not answer.is_grid
    sentence = answer.sentences[-1]
    assert sentence.startswith("File transfer, OpenVPN: helps at ")
    assert "speed goes with clock of crypto0 (+1.00), register access of crypto0 (" in sentence


def test_nothing_varies_in_a_usual_run(tmp_path: Path) -> None:
    assert sweep_answer(results_of(tmp_path)) is None


def test_the_terminal_has_a_column_for_what_varied(tmp_path: Path) -> None:
    console = Console(width=80, record=True)
    show_answer(console, results_of(tmp_path, FIVE))
    shown = console.export_text()
    assert shown.startswith("Where does offload help? It depends")
    assert "of crypto0" in shown
    rows = [line.split() for line in shown.splitlines() if " MHz " in line and "×" not in line]
    assert ["Flood", "ping,", "OpenVPN", "25", "MHz", "loses", "0.25", "–"] in rows
    assert any(row[-5:] == ["400", "MHz", "helps", "4.00", "0.25"] for row in rows)
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_numbers_of_cpus_and_cores_make_one_table_with_software_once(tmp_path: Path) -> None:
    vary = ("cpu.count=1,2,4", "cores.crypto0.count=1,4")
    results = speed_sweep(tmp_path, vary=vary, kind=ManyRunner, experiment="openssl-speed")
    answer = sweep_answer(results)
    assert answer
    console = Console(width=80, record=True)
    show_answer(console, results)
    shown = console.export_text()
    assert all(len(line) <= 80 for line in shown.splitlines())
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "4 CPUs 80.00 60.00 (0.75×, loses) 160.00 (2.00×, helps)" in lines
    assert "2 CPUs 40.00 60.00 (1.50×, helps) 80.00 (2.00×, helps)" in lines
    (sentence,) = (each for each in answer.sentences if "crypto core" in each)
    assert sentence.endswith(
        "with 1 crypto core, a core becomes the bottleneck between 1 CPU and 2 CPUs, "
        "software overtakes between 2 CPUs and 4 CPUs."
    )
    page = render(results)
    assert "hardware, 4 crypto cores" in page
    table = page.index("Hardware versus software, by number of CPUs")
    assert table < page.index("<h2>What the numbers that vary do</h2>")


def test_a_row_that_was_left_to_software_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RowVerdict, "left_to_software", True)
    vary = ("cpu.count=1,2,4", "cores.crypto0.count=1,4")
    show_answer(
        console := Console(width=120, record=True),
        speed_sweep(tmp_path, vary=vary, kind=ManyRunner, experiment="openssl-speed"),
    )
    assert "60.00 (0.75×, loses, left to software)" in console.export_text()


def test_each_number_of_cpus_has_the_affinity_that_is_best_there() -> None:
    """Steering costs one CPU time, and several CPUs need it."""
    answer = sweep_answer(load_results(Store(RECORDED), "scaling"))
    assert answer
    (row,) = (each for each in answer.rows if each.name.startswith("IPsec AES-256-GCM"))
    assert ", best affinity [" in row.name
    lines = answer.by_cores(row).values()
    chosen = {(cpus, pair.identity.affinity) for line in lines for cpus, pair in line}
    assert chosen == {(1, ""), (4, "rps all")}


def test_a_row_in_two_topologies_is_two_rows(tmp_path: Path) -> None:
    told = tmp_path / "both.toml"
    parts = '[[parts]]\nexperiment = "openvpn"\n[[parts]]\nexperiment = "gateways"\n'
    told.write_text(f'title = "Both"\n{parts}')
    only = ("suite=aes-256-gcm:gcm", "protocol=openvpn")
    found = answer_of(tmp_path, f"{CLOCK}=50,200MHz", only=only, experiment=str(told))
    rows = {row.name: len(row.at) for row in found.rows if row.name.endswith(" 56 B")}
    assert rows == {
        "OpenVPN AES-256-GCM [host-host], 56 B": 2,
        "OpenVPN AES-256-GCM [host-gateway-gateway-host], 56 B": 2,
    }


def test_each_board_has_its_own_kinds_of_traffic(tmp_path: Path) -> None:
    told = tmp_path / "boards.toml"
    boards = ("socrates", "gateway-a53")
    told.write_text(f'title = "Two"\n[[parts]]\nexperiment = "openvpn"\nboards = {list(boards)}\n')
    only = ("suite=aes-256-gcm:gcm", "protocol=openvpn")
    found = answer_of(tmp_path, f"{CLOCK}=50,200MHz", only=only, experiment=str(told))
    for kind in found.kinds:
        (board,) = (each for each in boards if kind.name.endswith(f" [{each}]"))
        rows = found.rows_of(kind)
        assert rows
        assert all(f"[{board}]" in row.name for row in rows)
    assert len(found.kinds) == 2 * len({kind.name.partition(" [")[0] for kind in found.kinds})


def test_a_limit_may_compare_two_boards_of_a_sweep(tmp_path: Path) -> None:
    vary = ("cpu.count=1,4", "cores.crypto0.count=1,4")
    results = speed_sweep(tmp_path, vary=vary, kind=ManyRunner, experiment="openssl-speed")
    side = next(side_of(each.cell) for each in results.records if each.cell.on_cores)
    board = "socrates-hash+cores.crypto0.count=4+cpu.count=4"
    limit = Limit(of=side, beside=side, metric="throughput", least=3.4, board=board)
    (found,) = outcomes(results.means, [limit.model_copy(update={"beside_board": "socrates-hash"})])
    assert (found.ratio, found.verdict) == (4, "met")
    assert title(found).endswith("[socrates-hash]")
    (kept,) = load("scaling-tunnels").limits()
    assert (kept.board, kept.beside_board) == (board.replace("-hash", ""), "socrates")


def test_a_long_table_is_left_to_the_report(tmp_path: Path) -> None:
    console = Console(width=80, record=True)
    show_answer(console, results_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both))
    shown = console.export_text()
    assert "All points: `firesteel show --part samples`, or the report." in shown
    assert "100 MHz" not in shown.split("To narrow")[0]
