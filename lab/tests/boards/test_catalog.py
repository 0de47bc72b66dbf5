# SPDX-License-Identifier: Apache-2.0
"""Boards and topologies may lie outside of the checkout, and go by the names of their files."""

import json
import re
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import PROFILES, load_profile
from firesteel.boards.topology import topology_digest
from firesteel.protocols.site import site_of
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import load_experiment
from firesteel.store.setup import Setup, catalog_of
from firesteel.workloads.cells import cell_jobs

EXPERIMENT = """
title = "Mine"
topology = "boards/wire.toml"
measured = "router"
profiles = { pc = "peer" }

[[configurations]]
protocol = "ipsec"
suite = "aes-256-gcm:gcm"

[ping]
sizes = [56]
count = 10
"""

TOPOLOGY = """
[nodes.router]
role = "host"
profile = "router-board.toml"

[nodes.pc]
role = "host"
profile = "peer"

[[links]]
name = "cable"
kind = "point-to-point"
nodes = ["router", "pc"]
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """An experiment with a topology and a board of its own."""
    boards = tmp_path / "boards"
    boards.mkdir()
    (tmp_path / "x.toml").write_text(EXPERIMENT)
    (boards / "wire.toml").write_text(TOPOLOGY)
    text = (PROFILES / "socrates.toml").read_text()
    (boards / "router-board.toml").write_text(text.replace("554_000_000", "700_000_000"))
    return tmp_path


def test_files_are_found_beside_the_one_that_names_them(mine: Path) -> None:
    experiment = load_experiment(str(mine / "x.toml"))
    (cell,) = experiment.cells()
    assert cell.topology == "wire"
    assert cell.profiles == {"router": "router-board", "pc": "peer"}
    assert str(mine) not in cell.model_dump_json(), "records say the same wherever files lie"
    site = site_of(cell, experiment.catalog)
    assert site.profiles["router"].cpu.instructions_per_second == 700_000_000
    assert set(cell_jobs(cell, site)) == {"router", "pc"}


def test_files_are_found_in_the_working_directory(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = mine / "elsewhere"
    elsewhere.mkdir()
    (mine / "x.toml").rename(elsewhere / "x.toml")
    monkeypatch.chdir(mine)
    assert load_experiment("elsewhere/x.toml").cells()[0].topology == "wire"
    assert Catalog().find_profile("boards/router-board.toml", elsewhere) == "router-board"


def refused(mine: Path, old: str, new: str, file: str = "x.toml") -> str:
    path = mine / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(FiresteelError) as caught:
        load_experiment(str(mine / "x.toml"))
    assert all(": key `" in line for line in str(caught.value).splitlines())
    assert "x.toml: key `" in str(caught.value)
    return str(caught.value)


def test_a_file_that_is_not_there_or_wrong_is_told(mine: Path) -> None:
    said = refused(mine, "boards/wire.toml", "boards/none.toml")
    assert re.search(r"key `topology`: .*boards/none\.toml: .*No such file", said)
    said = refused(mine, "boards/none.toml", "boards/router-board.toml")
    assert "router-board.toml: key `cpu`" in said


def test_a_name_stands_for_one_file(mine: Path) -> None:
    (mine / "boards/router-board.toml").rename(mine / "boards/socrates.toml")
    said = refused(mine, "router-board.toml", "socrates.toml", "boards/wire.toml")
    assert "profiles/socrates.toml is also a profile `socrates`" in said
    (mine / "boards/socrates.toml").rename(mine / "boards/b.toml")
    (mine / "b.toml").write_text((mine / "boards/b.toml").read_text())
    (mine / "boards/wire.toml").write_text(TOPOLOGY.replace("router-board", "b"))
    said = refused(mine, '{ pc = "peer" }', '{ pc = "b.toml" }')
    assert re.search(r"boards/b\.toml is also a profile `b`", said)
    (mine / "boards/b.toml").rename(mine / "boards/My Board.toml")
    (mine / "x.toml").write_text(EXPERIMENT)
    (mine / "boards/wire.toml").write_text(TOPOLOGY.replace("router-board", "My Board"))
    with pytest.raises(FiresteelError, match="allowed is .* lower-case"):
        load_experiment(str(mine / "x.toml"))


def test_a_record_s_own_boards_are_used_again_whatever_became_of_the_files(mine: Path) -> None:
    experiment = load_experiment(str(mine / "x.toml"))
    (cell,) = experiment.cells()
    site = site_of(cell, experiment.catalog)
    setup = Setup(topology=site.topology, profiles=dict(site.profiles))
    kept = Setup.model_validate_json(json.dumps(setup.model_dump(mode="json"), sort_keys=True))
    assert list(kept.topology.nodes) == ["pc", "router"], "a record's file sorts them"
    for file in (mine / "boards").iterdir():
        file.unlink()
    again = site_of(cell, catalog_of([(cell, kept)]))
    assert (again.topology, dict(again.profiles)) == (site.topology, dict(site.profiles))
    assert cell_jobs(cell, again) == cell_jobs(cell, site)
    assert topology_digest(again.topology, again.profiles) == topology_digest(
        site.topology, site.profiles
    )
    with pytest.raises(FiresteelError, match="no topology `wire`"):
        site_of(cell, Catalog())
    assert load_profile("peer") == again.profiles["pc"]


def test_a_board_of_ones_own_with_a_processor_names_its_clock(mine: Path) -> None:
    """Figures by counted instructions are not those of the processor."""
    board = mine / "boards" / "router-board.toml"
    board.write_text(board.read_text().replace('clock = "cycles"\n', ""))
    with pytest.raises(FiresteelError, match='key `cpu`: clock is missing: .* clock = "cycles"'):
        load(str(mine / "x.toml"))
    board.write_text(board.read_text().replace("[cpu]\n", '[cpu]\nclock = "flat"\n'))
    cpu = load(str(mine / "x.toml")).catalog.profile("router-board").cpu
    assert (cpu.costs, cpu.icount) == (None, "rate=700000000,sleep=off")
    timed = load(str(mine / "x.toml"), clock="cycles").catalog.profile("router-board").cpu
    assert timed.costs == load_profile("socrates").cpu.costs
