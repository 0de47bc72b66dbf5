# SPDX-License-Identifier: Apache-2.0
"""Reports say how far assumptions may be off, if that was studied, and that it was not, if not."""

import re
from pathlib import Path

import pytest
from made_runs import page_of, results_of
from made_sensitivity import (
    Gain,
    as_fast,
    by_registers,
    limited,
    point,
    row_of,
    run_of,
    study_of,
    swing_of,
)
from report_page import check

from firesteel.analysis.clocks import offloads_of
from firesteel.analysis.offload import answering
from firesteel.analysis.results import load_results
from firesteel.analysis.sheet import MISSING
from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.board.assumptions import load_assumptions
from firesteel.report.charts import swings_chart
from firesteel.report.pictures import MOST_PANELS, ticks
from firesteel.report.sensitivity import sureness
from firesteel.report.write import write_report
from firesteel.sensitivity.find import firm_of
from firesteel.sensitivity.study import Row, study_path
from firesteel.sensitivity.summary import Sensitivity
from firesteel.store.store import Store

NOT_STUDIED = "was not studied (firesteel sensitivity)"


def report(tmp_path: Path, gain: Gain, *names: str, only: tuple[str, ...] = ()) -> str:
    """The report of a run of which one suite was studied, or all."""
    study_of(tmp_path, *names, gain=gain, only=only)
    store = Store(tmp_path)
    results = load_results(store, run_of(tmp_path, gain))
    return write_report(store, results).read_text(encoding="utf-8")


def answer(page: str) -> str:
    return page.split('id="answer"')[1].split("</section>")[0]


def section(page: str) -> str:
    return page.split('<section id="sensitivity">')[1].split("</section>")[0]


def test_the_answer_says_how_many_verdicts_hold(tmp_path: Path) -> None:
    page = report(tmp_path, as_fast)
    check(page)
    whole = "Sensitivity: 15 of 15 verdicts hold over the whole range of every assumption."
    assert whole in answer(page)
    assert 'href="#sensitivity"' in answer(page)
    assert "were not studied" not in page
    assert "Verdicts that change" not in page
    assert "<figure>" not in section(page), "no assumption moves anything"


def test_the_answer_says_which_do_not(tmp_path: Path) -> None:
    page = report(tmp_path, by_registers, "register-access", only=("suite=aes-256-cbc:none",))
    check(page)
    assert "5 do not: OpenVPN AES-256-CBC:none, 56 B, 1000 B, " in answer(page)
    assert "(11 other assumptions did not vary)" in answer(page)
    assert "10 other verdicts were not studied." in answer(page)
    shown = section(page)
    every, changing, *_ = shown.split("</table>")
    first = ["changes", "helps", "register access", "196 ns (120 ns)", "makes no difference", ""]
    assert cells_of(every, "OpenVPN AES-256-CBC:none, 8 MiB") == first
    assert "OpenVPN AES-256-CBC:none, 8 MiB: helps</th>" in changing
    change = ["196 ns (120 ns)", "50 ns to 1 µs", "makes no difference"]
    assert cells_of(changing, "  register access") == change
    assert "Values are interpolated" in shown
    assert cells_of(every, "OpenVPN AES-256-GCM, 8 MiB") == ["not studied", "helps", *[""] * 4]


def cells_of(shown: str, row: str) -> list[str]:
    """The cells of a row, below its name."""
    line = re.search(rf">{re.escape(row)}</th>(.*?)</tr>", shown)
    assert line, row
    return re.findall(r"<td[^>]*>(.*?)</td>", line[1])


def test_every_verdict_has_a_line(tmp_path: Path) -> None:
    """The table is whole: also where the verdict holds, and where nobody looked."""
    page = report(tmp_path, by_registers, "register-access", "core-clock")
    every = section(page).split("</table>")[0]
    assert every.count('<th scope="row">') == 15
    assert cells_of(every, "OpenVPN AES-256-CBC:none, 8 MiB")[0] == "changes"
    still = report(tmp_path / "still", as_fast, "core-clock")
    every = section(still).split("</table>")[0]
    assert cells_of(every, "OpenVPN AES-256-CBC:none, 8 MiB") == ["holds", "helps", *[""] * 4]


def test_the_thesis_is_told_of_every_verdict_and_on_both_clocks() -> None:
    """By what is recorded: the goal is all of its rows."""
    store = Store(RECORDED)
    results = load_results(store, "thesis")
    firm = firm_of(store, results)
    verdicts = sureness(firm).verdicts
    assert verdicts
    assert len(verdicts.rows) == len(firm.pairs) == len(answering(offloads_of(results)))
    standings = {str(row[1]) for row in verdicts.rows}
    assert standings == {"holds", "changes"}
    assert verdicts.columns[-1].title == "clock flat"
    assert all(row[-1] != MISSING for row in verdicts.rows)
    assert len({row[0] for row in verdicts.rows}) == len(firm.pairs), "no two are called alike"


