# SPDX-License-Identifier: Apache-2.0
"""The rate of the links that an experiment names is that of its cells, and of nothing else."""

import json
from pathlib import Path

import pytest

from firesteel.analysis.compare import load_published, published_at
from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog
from firesteel.board.topology import topology_digest
from firesteel.experiment.experiment import load_experiment, select
from firesteel.model.cell import Cell, Place
from firesteel.protocols.site import Site, site_of
from firesteel.store.journal import Entry
from firesteel.store.setup import Setup, catalog_of
from firesteel.store.store import Store

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


def test_a_cell_says_its_rate_only_where_it_has_one(tmp_path: Path) -> None:
    own, fast = (cell_with(tmp_path, line) for line in ("", 'link = "1 Gbit/s"'))
    assert "link_rate_bit_s" not in own.model_dump(mode="json")
    assert fast.model_dump(mode="json")["link_rate_bit_s"] == GIGABIT
    assert Cell.model_validate_json(fast.model_dump_json()) == fast
    assert (own.label, fast.label) == ("no tunnel software", "no tunnel software at 1 Gbit/s")
    assert Entry(cell=fast, key="").slug == "no-tunnel-software-at-1-Gbit-s"


def test_records_without_a_rate_keep_their_address() -> None:
    store, checked = Store(RECORDED), 0
    for path in sorted((RECORDED / "runs").glob("*/run.json")):
        journal = store.journal(path.parent.name)
        told = [entry["cell"] for entry in json.loads(path.read_text())["entries"]]
        assert [entry.cell.model_dump(mode="json") for entry in journal.entries] == told
        record = store.record(journal, journal.entries[0])
        assert record.inputs.key == journal.entries[0].key
        checked += 1
    assert checked


def test_a_wrong_rate_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match='key `link` is "fast"; allowed is a rate from 1 Mbit'):
        cell_with(tmp_path, 'link = "fast"')
    with pytest.raises(FiresteelError, match="the topology `one-board` has no links"):
        cell_with(tmp_path, 'link = "1 Gbit/s"', "one-board")


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
        (
            cell,
            Setup(
                topology=site.topology,
                profiles=dict(site.profiles),
                order=tuple(site.topology.nodes),
            ),
        )
        for cell, site in zip(cells, sites, strict=True)
    ]
    catalog = catalog_of(reversed(told) if fast_first else told)
    assert [_rates(site_of(cell, catalog)) for cell in cells] == [[100_000_000], [GIGABIT]]


def test_published_figures_stand_beside_the_rate_of_their_study_alone() -> None:
    published = load_published()
    own, fast = (Place("socrates", "host-host", "board", link) for link in ("", "1 Gbit/s"))
    assert published_at([own], published)
    assert not published_at([fast], published)
