# SPDX-License-Identifier: Apache-2.0
"""Boards whose cores are gone: all goes on in software, and no cell passes for one in hardware."""

from pathlib import Path

import pytest

from firesteel.boards.catalog import Catalog
from firesteel.boards.command import BoardProducts
from firesteel.boards.cores import Fault
from firesteel.boards.result import TopologyRun
from firesteel.boards.run import run_topology
from firesteel.build.products import Products
from firesteel.model.cell import Cell
from firesteel.protocols.site import site_of
from firesteel.protocols.window import CellFailure
from firesteel.run.experiment.experiment import load_experiment
from firesteel.workloads.cells import (
    cell_figures,
    cell_jobs,
    cell_proof,
    nodes_with_cores,
    with_driver,
)

_TIMEOUT = 600
"""Wall seconds for one cell; far more than any here needs, also on a loaded machine."""


def experiment(topology: str, protocol: str, suite: str, *tables: str) -> str:
    head = ('title = "Cores"', f'topology = "{topology}"', 'measured = "board"')
    cells = (f'protocol = "{protocol}"', f'suite = "{suite}"', 'implementation = "hardware"')
    profiles = 'profiles = { board = "socrates-hash" }'
    return "\n".join([*head, profiles, "[[configurations]]", *cells, *tables])


def requests(sizes: str) -> str:
    table = ("[crypto]", f"sizes = {sizes}", "requests = 10")
    return experiment("one-board", "crypto-api", "aes-256-cbc:none", *table)


def disk(sector: int, suite: str = "aes-128-xts:none") -> str:
    table = ("[disk]", 'size = "512 KiB"', 'block_sizes = "4 KiB"', 'patterns = "random-write"')
    sectors = f"sector_sizes = {sector}"
    return experiment("one-board", "dm-crypt", suite, *table, sectors)


TUNNEL = experiment(
    *("host-host", "ipsec", "aes-256-cbc:sha256"),
    *("[ping]", "sizes = [1000]", "count = 10", "[transfer]", 'size = "1 MiB"'),
)

CELLS = {
    "tunnel": TUNNEL,
    "large requests": requests("[64, 4096]"),
    "small requests": requests("[1400]"),
    "large sectors": disk(4096),
    "small sectors": disk(512),
    "sectors with tags": disk(4096, "aes-256-xts:hmac-sha256"),
}


def run(directory: Path, cell: Cell, *, gone: bool) -> TopologyRun:
    """The cell on its boards; the first thing that a core is asked for makes it go, if so told."""
    products = Products()
    boards = BoardProducts.of(products)
    driver = products.driver().read_bytes()
    site = site_of(cell, Catalog(clock="flat"))
    profiles = dict(site.profiles)
    if gone:
        board = profiles[cell.measured]
        faults = {"faults": (Fault(kind="gone", nth=1),)}
        cores = tuple(window.model_copy(update=faults) for window in board.cores)
        profiles[cell.measured] = board.model_copy(update={"cores": cores})
    return run_topology(
        site.topology,
        with_driver(cell_jobs(cell, site), dict.fromkeys(nodes_with_cores(cell, site), driver)),
        boards=dict.fromkeys(site.topology.nodes, boards),
        profiles=profiles,
        seed=cell.seed,
        workdir=directory / "work",
        timeout=_TIMEOUT,
        keep=directory / "kept",
    )


def cell_of(directory: Path, text: str) -> Cell:
    path = directory / "experiment.toml"
    path.write_text(text)
    (cell,) = load_experiment(str(path)).cells()
    return cell


@pytest.mark.matrix
@pytest.mark.parametrize("text", CELLS.values(), ids=CELLS)
def test_a_cell_without_its_cores_has_failed(tmp_path: Path, text: str) -> None:
    cell = cell_of(tmp_path, text)
    told = run(tmp_path, cell, gone=True)
    vanished = [window["fault_gone"] for window in told.nodes["board"].marks[-1].cores.values()]
    assert sum(vanished) > 0, "the cores were there and were used"
    for judge in (cell_figures, cell_proof):
        with pytest.raises(CellFailure, match="did none|on 0 %"):
            judge(cell, told)


def test_the_same_cell_with_its_cores_succeeds(tmp_path: Path) -> None:
    cell = cell_of(tmp_path, TUNNEL)
    told = run(tmp_path, cell, gone=False)
    assert cell_figures(cell, told)
    proof = cell_proof(cell, told)
    carried = proof["tunnel_rx_bytes"] + proof["tunnel_tx_bytes"]
    for counter in ("aes_bytes", "hash_bytes"):
        done = sum(proof[f"cores.crypto{number}.{counter}"] for number in (0, 1))
        assert done >= 0.9 * carried
