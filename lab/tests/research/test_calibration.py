# SPDX-License-Identifier: Apache-2.0
"""Boards beside published costs: deviations as times, groups with goals, and what is missing."""

import csv
import io
import json
from pathlib import Path

import pytest
from made_calibration import processor, run
from rich.console import Console
from typer.testing import CliRunner

from firesteel.analysis.results import Results
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import load_profile
from firesteel.store.store import Store
from research import calibrate as command
from research.calibrate import show_calibration
from research.calibration import COLUMNS, Board, calibrate, choose
from research.processor import Cost, load_processors

FLAT = load_profile("socrates").cpu.on_clock("flat")


def only_own_rows(cost: Cost) -> float | None:
    """As published, but 10 % longer in the kernel; logs of other boards are of the same figures."""
    if cost.source.endswith("-log"):
        return None
    return 1.1 if cost.kind == "kernel" else 1.0


def test_a_deviation_is_how_much_longer_the_board_takes(tmp_path: Path) -> None:
    def longer(cost: Cost) -> float | None:
        slow = {"null-call": 1.25, "memory-copy-16777216": 1.25, "chacha20-8192": 0.8}
        return slow.get(cost.id)

    found = calibrate(processor(), [run(tmp_path, longer)])
    off = {
        line.cost.id: compared.deviation
        for line in found.lines
        for compared in line.boards.values()
    }
    assert off == pytest.approx({"null-call": 25, "memory-copy-16777216": 25, "chacha20-8192": -20})


def test_published_times_are_taken_to_the_clock_of_the_board(tmp_path: Path) -> None:
    found = calibrate(processor(), [run(tmp_path, only_own_rows)])
    published = {
        line.cost.id: compared.published
        for line in found.lines
        for compared in line.boards.values()
    }
    assert published["null-call"] == pytest.approx(500)
    assert published["read-latency-1048576"] == pytest.approx(99.08)
    assert published["aes-128-cbc-8192"] == pytest.approx(28.86)


def test_a_board_that_counts_cycles_is_compared_at_its_own_clock(tmp_path: Path) -> None:
    fast = load_profile("am437x").cpu
    found = calibrate(processor(), [run(tmp_path, only_own_rows, board="am437x", cpu=fast)])
    (board,) = found.clocks
    assert found.clocks == {board: 1_000_000_000}
    published = {line.cost.id: line.boards[board].published for line in found.lines if line.boards}
    assert published["null-call"] == pytest.approx(400)
    assert published["read-latency-1048576"] == pytest.approx(99.08)
    off = {line.cost.id: line.boards[board].deviation for line in found.lines if line.boards}
    # The board of this test takes as long as the chip at 800 MHz, in cycles a byte as at 1000 MHz.
    assert off["null-call"] == pytest.approx(37.5)
    assert off["aes-128-cbc-8192"] == pytest.approx(25)


def test_boards_of_several_clocks_have_published_figures_of_their_own(tmp_path: Path) -> None:
    fast = load_profile("am437x").cpu
    runs = [
        run(tmp_path / "a", only_own_rows, cpu=FLAT),
        run(tmp_path / "b", only_own_rows, board="am437x", cpu=fast),
    ]
    console = Console(width=160)
    with console.capture() as captured:
        show_calibration(console, calibrate(processor(), runs))
    text = " ".join(captured.get().split())
    assert "pipe ti-am437x 39,775 ns 43,752 +10.0 31,820 ns 43,752 +37.5" in text
    assert "at 800 MHz (socrates, flat) and 1000 MHz (am437x, cycles)" in text


def test_groups_have_median_worst_and_whether_goals_are_met(tmp_path: Path) -> None:
    def longer(cost: Cost) -> float | None:
        factor = only_own_rows(cost)
        return 1.16 if cost.id == "aes-128-cbc-8192" else factor

    groups = {
        (group.role, group.kind): group
        for group in calibrate(processor(), [run(tmp_path, longer)]).groups
    }
    fitted = groups["fitted", "assembler"]
    assert fitted.rows == 11
    assert fitted.median == pytest.approx(0)
    assert fitted.worst == pytest.approx(16)
    assert fitted.worst_row == "aes-128-cbc-8192"
    assert not fitted.is_met
    kernel = groups["held-out", "kernel"]
    assert kernel.median == kernel.worst == pytest.approx(10)
    assert kernel.is_met


def test_a_median_beyond_its_goal_is_not_met(tmp_path: Path) -> None:
    found = calibrate(processor(), [run(tmp_path, lambda _: 1.07)])
    groups = {(group.role, group.kind): group for group in found.groups}
    assert not groups["fitted", "assembler"].is_met
    assert groups["fitted", "kernel"].is_met


