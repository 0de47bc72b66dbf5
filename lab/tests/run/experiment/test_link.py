# SPDX-License-Identifier: Apache-2.0
"""The rate of the links that an experiment names is that of its cells, and of nothing else."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.boards.topology import topology_digest
from firesteel.model.cell import Cell
from firesteel.protocols.site import Site, site_of
from firesteel.run.experiment.experiment import load_experiment, select
from firesteel.store.setup import Setup, catalog_of

HEAD = 'title = "t"\nmeasured = "{node}"\ntopology = "{topology}"\n'
NO_TUNNEL = '[[configurations]]\nprotocol = "none"\nsuite = "none:none"\n[ping]\nsizes = [56]\n'
GIGABIT = 1_000_000_000


def cell_with(tmp_path: Path, line: str, topology: str = "host-host", node: str = "board") -> Cell:
    path = tmp_path / "x.toml"
    head = HEAD.format(node=node, topology=topology)
    path.write_text(f"{head}{line}\n{NO_TUNNEL}count = 10\n")
    (cell,) = load_experiment(str(path)).cells()
    return cell


def _rates(site: Site) -> list[int]:
    return [link.rate_bit_s for link in site.topology.links]


@pytest.mark.parametrize(
    ("topology", "node"),
    [("host-host", "board"), ("host-gateway-gateway-host", "gateway-a"), ("hub", "hub")],
)
def test_all_links_have_the_rate_and_nothing_else_changes(
    tmp_path: Path, topology: str, node: str
) -> None:
    own, fast = (
        site_of(cell_with(tmp_path, line, topology, node), Catalog())
        for line in ("", 'link = "1 Gbit/s"')
    )
    assert set(_rates(fast)) == {GIGABIT}
    assert len(_rates(own)) == len(_rates(fast))
    rates = {"rate_bit_s": GIGABIT}
    links = {link.name: rates for link in own.topology.links}
    assert fast.topology == own.topology.override(links=links)
    assert topology_digest(fast.topology, fast.profiles) != topology_digest(
        own.topology, own.profiles
    )


def test_only_chooses_by_rate(tmp_path: Path) -> None:
    own, fast = cells = [cell_with(tmp_path, line) for line in ("", 'link = "1 Gbit/s"')]
    assert select(cells, ["link=1 Gbit/s"]) == (fast,)
    assert select(cells, ["link=own"]) == (own,)
    with pytest.raises(FiresteelError, match=r"no cell has that link; there are: 1 Gbit/s, own\."):
        select(cells, ["link=2 Gbit/s"])


@pytest.mark.parametrize("fast_first", [False, True])
def test_records_of_two_rates_give_each_its_own(tmp_path: Path, fast_first: bool) -> None:
    cells = [cell_with(tmp_path, line) for line in ("", 'link = "1 Gbit/s"')]
    sites = [site_of(cell, Catalog()) for cell in cells]
    told = [
        (cell, Setup(topology=site.topology, profiles=dict(site.profiles)))
        for cell, site in zip(cells, sites, strict=True)
    ]
    catalog = catalog_of(reversed(told) if fast_first else told)
    assert [_rates(site_of(cell, catalog)) for cell in cells] == [[100_000_000], [GIGABIT]]
