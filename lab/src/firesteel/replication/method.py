# SPDX-License-Identifier: Apache-2.0
"""What is said of the method wherever figures are shown."""

from collections.abc import Collection, Iterable

from firesteel.board.profile import Cpu
from firesteel.model.cell import Cell
from firesteel.protocols.registry import protocol_of
from firesteel.replication.cycles_error import held_out_error
from firesteel.replication.flat_time import boards_named, cycles_of, flat_time

_COUNTED = (
    "Virtual time counts instructions, not cycles: caches, branch prediction and memory latency "
    "cost nothing, so compare these figures with each other, not with those of a chip."
)

_CYCLES = (
    "each instruction costs what its class was fitted to cost the processor, and misses of "
    "modelled caches cost more; branch prediction, prefetching and the write-back of data are not "
    "modelled."
)

_NO_BOARD = (
    "Virtual time counts instructions, or approximates cycles, as the board's profile says "
    "(docs/virtual-time.md)."
)
"""Where nothing was measured."""

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


Measured = Collection[tuple[str, Cpu | None]]
"""Names of measured boards with their CPUs as recorded; None of a record that does not tell."""


def method(measured: Measured) -> str:
    """What figures in virtual time of these boards are worth: of those that count instructions
    (`replication.flat_time`), and of those that count cycles.
    """
    flat, cycles = _by_clock(measured)
    said = []
    if flat:
        said.append(f"{_COUNTED} {flat_time(flat)}")
    if cycles:
        said.append(f"Virtual time approximates cycles on the {boards_named(cycles)}: {_CYCLES}")
        said.append(held_out_error())
    return " ".join(said) or _NO_BOARD


def counted(measured: Measured) -> str:
    """What clocks of these boards count, in words that begin small."""
    flat, cycles = _by_clock(measured)
    if bool(flat) == bool(cycles):
        return "instructions, or approximate cycles"
    return "approximate cycles" if cycles else "instructions, not cycles"


def _by_clock(measured: Measured) -> tuple[list[tuple[str, Cpu | None]], list[str]]:
    """The boards that count instructions, and the names of those that count cycles."""
    flat = [(name, cpu) for name, cpu in measured if cpu is None or cpu.clock == "flat"]
    cycles = [name for name, cpu in measured if cpu is not None and cpu.clock == "cycles"]
    return flat, list(dict.fromkeys(cycles))


def method_in_short(measured: Measured) -> str:
    """The same for where there is little room, with the page that says more."""
    flat, cycles = _by_clock(measured)
    said = [_flat_in_short(flat)] if flat else []
    if cycles:
        said.append("Virtual time approximates cycles by fitted costs (docs/calibration.md).")
    return " ".join(said) or _NO_BOARD


def _flat_in_short(measured: Measured) -> str:
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
