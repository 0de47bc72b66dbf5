# SPDX-License-Identifier: Apache-2.0
"""The report: its sections, and one HTML file of them that needs nothing else, no network and no
script.
"""

import base64
import gzip
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from firesteel import __version__
from firesteel.base.checkout import RECORDED
from firesteel.base.files import write_whole
from firesteel.base.tidy import to_csv
from firesteel.judge import together
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.bound import PEER_SHARE
from firesteel.judge.compare import load_published
from firesteel.judge.intervals import SLACK
from firesteel.judge.pareto import Price, choices
from firesteel.judge.places import Places
from firesteel.judge.replication.causes import load_causes
from firesteel.judge.replication.method import counted, method
from firesteel.judge.replication.ratios import ratios
from firesteel.judge.replication.statements import Ours, answered, compared, summary
from firesteel.judge.results import Results
from firesteel.judge.robustness import Robustness, robustness_of
from firesteel.judge.rows import Published, grouped
from firesteel.judge.sensitivity import INTERPOLATED
from firesteel.judge.study import BY_SIZE
from firesteel.judge.thresholds import conclusion, origins, outcomes
from firesteel.judge.verdict import LOSSES, Offload
from firesteel.model.cell import ABSENT
from firesteel.model.metrics import AT_LINK
from firesteel.model.names import UNCONVERGED_MEANS
from firesteel.profiling.document import Profile, Spent, folded, spents_of
from firesteel.protocols.offload import UNTOUCHED
from firesteel.show.grid import Grid, Text
from firesteel.show.report import TEMPLATES, offload, published
from firesteel.show.report.charts import (
    Chart,
    bars_chart,
    break_even_chart,
    gains_chart,
    lines_chart,
    sweep_chart,
)
from firesteel.show.report.findings import Findings, by_suite, findings
from firesteel.show.report.profiles import (
    code_grid,
    in_pairs,
    load_profiles,
    named_by_place,
    profile_grids,
)
from firesteel.show.run import break_even_grid, figures_grids, told_of
from firesteel.store.record import Record
from firesteel.store.store import Store, usual_store
from firesteel.workloads.presentation import Bars, Lines
from firesteel.workloads.registry import BY_WEIGHT, WORKLOADS

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
    """Writes the report of a run next to its journal, or to `output`; returns its path.

    Published figures are compared with figures of the board and link that represent theirs, with
    `every_board` on all boards.  With `prices` it weighs what boards cost.  Raises `FiresteelError`
    when it cannot be written, a profile of the run or a study of sensitivity is damaged, or a price
    is of nothing that the run has.
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
        store=() if store.root in (usual_store(), RECORDED) else ("--store", str(store.root)),
    )
    write_whole(path, page.encode())
    return path


def render(
    results: Results,
    theirs: Sequence[Published] | None = None,
    profiles: Sequence[Profile] = (),
    spents: Sequence[Spent] = (),
    every_board: bool = False,
    firm: Robustness | None = None,
    prices: Sequence[Price] = (),
    store: Sequence[str] = (),
) -> str:
    """The report's HTML; `theirs` are the published figures of the repository unless given, for the
    boards that they are of or, with `every_board`, for all.  `firm` has the firmness of its
    verdicts, `prices` the costs of boards, `store` the option of commands that names the store.
    """
    found = findings(results, load_published() if theirs is None else theirs, every_board)
    grids = [grid for pair in in_pairs(profiles) for grid in profile_grids(pair, spents)]
    sections = [
        *_offloaded(found, firm, prices),
        *_published(found),
        Section("profiles", "Where the instructions go", [code_grid(profiles), *grids]),
        *_provenance(results, found.places),
    ]
    told = told_of(results, found.answer, found.alternatives, firm)
    unstudied = bool(found.answer.pairs) and not (firm and firm.is_studied)
    return TEMPLATES.get_template("report.html.j2").render(
        results=results,
        journal=results.journal,
        places=found.places,
        told=told,
        first_chart=_first_chart(found, sections, told.is_sweep),
        first_grid=(told.grid if told.leads else offload.first_grid(found.answer))
        or _shortened(told.grid),
        steps=list(_steps(found, store, unstudied=unstudied, is_sweep=told.is_sweep)),
        unstudied=unstudied,
        unconverged="" if results.converged else UNCONVERGED_MEANS,
        method=method(results.measured_cpus),
        counted=counted(results.measured_cpus),
        slack=f"{SLACK * 100:g}\xa0%",
        untouched=f"{UNTOUCHED:g}\xa0%",
        at_link=f"{AT_LINK * 100:g}\xa0%",
        peer=f"{PEER_SHARE:g}\xa0%",
        interpolated=INTERPOLATED,
        stacks=_download("stacks.folded", "text/plain", folded(profiles)),
        data=_download(f"{results.journal.name}.csv", "text/csv", to_csv(results.with_boards)),
        version=__version__,
        sections=[section for section in sections if section.is_there],
    )


@dataclass(frozen=True)
class Section:
    """`name` is its address in the page, if it differs from the title; `details` are folded."""

    name: str
    title: str
    grids: Sequence[Grid | None] = ()
    details: Sequence[Grid | None] = ()
    chart: Chart | None = None
    notes: Sequence[str] = ()

    @property
    def is_there(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.chart or any(self.grids) or any(self.details))


@dataclass(frozen=True)
class Download:
    """A file in a `data:` address, which a browser saves."""

    name: str
    words: str
    address: str


def _download(name: str, kind: str, text: str) -> Download:
    content = text.encode()
    if len(content) > _MOST_BYTES:
        # No time of day goes in, so the same figures give the same page.
        content = gzip.compress(content, mtime=0)
        name, kind = f"{name}.gz", "application/gzip"
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, f"{name}, {max(1, round(len(content) / 1000))} kB", address)


def _first_chart(found: Findings, sections: Sequence[Section], is_sweep: bool) -> Chart | None:
    """What the report begins with: the gains by kind of traffic; the first panel of all where there
    are none, or where numbers vary.
    """
    if not is_sweep and (gains := gains_chart(found.answer.kinds)):
        return gains
    first = next((section.chart for section in sections if section.chart), None)
    if first is None:
        return None
    panel = replace(first.panels[0], says=f"First of all. {first.panels[0].says}")
    return Chart([panel], first.legend)


def _shortened(grid: Grid | None) -> Grid | None:
    """As much of a table as the first screen has room for."""
    if grid is None or len(grid.rows) <= offload.MOST_FIRST:
        return grid
    first = replace(grid, rows=grid.rows[: offload.MOST_FIRST])
    return replace(first, title=f"{grid.title}: {first.count} of {grid.count} rows")


def _steps(
    found: Findings, store: Sequence[str], *, unstudied: bool, is_sweep: bool
) -> Iterator[tuple[str, str]]:
    """What a reader may do next, each with its command, which has the options of the run's own."""
    journal, seeds, pairs = found.results.journal, found.results.seeds, found.answer.pairs
    is_sample = "--sample" in dict(journal.options)

    def command(name: str, *more: str, without: str = "") -> str:
        return " ".join([*journal.command(name, without), *more, *map(shlex.quote, store)])

    if journal.quick:
        yield "Measure whole sizes", command("run", without="--quick")
    if pairs and len(seeds) == 1:
        yield "Narrow the intervals", command("run", "--seeds 3", without="--seeds")
    if unstudied and not is_sample:
        yield "Vary what is assumed", command("sensitivity")
    if best := gains_most(found.answer.all_pairs):
        of, run = best.identity, journal.name
        wanted = ["--protocol", of.protocol, "--suite", f"{of.cipher}:{of.mac}", "--run", run]
        wanted += store
        for option, value in journal.options:
            if option in ("--board", "--link"):
                wanted += [option, value]
            elif option == "--vary" and not (is_sweep or is_sample):
                wanted += ["--with", value]
        yield "Switch on what gains most", f"firesteel advise {shlex.join(wanted)}"
    if not dict(journal.options).get("--board", "").endswith(".toml"):
        yield "Measure your own board", command("run", "--board FILE", without="--board")


