# SPDX-License-Identifier: Apache-2.0
"""The report stands alone and renders whatever became of the run."""

import io
from base64 import b64decode
from dataclasses import replace
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from made_pairs import both, found
from made_runs import Rendered, by_board, many, page_of, rendered, results_of, with_figures
from report_page import check
from rich.console import Console
from workloads import recorded_crypto as recorded

from firesteel.judge.replication.method import method
from firesteel.judge.results import Results, of_records
from firesteel.run.experiment.experiment import load_experiment
from firesteel.show.report.write import gains_most, render
from firesteel.show.run import show_figures
from firesteel.store.record import Record
from firesteel.table import figures_frame
from firesteel.workloads.cells import cell_figures

IN_SHORT = 'Virtual time: <a href="#virtual-time">approximate cycles</a>.'
"""How it is said where figures are shown, with a link to the whole sentence."""

GROWTH = 2
"""How many times as much a cell of a thousand may take as one of two hundred."""


def test_the_whole_report_stands_alone(tmp_path: Path) -> None:
    results = results_of(tmp_path)
    page = page_of(results)
    content = check(page)
    assert {"caption", "figcaption", "th", "nav", "main"} <= content.tags
    for text in (
        "13.27",
        "the published file has 128 MiB, ours has 8 MiB",
        ">openvpn</th>",
        "tunnel_bytes 123",
        ">2560 B and more</th>",
        "a rounded percentile can exceed the maximum",
        "The figures include the cost of the",
        "Table 5.6: File transfer through OpenVPN",
        "Table 5.1: Time of one TLS handshake of OpenVPN, s (2 rows)",
        results.records[0].trace,
        results.records[0].versions.qemu,
    ):
        assert text in page
    told, in_full = unescape(page), method(results.measured_cpus)
    assert told.count(in_full) == 1
    sections = [section.split("</section>")[0] for section in page.split("<section ")[1:]]
    assert all(IN_SHORT in section for section in sections[1:]), "each says what time counts"
    assert told.index(in_full) < told.index("<nav"), "in full at the top"


def test_the_answer_is_first(tmp_path: Path) -> None:
    content = check(page_of(results_of(tmp_path, experiment="openvpn")))
    assert content.headings[0][0] == 1
    assert content.headings[1] == (2, "Does offload help?")
    assert content.text.index("of traffic") < content.text.index("Contents")


def test_failed_cells_are_shown_with_what_they_said(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["ipsec none:none software"])
    page = page_of(results)
    check(page)
    (entry,) = results.failed
    assert "IPsec none:none: failed" in page
    assert "\n" in entry.problem
    assert entry.problem in unescape(page)
    assert "cell failed" in page, "the published table says why a row has none of ours"


def test_a_run_in_which_all_failed_renders(tmp_path: Path) -> None:
    labels = [cell.label for cell in load_experiment("quickstart").cells()]
    page = page_of(results_of(tmp_path, fail=labels))
    check(page)
    assert "<svg" not in page


def test_what_was_measured_within_one_board_renders(tmp_path: Path) -> None:
    results = results_of(tmp_path, keep=lambda cell: cell.protocol == "none")
    figures = [
        figure
        for implementation in ("software", "virtio-crypto")
        for figure in cell_figures(recorded.cell(implementation), recorded.run(implementation))
    ]
    inside = with_figures(results, figures_frame(figures))
    page = page_of(inside)
    check(page)
    least = (
        '>kernel AES-256-CBC, virtio-crypto</th><td class="wordy">Kernel crypto</td><td>130 B</td>'
    )
    assert least in page
    assert "Kernel crypto, decrypting" in page
    show_figures(Console(file=(shown := io.StringIO()), width=200), inside)
    assert "Kernel crypto: throughput, MB/s" in shown.getvalue()
    assert "130 B" in shown.getvalue()


def test_a_single_cell_renders(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path, keep=lambda cell: cell.protocol == "none"))
    check(page)
    assert "slowest tunnel" not in page
    assert "Does offload help?" not in page, "this run cannot tell"


@pytest.mark.parametrize("suite", ["aes-256-gcm", "none"])
def test_figures_without_published_counterparts_render(tmp_path: Path, suite: str) -> None:
    results = results_of(
        tmp_path, keep=lambda cell: cell.protocol == "openvpn" and cell.cipher == suite
    )
    page = render(results, [])
    check(page)
    assert "Beside the published" not in page
    assert "Table 5." not in page


@pytest.mark.thorough
def test_a_cell_takes_no_longer_among_a_thousand(thousand_cells: Rendered, tmp_path: Path) -> None:
    assert thousand_cells.cells > 1000
    fewer = rendered(many(tmp_path, boards=1))
    assert fewer.cells < 200
    assert thousand_cells.seconds_each < GROWTH * fewer.seconds_each


