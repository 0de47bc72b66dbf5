# SPDX-License-Identifier: Apache-2.0
"""Made-up cells of TLS handshakes, and runs of them."""

from typing import Any

from made_cells import made

from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, NodeResult, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.workloads.handshakes import HandshakePlan

CPU = b"irq_ns 0\nsoftirq_ns 0\ncpu  0 0 0 0 0 0 0 0 0 0\nintr 0 \nctxt 0\n"

COUNTERS = ("pk_operations", "pk_exponentiations", "pk_points", "pk_busy_ns")

CLIENT_LOG = """\
1767225603.500000 14000002 Control Channel: TLSv1.2, cipher TLSv1.2 DHE-RSA-AES256-SHA256
1767225604.600000 1 TLS: soft reset sec=1/1 bytes=0/-1 pkts=0/0
1767225604.700000 14000002 VERIFY OK: depth=0, O=Firesteel TEST ONLY, CN=board
1767225604.800000 14000002 Control Channel: TLSv1.2, cipher TLSv1.2 DHE-RSA-AES256-SHA256
1767225605.900000 1 TLS: soft reset sec=1/1 bytes=0/-1 pkts=0/0
1767225606.000000 14000002 Control Channel: TLSv1.2, cipher TLSv1.2 DHE-RSA-AES256-SHA256
1767225607.100000 1 TLS: soft reset sec=1/1 bytes=0/-1 pkts=0/0
"""

ALL_TIMES = "".join(
    f"{client} {1767225612 + client / 2 + turn * 5:.6f}\n"
    for client in range(1, 11)
    for turn in range(13)
)
"""A handshake each half second of a minute, by ten clients in turn; and the one before of each."""


def cell(implementation: str = "software", protocol: str = "openvpn", **changes: Any) -> Cell:
    plan = HandshakePlan(keys=("rsa-2048",), alone=2, clients=10, seconds=60)
    given = {
        "implementation": implementation,
        "completion": "adaptive" if implementation == "hardware" else None,
        "handshakes": plan,
    }
    suite = "aes-256-gcm:gcm" if protocol == "nginx" else "aes-256-cbc:none"
    return made(protocol, suite, **(given | changes))


def run(
    operations: int, one: str = CLIENT_LOG, all_text: str = ALL_TIMES, key: str = "rsa-2048"
) -> TopologyRun:
    """All clients have their time from second 10 to second 70; the CPU is busy for a quarter."""
    times = {"proof.before": 0, f"{key}-one.begin": 1, f"{key}-one.end": 5}
    times |= {f"{key}-all.begin": 10, f"{key}-all.end": 70, "proof.after": 80}
    alone = operations and 20  # of the one client
    marks = tuple(
        _mark(name, at, operations if at > 60 else alone if at > 4 else 0)
        for name, at in times.items()
    )
    cpu = {f"{name}.cpu": CPU for name in times}
    board = NodeResult("board", marks, cpu, "", load_profile("socrates"))
    told = {f"{key}-one": one.encode(), f"{key}-all": all_text.encode()}
    parts = {f"{key}-all.part{part}": 10 + 12 * part for part in range(6)}
    of_peer = tuple(_mark(name, at, 0) for name, at in (times | parts).items())
    peer = NodeResult("peer", of_peer, told, "", load_profile("peer"))
    return TopologyRun({"board": board, "peer": peer}, "0" * 64, load_topology("host-host"))


def _mark(name: str, time_s: int, operations: int) -> Mark:
    cores = {"crypto0": dict.fromkeys(COUNTERS, operations)}
    return Mark(name, time_s * 10**9, 0, time_s * 750_000_000, 0, 0, {}, cores)
