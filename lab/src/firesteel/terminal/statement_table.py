# SPDX-License-Identifier: Apache-2.0
"""Statements of studies with their verdicts, for a terminal."""

import textwrap
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape

from firesteel.replication.counterparts import NOT_MEASURED
from firesteel.replication.statements import Answer, summary
from firesteel.terminal.grid import Grid


def show_statements(
    console: Console, found: Mapping[str, Sequence[Answer]], *, brief: bool = False
) -> None:
    """A table a study, then why its statements are not confirmed; in brief how many are, and which
    not.
    """
    for those in found.values():
        if brief:
            lines = [f"{those[0].study.cite}: {summary(those)}"]
            lines += [
                f"- not confirmed: {each.said}" for each in those if each.verdict == "not confirmed"
            ]
            for line in lines:
                filled = textwrap.fill(line, console.width, subsequent_indent="  ")
                console.print(escape(filled), highlight=False)
            continue
        rows = [
            (each.said, [*map(each.with_unit, (each.published, each.ours)), each.verdict])
            for each in those
        ]
        title = f"Statements of {those[0].study.cite}"
        Grid(title, ("published", "ours", "verdict"), rows).show(console)
        console.print(summary(those), highlight=False)
        for each in those:
            if each.verdict != "confirmed" and each.why not in ("", NOT_MEASURED):
                told = f"- {each.said}: {each.why}."
                text = textwrap.fill(told, console.width, subsequent_indent="  ")
                console.print(escape(text), highlight=False)
        console.print()
