# SPDX-License-Identifier: Apache-2.0
"""`firesteel advise`: whether to offload, and how to configure it."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import typer
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.cli.application import command
from firesteel.cli.common import open_store
from firesteel.judge.advice.advice import Advice, advise, comparisons
from firesteel.judge.advice.answer import alternatives_sentence
from firesteel.judge.advice.measured import Asked, NotMeasuredError, Part, board_in
from firesteel.judge.advice.measured import numbers as read_numbers
from firesteel.judge.intervals import SLACK, Gain
from firesteel.judge.replication.method import method
from firesteel.judge.robustness import changes, in_a_clause
from firesteel.judge.sensitivity import Studied, standing
from firesteel.judge.together import changed_by_all, changed_by_pairs
from firesteel.judge.verdict import Offload, worst_first
from firesteel.model.metrics import METRICS
from firesteel.search.commands import ask, how_to_measure, how_to_study
from firesteel.show.advice import show_advice


@command("advise")
def advise_command(
    protocol: str,
    suite: str,
    size: int | None = None,
    profile: str | None = None,
    changed: list[str] | None = None,
    topology: str | None = None,
    link: str | None = None,
    run: str | None = None,
    form: Literal["text", "json"] = "text",
    store: Path | None = None,
) -> None:
    """Say whether and how to offload, based on the newest records.

    If you describe a board by --with or by a file, the answer uses only records of exactly this
    board.  If there are no such records, the command explains how to measure the board.
    """
    place, board, numbers = open_store(store), board_in(profile), read_numbers(changed or [])
    question = ask(protocol, suite, None if board else profile, topology, link)
    asked = Asked(board, numbers) if board or numbers else None
    try:
        found = advise(place, question, size, run, asked)
    except NotMeasuredError as missing:
        raise FiresteelError(f"{missing}; {how_to_measure(missing, profile)}.") from None
    found = replace(found, how_to_study=how_to_study(found))
    for remark in found.remarks:
        typer.echo(f"firesteel: left out: {remark}", err=True)
    if form == "json":
        sys.stdout.write(json.dumps(_as_json(found), indent=1, ensure_ascii=False) + "\n")
    else:
        show_advice(Console(), found)


def _as_json(found: Advice) -> dict[str, Any]:
    setup = found.setup
    rows = sorted(found.rows, key=lambda each: worst_first(each.verdict))
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
        "about_size": found.about_size,
        "slack": SLACK,
        "sensitivity": {"sentence": found.confidence[0], "how_to_study": found.how_to_study},
        "alternatives": _alternatives(found.alternatives),
        "rows": [_row(found, row) for row in rows],
        "figures": [
            {
                "experiment": row.identity.workload,
                "parameter": row.identity.parameter.text,
                "metric": figure.metric,
                "unit": METRICS[figure.metric].unit,
                "software": figure.one.value,
                "hardware": figure.other.value,
                "seeds": figure.other.seeds,
                "ratio": figure.ratio,
                "converged": figure.converged,
            }
            for row in found.rows
            for figure in comparisons(row)
        ],
        "break_even": [sentence for part in found.parts for sentence in part.break_evens],
        "records": [
            {
                "experiments": part.experiments,
                "software": _records(part, "software"),
                "hardware": _records(part, "hardware"),
            }
            for part in found.parts
        ],
        "software_code": found.software_code,
        "method": method(found.measured_cpus),
        "configuration": asdict(setup) if setup else None,
    }


def _alternatives(found: Sequence[Offload]) -> dict[str, Any] | None:
    """How the rows stand beside the best other software; None where there is none."""
    if not found:
        return None
    return {
        "sentence": alternatives_sentence(found),
        "rows": [
            {
                "experiment": each.identity.workload,
                "parameter": each.identity.parameter.text,
                "software": each.software_name,
                "software_parameter": each.software.identity.parameter.text,
                "speed": each.judged.speed,
                "cpu_work": each.judged.work,
                "verdict": each.judged.verdict,
            }
            for each in found
        ],
    }


def _row(found: Advice, row: Offload) -> dict[str, Any]:
    judged, studied = row.judged, found.studied_of(row)
    return {
        "experiment": row.identity.workload,
        "parameter": row.identity.parameter.text,
        "speed": judged.speed,
        "cpu_work": judged.work,
        "at_link": judged.at_link,
        "converged": judged.converged,
        "verdict": row.verdict,
        "speed_interval": _interval(judged.speed, judged.speed_margin),
        "cpu_work_interval": _interval(judged.work, judged.work_margin),
        "left_to_software": judged.left_to_software,
        "cost": judged.cost,
        "decides": row in found.deciding,
        "sensitivity": _sensitivity(studied) if studied else None,
    }


def _interval(ratio: float | None, margin: float | None) -> list[float] | None:
    if ratio is None or margin is None:
        return None
    found = Gain.of(ratio, margin)
    return [found.low, found.high]


def _sensitivity(studied: Studied) -> dict[str, Any]:
    return {
        "standing": standing(studied.row),
        "clause": in_a_clause(studied),
        "varied": [swing.assumption for swing in studied.row.swings],
        "not_varied": list(studied.left_out),
        "recorded": list(studied.recorded),
        "changes_with_two": bool(changed_by_pairs(studied.row)),
        "changes_with_all": changed_by_all(studied.row),
        "combinations": [
            {"ends": each.ends, "verdict": each.point and each.point.verdict}
            for each in studied.row.corners
        ],
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


def _records(part: Part, implementation: str) -> list[dict[str, Any]]:
    run = {"run": part.journal.name, "quick": part.journal.quick}
    found = part.of(implementation)
    return [{**run, "seed": each.cell.seed, "key": each.key} for each in found]
