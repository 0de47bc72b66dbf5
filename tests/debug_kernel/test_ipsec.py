# SPDX-License-Identifier: Apache-2.0
"""Two boards with the debug kernel exchange IPsec traffic in software, and nothing is reported.

So what a driver's tests find in this setting is the driver's.
"""

import json

import pytest
from bench import SERVE, Bench, KeptRun, await_node, release
from ipsec_traffic import BOARD, PEER, associations
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports, self_tests

from firesteel.boards.topology import load_topology

SENT = 2 * 1024 * 1024


@pytest.fixture(scope="module")
def run(bench: Bench) -> KeptRun:
    send = f"iperf3 -c {PEER} -n {SENT} -J | probe data sent\n"
    board = associations(BOARD, PEER, "gcm") + await_node(PEER) + send + release(PEER)
    peer = associations(PEER, BOARD, "gcm") + "iperf3 -s -D\n" + SERVE
    scripts = {"board": board, "peer": peer}
    return bench.run(
        load_topology("host-host"),
        {node: PREPARE + script + collect() for node, script in scripts.items()},
    )


def test_all_that_was_sent_came_through_tested_ciphers(run: KeptRun) -> None:
    ends = json.loads(run.text("board", "sent"))["end"]
    assert ends["sum_received"]["bytes"] == ends["sum_sent"]["bytes"] >= SENT
    results = self_tests(evidence_of(run.run.nodes["board"]))
    assert [driver for driver in results if driver.startswith("rfc4106(")]
    assert set(results.values()) == {"passed"}


@pytest.mark.parametrize("node", ["board", "peer"])
def test_nothing_is_reported(run: KeptRun, node: str) -> None:
    evidence = evidence_of(run.run.nodes[node])
    assert inactive(evidence) == []
    assert reports(evidence) == []
