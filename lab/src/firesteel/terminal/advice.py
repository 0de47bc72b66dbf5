# SPDX-License-Identifier: Apache-2.0
"""Advice on a terminal: the answer, how sure it is, the figures, and how to configure it."""

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from firesteel.advice.advice import Advice
from firesteel.advice.answer import alternatives_sentence
from firesteel.advice.decision import JudgedRow, Part
from firesteel.advice.records import Place, told
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.sheet import MISSING, UNCONVERGED, comparison_texts
from firesteel.model import names
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid, say, show
from firesteel.workloads import titles


def show_advice(console: Console, found: Advice) -> None:
    """All that is known for a question."""
    sure = found.confidence
    say(console, found.sentence, "bold")
    if found.about_size:
        say(console, found.about_size.strip())
    console.print()
    lines = [sure.sentence, *sure.lines, sure.source]
    if found.alternatives:
        lines.append(alternatives_sentence(found.alternatives))
    lines.append(f"Measured on {_where(found.place)}.")
    if others := _others(found.others):
        lines.append(f"There are also records of (--board, --topology, --link): {others}.")
    if found.peer_limited:
        lines.append(f"No verdict: {found.peer_limited} rows {PEER_LIMITED}.")
    for line in filter(None, lines):
        say(console, line)
    console.print()
    for part in found.parts:
        if len(part.pairs) > 1:
            say(console, f"Means of {len(part.pairs)} seeds.")
            console.print()
        for experiment in part.experiments:
            _show_figures(console, experiment, part, found.deciding)
        for sentence in part.break_evens:
            say(console, sentence)
    unconverged = UNCONVERGED if found.unconverged else ""
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
        for pair in part.pairs:
            for measured in (pair.software, pair.hardware):
                copied(f"  {told(measured)}")


def _others(places: Sequence[Place]) -> str:
    """Where else it was measured; boards of sweeps are counted."""
    said = [_where(place) for place in places if not place.is_made]
    if made := len(places) - len(said):
        said.append(f"{made} board{'s' if made > 1 else ''} of sweeps (--with)")
    return "; ".join(said)


def _where(place: Place) -> str:
    return f"{place.name} ({place.words})" if place.words else place.name


def _show_figures(
    console: Console, experiment: str, part: Part, deciding: Sequence[JudgedRow]
) -> None:
    """The verdicts; then a row for each metric and parameter."""
    title = titles.experiment(experiment)
    rows = [row for row in part.rows if row.experiment == experiment]
    verdicts = [{"": row.parameter, **_verdict(row)} for row in rows if row in deciding]
    show(console, Grid.of(f"{title}: does offload help?", verdicts))
    lines = []
    for metric in dict.fromkeys(figure.metric for row in rows for figure in row.figures):
        for row in rows:
            for figure in row.figures:
                if figure.metric == metric:
                    software, hardware = comparison_texts(figure)
                    mark = names.mark(converged=figure.converged)
                    line = {
                        "": names.quantity(metric),
                        "at": row.parameter,
                        "software": software,
                        "hardware": hardware,
                        "ratio": _ratio(figure.ratio, mark),
                    }
                    lines.append(line)
    show(console, Grid.of(title, lines))


def _verdict(row: JudgedRow) -> dict[str, str]:
    judged = row.judged
    if judged is None:
        return {"speed": MISSING, "CPU work": MISSING, "verdict": ""}
    return {
        "speed": _ratio(judged.speed, judged.speed_mark),
        "CPU work": _ratio(judged.work, judged.work_mark),
        "verdict": judged.said,
    }


def _ratio(ratio: float | None, mark: str) -> str:
    return MISSING if ratio is None else f"{mark}{ratio:.3f}"
