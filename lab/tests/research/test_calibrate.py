# SPDX-License-Identifier: Apache-2.0
"""Boards beside published costs: deviations as times, groups with goals, and what is missing."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from made_calibration import Longer, processor, run
from rich.console import Console
from typer.testing import CliRunner

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import load_profile
from firesteel.judge.results import Results
from firesteel.store.store import Store
from research import calibrate as command
from research.calibrate import choose, compared, groups, show_calibration
from research.processor import Cost, load_processors

FLAT = load_profile("socrates").cpu.on_clock("flat")


def only_own_rows(cost: Cost) -> float | None:
    """As published, but 10 % longer in the kernel; logs of other boards are of the same figures."""
    if cost.source.endswith("-log"):
        return None
    return 1.1 if cost.kind == "kernel" else 1.0


def found_of(*runs: Results) -> pl.DataFrame:
    return compared(processor(), runs)


def by_id(found: pl.DataFrame, column: str, label: str = "socrates, flat") -> dict[str, float]:
    rows = found.filter(label=label)
    return dict(zip(rows["id"], rows[column], strict=True))


def shown(found: pl.DataFrame, width: int = 160) -> str:
    console = Console(width=width)
    with console.capture() as captured:
        show_calibration(console, processor(), found)
    return " ".join(captured.get().split())


def test_published_figures_are_taken_to_the_clock_of_the_board(tmp_path: Path) -> None:
    fast = load_profile("am437x").cpu
    found = found_of(
        run(tmp_path / "a", only_own_rows, cpu=FLAT),
        run(tmp_path / "b", only_own_rows, board="am437x", cpu=fast),
    )
    for label, call in (("socrates, flat", 500), ("am437x, cycles", 400)):
        published = by_id(found, "published", label)
        assert published["null-call"] == pytest.approx(call)
        assert published["read-latency-1048576"] == pytest.approx(99.08)
        assert published["aes-128-cbc-8192"] == pytest.approx(28.86)
    off = by_id(found, "deviation_percent", "am437x, cycles")
    # The board of this test takes as long as the chip at 800 MHz, in cycles a byte as at 1000 MHz.
    assert off["null-call"] == pytest.approx(37.5)
    assert off["aes-128-cbc-8192"] == pytest.approx(25)
    text = shown(found)
    assert "at 800 MHz and 1000 MHz" in text


def test_groups_have_median_worst_and_whether_goals_are_met(tmp_path: Path) -> None:
    def of(longer: Longer) -> dict[tuple[str, str], dict[str, Any]]:
        frame = found_of(run(tmp_path, longer))
        return {(each["role"], each["kind"]): each for each in groups(processor(), frame)}

    one = of(lambda cost: 1.16 if cost.id == "aes-128-cbc-8192" else only_own_rows(cost))
    fitted, kernel = one["fitted", "assembler"], one["held-out", "kernel"]
    assert (fitted["rows"], fitted["worst_row"]) == (11, "aes-128-cbc-8192")
    assert (fitted["median"], fitted["worst"]) == pytest.approx((0, 16))
    assert (kernel["median"], kernel["worst"]) == pytest.approx((10, 10))
    assert (fitted["is_met"], kernel["is_met"]) == (False, True)
    off = of(lambda _: 1.07)  # The median has a goal of its own.
    assert not off["fitted", "assembler"]["is_met"]
    assert off["fitted", "kernel"]["is_met"]


def test_a_kind_with_few_held_out_operations_is_unanchored(tmp_path: Path) -> None:
    found = found_of(run(tmp_path, lambda _: 2))
    memory = found.filter(role="held-out", kind="memory")
    assert memory.height == 3
    others = found.filter(pl.col("kind") != "memory")
    goal = "The goal is missed by held-out: memory;"
    for kept, mark in ((memory, "missed"), (memory[:2], "unanchored")):
        # An operation that two sources have at the same size is one.
        (line,) = groups(processor(), pl.concat([kept, kept[:1]]))
        assert line["is_anchored"] == (mark == "missed")
        text = shown(pl.concat([others, kept]))
        assert (goal in text) == (mark == "missed")
        assert ("unanchored" in text) == (mark == "unanchored")


def test_boards_stand_beside_each_other_by_name_clock_and_what_they_are(tmp_path: Path) -> None:
    faster = FLAT.model_copy(update={"instructions_per_second": 600_000_000})
    found = found_of(
        run(tmp_path / "a", only_own_rows, name="first", cpu=FLAT),
        run(tmp_path / "b", lambda _: 1.5, board="socrates-hash", cpu=FLAT),
        run(tmp_path / "c", lambda _: 0.9, name="second", cpu=faster),
    )
    labels = ["socrates, flat", "socrates-hash, flat", "socrates, flat, second"]
    assert list(dict.fromkeys(found["label"].drop_nulls())) == labels
    pipe = [by_id(found, "deviation_percent", label)["pipe"] for label in labels]
    assert pipe == pytest.approx([10, 50, -10])
    text = shown(found)
    assert "fitted: kernel (socrates-hash, flat)" in text
    missed = "The goal is missed by fitted: kernel (socrates-hash, flat); the worst row is "
    assert f"{missed}null-call." in text


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
