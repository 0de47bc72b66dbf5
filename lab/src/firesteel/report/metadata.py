# SPDX-License-Identifier: Apache-2.0
"""What a run's cells were measured with; what is the same for all is said once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.sheet import Sheet
from firesteel.report.offload_check import counters
from firesteel.store.record import Record

_VERSIONS = ("qemu", "kernel", "image", "boards", "commands")


@dataclass(frozen=True)
class CellData:
    """One cell: what it is called, its record, the trace of its wires, what it counted."""

    name: str
    key: str
    trace: str
    inputs: Sequence[tuple[str, str]]
    counters: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Metadata:
    """All of a run."""

    shared: Sequence[tuple[str, Sequence[str]]]
    cells: Sequence[CellData]
    packages: Sequence[tuple[str, str]]


def metadata(results: Results, places: Places) -> Metadata:
    """Of all cells that were measured."""
    records = results.records
    shared = [("experiment", [results.journal.experiment]), ("started", [results.journal.started])]
    if records:
        cells = [record.inputs.cell for record in records]
        versions = [record.inputs.versions.model_dump() for record in records]
        shared += [
            ("topology", _distinct(cell.topology for cell in cells)),
            ("measured on", results.measured_on),
            ("boards", _distinct(_nodes(record) for record in records)),
            ("seed", _distinct(str(cell.seed) for cell in cells)),
            *((f"{name}, hash", _distinct(each[name] for each in versions)) for name in _VERSIONS),
        ]
    packages = sorted({item for record in records for item in record.packages.items()})
    return Metadata(shared, [_cell(record, places) for record in records], packages)


def setup_sheet(records: Iterable[Record]) -> Sheet | None:
    """Each board and each link that cells were measured on, as they were run."""
    rows: dict[tuple[str, str, str], None] = {}
    for record in records:
        setup, cell = record.measurement.setup, record.inputs.cell
        for name, words in setup.rows() if setup else ():
            rows[name, cell.topology, words] = None
    columns = ("topology", "what it is")
    caption = "Boards and links of the cells"
    listed = [list(row) for row in rows]
    wordy = frozenset({0, 1})
    return Sheet(caption, columns, listed, head="board or link", wordy=wordy) if listed else None


def _distinct(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts))


def _nodes(record: Record) -> str:
    profiles = record.inputs.cell.profiles
    return ", ".join(f"{node} {profile}" for node, profile in sorted(profiles.items()))


def _cell(record: Record, places: Places) -> CellData:
    cell = record.inputs.cell
    inputs = [
        ("topology", cell.topology),
        ("nodes", _nodes(record)),
        ("measured", cell.measured),
        ("seed", str(cell.seed)),
        ("jobs, hash", record.inputs.versions.jobs),
    ]
    return CellData(
        places.of_cell(cell),
        record.key,
        record.measurement.trace,
        inputs,
        counters(record),
    )
