# SPDX-License-Identifier: Apache-2.0
"""Runs of fio recorded on a virtual board: 1 MiB behind dm-crypt with AES-256-XTS."""

from dataclasses import replace

from made_cells import made
from workloads.recorded_runs import board_run, with_aes_bytes

from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.workloads.disk import DiskPlan


def cell() -> Cell:
    """The cell that was run."""
    plan = DiskPlan(
        size=1 << 20,
        block_sizes=(4096,),
        sector_sizes=(512, 4096),
        patterns=("sequential-read", "random-write"),
        depths=(1,),
    )
    board = {"topology": "one-board", "profiles": {"board": "socrates-hash"}}
    return made("dm-crypt", "aes-256-xts:none", plan, **board)


def run() -> TopologyRun:
    """What its board reported."""
    return board_run("disk/board.jsonl", "socrates-hash")


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
    ends = (mark.name for mark in whole.nodes["board"].marks if mark.name.endswith(".end"))
    return with_aes_bytes(whole, dict.fromkeys(ends, share * (1 << 20)))
