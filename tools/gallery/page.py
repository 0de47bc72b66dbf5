# SPDX-License-Identifier: Apache-2.0
"""What `docs/gallery.md` shows of each question, and the pictures beside it, all from records."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.replication.method import software_code
from firesteel.report.charts import Chart
from firesteel.report.findings import Findings, findings
from firesteel.report.standalone import says, standalone
from firesteel.store.store import Store
from tools.gallery.concentrator import CONCENTRATOR
from tools.gallery.core import CORE
from tools.gallery.exhibit import Exhibit
from tools.gallery.gateway import GATEWAY
from tools.gallery.prototype import PROTOTYPE
from tools.gallery.router import ROUTER
from tools.runs import load_runs

PICTURES = CHECKOUT / "docs" / "gallery"
"""The pictures' directory, beside the page."""

EXHIBITS: Mapping[str, Exhibit] = {
    each.name: each for each in (ROUTER, GATEWAY, CONCENTRATOR, CORE, PROTOTYPE)
}
"""In the order of the page."""


def exhibit_named(name: str) -> Exhibit:
    """The question of that name.  Raises `FiresteelError` where there is none."""
    if name not in EXHIBITS:
        raise FiresteelError(f"`gallery: {name}`: allowed is one of {', '.join(EXHIBITS)}.")
    return EXHIBITS[name]


def exhibit_block(store: Store, exhibit: Exhibit) -> str:
    """The command that measures it, the picture, three sentences, and what flatters the cores."""
    found = _findings(store, exhibit)
    verdict, *others = exhibit.sentences(found)
    parts = (
        f"```\n{_command(exhibit)}\n```",
        f"![{_alternative(_chart(exhibit, found))}]({PICTURES.name}/{exhibit.name}.svg)",
        " ".join((f"**{verdict}**", *others)),
        software_code(
            record.inputs.cell
            for record in found.results.records
            if record.inputs.cell.implementation == "hardware"
        ),
    )
    return "\n\n".join(filter(None, parts))


def pictures(store: Store) -> dict[Path, str]:
    """The pictures by their paths; none of a question whose run is not recorded."""
    recorded = store.run_names()
    return {
        PICTURES / f"{each.name}.svg": standalone(_chart(each, _findings(store, each)))
        for each in EXHIBITS.values()
        if each.run in recorded
    }


def _findings(store: Store, exhibit: Exhibit) -> Findings:
    """Without published figures: the question is of our boards alone."""
    return findings(load_results(store, exhibit.run), [])


def _chart(exhibit: Exhibit, found: Findings) -> Chart:
    chart = exhibit.chart(found)
    if chart is None:
        raise FiresteelError(f"The run `{exhibit.run}` has nothing to draw for `{exhibit.name}`.")
    return chart


def _command(exhibit: Exhibit) -> str:
    run = next((each for each in load_runs() if each.name == exhibit.run), None)
    if run is None:
        raise FiresteelError(
            f"`gallery: {exhibit.name}` rests on the run `{exhibit.run}`, which recorded/runs.toml "
            "does not name."
        )
    return f"./firesteel run {shlex.join((run.experiment, *run.options))}"


def _alternative(chart: Chart) -> str:
    """What the picture shows, in the words of its own name; brackets would end a Markdown label."""
    return says(chart).translate(str.maketrans("[]", "()"))
