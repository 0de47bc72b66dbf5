# SPDX-License-Identifier: Apache-2.0
"""The waist of the lab: what was observed, as tidy rows, of which all else is said.

A row is a figure of one record: `FIGURE_COLUMNS`, `CELL_COLUMNS`, the parts of its parameter, its
uncertainty, `WHERE` and the board's number of CPUs.  Then come the seed, and all else that its cell
says.  `rows` returns a run's rows; they are kept in the store's index until the run, its records or
a parser change.  Who imports this module gives its parsers to all stores.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

import polars as pl

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import TopologyRun
from firesteel.build.cache import tree_digest
from firesteel.model.cell import Cell
from firesteel.model.figure import COLUMNS, PARTS, Figure
from firesteel.store.journal import Journal
from firesteel.store.record import Derived, Record, use
from firesteel.store.store import LATEST, Store
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.load import FULL_FRAME_BYTES
from firesteel.workloads.registry import TRANSFERS

FIGURE_COLUMNS = COLUMNS
"""The columns of a tidy figure, in order; `value` is the last."""

KEY_COLUMNS = FIGURE_COLUMNS[:-1]
"""The columns that say what a figure is."""

CELL_COLUMNS = ("completion", "as_in_2015", "affinity")
"""Further columns after a tidy figure's, which identify its cell.  Published figures lack them.
"""

_KINDS: dict[type, type[pl.DataType]] = {int: pl.Int64, str: pl.String}

SWEPT = "swept"
"""The column of a frame that has the parts of the parameter."""

SWEPT_TYPE = pl.Struct({name: _KINDS[kind] for name, kind in PARTS.items()})

BOARD = "board"
"""The column with the profile of the measured node."""

CPUS = "cpus"
"""The column with the number of CPUs of the measured board."""

WHERE = (BOARD, "topology", "node", "link")
"""Columns that say where a figure was measured."""

UNCERTAINTY = "uncertainty"
"""The column with half of a figure's own 95 % interval; null if there is no interval."""

_BATCH = 500
"""How many records are made into rows together."""

PARSERS = ("workloads", "protocols", "boards", "build", "architectures", "model", "base")
"""The packages that figures depend on in addition to the observations: all that a parser may
import.  Deriving figures once too often costs little; figures of an older parser would be wrong.
"""

_PAYLOAD = 1460
"""The most bytes of a TCP stream that a full Ethernet frame carries."""


class LabParsers:
    """What derives figures of all workloads."""

    @cached_property
    def version(self) -> str:
        """A digest of the code of all parsers."""
        return tree_digest(*(Path(__file__).parent / name for name in PARSERS))

    def derive(self, cell: Cell, run: TopologyRun) -> Derived:
        """What the observations of a cell say; `CellFailure` when they show that it went wrong."""
        return Derived(figures=tuple(cell_figures(cell, run)), proof=cell_proof(cell, run))


use(LabParsers())


def rows(store: Store, run: str = LATEST) -> pl.DataFrame:
    """Those of a run.

    Raises `FiresteelError` when there is no such run, or it or one of its records is damaged.
    """

    def make(journal: Journal) -> bytes:
        found = samples_of(store.each_record(journal, journal.entries))
        found.write_parquet(file := io.BytesIO())
        return file.getvalue()

    kept = store.rows(store.find(run), Path(__file__).read_bytes(), make)
    return pl.read_parquet(io.BytesIO(kept))


