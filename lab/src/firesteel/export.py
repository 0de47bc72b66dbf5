# SPDX-License-Identifier: Apache-2.0
"""All figures of a run with all that says where they come from: a table for other programs."""

import io
from typing import Literal

import polars as pl

from firesteel.bound import bounds_of
from firesteel.published import CELL_COLUMNS, FIGURE_COLUMNS
from firesteel.record import Record
from firesteel.results import Results, figures_frame
from firesteel.tidy import to_csv, to_json

Form = Literal["csv", "parquet", "json"]

_METADATA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("run", "run_experiment", "run_started"), pl.String),
    "quick": pl.Boolean,
    **dict.fromkeys(("topology", "node", "profile", "peer_profiles"), pl.String),
    "seed": pl.Int64,
    **dict.fromkeys(("record", "trace"), pl.String),
    **dict.fromkeys(("qemu", "kernel", "image", "boards", "jobs", "lab"), pl.String),
}

COLUMNS = (*FIGURE_COLUMNS, *CELL_COLUMNS, "bound", *_METADATA)
"""The tidy figure, what limited its row (`firesteel.bound`; nothing where that is unknown), then
the run, what was measured with which seed, the record's address and its trace, and the versions of
all that figures depend on.
"""


def export_frame(results: Results) -> pl.DataFrame:
    """A row for each figure of each seed, in the run's order, with `COLUMNS`."""
    schema = figures_frame([]).schema | {"bound": pl.String} | _METADATA
    frames = [_of_record(results, record) for record in results.records]
    return pl.concat([pl.DataFrame(schema=schema), *frames]).select(COLUMNS)


def encode(frame: pl.DataFrame, form: Form) -> bytes:
    """The file of a frame."""
    if form == "parquet":
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()
    return (to_csv(frame) if form == "csv" else to_json(frame)).encode()


def _of_record(results: Results, record: Record) -> pl.DataFrame:
    journal, inputs = results.journal, record.inputs
    cell = inputs.cell
    others = [f"{node}={name}" for node, name in cell.profiles.items() if node != cell.measured]
    metadata = {
        "run": journal.name,
        "run_experiment": journal.experiment,
        "run_started": journal.started,
        "quick": journal.quick,
        "topology": cell.topology,
        "node": cell.measured,
        "profile": cell.profiles[cell.measured],
        "peer_profiles": " ".join(others),
        "seed": cell.seed,
        "record": inputs.key,
        "trace": record.measurement.trace,
        **inputs.versions.model_dump(),
    }
    figures = figures_frame(record.measurement.figures, cell)
    keys = ("experiment", "parameter")
    found = bounds_of(figures.iter_rows(named=True), keys)
    bounds = [found.get(key, "") for key in figures.select(keys).iter_rows()]
    return figures.with_columns(
        pl.Series("bound", bounds, dtype=pl.String),
        *(pl.lit(metadata[name], kind).alias(name) for name, kind in _METADATA.items()),
    )
