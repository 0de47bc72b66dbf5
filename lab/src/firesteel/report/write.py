# SPDX-License-Identifier: Apache-2.0
"""Setting the report: one HTML file that needs nothing else, no network and no script."""

from collections.abc import Sequence
from pathlib import Path

import jinja2

from firesteel import __version__
from firesteel.analysis.compare import load_published
from firesteel.analysis.pareto import Price
from firesteel.analysis.results import Results
from firesteel.analysis.robustness import Robustness, robustness_of
from firesteel.analysis.rows import Published
from firesteel.profiling.document import Profile
from firesteel.profiling.layers import LAYERS
from firesteel.profiling.spent import Spent, spents_of
from firesteel.replication.causes import LARGE
from firesteel.replication.method import counted, method
from firesteel.report.content import content_of
from firesteel.report.findings import findings
from firesteel.report.offload import RULE
from firesteel.report.profiles import load_profiles, named_by_place
from firesteel.store.store import Store, write_whole

_TEMPLATES = Path(__file__).parent

PROFILES = "profiles"
"""The directory below a run's with profiles of where time goes."""


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
    spents = spents_of(store, profiles)
    page = render(
        results,
        profiles=profiles,
        spents=spents,
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
    content = content_of(found, profiles, spents, firm, prices)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        **vars(content),
        sections=content.sections,
        journal=results.journal,
        method=method(results.measured_cpus),
        counted=counted(results.measured_cpus),
        rule=RULE,
        layers=[(f"layer-{number}", name) for number, name in enumerate(LAYERS)],
        large_percent=LARGE,
        version=__version__,
    )
