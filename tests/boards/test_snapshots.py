# SPDX-License-Identifier: Apache-2.0
"""A board that starts from a snapshot does, to the last byte, what one does that has booted."""

from pathlib import Path

import pytest
from bench import SERVE, Bench, KeptRun, assert_equal_runs, await_node, on_flat, other_load, release
from scenario import PEER

from firesteel.boards.command import Snapshots
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.protocols.kernel import driver_files

WORK = f"""
modprobe firesteel
openssl version >/dev/null
dmesg | probe data kernel
cat /proc/interrupts /proc/timer_list /proc/meminfo /proc/vmstat | probe data state
head -c 64 /dev/urandom | probe data random
{await_node(PEER)}ping -n -i 0 -c 20 -s 1400 {PEER} | probe data ping
iperf3 -c {PEER} -n 256K -J | probe data tcp
{release(PEER)}"""


CYCLES = load_profile("socrates")
"""A board whose clock counts cycles."""


def with_cores(bench: Bench, board: Profile = CYCLES) -> KeptRun:
    """The board loads the cores' driver."""
    profiles = {"board": board, "peer": load_profile("peer")}
    scripts = {"board": WORK, "peer": f"iperf3 -s -D\n{SERVE}"}
    files = {"board": driver_files(Products().driver().read_bytes())}
    return bench.run(load_topology("host-host"), scripts, files, profiles)


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    """Where the snapshots of this module's boards are."""
    return Snapshots(tmp_path_factory.mktemp("snapshots"))


@pytest.fixture(scope="module")
def warm(bench: Bench, snapshots: Snapshots) -> Bench:
    """A bench whose boards start from there."""
    return bench.with_snapshots(snapshots)


@pytest.fixture(scope="module")
def cold(bench: Bench) -> Bench:
    """A bench whose boards boot."""
    return bench.with_snapshots(None)


def test_neither_making_a_snapshot_nor_starting_from_it_moves_anything(
    cold: Bench, warm: Bench, snapshots: Snapshots
) -> None:
    booted = with_cores(cold)
    assert b" 0% packet loss" in booted.run.nodes["board"].data["ping"]
    assert_equal_runs(with_cores(warm), booted)
    made = set(snapshots.directory.iterdir())
    assert len(made) == 2
    with other_load():
        assert_equal_runs(with_cores(warm), booted)
    assert set(snapshots.directory.iterdir()) == made


@pytest.mark.thorough
def test_boards_that_count_instructions_start_from_snapshots_too(cold: Bench, warm: Bench) -> None:
    booted = with_cores(cold, on_flat("socrates"))
    for _ in ("made", "used"):
        assert_equal_runs(with_cores(warm, on_flat("socrates")), booted)


def test_a_snapshot_serves_boards_with_other_cores(
    cold: Bench, warm: Bench, snapshots: Snapshots
) -> None:
    with_cores(warm)
    made = set(snapshots.directory.iterdir())
    waiting = load_profile("socrates-waiting")
    assert_equal_runs(with_cores(warm, waiting), with_cores(cold, waiting))
    assert set(snapshots.directory.iterdir()) == made


def test_a_snapshot_that_is_cut_short_is_replaced(bench: Bench, tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    warm, topology = bench.with_snapshots(snapshots), load_topology("one-board")
    made = warm.run(topology, {})
    (snapshot,) = snapshots.directory.iterdir()
    size = snapshot.stat().st_size
    with snapshot.open("r+b") as file:
        file.truncate(size - 1000)
    assert_equal_runs(warm.run(topology, {}), made)
    assert not list(snapshots.directory.iterdir())
    assert_equal_runs(warm.run(topology, {}), made)
    assert snapshot.stat().st_size == size


def test_a_board_that_cannot_be_saved_boots_each_time(bench: Bench, tmp_path: Path) -> None:
    profiles = {"board": load_profile("socrates-virtio")}
    bench.with_snapshots(Snapshots(tmp_path)).run(load_topology("one-board"), {}, None, profiles)
    assert not list(tmp_path.iterdir())
