# SPDX-License-Identifier: Apache-2.0
"""A run as a sweep: where each of its figures stands.

Coordinates are what a record says of its boards and links, by path (`board.numbers`); so any
records can be seen as a sweep of any numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

import polars as pl

from firesteel.analysis.results import Results
from firesteel.model.place import Place
from firesteel.store.record import Record
from firesteel.table import WHERE

Coordinates = tuple[float | None, ...]
"""A number for each path, in the unit of its key; None where there is none."""


def coordinates(record: Record, paths: Sequence[str]) -> Coordinates:
    """Where a record stands."""
    setup, measured = record.measurement.setup, record.inputs.cell.measured
    if setup is None:
        return (None,) * len(paths)
    return tuple(setup.number(measured, path) for path in paths)


def by_place(records: Iterable[Record], paths: Sequence[str]) -> dict[Place, Coordinates]:
    """Where the places of a run stand."""
    found: dict[Place, Coordinates] = {}
    for record in records:
        place = record.inputs.cell.place
        if place not in found:
            found[place] = coordinates(record, paths)
    return found


def sweep_frame(results: Results, paths: Sequence[str] | None = None) -> pl.DataFrame:
    """`Results.spread`, a row for each figure, with a column for each path, whose name it has; the
    paths are those in which the run's cells differ unless given.
    """
    wanted = results.journal.varied if paths is None else paths
    return with_coordinates(results.spread, by_place(results.records, wanted), wanted)


def with_coordinates(
    frame: pl.DataFrame, places: Mapping[Place, Coordinates], paths: Sequence[str]
) -> pl.DataFrame:
    """A frame that has the columns `WHERE` with a column for each path behind its own."""
    schema = {**dict.fromkeys(WHERE, pl.String), **dict.fromkeys(paths, pl.Float64)}
    rows = [(*astuple(place), *at) for place, at in places.items()]
    return frame.join(
        pl.DataFrame(rows, schema=schema, orient="row"),
        on=list(WHERE),
        how="left",
        maintain_order="left",
    )
