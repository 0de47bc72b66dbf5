# SPDX-License-Identifier: Apache-2.0
"""The report of a sweep: the verdict first, then curves, maps or points."""

import re
from pathlib import Path

from made_runs import page_of
from made_sweep import CLOCK, REGISTER, by_both, results_of
from report_page import check

from firesteel.analysis.pareto import Price, choices
from firesteel.board.numbers import Path as Number
from firesteel.report.charts import cost_points, envelope
from firesteel.report.pictures import HEATS, Axis, Point
from firesteel.report.write import render

FIVE = f"{CLOCK}=25..400 MHz x5 log"


def section(page: str, name: str) -> str:
    return page.split(f'id="{name}"')[1].split("</section>")[0]


def test_a_sweep_of_one_number_has_response_curves(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path, FIVE))
    check(page)
    answer = section(page, "answer")
    assert answer.index("It depends") < answer.index("<table>")
    assert "helps from 200 MHz to 400 MHz" in answer
    shown = section(page, "sweep")
    assert re.search(r"8 MiB</th><td[^>]*>[^<]* helps from 200 MHz to 400 MHz</td>", shown)
    assert "by clock of crypto0" in shown
    assert shown.count("<figure>") == 5
    assert "at 25 MHz hardware 1.50, software 6.00, speed 0.25, CPU work 4.00: loses" in shown
    assert "clock of crypto0, MHz" in shown
    assert "var(--band)" in shown
    assert "Measured at 5 points of a sweep" in page
    assert "5 such boards and links, by clock of crypto0, 25 MHz to 400 MHz" in page


def test_a_sweep_of_two_numbers_has_maps(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path, FIVE, f"{REGISTER}=50,100,200ns", gain=by_both))
    check(page)
    shown = section(page, "sweep")
    assert re.search(r"0.12 at 25 MHz and 200 ns;", shown)
    assert shown.count("<figure>") == 6, "five speeds, and the CPU work of the transfer"
    speed, work = shown.split("<figure>")[-2:]
    worst, best = "var(--heat-0)", f"var(--heat-{len(HEATS)})"
    for drawn in (speed, work):
        assert drawn.count("var(--heat-") == 15, "a square for each two values"
    assert worst in speed
    assert best in speed
    assert ">0.25<" in shown.replace(".00", "")


def test_a_sample_has_points(tmp_path: Path) -> None:
    vary = (f"{CLOCK}=25..400 MHz log", f"{REGISTER}=50..200 ns")
    page = page_of(results_of(tmp_path, *vary, gain=by_both, method="sobol", budget=112))
    check(page)
    shown = section(page, "sweep")
    assert shown.count("<figure>") == 10
    assert "Points of the ratios of hardware to software by register access of crypto0" in shown


def test_a_usual_run_has_none_of_it(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path))
    assert 'id="sweep"' not in page
    assert "Does offload help?" in page


def test_an_axis_is_in_a_unit_that_people_read() -> None:
    clock = Axis.of(Number.of("cpu.hertz"), (8e8, 1.6e9))
    assert clock.title == "processor frequency, MHz"
    assert list(clock.values) == [800, 1600]
    assert Axis.of(Number.of(CLOCK), (100e6, 25e6, 400e6)).is_log
    count = Axis.of(Number.of("cores.crypto0.pk_multipliers"), (16,))
    assert count.title == "number of multipliers of crypto0"
    rate = Axis.of(Number.of("peer:cpu.instructions_per_second"), (1e9, 2e9))
    assert rate.title == "instruction rate of peer, MIPS"
    nothing = Axis.of(Number.of(REGISTER), (0, 100))
    assert list(nothing.values) == [0, 100]
    assert not nothing.is_log


def test_what_boards_cost_is_drawn_against_what_they_give(tmp_path: Path) -> None:
    results = results_of(tmp_path, FIVE)
    price = Price.read("cores.*.timing.clock_hz=1 per MHz")
    page = render(results, prices=[price])
    check(page)
    shown = section(page, "pareto")
    assert "OpenVPN AES-256-CBC:none, 8 MiB: throughput, MB/s by cost" in shown
    assert "hardware, cost 400: 24.00, best" in shown
    assert "the best for that cost or less" in shown
    assert "What boards cost and give: OpenVPN AES-256-CBC:none, 8 MiB (6 rows)" in shown
    group = choices(results, [price])[-1]
    front = envelope(cost_points(group)["throughput"], "throughput")
    assert [(point.x, point.y) for point in front] == [(0, 6), (200, 12), (400, 24)]
    assert 'id="pareto"' not in page_of(results)


def test_less_is_better_of_some_metrics() -> None:
    points = [Point(x, y, "hardware") for x, y in ((3, 1.0), (1, 4.0), (2, 5.0), (1, 3.0))]
    front = envelope(points, "rtt_mean")
    assert [(point.x, point.y) for point in front] == [(1, 3.0), (3, 1.0)]
