# SPDX-License-Identifier: Apache-2.0
"""What a cell needs of its boards, so that what cannot work is refused before anything boots.

Without these checks a board that lacks a core would boot, and fail minutes later at best.
"""

from collections.abc import Iterator, Mapping, Sequence

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.cell import AS_INSTALLED, Cell, Implementation, Protocol
from firesteel.protocols import user_space
from firesteel.protocols.offload import ENGINES, engines
from firesteel.protocols.site import Site

IMPLEMENTATIONS: Mapping[Protocol, Sequence[Implementation]] = {
    "none": ("software",),
    "openvpn": ("software", "hardware"),
    "ipsec": ("software", AS_INSTALLED, "hardware"),
    "ssh": ("software", "hardware"),
    "nginx": ("software", "hardware"),
    "openssl": ("software", "hardware", "hardware-kernel"),
    "crypto-api": ("software", AS_INSTALLED, "hardware", "virtio-crypto"),
    "dm-crypt": ("software", AS_INSTALLED, "hardware"),
}
"""By what each protocol can be computed."""


def check_possible(cell: Cell, site: Site) -> None:
    """Raises `FiresteelError` when the cell's protocol is not measured with its implementation, or
    the measured board lacks what that needs.
    """
    known = IMPLEMENTATIONS[cell.protocol]
    if cell.implementation not in known:
        raise FiresteelError(
            f"Cell {cell.label}: the protocol `{cell.protocol}` is not measured with "
            f"`{cell.implementation}`; allowed are {', '.join(known)}."
        )
    missing = list(_missing(cell, site.measured(cell)))
    if missing:
        raise FiresteelError(
            f"Cell {cell.label}: the profile `{cell.profiles[cell.measured]}` of node "
            f"`{cell.measured}` has no {' and no '.join(missing)}; take another profile, or leave "
            f"the cell out, as by --only implementation=software."
        )


_CORES = {"aes": "AES core (`aes`)", "hash": "hash core (`hash`)"}


def _missing(cell: Cell, profile: Profile) -> Iterator[str]:
    """What the board lacks, with the keys of its file."""
    if cell.implementation == "virtio-crypto" and not profile.virtio_crypto:
        yield "virtio_crypto"
    if not cell.on_cores:
        return
    if not profile.cores:
        yield "cores"
    elif cell.handshakes:
        if not any(cores.pk for cores in profile.cores):
            yield "public-key core (`pk`)"
    elif cell.cipher != "none" and cell.protocol not in user_space.PROTOCOLS:
        # The kernel's driver offers ciphers on the AES core alone, a MAC with them or not.
        if not any(cores.aes for cores in profile.cores):
            yield _CORES["aes"]
    elif not engines(cell, profile):
        yield from (_CORES[ENGINES[counter]] for counter in engines(cell))
