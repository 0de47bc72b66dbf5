# SPDX-License-Identifier: Apache-2.0
"""Published ratios and statements, costs of boards, and assumptions on a terminal."""

import textwrap
from collections.abc import Mapping, Sequence

from rich.console import Console

from firesteel.analysis.intervals import SLACK
from firesteel.analysis.pareto import Choice
from firesteel.analysis.places import Places
from firesteel.analysis.rows import Result
from firesteel.analysis.sensitivity import INTERPOLATED, Sensitivity
from firesteel.board.profile import Clock
from firesteel.replication.ratios import left_out, ratios
from firesteel.replication.statements import NOT_MEASURED, Answer, summary
from firesteel.report.offload import choices_grid
from firesteel.report.published import ratio_medians_grid, ratios_grid, statements_grid
from firesteel.report.sensitivity import changes_grid, swings_grid
from firesteel.terminal.grid import say, show


def show_ratios(
    console: Console,
    comparison: Sequence[Result],
    clocks: Mapping[str, Clock] | None = None,
    *,
    brief: bool = False,
) -> None:
    """Every published pair unless `brief`, and how near the ratios of each kind come, on boards of
    these clocks; nothing without a pair.
    """
    found = ratios(comparison, clocks)
    if not brief:
        show(console, ratios_grid(found, Places.of(comparison)))
    if told := left_out(found):
        say(console, told)
    show(console, ratio_medians_grid(found))


def show_statements(
    console: Console, found: Mapping[str, Sequence[Answer]], *, brief: bool = False
) -> None:
    """A table a study, then why its statements are not confirmed; in brief how many are, and which
    not.
    """
    for those in found.values():
        if brief:
            _show_in_brief(console, those)
            continue
        show(console, statements_grid(those[0].study, those))
        say(console, summary(those))
        for each in those:
            if each.verdict != "confirmed" and each.why not in ("", NOT_MEASURED):
                told = f"- {each.said}: {each.why}."
                text = textwrap.fill(told, console.width, subsequent_indent="  ")
                console.print(text, highlight=False, markup=False)
        console.print()


def _show_in_brief(console: Console, those: Sequence[Answer]) -> None:
    lines = [f"{those[0].study.cite}: {summary(those)}"]
    lines += [f"- not confirmed: {each.said}" for each in those if each.verdict == "not confirmed"]
    for line in lines:
        filled = textwrap.fill(line, console.width, subsequent_indent="  ")
        console.print(filled, highlight=False, markup=False)


def show_choices(console: Console, groups: Sequence[Sequence[Choice]]) -> None:
    """What boards cost against what they give: a table for each traffic, the cheapest first."""
    for group in groups:
        show(console, choices_grid(group))
    say(
        console,
        "best: no other row of the table costs no more, is as fast, and takes as little of "
        f"the CPU; {SLACK * 100:g} % count as no difference. Costs are those that were given.",
    )


def show_sensitivity(console: Console, found: Sensitivity, *, rows: bool) -> None:
    """The summary, then the verdicts that change; with `rows` what each assumption does to each."""
    say(console, found.headline, "bold")
    if found.crossovers:
        console.print()
        show(console, changes_grid(found))
        say(console, INTERPOLATED, "dim")
    for row in found.unknown:
        say(console, f"not measured at both ends of every range: {row.name}", "yellow")
    if found.left_out:
        say(console, f"Not varied: {', '.join(found.left_out)}.")
    if rows:
        console.print()
        show(console, swings_grid(found))
    else:
        say(console, "With --rows: what each assumption does to each row.")
