# SPDX-License-Identifier: Apache-2.0
"""What was prepared is what is used: files that are edited meanwhile change nothing of a cell."""

from pathlib import Path

import pytest
from workloads import recorded_runs as recorded

from firesteel.boards import profile, topology
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import PROFILES, load_profile
from firesteel.boards.topology import TOPOLOGIES, load_topology
from firesteel.protocols.site import site_of
from firesteel.workloads.cells import cell_figures, cell_jobs, cell_proof


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the checkout's boards and topologies, which are read in the stead of these."""
    for module, function, known in (
        (profile, "load_profile", PROFILES),
        (topology, "load_topology", TOPOLOGIES),
    ):
        copied = tmp_path / known.name
        copied.mkdir()
        for file in known.glob("*.toml"):
            (copied / file.name).write_bytes(file.read_bytes())
        monkeypatch.setattr(getattr(module, function), "__defaults__", (copied,))
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_boards_and_topologies_of_a_run_are_those_that_were_measured(checkout: Path) -> None:
    """With a hash core the MAC would have to be offloaded, which the run's board did not."""
    cell = recorded.cell("ipsec", implementation="hardware")
    counts = {"aes_bytes": 8 << 20}
    run = recorded.with_core_counts(recorded.run("ipsec"), "board", "proof.after", counts)
    figures, proof = cell_figures(cell, run), cell_proof(cell, run)
    edit(checkout / "profiles" / "socrates.toml", "pk = true", "pk = true\nhash = true")
    edit(checkout / "topologies" / "host-host.toml", "peer", "other")
    assert load_profile("socrates").cores[0].hash
    assert list(load_topology("host-host").nodes) == ["board", "other"]
    assert (cell_figures(cell, run), cell_proof(cell, run)) == (figures, proof)


def test_a_file_is_read_once_for_all_that_comes_of_it(checkout: Path) -> None:
    catalog, cell = Catalog(), recorded.cell("ipsec")
    site = site_of(cell, catalog)
    jobs = cell_jobs(cell, site)
    edit(checkout / "profiles" / "socrates.toml", "554_000_000", "600_000_000")
    edit(checkout / "topologies" / "host-host.toml", "568_000", "100_000")
    later = site_of(cell.model_copy(update={"seed": 1}), catalog)
    assert later == site
    assert cell_jobs(cell, later) == jobs
    assert site_of(cell, Catalog()) != site, "another run reads what is there now"
