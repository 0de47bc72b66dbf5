# SPDX-License-Identifier: Apache-2.0
"""The report stands alone and renders whatever became of the run."""

import html.parser
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from fake_runner import FakeRunner
from jobs import recorded_crypto as recorded
from rich.console import Console
from test_execute import Notes

from firesteel.cell import Cell
from firesteel.compare import compare
from firesteel.experiment import load_experiment
from firesteel.jobs import cell_figures
from firesteel.report.write import render
from firesteel.results import Results, figures_frame, load_results
from firesteel.run import Options, execute
from firesteel.store import Store
from firesteel.table import METHOD, show_summary

VOID = {"meta", "br", "link", "img", "path", "line", "input", "hr"}


class Balance(html.parser.HTMLParser):
    """Sees that every element is closed, and notes attributes and identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "srcset"):
                self.links.append(value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def check(page: str) -> Balance:
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert len(balance.ids) == len(set(balance.ids))
    assert balance.links == []
    assert "script" not in balance.tags
    assert not re.findall(r"@import|url\((?!#)", page)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert METHOD in page
    return balance


def results_of(
    tmp_path: Path,
    keep: Callable[[Cell], bool] = lambda _: True,
    fail: Sequence[str] = (),
) -> Results:
    experiment = load_experiment("quickstart")
    cells = [cell for cell in experiment.cells(quick=True) if keep(cell)]
    store = Store(tmp_path)
    execute(experiment, cells, Options(quick=True), FakeRunner(fail=fail), store, Notes())
    return load_results(store)


def test_the_whole_report_stands_alone(tmp_path: Path) -> None:
    results = results_of(tmp_path)
    page = render(results, compare(results.figures))
    balance = check(page)
    assert page.count("<svg") == 6
    assert {"caption", "figcaption", "th"} <= balance.tags
    for text in (
        "Without a tunnel the board receives 10.93 MB/s at 6 % CPU.",
        "Here published is of 128 MiB, ours of 16 MiB.",
        "openvpn 2.6.14-1",
        "tunnel_bytes 123",
        ">2560 B and more</th>",
        "a rounded percentile can come out above the maximum",
        "What the tracepoints cost is in the figures.",
        results.records[0].measurement.trace,
        results.records[0].inputs.versions.qemu,
    ):
        assert text in page
    assert page.count(METHOD) >= 4


def test_failed_cells_are_shown_with_what_they_said(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["ipsec none:none software"])
    page = render(results, compare(results.figures))
    check(page)
    assert "IPsec none:none: failed" in page
    assert "its tunnel carried nothing.\nlast line" in page


def test_a_run_in_which_all_failed_renders(tmp_path: Path) -> None:
    labels = [cell.label for cell in load_experiment("quickstart").cells()]
    results = results_of(tmp_path, fail=labels)
    page = render(results, compare(results.figures))
    check(page)
    assert "<svg" not in page


def test_what_was_measured_within_one_board_renders(tmp_path: Path) -> None:
    results = results_of(tmp_path, keep=lambda cell: cell.protocol == "none")
    figures = [
        figure
        for implementation in ("software", "virtio-crypto")
        for figure in cell_figures(recorded.cell(implementation), recorded.run(implementation))
    ]
    inside = replace(results, figures=figures_frame(figures))
    page = render(inside, compare(inside.figures))
    check(page)
    assert "<h2>By size and by key</h2>" in page
    assert "virtio-crypto takes fewer instructions than software from 1400 B on." in page
    assert "<caption>Kernel crypto, decrypting</caption>" in page
    show_summary(Console(file=(shown := io.StringIO()), width=200), inside, compare(inside.figures))
    assert "Kernel crypto: throughput, MB/s" in shown.getvalue()
    assert "less time than software from 1400 B on." in shown.getvalue()


def test_a_single_cell_renders(tmp_path: Path) -> None:
    results = results_of(tmp_path, keep=lambda cell: cell.protocol == "none")
    page = render(results, compare(results.figures))
    check(page)
    assert "In software, the slowest tunnel" not in page


@pytest.mark.parametrize("suite", ["aes-256-gcm", "none"])
def test_figures_without_published_counterparts_render(tmp_path: Path, suite: str) -> None:
    results = results_of(
        tmp_path, keep=lambda cell: cell.protocol == "openvpn" and cell.cipher == suite
    )
    alone = compare(results.figures, published=compare_nothing())
    page = render(results, alone)
    check(page)
    assert "None of these figures has a published counterpart." in page
    assert "Deviations" not in page


def compare_nothing() -> pl.DataFrame:
    columns = {"source": pl.String, "table": pl.String, "note": pl.String}
    return figures_frame([]).with_columns(
        *(pl.lit("", dtype=kind).alias(name) for name, kind in columns.items())
    )


def test_what_a_guest_says_is_text_not_markup(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["no tunnel software"])
    results.failed[0].problem = "<script>alert(1)</script>"
    page = render(results, compare(results.figures))
    check(page)
    assert "&lt;script&gt;" in page


def test_the_report_is_the_same_each_time(tmp_path: Path) -> None:
    results = results_of(tmp_path)
    comparison = compare(results.figures)
    assert render(results, comparison) == render(results, comparison)
