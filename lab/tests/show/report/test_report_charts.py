# SPDX-License-Identifier: Apache-2.0
"""Charts show what the figures are: bars as long as their values, lines where they belong."""

import re
from dataclasses import replace
from typing import TypeVar
from xml.etree import ElementTree

import polars as pl
import pytest
from made_pairs import both, found, row
from made_results import changed, having, on_board, results_in
from made_runs import results_of

from firesteel.judge.advice.answer import Answer, answer_of_pairs
from firesteel.judge.compare import compare
from firesteel.judge.places import Places
from firesteel.judge.rows import Result
from firesteel.show.report.charts import (
    MOST_PANELS,
    Chart,
    bars_chart,
    break_even_chart,
    gains_chart,
    lines_chart,
    standalone,
)
from firesteel.show.report.findings import Group, by_suite, by_tunnel
from firesteel.show.report.offload import MOST_FIRST, first_grid
from firesteel.workloads.handshakes import HANDSHAKES
from firesteel.workloads.ping import PING
from firesteel.workloads.presentation import Bars, Lines
from firesteel.workloads.transfer import TRANSFER
from firesteel.workloads.workload import Workload

SVG = "{http://www.w3.org/2000/svg}"
PLACES = Places(())

Kind = TypeVar("Kind", Bars, Lines)


def chart_of(workload: Workload, kind: type[Kind]) -> Kind:
    """The workload's chart of that kind."""
    (found,) = (each.chart for each in workload.sections if isinstance(each.chart, kind))
    return found


RATES = chart_of(TRANSFER, Bars)
LATENCY, HANDSHAKE_RATES = chart_of(PING, Lines), chart_of(HANDSHAKES, Bars)


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    results = results_of(tmp_path_factory.mktemp("run"), experiment="openvpn")
    return PLACES.labelled(compare(results.means))


def tunnels(chart: Bars, results: list[Result], places: Places = PLACES) -> list[Group]:
    """The panels that the chart has of these figures."""
    return by_tunnel(results, places).get(chart.series.name, [])


def only(chart: Chart | None) -> str:
    assert chart
    (panel,) = chart.panels
    return panel.svg


def lengths(svg: str, fill: str) -> list[float]:
    """How long the bars of that colour are, in pixels."""
    return [
        float(length)
        for path, colour in re.findall(r'<path d="([^"]*)" fill="var\(--([a-z0-9-]+)\)"', svg)
        if colour == fill
        for length in re.findall(r"^M[\d.]+,[\d.]+h([\d.]+)", path)
    ]


def of(comparison: list[Result], metric: str) -> list[Result]:
    return having(comparison, experiment="file-transfer", metric=metric)


def published(results: list[Result]) -> list[float]:
    return [each.published for each in results if each.published is not None]


def test_bars_are_as_long_as_rates_and_cpu_use(comparison: list[Result]) -> None:
    svg = only(bars_chart(RATES, tunnels(RATES, comparison)))
    rates = of(comparison, "throughput")
    longest = max(*(each.value for each in rates), *published(rates))
    scale = max(lengths(svg, "software") + lengths(svg, "published")) / longest
    for implementation in ("software", "hardware"):
        expected = [each.value for each in having(rates, implementation=implementation)]
        found = [length / scale for length in lengths(svg, implementation)]
        assert sorted(found) == pytest.approx(sorted(expected), rel=1e-3)
    found = [length / scale for length in lengths(svg, "published")]
    assert sorted(found) == pytest.approx(sorted(published(rates)), rel=1e-3)
    uses = of(comparison, "cpu")
    expected = [*(each.value for each in uses), *published(uses)]
    whole = longest * scale / 100
    found = [length / whole for length in lengths(svg, "band")]
    assert sorted(found) == pytest.approx(sorted(expected), rel=1e-3)


def test_bars_are_named_and_say_their_numbers(comparison: list[Result]) -> None:
    chart = bars_chart(RATES, tunnels(RATES, comparison))
    assert chart
    assert chart.panels[0].title == "OpenVPN: MB/s, CPU %"
    assert ("published", "published") in chart.legend
    (told,) = [told for name, told in chart.legend if name == "cpu"]
    assert told.startswith("CPU use")
    rate, use = of(comparison, "throughput")[0].text, of(comparison, "cpu")[0].text
    assert f"no tunnel, ours: {rate}, {use} %" in chart.panels[0].svg
    assert f">{rate}, {use} %<" in chart.panels[0].svg
    assert ">AES-256-CBC:SHA-256<" in chart.panels[0].svg


