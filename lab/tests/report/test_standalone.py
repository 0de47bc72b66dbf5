# SPDX-License-Identifier: Apache-2.0
"""A chart as a file of its own: whole, with its colours and a name, as narrow as a phone."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import pytest
from made_runs import results_of

from firesteel.report.charts import Chart, Panel
from firesteel.report.findings import findings
from firesteel.report.standalone import WIDTH, says, standalone
from firesteel.report.topics import topics

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Chart:
    """That of file transfers."""
    results = results_of(tmp_path_factory.mktemp("run"), experiment="gateways")
    (found,) = (each for each in topics(findings(results, []), []) if each.name == "transfer")
    assert found.chart
    return found.chart


def parsed(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(standalone(chart))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_it_needs_no_style_sheet(chart: Chart) -> None:
    picture = standalone(chart)
    assert "var(" not in picture
    root = parsed(chart)
    ground = root[0]
    assert ground.get("fill") == "#fff"
    assert root.get("color") == "#1b1f24", "dark text on it"
    for side in ("width", "height"):
        assert ground.get(side) == root.get(side)


def test_it_is_called_what_its_panels_say(chart: Chart) -> None:
    root = parsed(chart)
    assert root.get("role") == "img"
    assert root.get("aria-label") == says(chart)
    assert all(panel.says in says(chart) for panel in chart.panels)
    assert [part for part in root.iter() if part.get("role")] == [root], "no part has a name"


def test_it_has_the_legend_and_the_panels_with_their_titles(chart: Chart) -> None:
    told = texts(parsed(chart))
    for _, entry in chart.legend:
        assert entry in told
    assert all(panel.title in told for panel in chart.panels)
    assert {"no tunnel", "AES-256-GCMhardware"} <= set(told)


def test_panels_stand_below_each_other(chart: Chart) -> None:
    root = parsed(chart)
    tops = [
        float(str(part.get("transform")).split(",")[1].partition(")")[0])
        for part in root
        if part.tag == f"{SVG}g"
    ]
    heights = [panel.drawing.height for panel in chart.panels]
    assert len(tops) == len(heights)
    for (top, below), height in zip(pairwise(tops), heights, strict=False):
        assert below > top + height
    assert float(str(root.get("height"))) > tops[-1] + heights[-1]


def test_a_panel_that_is_too_wide_is_made_smaller(chart: Chart) -> None:
    bars = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_bar().encode(x="x:Q")
    wide = Panel("Wide", alt.layer(bars).properties(width=2 * WIDTH), "w", "Wide bars.")
    assert " scale(0." in standalone(replace(chart, panels=[wide]))
    assert " scale(" not in standalone(chart)


def test_the_same_chart_gives_the_same_bytes(chart: Chart, tmp_path: Path) -> None:
    again = results_of(tmp_path, experiment="gateways")
    (found,) = (each for each in topics(findings(again, []), []) if each.name == "transfer")
    assert found.chart
    assert standalone(found.chart) == standalone(chart)


def test_a_long_title_is_set_in_lines(chart: Chart) -> None:
    words = "A title that is far too long for a picture which is as narrow as a phone is"
    panel = replace(chart.panels[0], title=words)
    told = texts(parsed(replace(chart, panels=[panel])))
    assert words not in told
    assert all(any(word in text for text in told) for word in words.split())


def test_lines_of_the_legend_are_drawn_as_lines(chart: Chart) -> None:
    legend = (("hardware dashed", "published"), ("line", "equal"))
    swatches = parsed(replace(chart, legend=legend)).findall(f"{SVG}path")
    assert [each.get("stroke") for each in swatches] == ["#1a5fb4", "#1b1f24"]
    assert swatches[0].get("stroke-dasharray")
