# SPDX-License-Identifier: Apache-2.0
"""All figures of a run with all that says where they come from: files for other programs."""

import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

import polars as pl

from firesteel.base.tidy import inside_of, to_csv, to_json
from firesteel.boards.real import RealProfile, is_real
from firesteel.judge.bound import bound, counters
from firesteel.judge.results import Results, coordinates
from firesteel.judge.rows import grouped
from firesteel.model.figure import PARAMETER_COLUMNS, Figure
from firesteel.store.journal import Journal
from firesteel.store.record import Record
from firesteel.store.setup import cores_in_words, link_in_words
from firesteel.table import CELL_COLUMNS, FIGURE_COLUMNS, figures_of, for_each_figure, in_batches

Form = Literal["csv", "parquet", "json"]

_METADATA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("run", "run_experiment", "run_started"), pl.String),
    "quick": pl.Boolean,
    **dict.fromkeys(("topology", "node", "link", "profile", "peer_profiles"), pl.String),
    **dict.fromkeys(("cpu_model", "clock"), pl.String),
    "instructions_per_second": pl.Int64,
    "processor": pl.String,
    **dict.fromkeys(("processor_hz", "memory_mib", "interrupt_delay_us"), pl.Int64),
    "cores": pl.String,
    **dict.fromkeys(("core_clock_hz", "core_register_ns"), pl.Int64),
    **dict.fromkeys(("link_rate_bit_s", "link_latency_ns"), pl.Int64),
    "links": pl.String,
    "peer_instructions_per_second": pl.Int64,
    "seed": pl.Int64,
    **dict.fromkeys(("record", "trace"), pl.String),
    **dict.fromkeys(("qemu", "kernel", "image", "boards", "commands", "jobs"), pl.String),
}


_KINDS: dict[type, type[pl.DataType]] = {int: pl.Int64, str: pl.String}

_OWN: dict[str, type[pl.DataType]] = {
    "uncertainty": pl.Float64,
    "converged": pl.Boolean,
    **{name: _KINDS[kind] for name, kind in PARAMETER_COLUMNS.items()},
    "bound": pl.String,
}

COLUMN_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*FIGURE_COLUMNS, *CELL_COLUMNS), pl.String),
    "value": pl.Float64,
    **_OWN,
    **_METADATA,
}

COLUMNS = tuple(COLUMN_TYPES)
"""The columns of an export.  First come the tidy figure, its uncertainty, the parts of its
parameter (`model.figure`) and the limit of its row (`judge.bound`; empty if unknown).  Then follow
the run, the cell and its seed, the record's address and its trace, and the versions of all inputs.
"""


def export_frame(results: Results) -> pl.DataFrame:
    """A row for each figure of each seed, in the run's order, with `COLUMNS` and a column for each
    number in which the run's cells differ, by its path.
    """
    return pl.concat(export_frames(results.journal, results.records))


def export_frames(journal: Journal, records: Iterable[Record]) -> Iterator[pl.DataFrame]:
    """The same in pieces, the first of them without rows."""
    yield _of_records(journal, [])
    yield from (_of_records(journal, batch) for batch in in_batches(records))


def write_export(frames: Iterable[pl.DataFrame], form: Form, file: BinaryIO) -> None:
    """Writes frames of equal columns one behind the other, of which one is in memory at a time."""
    if form == "parquet":
        _write_parquet(frames, file)
    elif form == "csv":
        for number, frame in enumerate(frames):
            file.write(to_csv(frame, header=not number).encode())
    else:
        between = "[\n"
        for frame in frames:
            if frame.height:
                file.write((between + inside_of(to_json(frame))).encode())
                between = ",\n"
        file.write(b"\n]\n" if between == ",\n" else b"[]\n")


def _write_parquet(frames: Iterable[pl.DataFrame], file: BinaryIO) -> None:
    with tempfile.TemporaryDirectory() as directory:
        for number, frame in enumerate(frames):
            frame.write_parquet(Path(directory) / f"{number:08}.parquet")
        pl.scan_parquet(Path(directory) / "*.parquet").sink_parquet(file)


def _setup(record: Record) -> dict[str, str | int | None]:
    """What it was measured on: the measured board, the first of its windows of cores, the slowest
    link, and the slowest of the other boards.  Of a board whose clock counts something else, what
    does not matter to it is left out.
    """
    setup, measured = record.setup, record.cell.measured
    board, links = setup.profiles[measured], setup.topology.links
    peers = [each for name, each in setup.profiles.items() if name != measured]
    real, cpu, flat = isinstance(board, RealProfile), board.cpu, board.cpu.clock == "flat"
    timing = board.cores[0].timing if board.cores and not real else None
    slowest = min(links, key=lambda link: link.rate_bit_s, default=None)
    return {
        "cpu_model": cpu.model,
        "clock": cpu.clock,
        "instructions_per_second": cpu.rate if flat else None,
        "processor": cpu.processor if cpu.clock == "cycles" else None,
        "processor_hz": None if flat else cpu.hertz,
        "memory_mib": board.memory.mebibytes,
        "interrupt_delay_us": board.ethernet.interrupt_delay_us if board.ethernet else None,
        "cores": ", ".join(map(cores_in_words, () if real else board.cores)),
        "core_clock_hz": timing.used("clock_hz") if timing else None,
        "core_register_ns": timing.used("register_ns") if timing else None,
        "link_rate_bit_s": slowest.rate_bit_s if slowest else None,
        "link_latency_ns": slowest.latency_ns if slowest and not real else None,
        "links": "; ".join(f"{link.name}: {link_in_words(link, real=real)}" for link in links),
        "peer_instructions_per_second": min(
            (each.cpu.rate for each in peers if each.cpu.clock == "flat"),
            default=None,
        ),
    }