def gains_most(pairs: Sequence[Offload]) -> Offload | None:
    """The row that gains most, of suites that encrypt and authenticate, and of which no row is
    worse.
    """
    secure = [pair for pair in pairs if ABSENT not in (pair.identity.cipher, pair.identity.mac)]
    suites = grouped(
        secure, lambda pair: (pair.identity.protocol, pair.identity.cipher, pair.identity.mac)
    )
    gaining = [
        pair
        for those in suites.values()
        if not any(pair.verdict in LOSSES for pair in those)
        for pair in those
        if pair.verdict == "helps"
    ]
    return max(gaining, key=lambda pair: pair.judged.speed or 0, default=None)


def _offloaded(
    found: Findings, firm: Robustness | None, prices: Sequence[Price]
) -> Iterator[Section]:
    """Hardware beside software."""
    if (swept := sweep_answer(found.results)) and swept.kinds:
        yield Section(
            "sweep",
            "What the numbers that vary do",
            [offload.gains_grid(swept)],
            [offload.points_grid(swept)],
            sweep_chart(swept),
        )
    costs = list(map(offload.choices_grid, choices(found.results, prices))) if prices else []
    yield Section("pareto", "What boards cost, and what they give", costs)
    yield Section(
        "offload",
        "Hardware versus software",
        [offload.configurations_grid(found.results.offloads)],
        [offload.rows_grid(found.results.offloads)],
    )
    others = offload.alternatives_grid(found.alternatives)
    yield Section("alternatives", "Hardware versus the best other software", [others])
    if firm and (known := offload.sensitivity_of(firm)):
        clock = firm.other.sentence if firm.other else ""
        yield Section(
            "sensitivity",
            "How far assumptions may be off",
            [offload.verdicts_grid(firm)],
            [
                offload.changes_grid(known),
                offload.assumptions_grid(known),
                offload.swings_grid(known),
            ],
            notes=[known.headline, *together.sentences(known.judged), clock, firm.source],
        )


