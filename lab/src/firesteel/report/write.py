# SPDX-License-Identifier: Apache-2.0
"""Setting the report: one HTML file that needs nothing else, no network and no script."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from firesteel import __version__
from firesteel.advice.answer import Answer
from firesteel.analysis.boards import Boards, of_published
from firesteel.analysis.published import load_published
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Published
from firesteel.analysis.sheet import UNCONVERGED, Sheet
from firesteel.analysis.thresholds import conclusion
from firesteel.profiling.document import Profile
from firesteel.profiling.layers import LAYERS
from firesteel.replication.counterparts import compared
from firesteel.replication.fidelity import LARGE
from firesteel.replication.method import method
from firesteel.replication.reasons import Reasons, reasons_of
from firesteel.replication.regressions import causes
from firesteel.report.charts import Panel
from firesteel.report.code import code_sheet
from firesteel.report.details import other_sizes, threshold_sheet
from firesteel.report.deviations import (
    deviation_sheet,
    large_deviations,
    orders_sentence,
    orders_sheet,
)
from firesteel.report.downloads import Download, downloads
from firesteel.report.findings import Findings, findings
from firesteel.report.flame import icicle
from firesteel.report.further import further, reservations
from firesteel.report.kinds import kinds_sheet
from firesteel.report.metadata import Metadata, metadata, setup_sheet
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
from firesteel.report.published_tables import Table, cites, published_tables
from firesteel.report.ratios import ratio_medians_sheet, ratios_sheet
from firesteel.report.regressions import regressions_sheet
from firesteel.report.statements import statements_sheet
from firesteel.report.topics import Topic, topics
from firesteel.store.journal import Entry
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
    published: Sequence[Published] | None = None,
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
    if not every_board:
        theirs = of_published(results.means, theirs)
    content = _content(findings(results, theirs, everywhere=every_board), profiles)
    return environment.get_template("report.html.j2").render(
        **vars(content),
        sections=_sections(content),
        journal=results.journal,
        method=method(results.measured_cpus),
        rule=RULE,
        layers=[(f"layer-{number}", name) for number, name in enumerate(LAYERS)],
        large_percent=LARGE,
        version=__version__,
    )


@dataclass(frozen=True)
class Content:
    """What the template sets."""

    boards: Boards
    measured_on: Sequence[str]
    seeds: Sequence[int]
    unconverged: str
    setups: Sheet | None
    failed: Sequence[Entry]
    waiting: Sequence[Entry]
    answer: Answer
    further: Sequence[str]
    kinds: Sheet | None
    configurations: Sheet | None
    rows: Sheet | None
    losses: Sheet | None
    causes: Sequence[str]
    other_sizes: Sequence[str]
    topics: Sequence[Topic]
    profiles: Sequence[ProfilePart]
    code: Sheet | None
    limits: Sheet | None
    limits_conclusion: str
    ratios: Sheet | None
    ratio_medians: Sheet | None
    orders: Sheet | None
    orders_sentence: str
    deviations: Sheet | None
    studies: Sequence[Reasons]
    large: Sequence[str]
    missing: Sequence[Table]
    statements: Sheet | None
    cites: Sequence[str]
    proof: Sheet | None
    metadata: Metadata
    downloads: Sequence[Download]


def _content(found: Findings, profiles: Sequence[Profile]) -> Content:
    results, comparison, lost = found.results, found.comparison, found.regressions
    tables = published_tables(found.published, found.ours)
    counted = found.answer.pairs
    reasons = reasons_of(compared(comparison))
    return Content(
        boards=found.boards,
        measured_on=results.measured_on,
        seeds=results.seeds,
        unconverged="" if results.converged else UNCONVERGED,
        setups=setup_sheet(results.records),
        failed=results.failed,
        waiting=results.waiting,
        answer=found.answer,
        further=[
            *further(comparison, counted, lost),
            *reservations(found.pairs, counted, len(results.seeds)),
        ],
        kinds=kinds_sheet(found.answer),
        configurations=configurations_sheet(found.pairs),
        rows=rows_sheet(found.pairs),
        losses=regressions_sheet(lost) if any(loss.ours for loss in lost) else None,
        causes=causes(lost),
        other_sizes=other_sizes(comparison),
        topics=topics(found, tables),
        profiles=[_profile_part(each) for each in in_pairs(profiles)],
        code=code_sheet(profiles),
        limits=threshold_sheet(found.limits),
        limits_conclusion=conclusion(found.limits),
        ratios=ratios_sheet(found.ratios),
        ratio_medians=ratio_medians_sheet(found.ratios),
        orders=orders_sheet(found.orders),
        orders_sentence=orders_sentence(found.orders),
        deviations=deviation_sheet(comparison),
        studies=reasons,
        large=large_deviations(comparison, reasons),
        missing=[table for table in tables if table.sheet is None],
        statements=statements_sheet(results.means) if tables else None,
        cites=cites(tables),
        proof=offload_check_sheet(results.records, found.boards),
        metadata=metadata(results, found.boards),
        downloads=downloads(results.with_boards, results.journal.name),
    )


def _sections(content: Content) -> dict[str, str]:
    """The titles of the sections that there are, by their addresses, in order."""
    titles = {
        "failed": "Cells without figures" if content.failed or content.waiting else "",
        "offload": "Hardware versus software" if content.configurations else "",
        "losses": "Where offload lost in the published work" if content.losses else "",
        **{topic.name: topic.title for topic in content.topics},
        "profiles": "Where the instructions go" if content.profiles else "",
        "limits": "Limits" if content.limits else "",
        "published": "Compared with the published figures"
        if content.deviations or content.missing
        else "",
        "proof": "Offload check" if content.proof else "",
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
