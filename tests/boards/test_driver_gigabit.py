# SPDX-License-Identifier: Apache-2.0
"""IPsec on the core at 1 Gbit/s, by a board that is fast enough to fill the driver's queue.

Hardly anything is reordered or sent again, the core hardly rests, and more goes through than in
software.
"""

import json

import pytest
from bench import SERVE, Bench, KeptRun, await_node, on_flat, release
from driver_run import LOAD, TELL, Told
from ipsec_traffic import BOARD, PEER, associations
from tcp_counters import counters, disorder, tell_counters

from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

pytestmark = pytest.mark.thorough

_LEAST_RATIO = 2
"""Of the core's throughput and software's, either way."""

_LEAST_BUSY = 0.9
"""Of the time of a transfer, with its connections before and after."""

_MOST_DISORDER = 1 / 5000
"""Of the segments that a node gets.  Some runs still have one or two late segments in 60,000, which
is not explained.
"""

_LATE = ("TCPOFOQueue", "RetransSegs")
"""One count for each segment; for a late one, its sender counts up to ten that were reordered."""

_QUEUES = "cat /sys/kernel/debug/firesteel/queues | probe data queues-sent\n"

# The kernel's own GCM lets packets overtake each other where GHASH is done by cryptd
# (test_driver_order.py), so the peer's is not: it takes what is there already.
_IN_ORDER = "modprobe ghash-generic\n"

# Connections have closed by then: an end that is lost would be sent again.
_FORGET = "ip xfrm state flush\nip xfrm policy flush\n"


def _transfer(name: str, options: str = "") -> str:
    return (
        f"probe run {name} iperf3 -c {PEER} -t 1 {options} -J >/run/report\n"
        f"probe data {name} /run/report\n"
    )


def _board() -> str:
    """It sends, then receives; in software without the driver, then by the core."""
    return (
        associations(BOARD, PEER, "gcm")
        + await_node(PEER)
        + _transfer("sent-in-software")
        + _transfer("received-in-software", "-R")
        + f"{release(PEER)}sleep 1\n{tell_counters('begin')}{_FORGET}"
        + f"mount -t debugfs none /sys/kernel/debug\n{LOAD}"
        + associations(BOARD, PEER, "gcm")
        + await_node(PEER)
        + _transfer("sent")
        + _QUEUES
        + _transfer("received", "-R")
        + f"{TELL}{release(PEER)}{tell_counters('end')}dmesg | probe data dmesg\n"
    )


@pytest.fixture(scope="module")
def run(patient: Bench) -> KeptRun:
    links = {"wire": {"rate_bit_s": 1_000_000_000, "latency_ns": 20_000}}
    peer = (
        _IN_ORDER
        + associations(PEER, BOARD, "gcm")
        + f"iperf3 -s -D\n{SERVE}{tell_counters('begin')}{SERVE}{tell_counters('end')}"
    )
    return patient.run(
        load_topology("host-host").override(links=links),
        {"board": _board(), "peer": peer},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": on_flat("socrates-1600"), "peer": load_profile("peer")},
    )


def _throughput(run: KeptRun, transfer: str) -> float:
    """MB/s that arrived."""
    report = json.loads(run.text("board", transfer))
    return float(report["end"]["sum_received"]["bits_per_second"]) / 8e6


@pytest.mark.parametrize("node", ["board", "peer"])
def test_hardly_anything_is_reordered_or_sent_again(run: KeptRun, node: str) -> None:
    """Where requests overtake each other, thousands of segments are late."""
    begin, end = (counters(run, node, name) for name in ("begin", "end"))
    segments = end["InSegs"] - begin["InSegs"]
    found = disorder(run, node, "end", since="begin")
    assert sum(found.get(name, 0) for name in _LATE) <= _MOST_DISORDER * segments, found


def test_the_queue_was_full_both_ways(run: KeptRun) -> None:
    """Else there was nothing that could have overtaken."""
    told = Told(run)
    sent = told.queues("queues-sent")["backlogged"]
    assert 100 < sent < told.queues()["backlogged"] - 100


def test_all_went_by_the_core(run: KeptRun) -> None:
    told = Told(run)
    assert told.requests("hardware")["rfc4106-gcm-aes"] > 50_000
    assert told.requests("software-full") == {}
    told.assert_quiet()


@pytest.mark.parametrize("way", ["sent", "received"])
def test_the_core_is_the_limit(run: KeptRun, way: str) -> None:
    """The bound that docs/driver.md computes from its cycles."""
    board = run.run.nodes["board"]
    begin, end = board.mark(f"{way}.begin"), board.mark(f"{way}.end")
    busy = end.cores["crypto0"]["cm_busy_ns"] - begin.cores["crypto0"]["cm_busy_ns"]
    assert busy > _LEAST_BUSY * (end.time_ns - begin.time_ns)


@pytest.mark.parametrize("way", ["sent", "received"])
def test_more_goes_through_than_in_software(run: KeptRun, way: str) -> None:
    software = _throughput(run, f"{way}-in-software")
    assert _throughput(run, way) >= _LEAST_RATIO * software
