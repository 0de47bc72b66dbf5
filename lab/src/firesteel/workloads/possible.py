# SPDX-License-Identifier: Apache-2.0
"""What a cell needs of its boards, so that what cannot work is refused before anything boots.

Without these checks a board that lacks a core would boot, and fail minutes later at best.
"""

from collections.abc import Callable, Iterator

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols.offload import ENGINES, engines
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.site import Site

_CORES = {"aes": "AES core (`aes`)", "hash": "hash core (`hash`)"}

Missing = Callable[[Cell, Profile], Iterator[str]]


def check_possible(cell: Cell, site: Site, missing_of_cores: Missing) -> None:
    """Raises `FiresteelError` when the cell's protocol is not measured with its suite or its
    implementation, or the measured board lacks what that needs.
    """
    protocol_of(cell).check_cell(cell)
    missing = list(_missing(cell, site.measured(cell), missing_of_cores))
    if missing:
        raise FiresteelError(
            f"Cell {cell.label}: the profile `{cell.profiles[cell.measured]}` of node "
            f"`{cell.measured}` has no {' and no '.join(missing)}; take another profile, or leave "
            f"the cell out, as by --only implementation=software."
        )


def _missing(cell: Cell, profile: Profile, missing_of_cores: Missing) -> Iterator[str]:
    """What the board lacks, with the keys of its file."""
    if cell.implementation == "virtio-crypto" and not profile.virtio_crypto:
        yield "virtio_crypto"
    if not cell.on_cores:
        return
    if not profile.cores:
        yield "cores"
    else:
        yield from missing_of_cores(cell, profile)


def missing_engines(cell: Cell, profile: Profile) -> Iterator[str]:
    """Engines that the cell's suite needs and none of the board's cores has."""
    if cell.cipher != "none" and not protocol_of(cell).in_user_space:
        # The kernel's driver offers ciphers on the AES core alone, a MAC with them or not.
        if not any(cores.aes for cores in profile.cores):
            yield _CORES["aes"]
    elif not engines(cell, profile):
        yield from (_CORES[ENGINES[counter]] for counter in engines(cell))