def test_a_thousand_cells_render_folded(thousand_cells: Rendered) -> None:
    page = thousand_cells.page
    content = check(page)
    assert page.count("<svg") <= 4 * 16
    assert "not drawn" in page
    assert content.open_rows < 300, "long tables are folded"
    assert ".csv.gz" in page, "so many figures are compressed"


def elsewhere(results: Results) -> Results:
    """The same run on a board of somebody's own."""
    records = tuple(_moved(record) for record in results.records)
    entries = [
        entry.model_copy(update={"cell": record.cell})
        for entry, record in zip(results.journal.entries, records, strict=True)
    ]
    return of_records(results.journal.model_copy(update={"entries": entries}), records)


def _moved(record: Record) -> Record:
    cell = record.cell.model_copy(update={"profiles": {"board": "mysoc", "peer": "peer"}})
    return record.model_copy(update={"cell": cell})


def test_a_board_of_somebody_s_own_has_no_published_figures(tmp_path: Path) -> None:
    own = elsewhere(results_of(tmp_path, experiment="openvpn"))
    page = render(own)
    content = check(page)
    assert "mysoc" in content.text
    for text in ("Delhaye", "published, software", "Where the published work lost", "Table 5."):
        assert text not in content.text
    assert "Delhaye" in check(render(own, every_board=True)).text, "unless it is asked for"


def test_rows_of_several_boards_are_told_apart(tmp_path: Path) -> None:
    results = by_board(results_of(tmp_path, experiment="openvpn"))
    other = results.spread.with_columns(
        pl.lit("socrates-hash").alias("board"),
        pl.when(pl.col("metric") == "throughput").then(pl.col("value") * 2).otherwise("value"),
    )
    both = with_figures(results, pl.concat([results.spread, other]))
    page = render(both)
    check(page)
    assert "OpenVPN AES-256-CBC:SHA-256, hardware [socrates]" in page
    assert "OpenVPN AES-256-CBC:SHA-256, software [socrates-hash]" in page
    assert "OpenVPN [socrates-hash]: MB/s, CPU %" in page
    alone = render(results)
    assert "[socrates]" not in alone, "one board needs no name in every row"
    assert "board socrates." in alone


def test_the_board_of_most_rows_goes_without_saying_where_none_is_measured_twice(
    tmp_path: Path,
) -> None:
    results = by_board(results_of(tmp_path, experiment="openvpn"))
    gcm = pl.col("cipher") == "aes-256-gcm"
    moved = pl.when(gcm).then(pl.lit("socrates-hash")).otherwise("board").alias("board")
    two = with_figures(results, results.spread.with_columns(moved))
    page = render(two)
    check(page)
    assert "[socrates]" not in page
    assert "OpenVPN AES-256-GCM, hardware [socrates-hash]" in page
    assert "rows of socrates-hash" in page


def test_figures_of_several_seeds_have_their_spread(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.mac != "sha256", (), "openvpn")
    entries = [
        entry.model_copy(update={"cell": entry.cell.model_copy(update={"seed": seed})})
        for entry in results.journal.entries
        for seed in (1, 2, 3)
    ]
    half = pl.col("value") * 0.5
    spread = by_board(results).spread.with_columns(
        ci95_low=pl.col("value") - half, ci95_high=pl.col("value") + half
    )
    journal = results.journal.model_copy(update={"entries": entries})
    seeds = replace(results, spread=spread, journal=journal)
    page = page_of(seeds)
    check(page)
    assert "mean of 3 seeds" in page
    assert " ±" in page
    assert "its whole interval lies" in page
    text = b64decode(page.split("data:text/csv;base64,")[1].split('"')[0]).decode()
    assert "ci95_low" in text.splitlines()[0]
    assert " ±" not in page_of(results)


def test_what_a_guest_says_is_text_not_markup(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["no tunnel software"])
    results.failed[0].problem = "<script>alert(1)</script>"
    page = page_of(results)
    check(page)
    assert "&lt;script&gt;" in page


def test_the_report_is_the_same_each_time(tmp_path: Path) -> None:
    results = results_of(tmp_path)
    assert page_of(results) == page_of(results)


def test_the_step_to_switch_on_names_a_suite_of_which_no_row_loses() -> None:
    gcm = both("throughput", 10, 40, cipher="aes-256-gcm")
    chacha = both("throughput", 10, 20, cipher="chacha20-poly1305", mac="poly1305")
    losing = both("throughput", 10, 5, parameter="2 MiB")
    one = gains_most(found(*gcm, *chacha))
    assert one
    assert one.identity.cipher == "aes-256-gcm"
    one = gains_most(found(*gcm, *losing, *chacha))
    assert one
    assert one.identity.cipher == "chacha20-poly1305"
    assert gains_most(found(*gcm, *losing)) is None
