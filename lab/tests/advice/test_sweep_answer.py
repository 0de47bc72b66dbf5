# SPDX-License-Identifier: Apache-2.0
"""A sweep says at how many points offload helps, and between which values that changes."""

import re
import shlex
from pathlib import Path

import pytest
from made_sweep import CLOCK, REGISTER, by_both, results_of, speed_sweep, swept
from rich.console import Console

from firesteel.advice.sweep import Change, SweepAnswer, sweep_answer
from firesteel.analysis.results import load_results
from firesteel.board.profile import Profile
from firesteel.experiment.collection import load
from firesteel.experiment.experiment import select
from firesteel.experiment.sweep import sweep_of_options
from firesteel.terminal.answer import show_answer

FIVE = f"{CLOCK}=25..400 MHz x5 log"


def answer_of(root: Path, *vary: str, **options: object) -> SweepAnswer:
    found = sweep_answer(results_of(root, *vary, **options))  # type: ignore[arg-type]
    assert found
    return found


def test_the_points_between_which_offload_begins_to_help_are_named(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE)
    assert answer.headline == (
        "It depends: offload helps at 4 of 10 points of 2 kinds of traffic, in 10 of 25 rows; it "
        "loses in 10."
    )
    *_, transfer, narrowing = answer.sentences
    assert transfer == (
        "File transfer, OpenVPN, by clock of crypto0: loses from 25 MHz to 50 MHz, makes no "
        "difference at 100 MHz, helps from 200 MHz to 400 MHz."
    )
    assert "such as between 100 MHz and 200 MHz: `firesteel run openvpn --quick " in narrowing
    (line,) = answer.lines(answer.kinds[-1], 0)
    even, gain = line.changes
    assert even == Change(50e6, 100e6, "makes no difference")
    assert gain == Change(100e6, 200e6, "helps")
    assert line.turn == (gain, "begins to help")
    assert [at for (at,) in answer.points] == [25e6, 50e6, 100e6, 200e6, 400e6]


def test_no_verdict_is_told_that_no_point_has(tmp_path: Path) -> None:
    """Between 25 and 50 MHz the driver begins to use the core: a straight line would lose there."""

    def switched(board: Profile) -> float:
        clock = board.cores[0].timing.used("clock_hz") or 0
        return 1.0 if clock <= 25e6 else 1.5

    answer = answer_of(tmp_path, f"{CLOCK}=12.5,25,50,200 MHz", gain=switched)
    for sentence in answer.sentences[:-1]:
        assert sentence.endswith(
            "makes no difference from 12.5 MHz to 25 MHz, helps from 50 MHz to 200 MHz."
        )
    assert "between 25 MHz and 50 MHz" in answer.sentences[-1]


def test_the_command_measures_between_the_points_of_a_change(tmp_path: Path) -> None:
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


def by_size(board: Profile, size: int) -> float:
    """As fast as software at 50 MHz, or with small blocks at 100 MHz."""
    clock = board.cores[0].timing.used("clock_hz") or 0
    return clock / (50e6 if size > 256 else 100e6)


def test_rows_that_begin_to_gain_at_other_values_are_told_apart(tmp_path: Path) -> None:
    """The mean of both sizes would hide that small blocks need a faster core."""
    answer = sweep_answer(speed_sweep(tmp_path, by_size))
    assert answer
    kind, by_row, _ = answer.sentences
    assert "helps from 100 MHz to 400 MHz" in kind, "the mean of both"
    assert by_row == (
        "Row by row, offload helps: OpenSSL AES-256-CBC, 256 B from 200 MHz on (not at 100 MHz), "
        "16384 B from 100 MHz on (not at 50 MHz)."
    )
    assert answer.headline == (
        "It depends: offload helps at 3 of 5 points, in 5 of 10 rows; it loses in 3."
    )


@pytest.mark.parametrize(("speed", "count"), [(2.0, 10), (0.5, 0)])
def test_rows_that_say_the_same_are_not_told_apart(
    tmp_path: Path, speed: float, count: int
) -> None:
    answer = sweep_answer(speed_sweep(tmp_path, lambda *_: speed))
    assert answer
    assert len(answer.sentences) == 1
    assert f"in {count} of 10 rows" in answer.headline


def test_a_yes_hides_no_row_that_loses(tmp_path: Path) -> None:
    """The mean of both sizes gains at each clock, but small blocks lose at each."""
    answer = sweep_answer(speed_sweep(tmp_path, lambda _, size: 0.8 if size <= 256 else 4.0))
    assert answer
    assert answer.headline == (
        "Mostly: offload helps at 5 of 5 points, in 5 of 10 rows; it loses in 5."
    )


def in_the_middle(profile: Profile) -> float:
    """Faster from 50 to 100 MHz alone."""
    return 1.5 if 50e6 <= (profile.cores[0].timing.used("clock_hz") or 0) <= 100e6 else 0.8


def at_both_ends(profile: Profile) -> float:
    """Faster where the other is slower."""
    return 1 / in_the_middle(profile)


def test_a_row_that_gains_twice_or_ceases_to_says_all_of_it(tmp_path: Path) -> None:
    answer = answer_of(tmp_path / "one", FIVE, gain=in_the_middle)
    middle = "from 50 MHz to 100 MHz (not at 25 MHz and 200 MHz)"
    assert answer.where(answer.rows[0], 0) == middle
    other = answer_of(tmp_path / "two", FIVE, gain=at_both_ends)
    assert other.where(other.rows[0], 0) == (
        "up to 25 MHz (not at 50 MHz) and from 200 MHz on (not at 100 MHz)"
    )
    several = answer_of(tmp_path / "three", FIVE, f"{REGISTER}=50,200ns", gain=in_the_middle)
    line = several.rows[0].alone
    assert len(list(several.lines(line, 0))) == 2
    assert several.where(several.rows[0], 0) == middle, "the same in both"