def _published(found: Findings) -> Iterator[Section]:
    """Figures by topic, beside the published ones, and what studies say."""
    results, comparison = found.results, found.comparison
    ours = Ours(comparison, results.journal, found.places)
    tables = published.published_tables(found.published, ours)
    yield from _topics(found, tables)
    of_ratios, studies = ratios(comparison, results.clocks), compared(comparison)
    causes = {study.name: load_causes(study) for study in studies}
    yield Section(
        "published",
        "Compared with the published figures",
        [published.ratio_medians_grid(of_ratios)],
        [
            published.ratios_grid(of_ratios, found.places),
            published.deviations_grid(
                sorted(comparison, key=lambda each: -abs(each.deviation or 0)),
                "Every figure with its deviation, largest first",
            ),
        ],
        notes=[*published.notes(comparison, studies, causes, tables)],
    )
    for name, those in answered(results, everywhere=found.everywhere).items():
        study, grid = those[0].study, published.statements_grid(those)
        title = f"Statements of {study.cite}"
        yield Section(f"study-{name}", title, [grid], notes=[f"{study.title}. {summary(those)}"])


def _topics(found: Findings, tables: Sequence[published.Table]) -> Iterator[Section]:
    """What the run has figures for: the main section of each workload, then what else there is,
    then what was measured within one board; and the limits.
    """
    results = found.results
    by_workload = grouped(results.means, lambda each: each.identity.workload)
    suites = by_suite(found.comparison, found.places)

    def details(key: str, caption: str = "") -> list[Grid]:
        there = by_workload.pop(key, [])
        return list(figures_grids(there, len(results.seeds), caption)) if there else []

    by_rank = zip_longest(*(workload.sections for workload in BY_WEIGHT))
    for section in (section for rank in by_rank for section in rank if section):
        series, chart = section.chart.series.name, None
        match section.chart:
            case Bars():
                chart = bars_chart(section.chart, found.tunnels.get(series, ()))
            case Lines():
                chart = lines_chart(section.chart, suites)
        yield Section(
            section.name,
            section.title,
            [table.grid for table in tables if table.layout.topic == section.name],
            [
                grid
                for key, caption in (section.details or {series: ""}).items()
                for grid in details(key, caption)
            ],
            chart,
        )
    with_sections = {name for each in WORKLOADS if each.sections for name in each.titles}
    yield Section(
        BY_SIZE,
        "By size: where offload breaks even",
        [
            *(table.grid for table in tables if table.layout.topic == BY_SIZE),
            break_even_grid(results.means, found.places),
        ],
        [grid for name in [*by_workload] if name not in with_sections for grid in details(name)],
        break_even_chart(by_suite(results.means, found.places)),
    )
    held = outcomes(results.means, results.journal.limits)
    grids = list(offload.limits_grids(held))
    notes = [conclusion(held), *(note for _, those in grids for note in those), *origins(held)]
    yield Section("limits", "Limits", [grid for grid, _ in grids], notes=notes)


