# SPDX-License-Identifier: Apache-2.0
"""A clock that counts cycles is as exact as one that counts instructions: what an execution costs,
and when it is interrupted, does not depend on how the emulator translates it.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import SERVE, Bench, KeptRun, assert_equal_runs, await_node, busy_ns, other_load, release
from scenario import PEER

from firesteel.boards.command import BoardProducts
from firesteel.boards.profile import (
    EVENTS,
    INSTRUCTIONS,
    UNITS,
    Profile,
    load_processor,
    load_profile,
)
from firesteel.boards.topology import load_topology

WORK = f"""
openssl version >/dev/null
{await_node(PEER)}ping -n -i 0 -c 20 -s 1400 {PEER} | probe data ping
iperf3 -c {PEER} -n 256K -J | probe data tcp
{release(PEER)}"""

SHORT = f"{await_node(PEER)}ping -n -i 0 -c 5 {PEER} | probe data ping\n{release(PEER)}"


def on_cycles(name: str = "socrates") -> Profile:
    """The profile with a clock that counts cycles."""
    return load_profile(name).on_clock("cycles")


def pair(bench: Bench, work: str) -> KeptRun:
    """The board does `work`, whose peer is an ordinary one."""
    profiles = {"board": on_cycles(), "peer": load_profile("peer")}
    scripts = {"board": work, "peer": f"iperf3 -s -D\n{SERVE}"}
    return bench.run(load_topology("host-host"), scripts, profiles=profiles)


def test_other_load_moves_nothing(bench: Bench) -> None:
    quiet = pair(bench, WORK)
    assert b" 0% packet loss" in quiet.run.nodes["board"].data["ping"]
    with other_load():
        assert_equal_runs(pair(bench, WORK), quiet)


@pytest.fixture(scope="module")
def short(bench: Bench) -> KeptRun:
    """A few pings between boards that are emulated as usual."""
    return pair(bench, SHORT)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "options",
    [
        pytest.param("-accel tcg,one-insn-per-tb=on", marks=pytest.mark.thorough),
        "-accel tcg,tb-size=4",
        "-icount contexts=0",
        "-icount contexts=1",
    ],
)
def test_how_code_is_translated_moves_nothing(
    bench: Bench, short: KeptRun, tmp_path: Path, options: str
) -> None:
    """Blocks of one instruction, a small buffer, or other contexts."""
    assert b" 0% packet loss" in short.run.nodes["board"].data["ping"]
    assert_equal_runs(pair(bench.with_options(options, tmp_path), SHORT), short)


def test_more_contexts_than_there_is_room_for_are_refused(boards: BoardProducts) -> None:
    options = ["-icount", "rate=800000000,sleep=off,contexts=17"]
    done = subprocess.run(
        [str(boards.qemu), "-M", "virt", *options], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "contexts=17: allowed are 0 to 16" in done.stderr


def test_the_clock_is_the_sum_of_what_it_says(short: KeptRun) -> None:
    board = short.run.nodes["board"]
    assert board.profile.cpu.hertz
    for mark in board.marks:
        assert mark.cycles
        busy = busy_ns(mark.time_ns, mark.idle_ns, mark.stalled_ns)
        assert busy == mark.cycles["units"] * 10**9 // (UNITS * board.profile.cpu.hertz), mark
    last = board.marks[-1].cycles
    assert last
    silent = {event for event in EVENTS if not last[event]}
    assert silent <= {"uncached-load", "uncached-store"}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda table: table.replace("integer:", "integers:", 1), "'integers' is not known"),
        (lambda table: table.split("/", 1)[1], f"'{INSTRUCTIONS[0]}' is missing"),
        (lambda table: table + "/load:3", "'load' is given twice"),
        (lambda table: table + "/load", "'load' is not NAME:NUMBER"),
        (lambda table: table.replace("data-ways:4", "data-ways:3"), "allowed are powers of two"),
        (lambda table: table.replace("/load:", "/load:9999"), "allowed are 0 to 16383"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(
    boards: BoardProducts, spoil: Callable[[str], str], said: str
) -> None:
    table = spoil(load_processor("cortex-a9").table(800_000_000))
    command = [
        str(boards.qemu),
        "-M",
        "virt",
        "-icount",
        f"rate=800000000,sleep=off,cycles={table}",
    ]
    done = subprocess.run(
        [*command, "-nodefaults", "-display", "none"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert said in done.stderr
