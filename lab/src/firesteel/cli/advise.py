# SPDX-License-Identifier: Apache-2.0
"""`firesteel advise`: whether to offload, and how to configure it."""

import json
import sys
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape

from firesteel.advice.advice import Advice, Part, advise
from firesteel.advice.decision import JudgedRow
from firesteel.advice.question import ask
from firesteel.advice.records import Measured, Place, told
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.comparison import SLACK, Comparison
from firesteel.analysis.sheet import UNCONVERGED, comparison_texts
from firesteel.cli.common import StoreOption, open_store
from firesteel.model import names
from firesteel.model.metrics import METRICS
from firesteel.replication.method import method
from firesteel.sensitivity.firm import Studied
from firesteel.sensitivity.flips import standing_of_all
from firesteel.sensitivity.words import changes, in_a_clause
from firesteel.terminal.grid import Grid
from firesteel.workloads import titles


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("advise")(advise_command)


ProtocolOption = Annotated[
    str,
    typer.Option(metavar="NAME", help="Protocol, as in experiments: openvpn, ipsec, ssh, …"),
]

SuiteOption = Annotated[
    str,
    typer.Option(
        metavar="CIPHER:MAC",
        help="Suite, as in experiments: aes-256-cbc:sha256; the cipher alone, such as "
        "aes-256-gcm, where only one suite of the protocol has it.",
    ),
]


def advise_command(
    protocol: ProtocolOption,
    suite: SuiteOption,
    size: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="BYTES",
            help="Size of your packets, blocks or requests; the nearest measured size decides.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--board",
            "--profile",
            metavar="NAME",
            help="The board (device under test) [default: that of the newest records].",
        ),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The topology that the board is in [default: that of the newest records].",
        ),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help='The rate of all links, such as "1 Gbit/s", or own [default: the topology\'s own, '
            "where there are records].",
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Use only the records of this run [default: all runs]."),
    ] = None,
    form: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="Text for people, or JSON for programs."),
    ] = "text",
    store: StoreOption = None,
) -> None:
    """Say whether to offload and how, by the newest records."""
    found = advise(open_store(store), ask(protocol, suite, profile, topology, link), size, run)
    for remark in found.remarks:
        typer.echo(f"firesteel: left out: {remark}", err=True)
    if form == "json":
        sys.stdout.write(json.dumps(_as_json(found), indent=1, ensure_ascii=False) + "\n")
    else:
        _show(Console(), found)


def _show(console: Console, found: Advice) -> None:
    console.print(f"[bold]{escape(found.sentence)}[/bold]", highlight=False)
    if found.about_size:
        console.print(escape(found.about_size.strip()), highlight=False)
    console.print()
    sureness = found.sureness
    for line in (sureness.sentence, *sureness.lines):
        console.print(escape(line), highlight=False)
    console.print()
    console.print(f"Measured on {escape(_where(found.place))}.", highlight=False)
    if found.others:
        others = "; ".join(_where(place) for place in found.others)
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
        told = [(_metric(figure), _cells(figure)) for figure in rows[0].figures]
        Grid(f"{title}, {rows[0].parameter}", _COLUMNS, told).show(console)
        return
    for metric in dict.fromkeys(_metric(figure) for row in rows for figure in row.figures):
        told = [
            (row.parameter, _cells(figure))
            for row in rows
            for figure in row.figures
            if _metric(figure) == metric
        ]
        Grid(f"{title}: {metric}", _COLUMNS, told).show(console)


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


def _as_json(found: Advice) -> dict[str, Any]:
    setup = found.setup
    return {
        "answer": found.answer,
        "sentence": found.sentence,
        **asdict(found.question),
        "profile": found.place.profile,
        "topology": found.place.topology,
        "measured_on": found.place.words,
        "others": [
            {"profile": each.profile, "topology": each.topology, "measured_on": each.words}
            for each in found.others
        ],
        "peer_limited_rows": found.peer_limited,
        "size": found.size,
        "about_size": found.about_size.strip(),
        "slack": SLACK,
        "sensitivity": {
            "sentence": found.sureness.sentence,
            "how_to_study": found.sureness.how_to_study,
        },
        "rows": [_row(found, row) for row in found.rows],
        "figures": [
            {
                "experiment": row.experiment,
                "parameter": row.parameter,
                "metric": figure.metric,
                "unit": METRICS[figure.metric].unit,
                "software": figure.one.value,
                "hardware": figure.other.value,
                "seeds": figure.other.seeds,
                "ratio": figure.ratio,
                "converged": figure.converged,
            }
            for row in found.rows
            for figure in row.figures
        ],
        "break_even": [sentence for part in found.parts for sentence in part.break_evens],
        "records": [
            {
                "experiments": part.experiments,
                "software": [_record(pair.software) for pair in part.pairs],
                "hardware": [_record(pair.hardware) for pair in part.pairs],
            }
            for part in found.parts
        ],
        "software_code": found.software_code,
        "method": method(found.measured_cpus),
        "configuration": asdict(setup) if setup else None,
    }


def _row(found: Advice, row: JudgedRow) -> dict[str, Any]:
    judged, studied = row.judged, found.sureness.of(row)
    return {
        "experiment": row.experiment,
        "parameter": row.parameter,
        "speed": judged.speed if judged else None,
        "cpu_work": judged.work if judged else None,
        "at_link": judged.at_link if judged else False,
        "converged": judged.converged if judged else True,
        "verdict": row.verdict,
        "in_noise": {
            "speed": judged.speed_in_noise if judged else False,
            "cpu_work": judged.work_in_noise if judged else False,
        },
        "cost": judged.cost if judged and judged.verdict == "left to software" else None,
        "decides": row in found.deciding,
        "sensitivity": _sensitivity(studied) if studied else None,
    }


def _sensitivity(studied: Studied) -> dict[str, Any]:
    return {
        "standing": standing_of_all(studied.row),
        "clause": in_a_clause(studied),
        "varied": [swing.assumption for swing in studied.row.swings],
        "not_varied": list(studied.left_out),
        "changes": [
            {
                "assumption": swing.assumption,
                "towards": flip.end,
                "at": flip.value,
                "unit": swing.unit,
                "verdict": flip.verdict,
            }
            for swing, flip in changes(studied)
        ],
    }


def _record(measured: Measured) -> dict[str, Any]:
    seed = measured.record.inputs.cell.seed
    return {"run": measured.run, "quick": measured.quick, "seed": seed, "key": measured.key}
