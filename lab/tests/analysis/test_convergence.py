# SPDX-License-Identifier: Apache-2.0
"""A figure that has not converged is shown as such, wherever figures are shown."""

import io
import re

import pytest
from advice_store import cell
from fake_runner import HASH, versions_of
from made_pairs import row_of
from made_results import results_in
from rich.console import Console

from firesteel.advice.answer import Kind, answer_of_pairs, speeds_of
from firesteel.analysis.compare import compare
from firesteel.analysis.compare import frame as tidy
from firesteel.analysis.intervals import Sample
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results, of_records
from firesteel.analysis.rows import Pair
from firesteel.analysis.verdict import Offload, RowVerdict, offloads
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.model.identity import Limit, side_of
from firesteel.replication.fit_file import NONE
from firesteel.replication.ratios import frame, ratios, summaries
from firesteel.report.offload import configurations_grid, rows_grid
from firesteel.report.write import render
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Inputs, Measurement, Record
from firesteel.terminal.answer import show_answer
from firesteel.terminal.studies import show_ratios
from firesteel.terminal.table import show_comparison, show_figures
from research.fidelity import medians

UNCERTAIN = 30.0
"""Half of the interval of 312 handshakes a minute: 9.6 %."""


def record(of: Cell, value: float, uncertainty: float | None) -> Record:
    figure = Figure(
        workload="tls-connections",
        **of.model_dump(include={"protocol", "cipher", "mac", "implementation"}),
        parameter=Parameter(key="rsa-2048"),
        metric="connections",
        value=value,
        uncertainty=uncertainty,
    )
    measured = Measurement(figures=(figure,), proof={}, trace=HASH)
    return Record(
        inputs=Inputs(cell=of, versions=versions_of(of)), measurement=measured, packages={}
    )


def results(uncertainty: float | None) -> Results:
    software, hardware = (cell(name, mac="none") for name in ("software", "hardware"))
    limit = Limit(of=side_of(hardware), beside=side_of(software), metric="connections", least=1)
    records = [record(software, 312.0, uncertainty), record(hardware, 496.0, 1.0)]
    entries = [Entry(cell=each.inputs.cell, key=each.inputs.key, state="done") for each in records]
    journal = Journal(
        name="2026-11-22-tls-1",
        experiment="tls",
        title="t",
        quick=True,
        started="2026-11-22T00:00:00+00:00",
        entries=entries,
        limits=(limit,),
    )
    return of_records(journal, records)


@pytest.mark.parametrize(
    ("uncertainty", "shown", "verdict"),
    [(UNCERTAIN, "≈312.0 ±30.0", "not converged"), (3.0, "312.0 ±3.0", "met")],
)
def test_terminal_and_report_mark_it_and_judge_no_limit_by_it(
    uncertainty: float, shown: str, verdict: str
) -> None:
    found = results(uncertainty)
    show_figures(Console(file=(text := io.StringIO()), width=100), found)
    page = render(found)
    for told in (text.getvalue(), page):
        assert shown in told
        assert ("has not converged" in told) == (verdict == "not converged")
        assert ("≈" in told) == (verdict == "not converged")
    assert f"{verdict}\n" in text.getvalue()
    assert f">{verdict}</td>" in page


def test_a_figure_keeps_the_uncertainty_and_one_without_reads_as_before() -> None:
    for uncertainty in (UNCERTAIN, None):
        made = record(cell(), 312.0, uncertainty).measurement.figures[0]
        assert ("uncertainty" in made.model_dump_json()) == (uncertainty is not None)
        assert Figure.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize("uncertainty", [UNCERTAIN, 3.0])
def test_the_answer_marks_a_ratio_that_is_no_figure_yet(uncertainty: float) -> None:
    show_answer(Console(file=(text := io.StringIO()), width=80), results(uncertainty))
    told, sure = text.getvalue(), uncertainty < UNCERTAIN
    assert ("speed ≈1.59×" in told) == ("Not converged (≈): " in told) == (not sure)
    assert ("0 of 1 met, 1 not converged" in told) == (not sure)
    assert "Limits: 1 of 1 met" in told or not sure


@pytest.mark.parametrize("uncertainty", [UNCERTAIN, 3.0])
def test_the_rows_of_the_report_mark_it_and_have_its_interval(uncertainty: float) -> None:
    means = results(uncertainty).means
    (pair,) = offloads(Places.of(means).labelled(means))
    rows, configurations = rows_grid([pair]), configurations_grid([pair])
    assert rows
    assert configurations
    mark = "≈" if uncertainty == UNCERTAIN else ""
    assert rows.rows[0][3:6] == [f"{mark}312.0 ±{uncertainty}", "496.0 ±1.0", f"{mark}1.59"]
    assert configurations.rows[0][2] == f"{mark}1.59"


def test_the_report_s_range_of_a_configuration_is_of_rows_that_have_converged() -> None:
    three = [pair(9.9, converged=False), pair(1.2, converged=True), pair(1.4, converged=True)]
    sheets = [configurations_grid(part) for part in (three, three[:1], [three[0], pair(1, False)])]
    told = [sheet.rows[0][2] for sheet in sheets if sheet]
    assert told == ["1.20\N{EN DASH}1.40", "≈9.90", "≈5.45"]


