# SPDX-License-Identifier: Apache-2.0
"""All figures of a run as a data file of Flent, for programs that read these.

Such a file is JSON, packed by gzip, of format 4 (Flent 2, `flent/resultset.py`).  Flent's series
are of time; ours are of repetitions: `x_values` are the seeds, and each series is one figure.
Flent chooses its plots by the name of a Flent test, so it has no plot for our experiments.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, BinaryIO

import polars as pl

from firesteel.boards.real import is_real
from firesteel.store.journal import Journal

FORMAT = 4

_NAMED_BY = (
    *("profile", "topology", "node", "link", "protocol", "cipher", "mac", "implementation"),
    *("completion", "as_in_2015", "affinity", "experiment", "parameter", "metric"),
)
"""The columns that tell a figure from all others of a run, besides what varies."""


def write_flent(journal: Journal, frames: Iterable[pl.DataFrame], file: BinaryIO) -> None:
    """Writes frames of `export_frames`; equal runs give equal bytes."""
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
        "version": FORMAT,
        "x_values": [float(seed) for seed in seeds],
        "results": {
            name: [by_seed.get(seed) for seed in seeds] for name, by_seed in values.items()
        },
        "raw_values": {},
        "metadata": _metadata(journal, list(boards), units, len(seeds)),
    }
    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as packed:
        packed.write(json.dumps(told, indent=2, sort_keys=True).encode())


def _name(row: Mapping[str, Any], varied: Iterable[str]) -> str:
    numbers = (f"{path}={row[path]:g}" for path in varied if row[path] is not None)
    return " ".join([*filter(None, (row[column] for column in _NAMED_BY)), *numbers])


def _metadata(
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
