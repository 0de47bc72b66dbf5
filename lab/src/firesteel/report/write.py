# SPDX-License-Identifier: Apache-2.0
"""Setting the report: one HTML file that needs nothing else, no network and no script."""

from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from firesteel import __version__, names
from firesteel.breakeven import break_even
from firesteel.compare import orders
from firesteel.limits import conclusion, outcomes
from firesteel.report import sections
from firesteel.report.charts import ping_panels, transfer_panels
from firesteel.report.curves import break_even_panels
from firesteel.results import Results
from firesteel.store import Store, write_whole
from firesteel.table import METHOD

_TEMPLATES = Path(__file__).parent


def write_report(
    store: Store, results: Results, comparison: pl.DataFrame, output: Path | None = None
) -> Path:
    """Writes the report of a run beside its journal, or to `output`; gives its path.

    Raises `FiresteelError` when it cannot be written.
    """
    path = output.absolute() if output else store.report_path(results.journal.name)
    write_whole(path, render(results, comparison).encode())
    return path


def render(results: Results, comparison: pl.DataFrame) -> str:
    """The report's HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    held = outcomes(results.figures, results.journal.limits)
    return environment.get_template("report.html.j2").render(
        names=names,
        journal=results.journal,
        failed=results.failed,
        waiting=results.waiting,
        answer=sections.answer(comparison),
        method=METHOD,
        transfer_panels=transfer_panels(comparison),
        transfer=sections.transfer_sheet(comparison),
        transfer_detail=sections.detail_sheet(
            results.figures, "file-transfer", "All figures of the file transfer"
        ),
        ping_panels=ping_panels(comparison),
        ping=sections.ping_sheet(comparison),
        ping_detail=sections.detail_sheet(results.figures, "ping", "All figures of the pings"),
        sizes=sections.size_sheet(comparison),
        one_board=sections.one_board_sheets(results.figures),
        break_even_panels=break_even_panels(results.figures),
        break_even=[found.sentence for found in break_even(results.figures)],
        limits=sections.limit_sheets(held),
        limits_conclusion=conclusion(held),
        orders=[order.sentence for order in orders(comparison)],
        deviations=sections.deviation_sheet(comparison),
        other_sizes=_other_sizes(comparison),
        metadata=_metadata(results),
        version=__version__,
    )


def _other_sizes(comparison: pl.DataFrame) -> list[str]:
    """What is said when a transfer is compared with one of another size."""
    notes = comparison.filter(pl.col("note").str.contains("ours of"))["note"]
    return notes.str.split("; ").list.first().unique(maintain_order=True).to_list()


def _metadata(results: Results) -> dict[str, Any]:
    """What the cells were measured with; what is the same for all is said once."""
    records = results.records
    versions = [record.inputs.versions.model_dump() for record in records]
    packages = sorted({item for record in records for item in record.packages.items()})
    return {
        "shared": [
            (name, sorted({each[name] for each in versions}))
            for name in ("qemu", "kernel", "image", "boards", "lab")
            if versions
        ],
        "cells": [
            (
                record.inputs.cell,
                record.inputs.key,
                record.measurement.trace,
                sorted(record.measurement.proof.items()),
            )
            for record in records
        ],
        "packages": packages,
    }