def test_boards_stand_beside_each_other_by_name_and_clock(tmp_path: Path) -> None:
    timed = FLAT.on_clock("cycles").model_copy(update={"hertz": 800_000_000})
    runs = [
        run(tmp_path / "a", only_own_rows, cpu=FLAT),
        run(tmp_path / "b", lambda _: 1.5, board="socrates-cycles", cpu=timed),
    ]
    found = calibrate(processor(), runs)
    assert tuple(found.clocks) == (Board("socrates", "flat"), Board("socrates-cycles", "cycles"))
    (line,) = (line for line in found.lines if line.cost.id == "pipe")
    assert [round(each.deviation) for each in line.boards.values()] == [10, 50]


def test_a_board_that_changed_between_runs_stands_there_twice(tmp_path: Path) -> None:
    faster = FLAT.model_copy(update={"instructions_per_second": 600_000_000})
    runs = [
        run(tmp_path / "a", lambda _: 1.0, name="first", cpu=FLAT),
        run(tmp_path / "b", lambda _: 0.9, name="second", cpu=faster),
    ]
    found = calibrate(processor(), runs)
    assert [board.label for board in found.clocks] == ["socrates, flat", "socrates, flat, second"]


def test_rows_without_a_figure_are_named(tmp_path: Path) -> None:
    found = calibrate(processor(), [run(tmp_path, only_own_rows)])
    names = {cost.id for cost in found.missing}
    assert "dhrystone" in names
    assert "pipe" not in names


def test_tidy_rows_have_every_published_row(tmp_path: Path) -> None:
    found = calibrate(processor(), [run(tmp_path, only_own_rows, cpu=FLAT)])
    frame = found.frame
    assert frame.columns == list(COLUMNS)
    assert frame["id"].to_list() == [cost.id for cost in processor().costs]
    (pipe,) = frame.filter(id="pipe").to_dicts()
    assert (pipe["board"], pipe["clock"], pipe["unit"]) == ("socrates", "flat", "ns")
    assert pipe["deviation_percent"] == pytest.approx(10)
    (none,) = frame.filter(id="dhrystone").to_dicts()
    assert (none["board"], none["ours"], none["published"]) == (None, None, 2.24)


def test_nothing_to_compare_is_told(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match="`firesteel run calibration` measures them"):
        calibrate(processor(), [run(tmp_path, lambda _: None)])


def test_the_processor_is_that_of_the_boards(tmp_path: Path) -> None:
    known = load_processors()
    of_socrates = [run(tmp_path / "a", only_own_rows)]
    of_peer = [run(tmp_path / "b", only_own_rows, board="peer")]
    assert choose(known, of_socrates, None).name == "cortex-a9"
    assert choose(known, of_peer, "cortex-a8").name == "cortex-a8"
    with pytest.raises(FiresteelError, match="of peer, and 0 processors .* --processor takes"):
        choose(known, of_peer, None)
    with pytest.raises(FiresteelError, match="no processor `m68k`; there are: .*cortex-a9"):
        choose(known, of_socrates, "m68k")


def test_the_table_shows_rows_deviations_and_goals(tmp_path: Path) -> None:
    console = Console(width=100, record=True, quiet=True)
    found = calibrate(processor(), [run(tmp_path, only_own_rows, cpu=FLAT)])
    with console.capture() as captured:
        console.quiet = False
        show_calibration(console, found)
    text = captured.get()
    lines = {" ".join(line.split()) for line in text.splitlines()}
    assert "pipe ti-am437x 39,775 ns 43,752 +10.0" in lines
    assert "fitted: kernel 2 10.0 10.0 20 met" in lines
    assert any(line.startswith("held-out: assembler ") for line in lines)
    assert "Cortex-A9 at 800 MHz" in text
    told = "Published rows without a figure here: 1, of dhrystone."
    assert told in " ".join(text.split())


def test_the_table_of_several_boards_names_them(tmp_path: Path) -> None:
    runs = [
        run(tmp_path / "a", only_own_rows, cpu=FLAT),
        run(tmp_path / "b", lambda _: 1.5, board="socrates-hash", cpu=FLAT),
    ]
    console = Console(width=120)
    with console.capture() as captured:
        show_calibration(console, calibrate(processor(), runs))
    assert "fitted: kernel (socrates-hash, flat)" in captured.get()
    missed = "The goal is missed by fitted: kernel (socrates-hash, flat); the worst row is "
    assert f"{missed}null-call." in captured.get()


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_the_command_writes_all_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    loaded = run(tmp_path / "a", only_own_rows, cpu=FLAT)
    asked: list[str] = []

    def load(store: Store, name: str) -> Results:
        del store
        asked.append(name)
        return loaded

    monkeypatch.setattr(command, "load_results", load)
    told = CliRunner().invoke(command.app, ["--format", form, "--store", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert asked == ["latest"]
    if form == "table":
        assert "held-out: kernel" in told.stdout
        return
    rows = json.loads(told.stdout) if form == "json" else csv.DictReader(io.StringIO(told.stdout))
    off = {row["id"]: row["deviation_percent"] for row in rows}
    assert list(off) == [cost.id for cost in processor().costs]
    assert float(off["pipe"]) == pytest.approx(10)
