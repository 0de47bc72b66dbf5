# SPDX-License-Identifier: Apache-2.0
"""Equal jobs make equal runs, to the last byte, whatever else the machine does."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from bench import (
    SERVE,
    Bench,
    KeptRun,
    assert_equal_runs,
    await_node,
    busy_ns,
    execution_ns,
    of_rate,
    other_load,
    release,
    two_hosts,
)
from scenario import PEER, pair_run

from firesteel.boards.command import BoardProducts
from firesteel.boards.profile import MOST_RATE
from firesteel.boards.topology import load_topology


@pytest.mark.first
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
    # iperf3 loops until its second is over, and a faster board would execute more meanwhile.
    profiles = {"host-a": of_rate(4 * 10**9)}
    return bench.run(load_topology("host-gateway-gateway-host"), scripts, profiles=profiles)


def test_four_boards_under_load(bench: Bench) -> None:
    quiet = through_two_gateways(bench)
    assert b" 0% packet loss" in quiet.run.nodes["host-a"].data["ping"]
    with other_load():
        assert_equal_runs(through_two_gateways(bench), quiet)


JUST_ABOVE_32_BITS = 4_294_967_311
"""A prime, so that nothing of its ratio to nanoseconds cancels."""


def test_the_fastest_boards_have_exact_clocks_too(bench: Bench) -> None:
    profiles = {"board": of_rate(JUST_ABOVE_32_BITS), "peer": of_rate(MOST_RATE)}
    use = f"{await_node(PEER)}ping -n -i 0 -c 20 {PEER} | probe data ping\n{release(PEER)}"
    kept = bench.run(two_hosts(), {"board": use, "peer": SERVE}, profiles=profiles)
    assert b" 0% packet loss" in kept.run.nodes["board"].data["ping"]
    for node, profile in profiles.items():
        for mark in kept.run.nodes[node].marks:
            busy = busy_ns(mark.time_ns, mark.idle_ns, mark.stalled_ns)
            assert abs(busy - execution_ns(mark.instructions, profile)) <= 2, (node, mark)


def test_a_board_that_is_faster_is_refused(boards: BoardProducts) -> None:
    command = [str(boards.qemu), "-M", "virt", "-icount", f"rate={MOST_RATE + 1},sleep=off"]
    done = subprocess.run(
        [*command, "-nodefaults", "-display", "none"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "1000000 to 1000000000000 " in done.stderr
