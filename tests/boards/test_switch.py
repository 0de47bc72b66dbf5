# SPDX-License-Identifier: Apache-2.0
"""Three boards on a switch.

    a 10.0.0.1 ──┐
    b 10.0.0.2 ──┤ switch, 100 Mbit/s
    c 10.0.0.3 ──┘

Each reaches the others; then a and b together send c more than its cable takes.
"""

import pytest
from bench import (
    LATENCY_NS,
    SERVE,
    Bench,
    KeptRun,
    assert_equal_runs,
    await_node,
    of_rate,
    release,
    wire_ns,
)

from firesteel.boards.topology import Topology

NODES = ("a", "b", "c")
A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"
QUEUE = 16

PING_BOTH = """
for other in {}; do
    until ping -q -c 1 -W 1 $other >/dev/null; do sleep 0.01; done
    ping -n -i 0.01 -c 3 $other | probe data to-$other
done
"""


def switched() -> Topology:
    """The topology above."""
    return Topology.model_validate(
        {
            "nodes": {name: {"role": "host", "profile": "peer"} for name in NODES},
            "links": [
                {"name": "lan", "kind": "switch", "nodes": NODES, "queue_frames": QUEUE},
            ],
        }
    )


def flood(bench: Bench) -> KeptRun:
    """Run it once."""
    send = f"{await_node(C)}iperf3 -c {C} -p %d -u -b 80M -l 1400 -n 1M -J | probe data flood\n"
    serve = "iperf3 -s -D -p 5001\niperf3 -s -D -p 5002\n"
    scripts = {
        "a": PING_BOTH.format(f"{B} {C}") + send % 5001 + SERVE,
        "b": PING_BOTH.format(f"{A} {C}") + send % 5002 + SERVE,
        # c waits until both are done before it lets them go.
        "c": serve + PING_BOTH.format(f"{A} {B}") + release(A) + release(B),
    }
    # iperf3 loops until the instant of its next datagram; faster boards would execute more of it.
    return bench.run(switched(), scripts, profiles={node: of_rate(4 * 10**9) for node in "ab"})


@pytest.fixture(scope="module")
def flooded(bench: Bench) -> KeptRun:
    return flood(bench)


def test_each_reaches_the_others(flooded: KeptRun) -> None:
    for node, others in (("a", (B, C)), ("b", (A, C)), ("c", (A, B))):
        for other in others:
            assert ", 0% packet loss" in flooded.text(node, f"to-{other}")


def test_a_frame_is_stored_and_forwarded(flooded: KeptRun) -> None:
    """A frame for one node takes two cables, each with serialisation and latency, or waits."""
    traces = {node: flooded.trace(node) for node in NODES}
    at_switch: dict[str, list[int]] = {}
    for node in NODES:
        for sent in traces[node].sent:
            at_switch.setdefault(sent.checksum, []).append(sent.arrival)
    waits = []
    for node in NODES:
        for frame in traces[node].received:
            soonest = frame.time - wire_ns(frame.length) - LATENCY_NS
            # Equal frames are told apart by their times: the last that can have come so far.
            came = max(at for at in at_switch[frame.checksum] if at <= soonest)
            waits.append(soonest - came)
    assert min(waits) == 0
    assert 0 < max(waits) <= QUEUE * (wire_ns(1514) + 960)


def test_a_switch_teaches_itself_where_nodes_are(flooded: KeptRun) -> None:
    """a gets nothing of what b sends to c, once the switch has heard c."""
    full = [frame for frame in flooded.trace("a").received if frame.length == 1442]
    assert full == []


def test_a_full_queue_drops(flooded: KeptRun) -> None:
    sent = sum(frame.length == 1442 for node in "ab" for frame in flooded.trace(node).sent)
    received = sum(frame.length == 1442 for frame in flooded.trace("c").received)
    assert sent > 1000
    assert 0.5 * sent < received < 0.8 * sent
    busiest = [frame for frame in flooded.trace("c").received if frame.length == 1442]
    seconds = (busiest[-1].time - busiest[0].time) / 1e9
    assert received * (1442 + 24) * 8 / seconds <= 100.1e6


def test_drops_are_deterministic(bench: Bench, flooded: KeptRun) -> None:
    assert_equal_runs(flood(bench), flooded)
