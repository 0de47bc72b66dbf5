# SPDX-License-Identifier: Apache-2.0
"""All figures of a run with all that says where they come from: a table for other programs."""

import io
from collections.abc import Sequence
from typing import Literal

import polars as pl

from firesteel.analysis.link_share import figures_of
from firesteel.analysis.published import CELL_COLUMNS, FIGURE_COLUMNS
from firesteel.analysis.results import Results, figures_frame
from firesteel.analysis.rows import Rows, read_results
from firesteel.analysis.sweep import coordinates
from firesteel.base.tidy import to_csv, to_json
from firesteel.board.profile import Cpu
from firesteel.model import parameter
from firesteel.model.figure import Figure
from firesteel.store.record import Record
from firesteel.store.setup import cores_in_words, link_in_words

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

_OF_SETUP = tuple(_METADATA)[tuple(_METADATA).index("cpu_model") : tuple(_METADATA).index("seed")]

_KINDS: dict[type, type[pl.DataType]] = {int: pl.Int64, str: pl.String}

_OWN: dict[str, type[pl.DataType]] = {
    "uncertainty": pl.Float64,
    "converged": pl.Boolean,
    **{name: _KINDS[kind] for name, kind in parameter.COLUMNS.items()},
}

COLUMNS = (*FIGURE_COLUMNS, *CELL_COLUMNS, *_OWN, "bound", *_METADATA)
"""The tidy figure, its uncertainty, the parts of its parameter (`model.parameter`), what limited
its row (`analysis.bound`; nothing where that is unknown), then the run, what was measured with
which seed, the record's address and its trace, and the versions of all that figures depend on.
"""


def export_frame(results: Results) -> pl.DataFrame:
    """A row for each figure of each seed, in the run's order, with `COLUMNS` and a column for each
    number in which the run's cells differ, by its path.
    """
    varied = dict.fromkeys(results.journal.varied, pl.Float64)
    schema = figures_frame([]).schema | _OWN | {"bound": pl.String} | _METADATA | varied
    frames = [_of_record(results, record) for record in results.records]
    return pl.concat([pl.DataFrame(schema=schema), *frames]).select(*COLUMNS, *varied)


def encode(frame: pl.DataFrame, form: Form) -> bytes:
    """The file of a frame."""
    if form == "parquet":
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()
    return (to_csv(frame) if form == "csv" else to_json(frame)).encode()


def _setup(record: Record) -> dict[str, str | int | None]:
    """What it was measured on: the measured board, the first of its windows of cores, the slowest
    link, and the slowest of the other boards.  Of a board whose clock counts something else, what
    does not matter to it is left out.
    """
    setup, measured = record.measurement.setup, record.inputs.cell.measured
    if setup is None:
        return dict.fromkeys(_OF_SETUP)
    board, links = setup.profiles[measured], setup.topology.links
    peers = [each for name, each in setup.profiles.items() if name != measured]
    timing = board.cores[0].timing if board.cores else None
    slowest = min(links, key=lambda link: link.rate_bit_s, default=None)
    return {
        **_cpu(board.cpu),
        "memory_mib": board.memory.mebibytes,
        "interrupt_delay_us": board.ethernet.interrupt_delay_us if board.ethernet else None,
        "cores": ", ".join(map(cores_in_words, board.cores)),
        "core_clock_hz": timing.used_clock_hz if timing else None,
        "core_register_ns": timing.used_register_ns if timing else None,
        "link_rate_bit_s": slowest.rate_bit_s if slowest else None,
        "link_latency_ns": slowest.latency_ns if slowest else None,
        "links": "; ".join(f"{link.name}: {link_in_words(link)}" for link in links),
        "peer_instructions_per_second": min(
            (each.cpu.instructions_per_second for each in peers if each.cpu.clock == "flat"),
            default=None,
        ),
    }


def _cpu(cpu: Cpu) -> dict[str, str | int | None]:
    in_cycles = cpu.clock == "cycles"
    return {
        "cpu_model": cpu.model,
        "clock": cpu.clock,
        "instructions_per_second": None if in_cycles else cpu.instructions_per_second,
        "processor": cpu.processor if in_cycles else None,
        "processor_hz": cpu.hertz if in_cycles else None,
    }


def _of_record(results: Results, record: Record) -> pl.DataFrame:
    journal, inputs = results.journal, record.inputs
    cell = inputs.cell
    others = [f"{node}={name}" for node, name in cell.profiles.items() if node != cell.measured]
    varied = dict(zip(journal.varied, coordinates(record, journal.varied), strict=True))
    metadata = {
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
        "trace": record.measurement.trace,
        **inputs.versions.model_dump(),
    }
    recorded = tuple(figures_of(record))
    figures = figures_frame(recorded, cell)
    means = read_results(figures)
    found = {row.identity: row.bound or "" for row in Rows(means)}
    bounds = [found[result.identity] for result in means]
    return figures.with_columns(
        *_own(recorded),
        pl.Series("bound", bounds, dtype=pl.String),
        *(pl.lit(metadata[name], kind).alias(name) for name, kind in _METADATA.items()),
        *(pl.lit(at, pl.Float64).alias(path) for path, at in varied.items()),
    )


def _own(figures: Sequence[Figure]) -> list[pl.Series]:
    rows = [
        {
            **figure.parameter.columns,
            "uncertainty": figure.uncertainty,
            "converged": figure.converged,
        }
        for figure in figures
    ]
    return [pl.Series(name, [row[name] for row in rows], kind) for name, kind in _OWN.items()]
