# SPDX-License-Identifier: Apache-2.0
"""Instruction sets: how long an instruction is, what it calls, whether it works on vectors.

Capstone decodes calls.  Its groups are no help with vectors: `vacge` is in none of them, and moves
between a vector's element and a core register are.  So that is said by encodings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, eq=False)
class InstructionSet:
    """An instruction set, whose code may be in one of several modes.

    The emulator tells the mode of a block of code by its number, its place in `modes`.
    """

    capstone: str
    modes: tuple[str, ...]
    """Capstone's names of the architecture and of each mode."""

    bits: int
    """Of an address."""

    longest: int
    """Bytes of the longest instruction."""

    mode_bits: int
    """Bits of a function's address that say its mode and are no part of where it is."""

    width: Callable[[bytes, int], int]
    """Bytes of the instruction that code in a mode begins with, which may be cut short."""

    is_vector: Callable[[bytes, int], bool]
    """Whether the instruction that code in a mode begins with is one for vectors."""

    vectors: str
    """What people call these instructions."""

    def begin(self, address: int) -> int:
        """Where a function begins, by its address in a pointer or a symbol."""
        return address & ~self.mode_bits

    def call_target(self, code: bytes, address: int, mode: int) -> int | None:
        """The address that the instruction `code` at `address` calls; None if no direct call.

        Capstone tells it for ARM, 32 and 64 bit; for RISC-V it tells the distance.
        """
        library, decoders = self._decoders
        decoded = next(decoders[mode].disasm(code, address, 1), None)
        if decoded is None or not decoded.group(library.CS_GRP_CALL):
            return None
        to = decoded.operands[-1]
        return int(to.imm) % (1 << self.bits) if to.type == library.CS_OP_IMM else None

    @cached_property
    def _decoders(self) -> tuple[Any, list[Any]]:
        # It takes as long to load as a command does that needs no profile.
        import capstone

        kind = getattr(capstone, self.capstone)
        decoders = [capstone.Cs(kind, getattr(capstone, mode)) for mode in self.modes]
        for decoder in decoders:
            decoder.detail = True
        return capstone, decoders
