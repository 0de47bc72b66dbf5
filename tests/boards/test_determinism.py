# SPDX-License-Identifier: Apache-2.0
"""Equal jobs make equal runs, to the last byte, whatever else the machine does."""

from concurrent.futures import ThreadPoolExecutor

from bench import SERVE, Bench, KeptRun, assert_equal_runs, await_node, other_load, release
from scenario import pair_run

from firesteel.board.topology import load_topology


def test_two_boards_under_load_and_side_by_side(bench: Bench, pair: KeptRun) -> None:
    with other_load(), ThreadPoolExecutor() as pool:
        side_by_side = [pool.submit(pair_run, bench) for _ in range(2)]
        for each in side_by_side:
            assert_equal_runs(each.result(), pair)


def through_two_gateways(bench: Bench) -> KeptRun:
    """host-a pings host-b and sends it a TCP stream, then lets all go, the farthest first."""
    far = "10.0.1.4"
    use = (
        f"{await_node(far)}ping -n -i 0 -c 20 {far} | probe data ping\n"
        f"iperf3 -c {far} -n 1M -J | probe data tcp\n"
        f"{release(far)}{release('10.0.2.3')}{release('10.0.0.2')}"
    )
    serve = f"iperf3 -s -D\n{SERVE}"
    scripts = {"host-a": use, "gateway-a": SERVE, "gateway-b": SERVE, "host-b": serve}
    return bench.run(load_topology("host-gateway-gateway-host"), scripts)


def test_four_boards_under_load(bench: Bench) -> None:
    quiet = through_two_gateways(bench)
    assert b" 0% packet loss" in quiet.run.nodes["host-a"].data["ping"]
    with other_load():
        assert_equal_runs(through_two_gateways(bench), quiet)
