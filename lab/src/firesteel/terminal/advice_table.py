# SPDX-License-Identifier: Apache-2.0
"""Advice on a terminal: the answer, how sure it is, the figures, and how to configure it."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape

from firesteel.advice.advice import Advice
from firesteel.advice.answer import alternatives_sentence
from firesteel.advice.decision import JudgedRow, Part
from firesteel.advice.records import Place, told
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import Comparison
from firesteel.analysis.sheet import UNCONVERGED, comparison_texts
from firesteel.model import names
from firesteel.replication.method import method
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles


def show_advice(console: Console, found: Advice) -> None:
    """All that is known for a question."""
    console.print(f"[bold]{escape(found.sentence)}[/bold]", highlight=False)
    if found.about_size:
        console.print(escape(found.about_size.strip()), highlight=False)
    console.print()
    for line in _how_sure(found):
        console.print(escape(line), highlight=False)
    if found.alternatives:
        console.print(escape(alternatives_sentence(found.alternatives)), highlight=False)
    console.print()
    console.print(f"Measured on {escape(_where(found.place))}.", highlight=False)
    if others := _others(found.others):
        console.print(
            f"There are also records of (--board, --topology, --link): {escape(others)}.",
            highlight=False,
        )
    if found.peer_limited:
        console.print(f"No verdict: {found.peer_limited} rows {PEER_LIMITED}.", highlight=False)
    console.print()
    deciding = found.deciding
    for part in found.parts:
        if len(part.pairs) > 1:
            console.print(f"Means of {len(part.pairs)} seeds.\n", highlight=False)
        for experiment in part.experiments:
            _figures(console, experiment, part, deciding)
        for sentence in part.break_evens:
            console.print(escape(sentence), highlight=False)
    if found.unconverged:
        console.print(f"[dim]{UNCONVERGED}[/dim]", highlight=False)
    if found.software_code:
        console.print(f"[dim]{found.software_code}[/dim]", highlight=False)
    console.print(f"[dim]{method(found.measured_cpus)}[/dim]\n", highlight=False)
    _configuration(console, found)
    console.print("[bold]Records[/bold]", highlight=False)
    for part in found.parts:
        for pair in part.pairs:
            for measured in (pair.software, pair.hardware):
                console.print(escape(f"  {told(measured)}"), highlight=False, soft_wrap=True)


def _how_sure(found: Advice) -> Iterator[str]:
    """How far assumptions may be off."""
    confidence = found.confidence
    yield from filter(None, (confidence.sentence, *confidence.lines, confidence.source))


def _others(places: Sequence[Place]) -> str:
    """Where else it was measured; boards of sweeps are counted."""
    said = [_where(place) for place in places if not place.is_made]
    if made := len(places) - len(said):
        said.append(f"{made} board{'s' if made > 1 else ''} of sweeps (--with)")
    return "; ".join(said)


def _where(place: Place) -> str:
    return f"{place.name} ({place.words})" if place.words else place.name


def _figures(console: Console, experiment: str, part: Part, deciding: list[JudgedRow]) -> None:
    """The verdicts; then a table a metric when a parameter varies, else one for all of them."""
    title = titles.experiment(experiment)
    rows = [row for row in part.rows if row.experiment == experiment]
    verdicts = [(row.parameter, _verdict(row)) for row in rows if row in deciding]
    if verdicts:
        Grid(f"{title}: does offload help?", _VERDICTS, verdicts).show(console)
    if len(rows) == 1:
        lines = [(_metric(figure), _cells(figure)) for figure in rows[0].figures]
        Grid(f"{title}, {rows[0].parameter}", _COLUMNS, lines).show(console)
        return
    for metric in dict.fromkeys(_metric(figure) for row in rows for figure in row.figures):
        lines = [
            (row.parameter, _cells(figure))
            for row in rows
            for figure in row.figures
            if _metric(figure) == metric
        ]
        Grid(f"{title}: {metric}", _COLUMNS, lines).show(console)


_VERDICTS = ("speed", "CPU work", "verdict")
_COLUMNS = ("software", "hardware", "ratio")


def _verdict(row: JudgedRow) -> list[str]:
    judged = row.judged
    if judged is None:
        return ["–", "–", ""]
    marked = ((judged.speed, judged.speed_mark), (judged.work, judged.work_mark))
    ratios = ("–" if each is None else f"{mark}{each:.3f}" for each, mark in marked)
    return [*ratios, judged.said]


def _cells(figure: Comparison) -> list[str]:
    mark = names.mark(converged=figure.converged)
    ratio = "–" if figure.ratio is None else f"{mark}{figure.ratio:.3f}"
    return [*comparison_texts(figure), ratio]


def _metric(figure: Comparison) -> str:
    return names.quantity(figure.metric)


def _configuration(console: Console, found: Advice) -> None:
    setup = found.setup
    if setup is None:
        console.print("No configuration is needed.\n", highlight=False)
        return
    pages = ", ".join(setup.pages)
    console.print(f"[bold]How to configure it[/bold] ({escape(pages)})", highlight=False)
    for number, step in enumerate(setup.steps, 1):
        console.print(escape(f"{number}. {step.what}"), highlight=False, soft_wrap=True)
        for line in step.lines:
            console.print(escape(f"       {line}"), highlight=False, soft_wrap=True)
    console.print()
