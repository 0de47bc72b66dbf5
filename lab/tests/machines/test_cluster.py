# SPDX-License-Identifier: Apache-2.0
"""Boards on other machines: the same as here, and all that can happen on the way."""

from pathlib import Path

from dask_here import FakeBoards, Scheduler, WorkerProcess
from distributed.security import Security

from firesteel.board.run import run_topology
from firesteel.machines.cluster import Cluster


def test_boards_elsewhere_are_as_here(tmp_path: Path, monkeypatch) -> None:
    fake = FakeBoards(tmp_path)
    (tmp_path / "pids").mkdir()
    monkeypatch.setenv("FAKE_QEMU_PIDS", str(tmp_path / "pids"))
    with (
        Scheduler(tmp_path) as scheduler,
        WorkerProcess(scheduler.address, tmp_path / "one").ready(),
        Cluster(scheduler.address, Security()) as cluster,
    ):
        there = fake.run(cluster.run, tmp_path / "there")
        print(cluster.greeting, list(cluster.news()))
    assert there == fake.run(run_topology, tmp_path / "here")
