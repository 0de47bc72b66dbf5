# SPDX-License-Identifier: Apache-2.0
"""Runs of the module cryptobench recorded on a virtual board: AES-256-CBC, 10 requests each."""

from collections.abc import Callable
from dataclasses import replace

from made_cells import made
from workloads.recorded_runs import board_run, with_aes_bytes

from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell, Implementation
from firesteel.workloads.crypto_api import CryptoPlan, Direction


def cell(implementation: Implementation) -> Cell:
    """The cell that was run."""
    directions: tuple[Direction, ...] = ("encrypt", "decrypt")
    plan = CryptoPlan(sizes=(64, 1400), requests=10, in_flight=(1, 4), directions=directions)
    board = {"topology": "one-board", "profiles": {"board": "socrates-virtio"}}
    return made("crypto-api", "aes-256-cbc:none", plan, implementation=implementation, **board)


def run(implementation: Implementation) -> TopologyRun:
    """What its board reported."""
    return board_run(f"crypto-api/{implementation}.jsonl", "socrates-virtio")


def with_report(whole: TopologyRun, change: Callable[[bytes], bytes | None]) -> TopologyRun:
    """The run with every report changed, or left out where that gives nothing."""
    board = whole.nodes["board"]
    changed = {name: change(content) for name, content in board.data.items()}
    data = {name: content for name, content in changed.items() if content is not None}
    return replace(whole, nodes={"board": replace(board, data=data)})


def as_if_by_the_cores(whole: TopologyRun, of: float = 1) -> TopologyRun:
    """What a driver of the cores would have left: their counts, and its name in the reports.

    `of` is the share of the bytes that the cores worked on; each measured request and those that
    run before are counted.
    """
    named = with_report(whole, lambda text: text.replace(b"cbc-aes-neonbs", b"cbc-aes-firesteel"))
    done = {}
    for mark in named.nodes["board"].marks:
        if mark.name.endswith(".end"):
            _, size, in_flight = mark.name.removesuffix(".end").split("-")
            more = 1 if in_flight == "each" else int(in_flight)
            done[mark.name] = (10 + more) * -(-int(size) // 16) * 16 * of
    return with_aes_bytes(named, done)
