# SPDX-License-Identifier: Apache-2.0
"""Advice on a terminal: the answer, how sure it is, the figures, and how to configure it."""

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from firesteel.judge.advice.advice import Advice, comparison_texts, comparisons
from firesteel.judge.advice.answer import alternatives_sentence
from firesteel.judge.advice.measured import Part, Place
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.intervals import Gain
from firesteel.judge.replication.method import method
from firesteel.judge.rows import grouped
from firesteel.judge.verdict import Offload, worst_first
from firesteel.model import names
from firesteel.model.names import MISSING, UNCONVERGED_MEANS
from firesteel.show.grid import Grid, say, show
from firesteel.workloads import titles


def show_advice(console: Console, found: Advice) -> None:
    """All that is known for a question."""
    say(console, found.sentence, "bold")
    if found.about_size:
        say(console, found.about_size.strip())
    console.print()
    lines = list(found.confidence)
    if found.alternatives:
        lines.append(alternatives_sentence(found.alternatives))
    where = f"{found.place.name} ({found.place.words})" if found.place.words else found.place.name
    lines.append(f"Measured on {where}.")
    if others := _others(found.others):
        lines.append(f"There are also records of (--board, --topology, --link): {others}.")
    if found.peer_limited:
        lines.append(f"No verdict: {found.peer_limited} rows {PEER_LIMITED}.")
    for line in filter(None, lines):
        say(console, line)
    console.print()
    for part in found.parts:
        if part.seeds > 1:
            say(console, f"Means of {part.seeds} seeds.")
            console.print()
        for experiment in part.experiments:
            _show_figures(console, experiment, part, found.deciding)
        for sentence in part.break_evens:
            say(console, sentence)
    unconverged = UNCONVERGED_MEANS if found.unconverged else ""
    for line in filter(None, (unconverged, found.software_code, method(found.measured_cpus))):
        say(console, line, "dim")
    console.print()
    # What follows is to be copied.
    copied = partial(console.print, highlight=False, markup=False, soft_wrap=True)
    if setup := found.setup:
        say(console, f"How to configure it ({', '.join(setup.pages)})", "bold")
        for number, step in enumerate(setup.steps, 1):
            copied(f"{number}. {step.what}")
            for line in step.lines:
                copied(f"       {line}")
    else:
        say(console, "No configuration is needed.")
    console.print()
    say(console, "Records", "bold")
    for part in found.parts:
        run = f"run {part.journal.name}{', quick sizes' if part.journal.quick else ''}"
        for record in part.records:
            copied(f"  {titles.of_cell(record.cell)}: {run}, record {record.key}")


def _others(places: Sequence[Place]) -> str:
    """Where else it was measured; boards of sweeps are counted."""
    said = [place.name for place in places if not place.is_made]
    if made := len(places) - len(said):
        said.append(f"{made} board{'s' if made > 1 else ''} of sweeps (--with)")
    return "; ".join(said)


def _show_figures(
    console: Console, experiment: str, part: Part, deciding: Sequence[Offload]
) -> None:
    """The verdicts, the worst first; then a row for each metric and parameter."""
    title = titles.experiment(experiment)
    rows = [row for row in part.rows if row.identity.workload == experiment]
    verdicts = [
        {
            "": row.identity.parameter.text,
            "speed": _judged(of.speed, of.speed_mark, of.speed_margin),
            "CPU work": _judged(of.work, of.work_mark, of.work_margin),
            "verdict": of.said,
        }
        for row in sorted(rows, key=lambda each: worst_first(each.verdict))
        if row in deciding
        for of in (row.judged,)
    ]
    show(console, Grid.of(f"{title}: does offload help?", verdicts, wordy=("verdict",)))
    figures = [(figure, row) for row in rows for figure in comparisons(row)]
    lines = [
        {
            "": names.quantity(metric),
            "at": row.identity.parameter.text,
            **dict(zip(("software", "hardware"), comparison_texts(figure), strict=True)),
            "ratio": _ratio(figure.ratio, names.mark(converged=figure.converged), figure.margin),
        }
        for metric, those in grouped(figures, lambda each: each[0].metric).items()
        for figure, row in those
    ]
    show(console, Grid.of(title, lines))


def _ratio(ratio: float | None, mark: str, half: float | None = None) -> str:
    if ratio is None:
        return MISSING
    return f"{mark}{ratio:.3f}" + (f" \N{PLUS-MINUS SIGN}{half:.3f}" if half else "")


def _judged(ratio: float | None, mark: str, margin: float | None) -> str:
    """With how far the interval reaches above the ratio; the margin is of the ratio's logarithm."""
    if ratio is None or margin is None:
        return _ratio(ratio, mark)
    return _ratio(ratio, mark, Gain.of(ratio, margin).high - ratio)