def test_the_intervals_of_bars_are_written_and_explained(comparison: list[Result]) -> None:
    known = [
        replace(each, low=each.value - half, high=each.value + half, interval=interval)
        for metric, half in (("throughput", 0.25), ("cpu", 1.5))
        for each in of(comparison, metric)
        for interval in ("assumed" if each.identity.protocol == "none" else "seeds",)
    ]
    (first,) = (each for each in having(known, metric="throughput") if "*" in each.text)
    (use,) = (each for each in having(known, metric="cpu") if "*" in each.text)
    chart = bars_chart(RATES, tunnels(RATES, known))
    assert chart
    assert f"no tunnel, ours: {first.value:.2f} ±0.25*, {use.value:.1f} ±1.5* %;" in chart.says
    assert chart.note == "± is half of the 95 % interval (*: assumed)."
    told = [each.text for each in ElementTree.fromstring(standalone(chart)).iter(f"{SVG}text")]
    assert chart.note in told


def test_lines_have_a_point_for_each_size(comparison: list[Result]) -> None:
    chart = lines_chart(LATENCY, by_suite(comparison, PLACES))
    assert chart
    assert len(chart.panels) == 5
    panel = next(each for each in chart.panels if "CBC:SHA-256" in each.title)
    for each in having(comparison, metric="rtt_mean", mac="sha256"):
        assert f"{float(f'{each.value:.4g}'):g} ms at {each.at}" in panel.svg
        assert f"{each.published:g} ms at {each.at}" in panel.svg
    assert all(f">{size}</text>" in panel.svg for size in (56, 1000, 8000, 16000))
    # Software and hardware, ours and published: four lines, and a point a size of each.
    assert panel.svg.count('stroke-dasharray="5,4"') == 2
    assert len(re.findall(r'<path [^>]*transform="translate[^>]*fill="var', panel.svg)) == 16


def test_lines_have_the_intervals_that_are_known(comparison: list[Result]) -> None:
    pings = having(comparison, metric="rtt_mean", mac="sha256")
    known = [replace(each, low=each.value - 99, high=each.value + 2) for each in pings]
    without, chart = (lines_chart(LATENCY, by_suite(each, PLACES)) for each in (pings, known))
    assert without
    assert chart
    rules = [
        "".join(re.findall(r"mark-rule role-mark.*?</g>", each.panels[0].svg)).count("<line")
        for each in (without, chart)
    ]
    assert rules == [0, len(pings)]
    assert f"{float(f'{pings[0].value:.4g}'):g} ±50.5 ms at {pings[0].at}" in chart.says
    assert (without.note, chart.note) == ("", "Vertical line: 95 % interval.")


def test_lines_are_of_the_driver_s_own_choice_of_completion(comparison: list[Result]) -> None:
    pings = having(comparison, metric="rtt_mean", mac="sha256")
    polled = [
        replace(each, identity=replace(each.identity, completion="poll"))
        for each in changed(having(pings, implementation="hardware"), lambda each: 9 * each.value)
    ]
    usual = lines_chart(LATENCY, by_suite(pings, PLACES))
    assert usual
    assert lines_chart(LATENCY, by_suite([*pings, *polled], PLACES)) == usual


def test_a_chart_of_one_size_or_of_nothing_is_none(comparison: list[Result]) -> None:
    small = having(comparison, parameter="56 B")
    assert lines_chart(LATENCY, by_suite(small, PLACES)) is None
    assert bars_chart(RATES, tunnels(RATES, [])) is None


def test_many_panels_are_capped_and_said_to_be(comparison: list[Result]) -> None:
    part = [each for each in of(comparison, "throughput") if each.identity.protocol != "none"]
    profiles = [f"b{number}" for number in range(MOST_PANELS + 2)]
    many = [each for profile in profiles for each in on_board(part, profile)]
    chart = bars_chart(RATES, tunnels(RATES, many, Places.of(many)))
    assert chart
    assert len(chart.panels) == MOST_PANELS
    assert chart.note.startswith("2 more ")


def test_a_chart_as_a_file_is_whole(comparison: list[Result]) -> None:
    chart = bars_chart(RATES, tunnels(RATES, comparison))
    assert chart
    picture = standalone(chart)
    assert "var(" not in picture, "it needs no style sheet"
    assert picture == standalone(chart)
    root = ElementTree.fromstring(picture)
    assert root.get("aria-label") == chart.says
    assert [part for part in root.iter() if part.get("role")] == [root], "no part has a name"
    assert root[1].get("fill") == "#fff"
    style = root[0].text or ""
    assert style.startswith("@media (prefers-color-scheme: dark)")
    assert '[fill="#fff"]{fill:#14171b}' in style, "its ground is dark there"
    assert float(str(root.get("width"))) < 420, "as narrow as a phone"
    told = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {words for _, words in chart.legend} <= set(told)
    assert {chart.panels[0].title, "no tunnel"} <= set(told)


