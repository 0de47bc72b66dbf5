# SPDX-License-Identifier: Apache-2.0
"""What the report's template sets, in texts, tables and charts."""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.advice.answer import Answer
from firesteel.advice.sweep import sweep_answer
from firesteel.analysis.pareto import Price, choices
from firesteel.analysis.places import Places
from firesteel.analysis.robustness import Robustness
from firesteel.analysis.sheet import UNCONVERGED, Sheet
from firesteel.analysis.thresholds import conclusion
from firesteel.profiling.document import Profile
from firesteel.profiling.spent import Spent
from firesteel.replication.causes import Reasons, reasons_of
from firesteel.replication.counterparts import compared
from firesteel.replication.regressions import causes
from firesteel.report.alternatives import AlternativesPart, alternatives_part
from firesteel.report.code import code_sheet
from firesteel.report.deviations import (
    deviation_sheet,
    large_deviations,
    orders_sentence,
    orders_sheet,
)
from firesteel.report.downloads import Download, downloads
from firesteel.report.findings import Findings
from firesteel.report.flame import icicle
from firesteel.report.further import further, reservations
from firesteel.report.kinds import kinds_sheet
from firesteel.report.limits import limits_sheet
from firesteel.report.metadata import Metadata, metadata, setup_sheet
from firesteel.report.offload import configurations_sheet, rows_sheet
from firesteel.report.offload_check import offload_check_sheet
from firesteel.report.over_links import links_sheet
from firesteel.report.pareto import ParetoPart, pareto_part
from firesteel.report.profiles import (
    function_sheet,
    functions_sheet,
    in_pairs,
    spent_sheet,
    suite,
    title,
)
from firesteel.report.published_tables import Table, cites, published_tables
from firesteel.report.ratios import ratio_medians_sheet, ratios_sheet
from firesteel.report.regressions import regressions_sheet
from firesteel.report.statements import StudyPart, study_parts
from firesteel.report.sureness import Confidence, sureness
from firesteel.report.sweep import SweepPart, sweep_part
from firesteel.report.topics import Topic, topics
from firesteel.store.journal import Entry


@dataclass(frozen=True)
class Icicle:
    """A profile, drawn, and the title that the page sets above it."""

    title: str
    svg: str


@dataclass(frozen=True)
class ProfilePart:
    """One or two profiles of the same suite, drawn, and their functions."""

    title: str
    panels: Sequence[Icicle]
    sheet: Sheet


@dataclass(frozen=True)
class Content:
    """All of it."""

    places: Places
    measured_on: Sequence[str]
    seeds: Sequence[int]
    unconverged: str
    part: str
    setups: Sheet | None
    failed: Sequence[Entry]
    waiting: Sequence[Entry]
    answer: Answer
    sweep: SweepPart | None
    pareto: ParetoPart | None
    alternatives: AlternativesPart | None
    sureness: Confidence
    further: Sequence[str]
    kinds: Sheet | None
    configurations: Sheet | None
    rows: Sheet | None
    links: Sheet | None
    losses: Sheet | None
    causes: Sequence[str]
    other_sizes: Sequence[str]
    topics: Sequence[Topic]
    profiles: Sequence[ProfilePart]
    spent: Sheet | None
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
    study_parts: Sequence[StudyPart]
    cites: Sequence[str]
    proof: Sheet | None
    metadata: Metadata
    downloads: Sequence[Download]

    @property
    def sections(self) -> dict[str, str]:
        """The titles of the sections that there are, by their addresses, in order."""
        titles = {
            "failed": "Cells without figures" if self.failed or self.waiting else "",
            "sweep": "What the numbers that vary do" if self.sweep else "",
            "pareto": "What boards cost, and what they give" if self.pareto else "",
            "offload": "Hardware versus software" if self.configurations else "",
            "alternatives": "Hardware versus the best other software" if self.alternatives else "",
            "sensitivity": "How far assumptions may be off" if self.sureness.part else "",
            "losses": "Where offload lost in the published work" if self.losses else "",
            **{topic.name: topic.title for topic in self.topics},
            "profiles": "Where the instructions go" if self.profiles else "",
            "limits": "Limits" if self.limits else "",
            "published": "Compared with the published figures"
            if self.deviations or self.missing
            else "",
            **{part.name: part.title for part in self.study_parts},
            "proof": "Offload check" if self.proof else "",
            "method": "Method",
            "data": "Data and provenance",
        }
        return {name: text for name, text in titles.items() if text}


def content_of(
    found: Findings,
    profiles: Sequence[Profile],
    spents: Sequence[Spent] = (),
    firm: Robustness | None = None,
    prices: Sequence[Price] = (),
) -> Content:
    """What the findings of a run say, the profiles that were taken of it, and what is known of its
    verdicts besides.
    """
    results, comparison, lost = found.results, found.comparison, found.regressions
    tables = published_tables(found.published, found.ours)
    counted = found.answer.pairs
    reasons = reasons_of(compared(comparison))
    judged = (*counted, *found.answer.repeats)
    swept = sweep_answer(results)
    return Content(
        places=found.places,
        measured_on=results.measured_on,
        seeds=results.seeds,
        unconverged="" if results.converged else UNCONVERGED,
        part=results.part,
        failed=results.failed,
        waiting=results.waiting,
        answer=found.answer,
        sweep=sweep_part(swept) if swept and swept.kinds else None,
        pareto=pareto_part(choices(results, prices)) if prices else None,
        missing=[table for table in tables if table.sheet is None],
        cites=cites(tables),
        study_parts=study_parts(results, found.places, everywhere=found.everywhere),
        topics=topics(found, tables),
        further=[
            *further(comparison, counted, lost),
            *reservations(found.pairs, counted, len(results.seeds)),
        ],
        kinds=kinds_sheet(found.answer, firm),
        rows=rows_sheet(found.pairs),
        alternatives=alternatives_part(found.alternatives),
        sureness=sureness(firm or Robustness(judged)),
        links=links_sheet(judged, found.places, results.records),
        configurations=configurations_sheet(found.pairs),
        losses=regressions_sheet(lost) if any(loss.ours for loss in lost) else None,
        causes=causes(lost),
        other_sizes=found.other_sizes,
        profiles=[_profile_part(each) for each in in_pairs(profiles)],
        spent=spent_sheet(spents),
        code=code_sheet(profiles),
        limits_conclusion=conclusion(found.limits),
        limits=limits_sheet(found.limits),
        ratios=ratios_sheet(found.ratios, found.places),
        ratio_medians=ratio_medians_sheet(found.ratios),
        orders=orders_sheet(found.orders, found.places),
        orders_sentence=orders_sentence(found.orders),
        deviations=deviation_sheet(comparison),
        studies=reasons,
        large=large_deviations(comparison, reasons),
        proof=offload_check_sheet(results.records, found.places),
        setups=setup_sheet(results.records),
        metadata=metadata(results, found.places),
        downloads=downloads(results.with_boards, results.journal.name),
    )


def _profile_part(profiles: tuple[Profile, ...]) -> ProfilePart:
    panels = [
        Icicle(
            f"{title(each)}: {each.instructions:,} instructions", icicle(each.stacks, title(each))
        )
        for each in profiles
    ]
    if len(profiles) == 1:
        return ProfilePart(title(profiles[0]), panels, function_sheet(profiles[0]))
    return ProfilePart(suite(profiles[0]), panels, functions_sheet(*profiles))
