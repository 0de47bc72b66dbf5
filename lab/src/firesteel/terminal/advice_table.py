# SPDX-License-Identifier: Apache-2.0
"""Advice on a terminal: the answer, how sure it is, the figures, and how to configure it."""

from collections.abc import Sequence

from rich.console import Console

from firesteel.advice.advice import Advice, comparisons
from firesteel.advice.answer import alternatives_sentence
from firesteel.advice.measured import Part, Place
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.rows import grouped
from firesteel.analysis.sheet import MISSING, UNCONVERGED, comparison_texts
from firesteel.analysis.verdict import Offload
from firesteel.model import names
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid, say, show
from firesteel.workloads import titles


def show_advice(console: Console, found: Advice) -> None:
    """All that is known for a question."""
    say(console, found.sentence, "bold")
    if found.about_size:
        say(console, found.about_size.strip())
    console.print()
    for line in found.confidence:
        say(console, line)
    if found.alternatives:
        say(console, alternatives_sentence(found.alternatives))
    console.print()
    say(console, f"Measured on {_where(found.place)}.")
    if others := _others(found.others):
        say(console, f"There are also records of (--board, --topology, --link): {others}.")
    if found.peer_limited:
        say(console, f"No verdict: {found.peer_limited} rows {PEER_LIMITED}.")
    console.print()
    deciding = found.deciding
    for part in found.parts:
        if part.seeds > 1:
            say(console, f"Means of {part.seeds} seeds.")
            console.print()
        for experiment in part.experiments:
            _figures(console, experiment, part, deciding)
        for sentence in part.break_evens:
            say(console, sentence)
    if found.unconverged:
        say(console, UNCONVERGED, "dim")
    if found.software_code:
        say(console, found.software_code, "dim")
    say(console, method(found.measured_cpus), "dim")
    console.print()
    _configuration(console, found)
    say(console, "Records", "bold")
    for part in found.parts:
        run = f"run {part.journal.name}{', quick sizes' if part.journal.quick else ''}"
        for record in part.records:
            _line(console, f"  {titles.of_cell(record.inputs.cell)}: {run}, record {record.key}")


def _line(console: Console, text: str) -> None:
    """Prints a text as it is, to be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _others(places: Sequence[Place]) -> str:
    """Where else it was measured; boards of sweeps are counted."""
    said = [_where(place) for place in places if not place.is_made]
    if made := len(places) - len(said):
        said.append(f"{made} board{'s' if made > 1 else ''} of sweeps (--with)")
    return "; ".join(said)


def _where(place: Place) -> str:
    return f"{place.name} ({place.words})" if place.words else place.name


def _figures(console: Console, experiment: str, part: Part, deciding: list[Offload]) -> None:
    """The verdicts; then a table a metric when a parameter varies, else one for all of them."""
    title = titles.experiment(experiment)
    rows = [row for row in part.rows if row.identity.workload == experiment]
    verdicts = [
        {
            "": row.identity.parameter.text,
            "speed": _ratio(row.speed, row.judged.speed_mark),
            "CPU work": _ratio(row.work, row.judged.work_mark),
            "verdict": row.judged.said,
        }
        for row in rows
        if row in deciding
    ]
    show(console, Grid.of(f"{title}: does offload help?", verdicts))
    figures = [(_metric(figure), row, figure) for row in rows for figure in comparisons(row)]
    if len(rows) == 1:
        lines = [{"": metric, **_cells(figure)} for metric, _, figure in figures]
        show(console, Grid.of(f"{title}, {rows[0].identity.parameter.text}", lines))
        return
    for metric, those in grouped(figures, lambda each: each[0]).items():
        lines = [{"": row.identity.parameter.text, **_cells(figure)} for _, row, figure in those]
        show(console, Grid.of(f"{title}: {metric}", lines))


def _cells(figure: Comparison) -> dict[str, str]:
    software, hardware = comparison_texts(figure)
    ratio = _ratio(figure.ratio, names.mark(converged=figure.converged))
    return {"software": software, "hardware": hardware, "ratio": ratio}


def _ratio(ratio: float | None, mark: str) -> str:
    return MISSING if ratio is None else f"{mark}{ratio:.3f}"


def _metric(figure: Comparison) -> str:
    return names.quantity(figure.metric)


def _configuration(console: Console, found: Advice) -> None:
    setup = found.setup
    if setup is None:
        say(console, "No configuration is needed.")
        console.print()
        return
    say(console, f"How to configure it ({', '.join(setup.pages)})", "bold")
    for number, step in enumerate(setup.steps, 1):
        _line(console, f"{number}. {step.what}")
        for line in step.lines:
            _line(console, f"       {line}")
    console.print()
