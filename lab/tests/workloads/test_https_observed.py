# SPDX-License-Identifier: Apache-2.0
"""A file of 8 MiB that a board served over HTTPS on its cores, recorded on virtual boards."""

from pathlib import Path

import pytest
from made_cells import made
from workloads.recorded_runs import with_node

from firesteel.boards.profile import load_profile
from firesteel.boards.result import TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.protocols.window import CellFailure, ends_of
from firesteel.store import observations
from firesteel.store.setup import Setup
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.transfer import TransferPlan

SIZE = 8 << 20
CELL = made(
    *("https", "aes-256-gcm:gcm", TransferPlan(size=SIZE)),
    topology="board-serves",
    implementation="hardware",
    completion="adaptive",
)
RECORDED = Path(__file__).parent / "recorded" / "https" / "observations.json"


@pytest.fixture
def run() -> TopologyRun:
    setup = Setup(
        topology=load_topology("board-serves"),
        profiles={name: load_profile(profile) for name, profile in CELL.profiles.items()},
    )
    return observations.from_text(RECORDED.read_text(), setup, "0" * 64, 1)


def test_figures_are_of_the_server_and_times_of_the_client(run: TopologyRun) -> None:
    figures = cell_figures(CELL, run)
    values = {each.metric: each.value for each in figures if each.workload == "file-transfer"}
    (text,) = run.nodes["peer"].data["transfer"].decode().splitlines()[1:]
    size, first, last = text.split()
    assert int(size) == SIZE
    by_curl = SIZE / (float(last) - float(first)) / 1e6
    assert 0.99 * by_curl < values["throughput"] < by_curl, "its frames took longer"
    begin, end = ends_of(run.nodes["peer"], "transfer")
    assert values["elapsed"] == (end.time_ns - begin.time_ns) / 1e9
    assert values["elapsed"] > SIZE / 1e6 / values["throughput"]
    assert values["packets_sent"] > values["packets_received"], "the board sends the file"
    assert {each.parameter.text for each in figures if each.metric == "elapsed"} == {"8 MiB"}


def test_the_server_s_cores_did_all_records(run: TopologyRun) -> None:
    assert cell_proof(CELL, run)["cores.crypto0.aes_bytes"] > SIZE
    software = CELL.model_copy(update={"implementation": "software", "completion": None})
    with pytest.raises(CellFailure, match="though it does not use them"):
        cell_proof(software, run)


UPLOAD = CELL.model_copy(update={"plans": (TransferPlan(size=SIZE, by="upload"),)})


def test_a_file_that_the_client_sends_is_timed_where_it_arrives(run: TopologyRun) -> None:
    """The frames of the client, which had the file in this run, do not count any more."""
    begin, end = (mark.time_ns for mark in ends_of(run.nodes["board"], "transfer"))
    frames = [begin, (begin + end) // 2, end]
    figures = cell_figures(UPLOAD, with_node(run, "board", large_frames=frames))
    (rate,) = (each for each in figures if each.metric == "throughput")
    assert rate.value == pytest.approx(SIZE / (end - begin) * 1e3)
    assert {each.parameter.text for each in figures} == {"8 MiB, by upload"}
    with pytest.raises(CellFailure, match="No frame carried the file of the window transfer"):
        cell_figures(UPLOAD, with_node(run, "board", large_frames=[1]))
