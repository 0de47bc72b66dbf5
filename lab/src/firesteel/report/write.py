# SPDX-License-Identifier: Apache-2.0
"""Setting the report: one HTML file that needs nothing else, no network and no script."""

import base64
import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from firesteel import __version__
from firesteel.advice.answer import alternatives_sentence, unneeded_sentence
from firesteel.advice.sweep import SweepAnswer, sweep_answer
from firesteel.analysis.compare import load_published
from firesteel.analysis.pareto import Price, choices
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.robustness import Robustness, robustness_of
from firesteel.analysis.rows import Published
from firesteel.analysis.sensitivity import INTERPOLATED
from firesteel.analysis.sheet import MISSING, UNCONVERGED
from firesteel.analysis.thresholds import conclusion
from firesteel.analysis.verdict import rates
from firesteel.base.tidy import to_csv, to_json
from firesteel.model import names
from firesteel.profiling.document import Profile, Spent, folded, spents_of
from firesteel.replication.causes import LARGE, reasons_of
from firesteel.replication.counterparts import compared
from firesteel.replication.method import counted, method
from firesteel.replication.regressions import causes
from firesteel.report.charts import costs_chart, sweep_chart, swings_chart
from firesteel.report.findings import Findings, findings, further, reservations
from firesteel.report.offload import (
    RULE,
    alternatives_grid,
    choices_grid,
    configurations_grid,
    counters,
    kinds_grid,
    limits_grid,
    links_grid,
    marked,
    offload_check_grid,
    rows_grid,
    speed_of,
    work_of,
)
from firesteel.report.profiles import (
    code_grid,
    in_pairs,
    load_profiles,
    named_by_place,
    profile_grids,
    suite,
)
from firesteel.report.published import (
    deviations_grid,
    large_deviations,
    orders_grid,
    orders_sentence,
    published_tables,
    ratio_medians_grid,
    ratios_grid,
    regressions_grid,
    study_parts,
)
from firesteel.report.sensitivity import (
    assumptions_grid,
    changes_grid,
    sureness,
    swings_grid,
)
from firesteel.report.topics import topics
from firesteel.store.record import Record
from firesteel.store.store import Store, write_whole
from firesteel.terminal.answer import coordinates, sweep_grid
from firesteel.terminal.grid import Grid, Text

_TEMPLATES = Path(__file__).parent

PROFILES = "profiles"
"""The directory below a run's with profiles of where time goes."""

_MOST_BYTES = 1_000_000
"""A browser may refuse an address of more than 2 MiB; text that would come near is compressed."""

_VERSIONS = ("qemu", "kernel", "image", "boards", "commands")


def write_report(
    store: Store,
    results: Results,
    output: Path | None = None,
    every_board: bool = False,
    prices: Sequence[Price] = (),
) -> Path:
    """Writes the report of a run beside its journal, or to `output`; gives its path.

    Published figures stand beside those of the board and the link that they are of, with
    `every_board` beside all.  With `prices` it weighs what boards cost.
    Raises `FiresteelError` when it cannot be written, a profile of the run or a study of
    sensitivity is damaged, or a price is of nothing that the run has.
    """
    usual = store.runs / results.journal.name
    path = output.absolute() if output else store.report_path(results.journal.name)
    keys = (record.key for record in results.records)
    profiles = named_by_place(load_profiles(usual / PROFILES, keys), results.records)
    page = render(
        results,
        profiles=profiles,
        spents=spents_of(store, profiles),
        every_board=every_board,
        firm=robustness_of(store, results),
        prices=prices,
    )
    write_whole(path, page.encode())
    return path


def render(
    results: Results,
    published: Sequence[Published] | None = None,
    profiles: Sequence[Profile] = (),
    spents: Sequence[Spent] = (),
    every_board: bool = False,
    firm: Robustness | None = None,
    prices: Sequence[Price] = (),
) -> str:
    """The report's HTML; `published` are the figures of the repository unless given, for the boards
    that they are of or, with `every_board`, for all.  `firm` is what is known of its verdicts,
    `prices` what boards cost.
    """
    theirs = load_published() if published is None else published
    found = findings(results, theirs, everywhere=every_board)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    groups = choices(results, prices) if prices else ()
    shown = {
        **_run(found),
        **_answer(found, firm),
        **_compared(found),
        "profiles": [(suite(pair), profile_grids(pair, spents)) for pair in in_pairs(profiles)],
        "stacks": _download("stacks.folded", "text/plain", folded(profiles)),
        "code": code_grid(profiles),
        "costs": [costs_chart(groups), *map(choices_grid, groups)] if groups else None,
        "version": __version__,
    }
    return environment.get_template("report.html.j2").render(**shown, sections=_sections(shown))