def test_handshakes_stand_by_key() -> None:
    suite = {"protocol": "openvpn", "cipher": "aes-256-cbc", "mac": "none", "completion": ""}
    rows = [
        row(metric, value, how, experiment="tls-connections", parameter=key, unit=unit, **suite)
        for how, value in (("software", 20.0), ("hardware", 200.0))
        for key in ("rsa-1024", "rsa-4096")
        for metric, unit in (("connections", "1/min"), ("cpu", "percent of the loaded core"))
    ]
    labelled = PLACES.labelled(compare(results_in(pl.DataFrame(rows))))
    svg = only(bars_chart(HANDSHAKE_RATES, tunnels(HANDSHAKE_RATES, labelled)))
    order = [svg.index(f">{name}<") for name in ("rsa-1024", "rsa-4096")]
    assert order == sorted(order)
    assert max(lengths(svg, "hardware")) > 5 * max(lengths(svg, "software"))
    assert "rsa-4096, hardware, published: 115.5, 4 %" in svg


BYTES = (16, 64, 128, 1024)


def requests(*implementations: str, sizes: tuple[int, ...] = BYTES) -> pl.DataFrame:
    suite = {"protocol": "openssl", "cipher": "aes-256-cbc", "mac": "none", "completion": ""}
    of = {"experiment": "openssl-speed", "unit": "µs", **suite}
    return pl.DataFrame(
        [
            row("time_per_request", value, implementation, parameter=f"{size} B", **of)
            for implementation in implementations
            for size in sizes
            for value in (1.0 + size if implementation == "software" else 9.0,)
        ]
    )


def curves(part: pl.DataFrame) -> Chart | None:
    results = results_in(part)
    places = Places.of(results)
    return break_even_chart(by_suite(places.labelled(results), places))


def test_a_suite_that_was_measured_both_ways_has_a_picture() -> None:
    drawn = curves(requests("software", "hardware"))
    assert drawn
    (panel,) = drawn.panels
    assert panel.title == "OpenSSL AES-256-CBC: µs by bytes"
    assert "var(--hardware)" in panel.svg
    assert "var(--software)" in panel.svg
    assert "software: 17 µs at 16 B" in panel.svg, "it says what it shows"
    assert ">1024<" in panel.svg


def test_the_way_through_the_kernel_is_dashed() -> None:
    drawn = curves(requests("software", "hardware", "hardware-kernel"))
    assert drawn
    assert drawn.panels[0].svg.count('stroke-dasharray="5,4"') == 1
    (told,) = [told for name, told in drawn.legend if name == "hardware dashed"]
    assert "kernel's driver" in told


@pytest.mark.parametrize(
    "part",
    [
        requests("software"),
        requests("hardware"),
        requests("software", "virtio-crypto"),
        requests("software", "hardware-kernel"),
        requests("software", "hardware", sizes=(64,)),
    ],
)
def test_one_way_or_one_size_has_none(part: pl.DataFrame) -> None:
    assert curves(part) is None


def answer_with(losing: int) -> Answer:
    """Of twelve pings of one kind, of which some lose, and a file that gains; the worst last."""
    speeds = [1.5] * (12 - losing) + [0.9 - number / 100 for number in range(losing)]
    pings = [
        each
        for number, speed in enumerate(speeds, 1)
        for each in both("rtt_mean", speed, 1.0, experiment="ping", parameter=f"{number} B")
    ]
    return answer_of_pairs(found(*pings, *both("throughput", 1.0, 1.2, experiment="file-transfer")))


@pytest.mark.parametrize("losing", [0, 3, 9])
def test_a_report_begins_with_at_most_eight_rows_and_those_that_lose(losing: int) -> None:
    answer = answer_with(losing)
    grid = first_grid(answer)
    assert grid
    assert len(grid.rows) == MOST_FIRST
    verdicts = [str(row[-1]) for row in grid.rows]
    least = min(losing, MOST_FIRST)
    assert verdicts == ["loses"] * least + ["helps"] * (MOST_FIRST - least)
    assert (str(grid.rows[0][0]) == "IPsec AES-256-GCM, 12 B") == bool(losing), "the costliest"
    names = [str(row[0]) for row in grid.rows]
    assert ("IPsec AES-256-GCM, 16 MiB" in names) == (losing < MOST_FIRST), "each kind is there"


def test_the_gains_of_kinds_stand_about_software() -> None:
    chart = gains_chart(answer_with(3).kinds)
    assert chart
    (panel,) = chart.panels
    assert "Flood ping, IPsec: speed 1.50 (0.88 to 1.50)" in panel.says
    assert ">1.50</text>" in panel.svg
    assert gains_chart([]) is None
