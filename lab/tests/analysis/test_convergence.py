# SPDX-License-Identifier: Apache-2.0
"""A figure that has not converged is shown as such, wherever figures are shown."""

import io

import pytest
from advice_store import cell
from fake_runner import versions_of
from made_pairs import row_of
from made_up import record_of
from rich.console import Console

from firesteel.advice.answer import Kind, speeds_of
from firesteel.analysis.intervals import Sample
from firesteel.analysis.results import Results, of_records
from firesteel.analysis.rows import Pair
from firesteel.analysis.verdict import Offload, RowVerdict
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.model.identity import Limit, side_of
from firesteel.report.write import render
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record
from firesteel.terminal.run import show_answer, show_figures

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
    return record_of(of, versions_of(of), [figure])


def results(uncertainty: float | None) -> Results:
    software, hardware = (cell(name, mac="none") for name in ("software", "hardware"))
    limit = Limit(of=side_of(hardware), beside=side_of(software), metric="connections", least=1)
    records = [record(software, 312.0, uncertainty), record(hardware, 496.0, 1.0)]
    entries = [Entry(cell=each.cell, key=each.key, state="done") for each in records]
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
        made = record(cell(), 312.0, uncertainty).figures[0]
        assert ("uncertainty" in made.model_dump_json()) == (uncertainty is not None)
        assert Figure.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize("uncertainty", [UNCERTAIN, 3.0])
def test_the_answer_marks_a_ratio_that_is_no_figure_yet(uncertainty: float) -> None:
    show_answer(Console(file=(text := io.StringIO()), width=80), results(uncertainty))
    told, sure = text.getvalue(), uncertainty < UNCERTAIN
    assert ("speed ≈1.59×" in told) == ("Not converged (≈): " in told) == (not sure)
    assert ("0 of 1 met, 1 not converged" in told) == (not sure)
    assert "Limits: 1 of 1 met" in told or not sure


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
