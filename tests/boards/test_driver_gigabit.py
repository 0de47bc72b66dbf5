# SPDX-License-Identifier: Apache-2.0
"""IPsec on the core at 1 Gbit/s, by a board that is fast enough to fill the driver's queue.

Nothing is reordered, and nothing is sent again.
"""

import pytest
from bench import SERVE, Bench, KeptRun, await_node, release
from driver_run import LOAD, TELL, Told
from ipsec_traffic import BOARD, PEER, associations
from tcp_counters import disorder, tell_counters

from firesteel.board.job import JobFile
from firesteel.board.profile import load_profile
from firesteel.board.topology import load_topology
from firesteel.build.products import Products

_SECONDS = 1

_QUEUES = "cat /sys/kernel/debug/firesteel/queues | probe data queues-sent\n"


def _board() -> str:
    """It sends, then receives."""
    return (
        f"mount -t debugfs none /sys/kernel/debug\n{LOAD}"
        + associations(BOARD, PEER, "gcm")
        + await_node(PEER)
        + f"iperf3 -c {PEER} -t {_SECONDS} -J | probe data sent\n"
        + _QUEUES
        + f"iperf3 -c {PEER} -t {_SECONDS} -R -J | probe data received\n"
        + f"{TELL}{release(PEER)}{tell_counters('end')}dmesg | probe data dmesg\n"
    )


@pytest.fixture(scope="module")
def run(patient: Bench) -> KeptRun:
    links = {"wire": {"rate_bit_s": 1_000_000_000, "latency_ns": 20_000}}
    peer = associations(PEER, BOARD, "gcm") + f"iperf3 -s -D\n{SERVE}{tell_counters('end')}"
    return patient.run(
        load_topology("host-host").override(links=links),
        {"board": _board(), "peer": peer},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": load_profile("socrates-1600"), "peer": load_profile("peer")},
    )


@pytest.mark.parametrize("node", ["board", "peer"])
def test_nothing_is_reordered_or_sent_again(run: KeptRun, node: str) -> None:
    assert disorder(run, node, "end") == {}


def test_the_queue_was_full_both_ways(run: KeptRun) -> None:
    """Else there was nothing that could have overtaken."""
    words = run.text("board", "queues-sent").split()
    sent = int(words[words.index("backlogged") + 1])
    assert 100 < sent < Told(run).queues()["backlogged"] - 100


def test_all_went_by_the_core(run: KeptRun) -> None:
    told = Told(run)
    assert told.requests("hardware")["rfc4106-gcm-aes"] > 50_000
    assert told.requests("software-full") == {}
    told.assert_quiet()
