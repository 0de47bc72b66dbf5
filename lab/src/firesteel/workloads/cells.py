# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the nodes of a cell do, and the figures read from what they report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.job import Job
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.possible import check_possible
from firesteel.protocols.site import Site
from firesteel.workloads import crypto_api, dm_crypt, handshakes, openssl_speed
from firesteel.workloads.traffic import figures, job, proof


@dataclass(frozen=True)
class _Kind:
    """Who makes the jobs of cells that are measured alike, and reads what came of them."""

    jobs: Callable[[Cell, Site], dict[str, Job]]
    figures: Callable[[Cell, TopologyRun], list[Figure]]
    proof: Callable[[Cell, TopologyRun], dict[str, int]]


_TUNNELS = _Kind(job.cell_jobs, figures.cell_figures, proof.cell_proof)
_HANDSHAKES = _Kind(handshakes.cell_jobs, handshakes.cell_figures, handshakes.cell_proof)
_BY_PROTOCOL: Mapping[str, _Kind] = {
    "none": _TUNNELS,
    "openvpn": _TUNNELS,
    "ipsec": _TUNNELS,
    "ssh": _TUNNELS,
    "crypto-api": _Kind(crypto_api.cell_jobs, crypto_api.cell_figures, crypto_api.cell_proof),
    "dm-crypt": _Kind(dm_crypt.cell_jobs, dm_crypt.cell_figures, dm_crypt.cell_proof),
    "openssl": _Kind(openssl_speed.cell_jobs, openssl_speed.cell_figures, openssl_speed.cell_proof),
}


_BY_HANDSHAKES: Mapping[str, _Kind] = dict.fromkeys(handshakes.PROGRAMS, _HANDSHAKES)


def _kind(cell: Cell) -> _Kind:
    """Nothing is measured by default: who adds a protocol says here what measures it."""
    known = _BY_HANDSHAKES if cell.handshakes else _BY_PROTOCOL
    if cell.protocol not in known:
        by = " by handshakes" if cell.handshakes else ""
        raise FiresteelError(
            f"Cell {cell.label}: no job measures the protocol `{cell.protocol}`{by}; allowed are "
            f"{', '.join(known)}."
        )
    return known[cell.protocol]


def cell_jobs(cell: Cell, site: Site) -> dict[str, Job]:
    """The job of each node of the cell's topology, by node name.

    Raises `FiresteelError` when what the cell says does not go together.
    """
    kind = _kind(cell)
    check_possible(cell, site)
    return kind.jobs(cell, site)


def cell_figures(cell: Cell, run: TopologyRun) -> list[Figure]:
    """All figures of the cell, in a fixed order; `CellFailure` when it gave none."""
    return _kind(cell).figures(cell, run)


def cell_proof(cell: Cell, run: TopologyRun) -> dict[str, int]:
    """Counters which show that the work went the way it was meant to, by name.

    Raises `CellFailure` when they show that it did not.
    """
    return _kind(cell).proof(cell, run)
