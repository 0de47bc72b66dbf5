# SPDX-License-Identifier: Apache-2.0
"""A figure that has not converged is shown as such, wherever figures are shown."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from advice_store import Runs, cell
from made_pairs import row_of
from rich.console import Console

from firesteel.judge.advice.answer import Kind, speeds_of
from firesteel.judge.intervals import Sample
from firesteel.judge.results import Results, load_results
from firesteel.judge.rows import Pair
from firesteel.judge.verdict import Offload, RowVerdict
from firesteel.model.figure import Figure, Parameter
from firesteel.model.identity import Limit, side_of
from firesteel.show.report.write import render
from firesteel.show.run import show_answer, show_figures
from firesteel.store.store import Store
from firesteel.workloads.workload import rows

UNCERTAIN = 30.0
"""Half of the interval of 312 handshakes a minute: 9.6 %."""


HANDSHAKES = ("tls-connections", "rsa-2048", "connections", "1/min")


def results(tmp_path: Path, uncertainty: float) -> Results:
    runs, software, hardware = Runs(Store(tmp_path)), cell(), cell("hardware")
    measured = ((software, {HANDSHAKES: 312.0}), (hardware, {HANDSHAKES: 496.0}))
    run = runs.add(*measured, uncertainty={HANDSHAKES: uncertainty})
    limit = Limit(of=side_of(hardware), beside=side_of(software), metric="connections", least=1)
    found = load_results(runs.store, run)
    return replace(found, journal=found.journal.model_copy(update={"limits": (limit,)}))


@pytest.mark.parametrize(
    ("uncertainty", "shown", "verdict"),
    [(UNCERTAIN, "≈312.0 ±30.0", "not converged"), (3.0, "312.0 ±3.0", "met")],
)
def test_terminal_and_report_mark_it_and_judge_no_limit_by_it(
    tmp_path: Path, uncertainty: float, shown: str, verdict: str
) -> None:
    found = results(tmp_path, uncertainty)
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
        (made,) = rows(cell(), "ping", Parameter(size_bytes=56), [("rtt_mean", 1.0)])
        made = made.model_copy(update={"uncertainty": uncertainty})
        assert ("uncertainty" in made.model_dump_json()) == (uncertainty is not None)
        assert Figure.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize("uncertainty", [UNCERTAIN, 3.0])
def test_the_answer_marks_a_ratio_that_is_no_figure_yet(tmp_path: Path, uncertainty: float) -> None:
    show_answer(Console(file=(text := io.StringIO()), width=80), results(tmp_path, uncertainty))
    told, sure = text.getvalue(), uncertainty < UNCERTAIN
    assert ("speed ≈1.59×" in told) == ("Not converged (≈): " in told) == (not sure)
    assert ("0 of 1 met, 1 not converged" in told) == (not sure)
    assert "Limits: 1 of 1 met" in told or not sure


def pair(speed: float, converged: bool) -> Offload:
    judged = RowVerdict("connections", speed, speed_margin=0.0, speed_converged=converged)
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