def pair(speed: float, converged: bool, in_noise: bool = False) -> Offload:
    judged = RowVerdict("connections", speed, speed_converged=converged, speed_in_noise=in_noise)
    what = ("tls-connections", Parameter(key="rsa-2048"))
    rows = [
        row_of({"connections": Sample.of([value])}, how, *what)
        for how, value in (("software", 100.0), ("hardware", 100 * speed))
    ]
    return Offload(Pair(*rows), judged)


def test_a_row_that_has_not_converged_is_not_in_the_range_of_its_kind() -> None:
    three = (pair(1.9, converged=False), pair(1.2, converged=True), pair(1.4, converged=True))
    assert speeds_of(Kind("k", three)) == "1.30 (1.20–1.40)"
    assert speeds_of(Kind("k", three[:1])) == "≈1.90"
    unsure = (pair(1.9, converged=False), pair(1.1, converged=False))
    assert speeds_of(Kind("k", unsure)) == "≈1.50", "a range would look like an interval"


def test_a_row_that_has_not_converged_is_in_no_mean_and_neither_best_nor_worst() -> None:
    unsure, even, slow = pair(1.9, converged=False), pair(1.0, True), pair(0.9, True)
    assert Kind("k", (unsure,)).verdict == "helps", "beyond its interval, though not converged"
    assert Kind("k", (pair(1.9, False, in_noise=True),)).verdict == "makes no difference"
    assert Kind("k", (unsure, slow)).speed == pytest.approx(0.9)
    told = answer_of_pairs([unsure, even, slow])
    assert re.match("Best: .*1.00×", told.sentences[1])
    assert re.match("Worst: .*0.90×", told.sentences[2])
    assert "only converged row" in answer_of_pairs([unsure, slow]).sentences[1]
    assert not any("1.90" in sentence for sentence in answer_of_pairs([unsure] * 2).sentences)


def openvpn_handshakes(uncertainty: float | None) -> Results:
    """One that has published figures beside it, in software and in hardware."""
    found = []
    for name, value, half in (("software", 20.0, uncertainty), ("hardware", 110.0, 0.5)):
        of = cell(name, protocol="openvpn", mac="none")
        made = record(of, value, half)
        (figure,) = made.measurement.figures
        figure = figure.model_copy(update={"parameter": Parameter(key="rsa-4096")})
        measured = made.measurement.model_copy(update={"figures": (figure,)})
        found.append(made.model_copy(update={"measurement": measured}))
    entries = [Entry(cell=each.inputs.cell, key=each.inputs.key, state="done") for each in found]
    journal = Journal(
        name="2026-11-22-thesis-1",
        experiment="thesis",
        title="t",
        quick=True,
        started="2026-11-22T00:00:00+00:00",
        entries=entries,
    )
    return of_records(journal, found)


@pytest.mark.parametrize("uncertainty", [2.0, 0.1])
def test_beside_published_figures_it_is_marked_too(uncertainty: float) -> None:
    results, sure = openvpn_handshakes(uncertainty), uncertainty < 1
    comparison = compare(results.means)
    row = tidy(comparison).row(0, named=True)
    assert (row["converged"], row["ci95_low"]) == (sure, 20.0 - uncertainty)
    console = Console(file=(text := io.StringIO()), width=100)
    show_comparison(console, results, comparison)
    show_ratios(console, comparison)
    told = text.getvalue()
    assert (f"≈20.0 ±{uncertainty:.1f}" in told, "≈1.02" in told) == (not sure, not sure)
    assert ("≈5.50" in told, "1 pair " in told) == (not sure, not sure)
    page_of_report = render(results)
    tables = page_of_report[page_of_report.index("Table 5.2") :]
    cells = f"<td>≈20.0 ±{uncertainty:.1f}</td><td>≈1.02</td>"
    assert (cells in tables, "<td>≈5.50</td>" in tables) == (not sure, not sure)


@pytest.mark.parametrize("uncertainty", [2.0, 0.1])
def test_what_has_not_converged_is_in_no_median(uncertainty: float) -> None:
    results, sure = openvpn_handshakes(uncertainty), uncertainty < 1
    comparison = compare(results.means)
    found = ratios(comparison)
    assert [each.converged for each in found] == [sure]
    assert frame(found)["converged"].to_list() == [sure]
    kinds = ["handshake rate", "all"] if sure else []
    assert [each.kind for each in summaries(found)] == kinds, "no row of no pair"
    assert {each["implementation"] for each in medians(comparison, NONE.on("flat"))} == (
        {"software", "hardware"} if sure else {"hardware"}
    )


def test_a_comparison_of_figures_without_intervals_takes_them_for_exact() -> None:
    (row, _) = tidy(compare(results_in(openvpn_handshakes(2.0).figures))).to_dicts()
    assert (row["converged"], row["ci95_low"], row["ci95_high"]) == (True, None, None)
