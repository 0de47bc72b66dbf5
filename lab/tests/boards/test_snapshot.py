# SPDX-License-Identifier: Apache-2.0
"""Boards start from snapshots that fit, and leave those that are missing."""

import os
import time
from pathlib import Path

import pytest

from firesteel.boards.command import BoardProducts, Snapshots, Wiring, node_command, plugged_in_ns
from firesteel.boards.files import NodeFiles
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_profiles, load_topology


@pytest.fixture
def boards(tmp_path: Path) -> BoardProducts:
    products = BoardProducts(tmp_path / "qemu", tmp_path / "kernel", tmp_path / "base")
    for file in (products.qemu, products.kernel, products.initramfs):
        file.write_text(file.name)
    return products


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "snapshots")


def wiring(seed: int = 1, topology: str = "host-host", board: Profile | None = None) -> Wiring:
    told = load_topology(topology)
    profiles = load_profiles(told)
    return Wiring(told, profiles | ({"board": board} if board else {}), seed, Path("/s"))


def command(boards: BoardProducts, snapshot: Path | None) -> list[str]:
    return node_command(boards, wiring(), "board", NodeFiles(Path("/run/board")), snapshot)


def test_a_board_makes_the_snapshot_from_which_the_next_one_starts(
    boards: BoardProducts, snapshots: Snapshots
) -> None:
    path = snapshots.of(boards, wiring(), "board")
    first = command(boards, path)
    path.write_bytes(b"a board")
    next_one = command(boards, snapshots.of(boards, wiring(), "board"))
    assert "-kernel" in first
    assert f",save={path}" in " ".join(first)
    assert not {"-kernel", "-initrd", "-append"} & set(next_one)
    assert f",resume={path}" in " ".join(next_one)


def test_what_decides_the_boot_has_a_snapshot_of_its_own(
    boards: BoardProducts, snapshots: Snapshots
) -> None:
    socrates = load_profile("socrates")
    slower = socrates.model_copy(update={"cpu": socrates.cpu.model_copy(update={"hertz": 10**8})})
    found = {
        snapshots.of(boards, wiring(), "board"),
        snapshots.of(boards, wiring(), "peer"),
        snapshots.of(boards, wiring(seed=2), "board"),
        snapshots.of(boards, wiring(board=slower), "board"),
        snapshots.of(boards, wiring(board=load_profile("socrates-hash")), "board"),
        snapshots.of(boards, wiring(topology="one-board"), "board"),
    }
    assert len(found) == 6
    boards.initramfs.write_text("another image")
    assert snapshots.of(boards, wiring(), "board") not in found
    boards.kernel.write_text("another kernel")
    assert snapshots.of(boards, wiring(), "board") not in found


def test_what_the_cores_can_do_does_not_decide_the_boot(
    boards: BoardProducts, snapshots: Snapshots
) -> None:
    usual = snapshots.of(boards, wiring(), "board")
    waits = load_profile("socrates-waiting")
    assert waits.cores != load_profile("socrates").cores
    assert snapshots.of(boards, wiring(board=waits), "board") == usual


def test_snapshots_that_were_not_used_for_longest_go(boards: BoardProducts, tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "snapshots", most_bytes=250_000)
    snapshots.directory.mkdir()
    now = time.time()
    for number, age in enumerate((3000, 1000, 2000, 10)):
        file = snapshots.directory / f"{number}"
        file.write_bytes(b"x" * 100_000)
        os.utime(file, (now - age, now - age))
    snapshots.of(boards, wiring(), "board")
    assert {file.name for file in snapshots.directory.iterdir()} == {"1", "3"}
    Snapshots(snapshots.directory, most_bytes=0).of(boards, wiring(), "board")
    assert {file.name for file in snapshots.directory.iterdir()} == {"3"}, "it may just be opened"


def test_where_nothing_can_be_written_boards_boot(boards: BoardProducts, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    snapshot = Snapshots(tmp_path / "file" / "snapshots").of(boards, wiring(), "board")
    assert "-kernel" in command(boards, snapshot)


def test_cables_are_plugged_in_when_the_slowest_board_has_booted() -> None:
    peer, board = load_profile("peer"), load_profile("socrates")
    assert plugged_in_ns([peer]) == 1_000_000_000
    assert plugged_in_ns([peer, board]) == 1_875_000_000
    assert plugged_in_ns([board.on_clock("flat"), peer]) == 2_707_581_227


@pytest.mark.parametrize("end", [" is damaged, delete it", ": No such file or directory"])
def test_a_snapshot_that_cannot_be_read_is_removed(snapshots: Snapshots, end: str) -> None:
    snapshots.directory.mkdir()
    path = snapshots.directory / "board"
    path.write_bytes(b"half a board")
    assert not snapshots.drop("its kernel panicked: No init found.")
    assert not snapshots.drop("cannot read the snapshot /elsewhere/board: Input/output error")
    assert path.exists()
    assert snapshots.drop(f"it ended with status 1: lockstep: the snapshot {path}{end}")
    assert not path.exists()
    assert snapshots.drop(f"it ended with status 1: lockstep: the snapshot {path}{end}")