def _sections(shown: Mapping[str, Any]) -> dict[str, str]:
    """The titles of the sections that there are, by their addresses, in order."""
    is_compared = shown["deviations"] or shown["missing"]
    titles = {
        "failed": "Cells without figures" if shown["failed"] or shown["waiting"] else "",
        "sweep": "What the numbers that vary do" if shown["sweep"] else "",
        "pareto": "What boards cost, and what they give" if shown["costs"] else "",
        "offload": "Hardware versus software" if shown["configurations"] else "",
        "alternatives": "Hardware versus the best other software" if shown["alternatives"] else "",
        "sensitivity": "How far assumptions may be off" if shown["swings"] else "",
        "losses": "Where offload lost in the published work" if shown["losses"] else "",
        **{topic.name: topic.title for topic in shown["topics"]},
        "profiles": "Where the instructions go" if shown["profiles"] else "",
        "limits": "Limits" if shown["limits"] else "",
        "published": "Compared with the published figures" if is_compared else "",
        **{part.name: part.title for part in shown["study_parts"]},
        "proof": "Offload check" if shown["proof"] else "",
        "method": "Method",
        "data": "Data and provenance",
    }
    return {name: text for name, text in titles.items() if text}


def _run(found: Findings) -> dict[str, Any]:
    """What was measured, and what it was measured with."""
    results, places = found.results, found.places
    return {
        "journal": results.journal,
        "places": places,
        "measured_on": results.measured_on,
        "seeds": results.seeds,
        "unconverged": "" if results.converged else UNCONVERGED,
        "part": results.part,
        "failed": results.failed,
        "waiting": results.waiting,
        "method": method(results.measured_cpus),
        "counted": counted(results.measured_cpus),
        "rule": RULE,
        "limits": limits_grid(found.limits),
        "limits_conclusion": conclusion(found.limits),
        "proof": offload_check_grid(results.records, places),
        "setups": setups_grid(results.records),
        "shared": _shared(results),
        "cells": [_cell(record, places) for record in results.records],
        "packages": sorted({item for each in results.records for item in each.packages.items()}),
        "downloads": downloads(results.with_boards, results.journal.name),
    }


def _answer(found: Findings, firm: Robustness | None) -> dict[str, Any]:
    """Whether offload helps, and how far that may be trusted."""
    pairs, answered = found.answer.pairs, (*found.answer.pairs, *found.answer.repeats)
    swept = sweep_answer(found.results)
    sure = sureness(firm or Robustness(answered))
    return {
        "answer": found.answer,
        "kinds": kinds_grid(found.answer, firm),
        "further": [
            *further(found.comparison, pairs, found.regressions),
            *reservations(found.pairs, pairs, len(found.results.seeds)),
        ],
        "configurations": configurations_grid(found.pairs),
        "rows": rows_grid(found.pairs),
        "links": links_grid(answered, found.places, rates(found.results.records)),
        "alternatives": alternatives_grid(found.alternatives),
        "beside": alternatives_sentence(found.alternatives) if found.alternatives else "",
        "unneeded": unneeded_sentence(found.alternatives) if found.alternatives else "",
        "sureness": sure,
        "swings": [
            swings_chart(sure.found),
            changes_grid(sure.found),
            assumptions_grid(sure.found),
            swings_grid(sure.found),
        ]
        if sure.found
        else None,
        "interpolated": INTERPOLATED,
        "sweep": swept if swept and swept.kinds else None,
        "swept": _swept(swept) if swept and swept.kinds else (),
    }


def _compared(found: Findings) -> dict[str, Any]:
    """Figures by topic, beside the published ones."""
    tables = published_tables(found.published, found.ours)
    studies = reasons_of(compared(found.comparison))
    lost = found.regressions
    return {
        "topics": topics(found, tables),
        "cites": list(dict.fromkeys(table.study.cite for table in tables)),
        "missing": [table for table in tables if table.grid is None],
        "losses": regressions_grid(lost) if any(each.ours for each in lost) else None,
        "causes": causes(lost),
        "other_sizes": found.other_sizes,
        "ratios": ratios_grid(found.ratios, found.places),
        "ratio_medians": ratio_medians_grid(found.ratios),
        "orders": orders_grid(found.orders, found.places),
        "orders_sentence": orders_sentence(found.orders),
        "deviations": deviations_grid(found.comparison),
        "studies": studies,
        "large": large_deviations(found.comparison, studies),
        "large_percent": LARGE,
        "study_parts": study_parts(found.results, found.places, everywhere=found.everywhere),
    }