def test_a_run_that_nobody_studied_says_so(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path, experiment="openvpn"))
    assert NOT_STUDIED in answer(page)
    assert 'id="sensitivity"' not in page


def test_a_run_without_verdicts_says_nothing_of_it(tmp_path: Path) -> None:
    page = page_of(results_of(tmp_path))
    assert NOT_STUDIED not in page
    assert "Sensitivity" not in page


def test_a_study_of_other_records_is_none_of_this_run(tmp_path: Path) -> None:
    study_of(tmp_path, "register-access")
    store = Store(tmp_path)
    name = run_of(tmp_path, only=("suite=aes-256-gcm:gcm",))
    page = write_report(store, load_results(store, name)).read_text(encoding="utf-8")
    assert NOT_STUDIED in answer(page)


def test_a_damaged_study_is_told(tmp_path: Path) -> None:
    study, _, _ = study_of(tmp_path, "register-access")
    study_path(Store(tmp_path), study.run).write_text("{}")
    results = load_results(Store(tmp_path), run_of(tmp_path))
    with pytest.raises(FiresteelError, match=r"study\.json: this study of sensitivity is damaged"):
        write_report(Store(tmp_path), results)


def drawn(*rows: Row) -> list[str]:
    """The pictures of these rows."""
    chart = swings_chart(Sensitivity(rows, load_assumptions()))
    return [panel.svg for panel in chart.panels] if chart else []


def bars(svg: str, fill: str) -> list[tuple[float, float]]:
    """Where the bars of a colour begin and end, in pixels of the field."""
    found = re.findall(rf'd="M(-?[\d.]+),[\d.]+h(-?[\d.]+)[^"]*" fill="var\({fill}\)"', svg)
    return [(float(start), float(start) + float(length)) for start, length in found]


def test_bars_go_from_the_boards_own_ratio_to_both_ends() -> None:
    swing = swing_of(point(2.0), point(0.5))
    (svg,) = drawn(row_of(point(1.0), swing))
    (low,), (high,) = bars(svg, "--class-1"), bars(svg, "--class-3")
    assert low[1] - low[0] == pytest.approx(high[1] - high[0], abs=0.1), "twice is as far as half"
    assert high[1] == pytest.approx(low[0], abs=0.1)
    for text in ("50 ns: 2.00", "200 ns: 0.50", "register access", "speed"):
        assert text in svg
    assert "CPU work" not in svg, "it does not move"


def test_an_end_that_is_not_known_has_no_bar() -> None:
    (svg,) = drawn(row_of(point(1.0), swing_of(None, point(0.5))))
    assert "50 ns: –" in svg
    (none,), (high,) = bars(svg, "--class-1"), bars(svg, "--class-3")
    assert none[0] == none[1]
    assert abs(high[1] - high[0]) > 50


def test_the_widest_bar_comes_first() -> None:
    narrow = swing_of(point(1.4), point(1.2), assumption="core-clock")
    wide = swing_of(point(1.3, 0.4), point(1.3, 0.9))
    (svg,) = drawn(row_of(point(1.3, 0.6), narrow, wide))
    assert svg.index("register access") < svg.index("core clock")


def test_rows_that_change_are_drawn_first_and_what_is_left_out_is_said() -> None:
    moves = row_of(point(1.5), swing_of(point(1.6), point(1.4)))
    changes = row_of(point(1.5), swing_of(point(1.6), point(0.9)))
    still = row_of(point(1.5), swing_of(point(1.5), point(1.51)))
    rows = (*[moves] * MOST_PANELS, changes, still, row_of(limited()))
    chart = swings_chart(Sensitivity(rows, load_assumptions()))
    assert chart
    assert len(chart.panels) == MOST_PANELS
    assert "0.90" in chart.panels[0].svg
    assert chart.note.startswith("1 more are not drawn")
    assert "1 is not drawn, as no assumption moves a ratio by more than 2" in chart.note
    assert drawn(still) == []


@pytest.mark.parametrize(
    ("domain", "named"),
    [((0.9, 1.2), [1]), ((0.45, 2.2), [0.5, 1, 2]), ((0.09, 11), [0.2, 1, 5]), ((2.0, 2.1), [2])],
)
def test_the_axis_names_ratios_that_have_room(
    domain: tuple[float, float], named: list[float]
) -> None:
    found = ticks(*domain)
    assert set(named) <= set(found)
    assert found == sorted(found)
    assert len(found) <= 5
