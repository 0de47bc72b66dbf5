# SPDX-License-Identifier: Apache-2.0
"""Setting the report: one HTML file that needs nothing else, no network and no script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from firesteel import __version__
from firesteel.advice.answer import answer_of_pairs
from firesteel.analysis.boards import BOARD, Boards, beside_published, by_board, of_published
from firesteel.analysis.offload import offloads
from firesteel.analysis.published import CELL_COLUMNS, FIGURE_COLUMNS, load_published
from firesteel.analysis.results import Results
from firesteel.analysis.sheet import UNCONVERGED, Sheet
from firesteel.analysis.spread import BY_SEED
from firesteel.analysis.thresholds import conclusion, outcomes
from firesteel.profiling.document import Profile
from firesteel.profiling.layers import LAYERS
from firesteel.replication.causes import load_causes
from firesteel.replication.counterparts import Ours
from firesteel.replication.fidelity import LARGE
from firesteel.replication.method import method
from firesteel.replication.regressions import causes, regressions
from firesteel.report.charts import Panel
from firesteel.report.code import code_sheet
from firesteel.report.details import other_sizes, threshold_sheet
from firesteel.report.deviations import (
    deviation_sheet,
    large_deviations,
    orders_sentence,
    orders_sheet,
)
from firesteel.report.downloads import downloads
from firesteel.report.flame import icicle
from firesteel.report.further import further, reservations
from firesteel.report.kinds import kinds_sheet
from firesteel.report.metadata import metadata, setup_sheet
from firesteel.report.offload import RULE, configurations_sheet, rows_sheet
from firesteel.report.offload_check import offload_check_sheet
from firesteel.report.profiles import (
    function_sheet,
    functions_sheet,
    in_pairs,
    load_profiles,
    suite,
    title,
)
from firesteel.report.published_tables import cites, published_tables
from firesteel.report.ratios import ratio_medians_sheet, ratios_sheet
from firesteel.report.regressions import regressions_sheet
from firesteel.report.statements import statements_sheet
from firesteel.report.topics import topics
from firesteel.store.store import Store, write_whole

_TEMPLATES = Path(__file__).parent

PROFILES = "profiles"
"""The directory below a run's with profiles of where time goes."""


@dataclass(frozen=True)
class ProfilePart:
    """One or two profiles of the same suite, drawn, and their functions."""

    title: str
    panels: Sequence[Panel]
    sheet: Sheet


def write_report(
    store: Store, results: Results, output: Path | None = None, every_board: bool = False
) -> Path:
    """Writes the report of a run beside its journal, or to `output`; gives its path.

    Published figures stand beside those of the board and the link that they are of, with
    `every_board` beside all.
    Raises `FiresteelError` when it cannot be written, or a profile of the run is damaged.
    """
    usual = store.report_path(results.journal.name)
    path = output.absolute() if output else usual
    keys = (record.key for record in results.records)
    profiles = load_profiles(usual.parent / PROFILES, keys)
    write_whole(path, render(results, profiles=profiles, every_board=every_board).encode())
    return path


def render(
    results: Results,
    published: pl.DataFrame | None = None,
    profiles: Sequence[Profile] = (),
    every_board: bool = False,
) -> str:
    """The report's HTML; `published` are the figures of the repository unless given, for the boards
    that they are of or, with `every_board`, for all.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    theirs = load_published() if published is None else published
    those = None if every_board else of_published(results)
    if those is not None:
        theirs = theirs.filter(pl.col("source").is_in(frozenset().union(*those.values())))
    content = _content(results, theirs, those, profiles)
    content["sections"] = _sections(content)
    return environment.get_template("report.html.j2").render(
        **content,
        journal=results.journal,
        method=method(results.measured_cpus),
        rule=RULE,
        layers=[(f"layer-{number}", name) for number, name in enumerate(LAYERS)],
        downloads=downloads(_data(results), results.journal.name),
        seeds=results.seeds,
        unconverged="" if results.spread["converged"].all() else UNCONVERGED,
        version=__version__,
    )


def _content(
    results: Results,
    published: pl.DataFrame,
    those: Mapping[str, frozenset[str]] | None,
    profiles: Sequence[Profile],
) -> dict[str, Any]:
    measured = by_board(results)
    boards = Boards.of(measured)
    figures = boards.labelled(measured)
    beside = boards.labelled(beside_published(measured, published, those))
    ours = Ours(beside, results.journal, boards)
    tables = published_tables(published, ours)
    found = offloads(figures)
    answer = answer_of_pairs(found)
    lost = regressions(published, ours, figures)
    held = outcomes(results.spread, results.journal.limits)
    return {
        "boards": boards,
        "measured_on": results.measured_on,
        "setups": setup_sheet(results.records),
        "failed": results.failed,
        "waiting": results.waiting,
        "answer": answer,
        "further": [
            *further(beside, answer.pairs, lost),
            *reservations(found, answer.pairs, len(results.seeds)),
        ],
        "kinds": kinds_sheet(answer),
        "configurations": configurations_sheet(found),
        "rows": rows_sheet(found),
        "losses": regressions_sheet(lost) if any(loss.ours for loss in lost) else None,
        "causes": causes(lost),
        "other_sizes": other_sizes(beside),
        "topics": topics(figures, beside, tables, boards),
        "profiles": [_profile_part(each) for each in in_pairs(profiles)],
        "code": code_sheet(profiles),
        "limits": threshold_sheet(held),
        "limits_conclusion": conclusion(held),
        "ratios": ratios_sheet(beside),
        "ratio_medians": ratio_medians_sheet(beside),
        "orders": orders_sheet(beside),
        "orders_sentence": orders_sentence(beside),
        "deviations": deviation_sheet(beside),
        "large": large_deviations(beside, load_causes()),
        "large_percent": LARGE,
        "missing": [table for table in tables if table.sheet is None],
        "statements": statements_sheet(results.figures) if tables else None,
        "cites": cites(tables),
        "proof": offload_check_sheet(results.records, boards),
        "metadata": metadata(results, boards),
    }


def _data(results: Results) -> pl.DataFrame:
    """What can be saved: all figures with their board, and with intervals if any has one."""
    figures = by_board(results)
    if not figures["ci95_low"].is_null().all():
        return figures.drop(BY_SEED)
    return figures.select(*FIGURE_COLUMNS, *CELL_COLUMNS, BOARD)


def _sections(content: dict[str, Any]) -> dict[str, str]:
    """The titles of the sections that there are, by their addresses, in order."""
    titles = {
        "failed": "Cells without figures" if content["failed"] or content["waiting"] else "",
        "offload": "Hardware versus software" if content["configurations"] else "",
        "losses": "Where offload lost in the published work" if content["losses"] else "",
        **{topic.name: topic.title for topic in content["topics"]},
        "profiles": "Where the instructions go" if content["profiles"] else "",
        "limits": "Limits" if content["limits"] else "",
        "published": "Compared with the published figures"
        if content["deviations"] or content["missing"]
        else "",
        "proof": "Offload check" if content["proof"] else "",
        "method": "Method",
        "data": "Data and provenance",
    }
    return {name: text for name, text in titles.items() if text}


def _profile_part(profiles: tuple[Profile, ...]) -> ProfilePart:
    panels = [
        Panel(
            f"{title(each)}: {each.instructions:,} instructions", icicle(each.stacks, title(each))
        )
        for each in profiles
    ]
    if len(profiles) == 1:
        return ProfilePart(title(profiles[0]), panels, function_sheet(profiles[0]))
    return ProfilePart(suite(profiles[0]), panels, functions_sheet(*profiles))