def choose(found: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """The rows that have these values in these columns; with commas between them, any of several.

    `at` is short for `parameter`.  Where no `link` is named, the topology's own rate is meant, if
    it was measured.
    """
    if "link" not in where and (found["link"] == "").any():
        where = {**where, "link": ""}
    for key, value in where.items():
        column = "parameter" if key == "at" else key
        if column not in (*KEY_COLUMNS, *CELL_COLUMNS, *WHERE):
            allowed = ", ".join((*KEY_COLUMNS, *CELL_COLUMNS, *WHERE))
            raise FiresteelError(f"figures have no `{key}`; allowed are {allowed}, at.")
        # A list of CPUs has commas, too.
        found = found.filter(pl.col(column).is_in([value, *value.split(",")]))
    return found


def samples_of(records: Iterable[Record]) -> pl.DataFrame:
    """A row for each figure of each record, in the form of `Results.samples`."""
    return pl.concat([_samples([]), *map(_samples, in_batches(records))])


def in_batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records, so many at a time as are made into rows together."""
    rest = iter(records)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def figures_frame(figures: Iterable[Figure], cell: Cell | None = None) -> pl.DataFrame:
    """Figures as a frame with the tidy columns in their order.  Further columns identify the cell,
    and contain the parts of the parameters.
    """
    figures = tuple(figures)
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(FIGURE_COLUMNS, pl.String)
    schema["value"] = pl.Float64
    frame = pl.DataFrame([figure.row for figure in figures], schema=schema)
    how = _how(cell) if cell else ("", "", "")
    swept = pl.Series(SWEPT, [figure.parameter.parts for figure in figures], SWEPT_TYPE)
    said = (pl.lit(each).alias(name) for name, each in zip(CELL_COLUMNS, how, strict=True))
    return frame.with_columns(*said, swept)


def _how(cell: Cell) -> tuple[str, str, str]:
    """What a cell has in `CELL_COLUMNS`."""
    return cell.completion or "", cell.habits, cell.pinned


def configuration(cell: Cell) -> str:
    """All that a cell says but for its seed."""
    return cell.of_any_seed.model_dump_json()


def figures_of(record: Record) -> Iterator[Figure]:
    """The record's figures; a transfer's `link_use` is at least as high as its throughput needs.

    Marks surround whole files and include the start and end of the fetching programs.  Throughput
    covers only the bytes in between (docs/experiments.md).  So the use of the link between the
    marks is less than what it was while the bytes came.
    """
    # Which links a transfer passes is not recorded; the fastest one needs the least of its time.
    rate = max((link.rate_bit_s for link in record.setup.topology.links), default=0)
    needed = {
        figure.parameter: _percent(figure.value, rate)
        for figure in record.figures
        if figure.workload in TRANSFERS and figure.metric == "throughput" and rate
    }
    for figure in record.figures:
        least = needed.get(figure.parameter, 0.0)
        if figure.workload in TRANSFERS and figure.metric == "link_use":
            yield figure.model_copy(update={"value": max(figure.value, least)})
        else:
            yield figure


def for_each_figure(
    records: Sequence[Record], figures: Sequence[Sequence[Figure]], columns: pl.DataFrame
) -> pl.DataFrame:
    """All figures of the records, with what `columns` has in a row for each record."""
    which = [number for number, those in enumerate(figures) for _ in those]
    cells = [record.cell for record in records]
    schema = dict.fromkeys(CELL_COLUMNS, pl.String)
    how = pl.DataFrame([_how(cell) for cell in cells], schema, orient="row")
    told = columns.with_columns(how.get_columns())
    frame = figures_frame(chain.from_iterable(figures))
    return frame.with_columns(told[which].get_columns())


def _samples(records: Sequence[Record]) -> pl.DataFrame:
    """The figures of some records."""
    cells = [record.cell for record in records]
    figures = [tuple(figures_of(record)) for record in records]
    own = [figure.uncertainty for those in figures for figure in those]
    places = [astuple(cell.place) for cell in cells]
    told = pl.DataFrame(
        {
            **{name: [place[number] for place in places] for number, name in enumerate(WHERE)},
            CPUS: [each.setup.profiles[each.cell.measured].cpu.count for each in records],
            "cell": [configuration(cell) for cell in cells],
            "seed": [cell.seed for cell in cells],
        },
        {**dict.fromkeys((*WHERE, "cell"), pl.String), CPUS: pl.Int64, "seed": pl.Int64},
    )
    frame = for_each_figure(records, figures, told)
    uncertain = pl.Series(UNCERTAINTY, own, pl.Float64)
    return frame.with_columns(uncertain).select(
        *figures_frame([]).columns, UNCERTAINTY, *WHERE, CPUS, "cell", "seed"
    )


def _percent(megabytes_a_second: float, rate_bit_s: int) -> float:
    return min(100 * megabytes_a_second * 8e6 * FULL_FRAME_BYTES / _PAYLOAD / rate_bit_s, 100.0)
