# SPDX-License-Identifier: Apache-2.0
"""Proof of offload: what the cores of the measured board did in each cell, as they counted it."""

from collections.abc import Mapping, Sequence

from firesteel.analysis.places import Places
from firesteel.analysis.sheet import MISSING, Mark, Sheet, Text
from firesteel.model.cell import ON_CORES
from firesteel.store.record import Record

_SUMMED = (
    ("aes_bytes", "AES, MB"),
    ("hash_bytes", "hash, MB"),
    ("pk_operations", "public-key operations"),
    ("cm_interrupts", "interrupts of CryptoMaster"),
)
"""Counters of all windows of cores together, and what they are called."""

_CARRIED = ("tunnel_rx_bytes", "tunnel_tx_bytes")


def offload_check_sheet(records: Sequence[Record], places: Places) -> Sheet | None:
    """A row a cell, with what shows that its work went the way it was meant to go."""
    rows = [_row(record, places) for record in records]
    columns = (
        *(title for _, title in _SUMMED),
        *("cores busy, ms", "tunnel carried, MB", "AES on the cores", "result"),
    )
    caption = "Counters of the cores and the tunnel, over all measurements"
    return Sheet(caption, columns, rows, head="cell", wordy=frozenset({7})) if rows else None


def counters(record: Record) -> list[tuple[str, int]]:
    """All counters of a cell that are not zero, by name."""
    return sorted((name, count) for name, count in record.measurement.proof.items() if count)


def _row(record: Record, places: Places) -> list[Text]:
    cell, proof = record.inputs.cell, record.measurement.proof
    own = {name: count for name, count in proof.items() if name.startswith("cores.")}
    if not own:
        told = [MISSING] * (len(_SUMMED) + 1)
    else:
        told = [_counted(name, _sum(own, name)) for name, _ in _SUMMED]
        told.append(f"{(_sum(own, 'cm_busy_ns') + _sum(own, 'pk_busy_ns')) / 1e6:.1f}")
    carried = sum(proof.get(name, 0) for name in _CARRIED)
    share = MISSING
    if carried and cell.implementation in ON_CORES:
        share = f"{100 * _sum(own, 'aes_bytes') / carried:.0f} % of it"
    tunnel = f"{carried / 1e6:.2f}" if carried else MISSING
    return [places.of_cell(cell), *told, tunnel, share, _verdict(cell.implementation, own)]


def _verdict(implementation: str, own: Mapping[str, int]) -> Mark:
    worked = any(own.values())
    if implementation in ON_CORES:
        return Mark("on the cores", "good") if worked else Mark("not on the cores", "plain")
    if worked:
        return Mark("cores took part", "bad")
    if not own:
        return Mark("this board has no cores", "plain")
    return Mark("in software; all counters of the cores are zero", "plain")


def _sum(own: Mapping[str, int], counter: str) -> int:
    return sum(count for name, count in own.items() if name.endswith(f".{counter}"))


def _counted(name: str, count: int) -> str:
    return f"{count / 1e6:.2f}" if name.endswith("_bytes") else str(count)
