# SPDX-License-Identifier: Apache-2.0
"""Runs of fio recorded on a virtual board: 1 MiB behind dm-crypt with AES-256-XTS."""

from dataclasses import replace
from pathlib import Path

from firesteel.board.probe_log import read_probe_log
from firesteel.board.result import Mark, NodeResult, TopologyRun
from firesteel.cell import Cell, DiskPlan

_RECORDED = Path(__file__).parent / "recorded" / "disk" / "board.jsonl"


def cell() -> Cell:
    """The cell that was run."""
    return Cell(
        topology="one-board",
        profiles={"board": "socrates-hash"},
        measured="board",
        protocol="dm-crypt",
        cipher="aes-256-xts",
        mac="none",
        implementation="software",
        disk=DiskPlan(
            size=1 << 20,
            block_sizes=(4096,),
            sector_sizes=(512, 4096),
            patterns=("sequential-read", "random-write"),
            depths=(1,),
        ),
    )


def run() -> TopologyRun:
    """What its board reported."""
    log = read_probe_log(_RECORDED)
    return TopologyRun({"board": NodeResult("board", log.marks, log.data, "")}, "0" * 64)


def with_data(item: str, old: bytes, new: bytes) -> TopologyRun:
    """The run with something else in one of its data items."""
    whole = run()
    board = whole.nodes["board"]
    assert old in board.data[item]
    data = board.data | {item: board.data[item].replace(old, new)}
    return replace(whole, nodes={"board": replace(board, data=data)})


def with_cores_at_work(share: float) -> TopologyRun:
    """The run with this share of each run's bytes done by the cores."""
    whole = run()
    board = whole.nodes["board"]
    done = 0
    marks = []
    for mark in board.marks:
        if mark.name.endswith(".end"):
            done += int(share * (1 << 20))
        marks.append(_with_aes_bytes(mark, done))
    return replace(whole, nodes={"board": replace(board, marks=tuple(marks))})


def _with_aes_bytes(mark: Mark, count: int) -> Mark:
    cores = {"crypto0": mark.cores.get("crypto0", {}) | {"aes_bytes": count}}
    return replace(mark, cores=mark.cores | cores if mark.cores else {})
