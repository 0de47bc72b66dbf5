# SPDX-License-Identifier: Apache-2.0
"""What recorded runs of one board share."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from firesteel.board.profile import load_profile
from firesteel.board.result import Mark, NodeResult, TopologyRun, read_probe_log
from firesteel.board.topology import load_topology

RECORDED = Path(__file__).parent / "recorded"


def board_run(log: str, profile: str) -> TopologyRun:
    """What the board of that profile reported whose log lies at that place in `recorded`."""
    read = read_probe_log(RECORDED / log)
    board = NodeResult("board", read.marks, read.data, "", load_profile(profile))
    return TopologyRun({"board": board}, "0" * 64, load_topology("one-board"))


def with_aes_bytes(run: TopologyRun, done: Mapping[str, float]) -> TopologyRun:
    """The run as if the cores had worked on so many bytes before each of the marks in `done`."""
    board = run.nodes["board"]
    total = 0
    marks: list[Mark] = []
    for mark in board.marks:
        total += int(done.get(mark.name, 0))
        counted = mark.cores.get("crypto0", {}) | {"aes_bytes": total}
        marks.append(replace(mark, cores=mark.cores | {"crypto0": counted} if mark.cores else {}))
    return replace(run, nodes={"board": replace(board, marks=tuple(marks))})