def _provenance(results: Results, places: Places) -> Iterator[Section]:
    """What did the work, and what the run was measured with."""
    records = results.records
    yield Section("proof", "Offload check", [offload.proof_grid(records, places)])
    rows: dict[tuple[str, str, str], None] = {}
    for record in records:
        for name, words in record.setup.rows():
            rows[name, record.cell.topology, words] = None
    heads = ("board or link", "topology", "what it is")
    setups = (dict(zip(heads, row, strict=True)) for row in rows)
    packages = sorted({item for each in records for item in each.packages.items()})
    versions = (dict(zip(("package", "version"), each, strict=True)) for each in packages)
    yield Section(
        "data",
        "Data and provenance",
        [
            Grid.of(f"The run {results.journal.name}", _shared(results), wordy=("of all cells",)),
            Grid.of("Boards and links of the cells", setups, wordy=heads[1:]),
        ],
        [
            Grid.of(
                "Cells: inputs, record, trace digest, counters",
                (_cell(record, places) for record in records),
                wordy=("nodes", "record, hash", "trace, hash", "jobs, hash", "counters"),
            ),
            Grid.of("Guest packages", versions, wordy=("version",)),
        ],
    )


def _shared(results: Results) -> Iterator[dict[str, Text]]:
    """What is the same for all cells, said once."""
    cells = [record.cell for record in results.records]
    versions = [record.versions.model_dump() for record in results.records]
    shared = {
        "Firesteel": {__version__},
        "experiment": {results.journal.experiment},
        "started": {results.journal.started},
        "topology": {cell.topology for cell in cells},
        "boards": set(map(_nodes, results.records)),
        "seed": {str(cell.seed) for cell in cells},
        **{f"{name}, hash": {each[name] for each in versions} for name in _VERSIONS},
    }
    for name, values in shared.items():
        yield {"": name, "of all cells": "; ".join(sorted(values))}


def _nodes(record: Record) -> str:
    profiles = record.cell.profiles
    return ", ".join(f"{node} {profile}" for node, profile in sorted(profiles.items()))


def _cell(record: Record, places: Places) -> dict[str, Text]:
    """What a cell is called; its record, the trace of its wires, what went in, what it counted."""
    cell, counts = record.cell, sorted(record.proof.items())
    return {
        "cell": places.of_cell(cell),
        "topology": cell.topology,
        "nodes": _nodes(record),
        "measured": cell.measured,
        "seed": str(cell.seed),
        "record, hash": record.key,
        "trace, hash": record.trace,
        "jobs, hash": record.versions.jobs,
        "counters": "; ".join(f"{name} {count}" for name, count in counts if count),
    }
