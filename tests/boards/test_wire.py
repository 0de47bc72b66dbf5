# SPDX-License-Identifier: Apache-2.0
"""The wire between two boards is as fast and as long as its topology says."""

import itertools
import json
import re
from typing import Any

import pytest
from bench import (
    LATENCY_NS,
    RATE_BIT_S,
    SERVE,
    Bench,
    KeptRun,
    Received,
    Sent,
    Trace,
    await_node,
    of_rate,
    on_flat,
    release,
    two_hosts,
    wire_ns,
)
from scenario import PEER, PING_SIZES, PINGS

from firesteel.boards.command import plugged_in_ns

HEADERS = 14 + 20 + 8
"""Bytes of an echo request's Ethernet, IPv4 and ICMP headers, or a datagram's with UDP."""

DELAY_NS = 638 * 1024
"""How long the board's controller waits with an interrupt: its profile's delay in whole units."""

DATAGRAM = 200
"""Bytes of payload: on a gigabit wire one every 2 µs, which the slow board cannot keep up with."""


def iperf(run: KeptRun, name: str) -> dict[str, Any]:
    """The end of an iperf3 report."""
    report = json.loads(run.text("board", name))
    assert "error" not in report, report["error"]
    end: dict[str, Any] = report["end"]
    return end


def test_tcp_fills_the_wire_without_retransmission(pair: KeptRun) -> None:
    for node, name in (("board", "tcp-sent"), ("peer", "tcp-fetched")):
        assert iperf(pair, name)["sum_sent"]["retransmits"] == 0
        # A full frame takes 1538 bytes of the wire's time, of which 1448 are payload.
        assert 93e6 <= pair.stream_rate(node) <= RATE_BIT_S * 1448 / 1538
        # iperf3's control connection does not count: a lone byte on it that is not acknowledged at
        # once is sent again as a probe.  Nothing was lost on the way while the job ran:
        end = pair.run.nodes[node].mark("job-end").time_ns
        assert all(frame.taken for frame in pair.trace(node).received if frame.time < end)


def test_every_frame_arrives_after_serialisation_and_latency(pair: KeptRun) -> None:
    board, peer = pair.trace("board"), pair.trace("peer")
    for sender, receiver in ((board, peer), (peer, board)):
        assert len(sender.sent) > 1000
        for frame in sender.sent:
            assert frame.arrival - frame.start == wire_ns(frame.length) + LATENCY_NS
        arrivals = [(frame.arrival, frame.length, frame.checksum) for frame in sender.sent]
        known = {(frame.time, frame.length, frame.checksum) for frame in receiver.received}
        # The CPU is past the instant by what is left of an instruction.
        assert all(0 <= frame.late <= 2 for frame in receiver.received)
        # Nothing arrives before the cables are plugged in, nor at a node that has powered off.
        first = plugged_in_ns(node.profile for node in pair.run.nodes.values())
        last = max(frame.time for frame in receiver.received)
        assert {arrival for arrival in arrivals if first <= arrival[0] <= last} == known


def test_frames_follow_each_other_at_the_rate(pair: KeptRun) -> None:
    gap = 12 * 8 * 10**9 // RATE_BIT_S
    for node in ("board", "peer"):
        sent = pair.trace(node).sent
        for before, after in itertools.pairwise(sent):
            assert after.start >= before.arrival - LATENCY_NS + gap


def test_round_trip_time_is_the_arithmetic(pair: KeptRun) -> None:
    """RTT = 2 × (serialisation + latency) + the peer's own time + the board's own time.

    The first three are read off the traces and must fit to the nanosecond; the board's own time
    is what is left of the RTT that ping printed.  It is that of an idle board, whose controller
    waits with its interrupt from the time that the request is sent.
    """
    board, peer = pair.trace("board"), pair.trace("peer")
    for size in PING_SIZES:
        length = HEADERS + size
        printed = [
            float(ms) for ms in re.findall(r"time=([0-9.]+) ms", pair.text("board", f"ping-{size}"))
        ]
        assert len(printed) == PINGS
        trips = round_trips(board, peer, length)
        assert len(trips) >= PINGS
        for (request, reply, on_peer), rtt in zip(trips[-PINGS:], printed, strict=True):
            on_wire = reply.time - request.start
            assert on_wire == 2 * (wire_ns(length) + LATENCY_NS) + on_peer
            assert 0 < on_peer < 50_000
            on_board = rtt * 1e6 - on_wire
            assert on_board > 0
            assert DELAY_NS < rtt * 1e6 < max(DELAY_NS, on_wire) + 200_000


def round_trips(board: Trace, peer: Trace, length: int) -> list[tuple[Sent, Received, int]]:
    """Requests, replies and the peer's own time of the last pings with frames of that length."""
    arrived = {frame.checksum: frame for frame in peer.received if frame.length == length}
    requests = [frame for frame in board.sent if frame.checksum in arrived]
    replies = [frame for frame in board.received if frame.length == length]
    answers = {frame.arrival: frame for frame in peer.sent if frame.length == length}
    trips = []
    for request in requests:
        reply = next((frame for frame in replies if frame.time > request.arrival), None)
        if reply is not None:
            on_peer = answers[reply.time].start - arrived[request.checksum].time
            trips.append((request, reply, on_peer))
    return trips


@pytest.fixture(scope="module")
def gigabit(bench: Bench) -> KeptRun:
    """A fast board sends a slow one a TCP stream, then bursts of datagrams larger than its ring."""
    topology = two_hosts().override(links={"wire": {"rate_bit_s": 10**9}})
    use = (
        f"{await_node(PEER)}iperf3 -c {PEER} -n 12M -J | probe data tcp-sent\n"
        "probe mark flood.begin\n"
        f"iperf3 -c {PEER} -u -b 10M/1000 -l {DATAGRAM} -n 200K >/dev/null\n"
        f"{release(PEER)}"
    )
    # iperf3 loops until the instant of its next datagram; a faster board would execute more of it.
    profiles = {"board": of_rate(4 * 10**9), "peer": on_flat("socrates")}
    return bench.run(topology, {"board": use, "peer": f"iperf3 -s -D\n{SERVE}"}, profiles=profiles)


def test_a_gigabit_wire_is_faster(gigabit: KeptRun, pair: KeptRun) -> None:
    for frame in gigabit.trace("board").sent:
        assert frame.arrival - frame.start == wire_ns(frame.length, 10**9) + LATENCY_NS
    assert iperf(gigabit, "tcp-sent")["sum_sent"]["retransmits"] == 0
    assert 3 * pair.stream_rate("board") < gigabit.stream_rate("board") < 10**9 * 1448 / 1538


def test_a_full_receive_ring_loses_frames_and_counts_them(gigabit: KeptRun) -> None:
    flood = gigabit.run.nodes["board"].mark("flood.begin").time_ns
    lost = [frame for frame in gigabit.trace("peer").received if not frame.taken]
    assert 0 < len(lost) == gigabit.run.nodes["peer"].mark("power-off").ports["eth0"].rx_dropped
    assert all(frame.time > flood for frame in lost)
    assert {HEADERS + DATAGRAM} == {frame.length for frame in lost}