def _of_records(journal: Journal, records: Sequence[Record]) -> pl.DataFrame:
    figures = [tuple(figures_of(record)) for record in records]
    schema = _METADATA | dict.fromkeys(journal.varied, pl.Float64)
    told = pl.DataFrame([_metadata(journal, record) for record in records], schema)
    frame = for_each_figure(records, figures, told)
    own = [*zip(*(each for those in figures for each in _own(those)), strict=True)]
    named = zip(_OWN.items(), own or [()] * len(_OWN), strict=True)
    columns = (pl.Series(name, values, kind) for (name, kind), values in named)
    return frame.with_columns(*columns).select(*COLUMNS, *journal.varied)


def _metadata(journal: Journal, record: Record) -> dict[str, object]:
    cell = record.cell
    others = [f"{node}={name}" for node, name in cell.profiles.items() if node != cell.measured]
    return {
        "run": journal.name,
        "run_experiment": journal.experiment,
        "run_started": journal.started,
        "quick": journal.quick,
        "topology": cell.topology,
        "node": cell.measured,
        "link": cell.link,
        "profile": cell.profiles[cell.measured],
        "peer_profiles": " ".join(others),
        **_setup(record),
        "seed": cell.seed,
        "record": record.key,
        "trace": record.trace,
        **dict(record.versions),
        **dict(zip(journal.varied, coordinates(record, journal.varied), strict=True)),
    }


def _own(figures: Sequence[Figure]) -> Iterator[tuple[object, ...]]:
    """Values of `_OWN` for each figure of a record; the last is what limited the figure's row, and
    empty where that is unknown.
    """

    def row(each: Figure) -> tuple[object, ...]:
        suite = (each.protocol, each.cipher, each.mac)
        return (each.workload, each.implementation, each.parameter, *suite)

    limits: dict[tuple[object, ...], str] = {}
    for key, those in grouped(figures, row).items():
        needed = counters(those[0].workload, those[0].implementation)
        limits[key] = bound({each.metric: each.value for each in those}, needed) or ""
    for each in figures:
        parts = each.parameter.columns.values()
        yield each.uncertainty, each.converged, *parts, limits[row(each)]


_NAMED_BY = (
    *("profile", "topology", "node", "link", "protocol", "cipher", "mac", "implementation"),
    *("completion", "as_in_2015", "affinity", "experiment", "parameter", "metric"),
)
"""The columns that tell a figure from all others of a run, besides what varies."""


def write_flent(journal: Journal, frames: Iterable[pl.DataFrame], file: BinaryIO) -> None:
    """Writes frames of `export_frames` as a data file of Flent; equal runs give equal bytes.

    It is JSON, packed by gzip, of format 4 (Flent 2, `flent/resultset.py`).  Flent's series are of
    time; ours are of repetitions: `x_values` are the seeds, and each series is one figure.  Flent
    chooses its plots by the name of a Flent test, so it has no plot for our experiments.
    """
    values: dict[str, dict[int, float]] = {}
    units: dict[str, str] = {}
    boards: dict[str, None] = {}
    for row in (row for frame in frames for row in frame.iter_rows(named=True)):
        name = _name(row, journal.varied)
        values.setdefault(name, {})[row["seed"]] = row["value"]
        units[name] = row["unit"]
        boards[row["profile"]] = None
    seeds = sorted({seed for by_seed in values.values() for seed in by_seed})
    told = {
        "version": 4,
        "x_values": [float(seed) for seed in seeds],
        "results": {
            name: [by_seed.get(seed) for seed in seeds] for name, by_seed in values.items()
        },
        "raw_values": {},
        "metadata": _about(journal, list(boards), units, len(seeds)),
    }
    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
        packed.write(json.dumps(told, indent=2, sort_keys=True).encode())


def _name(row: Mapping[str, Any], varied: Iterable[str]) -> str:
    numbers = (f"{path}={row[path]:g}" for path in varied if row[path] is not None)
    return " ".join([*filter(None, (row[column] for column in _NAMED_BY)), *numbers])


def _about(
    journal: Journal, boards: list[str], units: Mapping[str, str], count: int
) -> dict[str, Any]:
    started = datetime.fromisoformat(journal.started).astimezone(UTC)
    real = "real machines, time of the wall clock"
    return {
        "NAME": journal.experiment,
        "TITLE": journal.name,
        "TIME": started.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "NOTE": real if any(map(is_real, boards)) else "virtual boards, virtual time",
        "HOST": boards[0] if boards else None,
        "HOSTS": boards,
        "LOCAL_HOST": None,
        "LENGTH": count,
        "TOTAL_LENGTH": count,
        "STEP_SIZE": 1,
        "IP_VERSION": 4,
        "FLENT_VERSION": None,
        "DATA_FILENAME": f"{journal.name}.flent.gz",
        "SERIES_META": {name: {"UNITS": unit} for name, unit in units.items()},
    }
