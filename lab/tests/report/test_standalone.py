# SPDX-License-Identifier: Apache-2.0
"""A chart as a file of its own: whole, with its colours and a name, as narrow as a phone."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_runs import results_of

from firesteel.report.findings import findings
from firesteel.report.pictures import Chart, standalone
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
    assert root.get("aria-label") == chart.says
    assert all(panel.says in chart.says for panel in chart.panels)
    assert [part for part in root.iter() if part.get("role")] == [root], "no part has a name"


def test_it_has_the_legend_and_the_panels_with_their_titles(chart: Chart) -> None:
    told = texts(parsed(chart))
    for _, entry in chart.legend:
        assert entry in told
    assert all(panel.title in told for panel in chart.panels)
    assert {"no tunnel", "AES-256-GCMhardware"} <= set(told)


def test_panels_stand_below_each_other_as_narrow_as_a_phone(chart: Chart) -> None:
    root = parsed(chart)
    assert float(str(root.get("width"))) < 420
    assert float(str(root.get("height"))) > 150 * len(chart.panels)


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
    picture = standalone(replace(chart, legend=legend))
    assert {"published", "equal"} <= set(texts(ElementTree.fromstring(picture)))
