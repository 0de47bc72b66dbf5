# SPDX-License-Identifier: Apache-2.0
"""`firesteel show --part cost` in this process, of a sweep with figures that follow from boards."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import Lab, invoke
from made_pairs import row_of

from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.judge.intervals import Sample
from firesteel.judge.pareto import Choice, Price

MEGAHERTZ = "cores.*.timing.clock_hz=1 per MHz"


def saturating(profile: Profile) -> float:
    """Hardware that a clock above 200 MHz does not help."""
    return min(profile.cores[0].timing.used("clock_hz") or 0, 200e6) / 50e6


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a sweep of the cores' clock."""
    place = tmp_path_factory.mktemp("store")
    vary = ("--vary", "cores.*.timing.clock_hz=25,100,200,400MHz")
    only = ("--only", "suite=aes-256-cbc:none")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firesteel.show.report.write.write_report", lambda *_: place)
        lab = Lab(place, patch)
        lab("run", "openvpn", "--quick", *only, *vary, "--jobs", "1", gain=saturating)
    return place


def rows_of(store: Path, *costs: str) -> list[dict[str, Any]]:
    given = [word for cost in costs for word in ("--cost", cost)]
    told = invoke("show", *given, "--format", "json", "--store", str(store)).stdout
    rows: list[dict[str, Any]] = json.loads(told)
    return [row for row in rows if row["speed_by"] == "throughput"]


def costs(rows: list[dict[str, Any]], implementation: str) -> list[float]:
    return [row["cost"] for row in rows if row["implementation"] == implementation]


def test_what_rows_cost_and_which_are_best(store: Path) -> None:
    rows = rows_of(store, MEGAHERTZ)
    hardware = {row["cost"]: row["best"] for row in rows if row["implementation"] == "hardware"}
    assert hardware == {25: False, 100: True, 200: True, 400: False}
    assert costs(rows, "software") == [0], "once, though it stands for several boards"
    assert costs(rows_of(store, MEGAHERTZ, "cpu.hertz=10 per GHz"), "software") == [8]
    # A board with other numbers has the price of the one that it is made of.
    rows = rows_of(store, "socrates=10", MEGAHERTZ)
    assert costs(rows, "software") == [10]
    assert set(costs(rows, "hardware")) == {35, 110, 210, 410}


def choice(cost: float, rate: float, work: float, uncertainty: float = 0.0) -> Choice:
    figures = {
        "throughput": Sample(((1, rate),), uncertainty),
        "cpu_seconds_per_mb": Sample.exact(work),
    }
    speed, cpu_work = figures.items()
    return Choice(row_of(figures), cost, speed, cpu_work)


def test_figures_within_two_percent_are_no_reason_to_pay_more() -> None:
    cheap, dear = choice(10, 100, 1.0), choice(20, 101.9, 0.99)
    assert cheap.beats(dear)
    assert not dear.beats(cheap)
    assert not cheap.beats(choice(20, 102.5, 1.0)), "which is faster"
    assert not cheap.beats(choice(20, 100, 0.95)), "which takes less of the CPU"
    assert not cheap.beats(choice(20, 100, 1.0, uncertainty=5)), "which may be faster"
    same = choice(10, 101, 1.01)
    assert not cheap.beats(same)
    assert not same.beats(cheap)


def test_the_table_names_what_beats_a_row(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    told = invoke("show", "--cost", MEGAHERTZ, "--store", str(store)).stdout
    assert "beaten by" in told
    assert "OpenVPN AES-256-CBC:none, 8 MiB" in told
    assert "equal within 2 %" in " ".join(told.split())
    assert "best: no other row" in told


@pytest.mark.parametrize(
    ("cost", "problem"),
    [
        ("cores", "allowed is PATH=COST per UNIT"),
        ("cpu.herz=1", "`herz` of `cpu.herz` is unknown"),
        ("cpu.hertz=1 MHz", '"MHz" follows a cost'),
        ("cpu.hertz=1 per ns", '"ns" is not a unit for this key'),
        ("socrates=1 per MHz", "a board has no units"),
        ("cpu.hertz=much", "is not a number"),
        ("=3", "allowed is PATH=COST per UNIT, or BOARD=COST"),
        ("socrates=-1", "a cost is 0 or more"),
        ("cpu.hertz=-1 per MHz", "a cost is 0 or more"),
    ],
)
def test_what_is_refused(cost: str, problem: str) -> None:
    with pytest.raises(FiresteelError, match=problem):
        Price.read(cost)


def test_costs_that_do_not_fit_the_run(store: Path) -> None:
    for given, problem in (
        (("nowhere=1",), "nothing was measured on such a board"),
        (("socrates=10", "socrates=10"), "has a cost already"),
        ((MEGAHERTZ, MEGAHERTZ), "has a cost already"),
    ):
        with pytest.raises(FiresteelError, match=problem):
            rows_of(store, *given)


def test_no_board_is_free_if_others_have_prices() -> None:
    prices = ("--cost", "socrates=10")
    with pytest.raises(FiresteelError, match="no price") as caught:
        invoke("show", "several-cores", "--store", str(RECORDED), *prices)
    assert str(caught.value).endswith("socrates-1600-4pk, socrates-2pk, socrates-4pk.")
    assert "\n" not in str(caught.value)


def test_a_path_of_several_windows_of_cores_costs_all_of_them() -> None:
    """The boards differ in how many windows of cores they have, 1, 2 and 4."""
    cost = ("--cost", "cores.*.timing.clock_hz=1 per MHz", "--format", "json")
    told = invoke("show", "several-cores", "--store", str(RECORDED), *cost).stdout
    costs = {
        row["board"]: row["cost"] for row in json.loads(told) if row["implementation"] == "hardware"
    }
    windows = {"": 1, "-2pk": 2, "-4pk": 4}
    assert costs == {
        f"{board}{end}": 100 * count
        for board in ("socrates", "socrates-1600")
        for end, count in windows.items()
    }