def by_both_in_the_middle(profile: Profile) -> float:
    """Faster over a span that depends on the other number."""
    clock = (profile.cores[0].timing.used("clock_hz") or 0) / 1e6
    dear = profile.cores[0].timing.used("register_ns") > 100
    return 1.5 if (100 if dear else 50) <= clock <= (200 if dear else 100) else 0.8


def test_spans_that_depend_on_other_numbers_are_no_break_even(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both_in_the_middle)
    assert answer.where(answer.rows[0], 0) == (
        "over a part of its range, in 2 of 2 combinations of the others"
    )


def test_a_row_says_over_which_combinations_its_break_even_moves(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both)
    transfer = answer.rows_of(answer.kinds[-1])[-1]
    assert answer.where(transfer, 0) == (
        "from a value between 50 MHz and 400 MHz on, in 2 of 2 combinations of the others"
    )
    assert answer.where(transfer, 1) == (
        "up to a value between 50 ns and 200 ns, in 2 of 5 combinations of the others"
    )
    still = answer_of(tmp_path / "x", FIVE, f"{REGISTER}=50,200ns")
    assert still.where(still.rows_of(still.kinds[-1])[-1], 1) == (
        "at every value measured, in 2 of 5 combinations of the others"
    )


def test_what_changes_nothing_is_told_so(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, gain=lambda _: 1.5)
    assert answer.headline.startswith("Yes: offload helps at 10 of 10 points")
    assert answer.sentences[0].endswith("helps from 25 MHz to 400 MHz.")
    answer = answer_of(tmp_path / "other", FIVE, gain=lambda _: 1.0)
    assert answer.headline.startswith("No: offload helps at 0 of 10 points")


def test_of_two_numbers_each_is_told_over_the_other(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both)
    clock, register = (each for each in answer.sentences if each.startswith("File transfer"))
    assert clock == (
        "File transfer, OpenVPN, by clock of crypto0: begins to help between 50 MHz and 400 MHz, "
        "in 2 of 2 combinations of the other numbers."
    )
    assert register == (
        "File transfer, OpenVPN, by register access of crypto0: ceases to help between 50 ns and "
        "200 ns, in 2 of 5 combinations of the other numbers."
    )
    still = answer_of(tmp_path / "x", FIVE, f"{REGISTER}=50,200ns")
    assert still.sentences[1].endswith(
        "register access of crypto0 changes no verdict in its range."
    )


def test_a_grid_of_which_a_part_is_shown_is_a_grid_still(tmp_path: Path) -> None:
    register = f"{REGISTER}=50,100,200ns"
    journal, _, store = swept(tmp_path, FIVE, register, gain=by_both)
    results = load_results(store, journal.name, 20)
    assert len(results.records) == 18
    answer = sweep_answer(results)
    assert answer
    assert answer.is_grid
    assert answer.points == [
        (clock, register) for clock in (25e6, 100e6, 400e6) for register in (50, 100, 200)
    ], "both ends of each number, and what lies evenly between"
    assert "by clock of crypto0: begins to help between" in answer.sentences[-3]


def test_a_point_that_was_not_measured_leaves_a_grid_one(tmp_path: Path) -> None:
    at = f"socrates+{CLOCK}=25000000+{REGISTER}=50"
    answer = answer_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both, fail=[at])
    assert answer.is_grid
    assert "in 2 of 2 combinations" in answer.sentences[-3]


def test_a_large_sample_is_no_grid(tmp_path: Path) -> None:
    vary = (f"{CLOCK}=25,50,100,200,400 MHz", f"{REGISTER}=50,100,200 ns")
    journal, _, store = swept(tmp_path, *vary, gain=by_both, method="lhs", budget=20)
    answer = sweep_answer(load_results(store, journal.name, 10))
    assert answer
    assert not answer.is_grid


def test_a_sample_says_which_number_matters(tmp_path: Path) -> None:
    vary = (f"{CLOCK}=25..400 MHz log", f"{REGISTER}=100..110 ns")
    answer = answer_of(tmp_path, *vary, gain=by_both, method="lhs", budget=112)
    assert not answer.is_grid
    sentence = answer.sentences[-1]
    assert sentence.startswith("File transfer, OpenVPN: helps at ")
    assert "speed goes with clock of crypto0 (+1.00), register access of crypto0 (" in sentence


def test_a_point_without_figures_is_left_out(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, FIVE, fail=[f"socrates+{CLOCK}=25000000"])
    assert "at 4 of 8 points" in answer.headline
    assert "loses at 50 MHz" in answer.sentences[0]


def test_nothing_varies_in_a_usual_run(tmp_path: Path) -> None:
    assert sweep_answer(results_of(tmp_path)) is None


def at_zero(profile: Profile) -> float:
    """Faster where a register access takes nothing."""
    return 1.4 - profile.cores[0].timing.used("register_ns") / 100


def test_a_number_may_be_nothing(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, f"{REGISTER}=0,100ns", gain=at_zero)
    (line,) = answer.lines(answer.kinds[-1], 0)
    assert line.turn == (Change(0, 100, "loses"), "ceases to help")
    assert "register_ns=0ns..100ns x4'" in answer.sentences[-1], "nothing has no logarithm"


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


def test_a_long_table_is_left_to_the_report(tmp_path: Path) -> None:
    console = Console(width=80, record=True)
    show_answer(console, results_of(tmp_path, FIVE, f"{REGISTER}=50,200ns", gain=by_both))
    shown = console.export_text()
    assert "All points: `firesteel show --part samples`, or the report." in shown
    assert "25 MHz" not in shown