def _swept(answer: SweepAnswer) -> tuple[Any, ...]:
    """Of a sweep: each kind of traffic at each point; at which values offload helps, row by row;
    pictures; and every row at every point.
    """
    caption = "Hardware versus software, by kind of traffic and point of the sweep"
    gains: list[dict[str, Text]] = []
    for kind in answer.kinds if answer.is_grid else ():
        for row in answer.rows_of(kind):
            texts = {
                f"by {path.title}": answer.where(row, axis)
                for axis, path in enumerate(answer.paths)
            }
            if any(texts.values()):
                gains.append({"row": row.name, **{by: it or MISSING for by, it in texts.items()}})
    rows: list[dict[str, Text]] = [
        {
            "row": row.name,
            **coordinates(answer, at),
            "metric": names.quantity(pair.metric),
            "software": pair.software.text,
            "hardware": pair.hardware.text,
            "speed": speed_of(pair.judged),
            "CPU work": work_of(pair.judged),
            "offload": marked(pair.verdict, pair.judged.said),
        }
        for row in answer.rows
        for at in answer.points
        if (pair := row.at.get(at))
    ]
    by = [f"by {path.title}" for path in answer.paths]
    return (
        sweep_grid(answer, caption),
        Grid.of("At which values offload helps, row by row", gains, wordy=by),
        sweep_chart(answer),
        Grid.of("Every row at every point", rows, wordy=("metric", "offload")),
    )


def setups_grid(records: Iterable[Record]) -> Grid | None:
    """Each board and each link that cells were measured on, as they were run."""
    rows: dict[tuple[str, str, str], None] = {}
    for record in records:
        setup, cell = record.measurement.setup, record.inputs.cell
        for name, words in setup.rows() if setup else ():
            rows[name, cell.topology, words] = None
    heads = ("board or link", "topology", "what it is")
    lines = (dict(zip(heads, row, strict=True)) for row in rows)
    return Grid.of("Boards and links of the cells", lines, wordy=heads[1:])


def _shared(results: Results) -> Iterator[tuple[str, Sequence[str]]]:
    """What is the same for all cells, said once."""
    yield "experiment", [results.journal.experiment]
    yield "started", [results.journal.started]
    if records := results.records:
        cells = [record.inputs.cell for record in records]
        versions = [record.inputs.versions.model_dump() for record in records]
        yield "topology", sorted({cell.topology for cell in cells})
        yield "measured on", results.measured_on
        yield "boards", sorted(set(map(_nodes, records)))
        yield "seed", sorted({str(cell.seed) for cell in cells})
        for name in _VERSIONS:
            yield f"{name}, hash", sorted({each[name] for each in versions})


def _nodes(record: Record) -> str:
    profiles = record.inputs.cell.profiles
    return ", ".join(f"{node} {profile}" for node, profile in sorted(profiles.items()))


def _cell(record: Record, places: Places) -> tuple[str, dict[str, str]]:
    """What a cell is called; its record, the trace of its wires, what went in, what it counted."""
    cell = record.inputs.cell
    return places.of_cell(cell), {
        "record, hash": record.key,
        "trace of the links, hash": record.measurement.trace,
        "topology": cell.topology,
        "nodes": _nodes(record),
        "measured": cell.measured,
        "seed": str(cell.seed),
        "jobs, hash": record.inputs.versions.jobs,
        "counters other than zero": "; ".join(
            f"{name} {count}" for name, count in counters(record)
        ),
    }


@dataclass(frozen=True)
class Download:
    """A file in a `data:` address, which a browser saves."""

    name: str
    words: str
    address: str


def downloads(figures: pl.DataFrame, run: str) -> list[Download]:
    """CSV and JSON of all figures, carried by the page itself."""
    return [
        _download(f"{run}.csv", "text/csv", to_csv(figures)),
        _download(f"{run}.json", "application/json", to_json(figures)),
    ]


def _download(name: str, kind: str, text: str) -> Download:
    content = text.encode()
    if len(content) > _MOST_BYTES:
        # No time of day goes in, so the same figures give the same page.
        content = gzip.compress(content, mtime=0)
        name, kind = f"{name}.gz", "application/gzip"
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, f"{name}, {max(1, round(len(content) / 1000))} kB", address)
