# SPDX-License-Identifier: Apache-2.0
"""What is said of the method wherever figures are shown."""

from collections.abc import Collection, Iterable

from firesteel.board.profile import Cpu
from firesteel.model.cell import Cell
from firesteel.protocols.registry import protocol_of
from firesteel.replication.flat_time import cycles_of, flat_time

_COUNTED = (
    "Virtual time counts instructions, not cycles: caches, branch prediction and memory latency "
    "cost nothing, so compare these figures with each other, not with those of a chip."
)

_GHASH = (
    "Debian's libcrypto contains NEON code for GHASH and does not use it on ARMv7; with it AES-GCM "
    "in software is faster and the gain smaller (docs/profiles.md, What NEON would give)."
)


def software_code(cells: Iterable[Cell]) -> str:
    """What is to be said where software of these cells is not the fastest code that there is."""
    has_ghash = any(
        protocol_of(cell).by_provider and cell.cipher == "aes-256-gcm" and cell.of_data
        for cell in cells
    )
    return _GHASH if has_ghash else ""


def method(measured: Collection[tuple[str, Cpu | None]] | None = None) -> str:
    """What figures in virtual time of these boards are worth (`replication.flat_time`)."""
    return f"{_COUNTED} {flat_time(measured)}".rstrip()


def method_in_short(measured: Collection[tuple[str, Cpu | None]]) -> str:
    """The same for where there is little room, with the page that says more."""
    files = cycles_of(measured)
    if not files:
        return (
            "Virtual time counts instructions, not cycles: how far off cryptography in software is "
            "on this board is not known (docs/virtual-time.md)."
        )
    algorithms = " and ".join(
        dict.fromkeys(each.name for cycles in files for each in cycles.algorithms)
    )
    most = max(cycles.most for cycles in files)
    return (
        f"Virtual time counts instructions, not cycles: {algorithms} in software take up to "
        f"{most:.1f} times too long, so gains over them are too high; of other algorithms "
        "it is not known (docs/virtual-time.md)."
    )
