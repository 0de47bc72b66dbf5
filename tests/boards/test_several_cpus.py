# SPDX-License-Identifier: Apache-2.0
"""Boards with several CPUs in virtual time: equal bytes whatever the host does, clocks that are the
sums of their parts, and counters that never step back.
"""

from pathlib import Path

import pytest
from bench import SERVE, Bench, KeptRun, assert_equal_runs, await_node, other_load, release
from driver_run import PREPARE
from guest_module import job_modules
from scenario import PEER
from turns import OPTIONS, read_turns

from firesteel.boards.command import Snapshots
from firesteel.boards.job import JobFile
from firesteel.boards.profile import UNITS, Clock, Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

WORK = """
probe mark two.begin
for i in 1 2; do
    dd if=/dev/zero bs=64k count=16 2>/dev/null | sha256sum >/tmp/$i &
done
wait
cat /tmp/1 /tmp/2 | probe data sums
probe mark two.end
"""


def with_cpus(count: int, clock: Clock) -> Profile:
    """The profile `socrates` with so many CPUs."""
    flat = load_profile("socrates").on_clock("flat")
    cpu = flat.cpu.model_copy(update={"count": count})
    return flat.model_copy(update={"cpu": cpu}).on_clock(clock)


def run(bench: Bench, count: int, clock: Clock) -> KeptRun:
    """A board with so many CPUs does `WORK`."""
    profiles = {"board": with_cpus(count, clock)}
    return bench.run(load_topology("one-board"), {"board": WORK}, profiles=profiles)


def assert_sums(kept: KeptRun) -> None:
    """Each CPU's time is what its work takes, and all that it waited."""
    board = kept.run.nodes["board"]
    cpu = board.profile.cpu
    rate = UNITS * cpu.rate if cpu.clock == "cycles" else cpu.rate
    for mark in board.marks:
        assert len(mark.cpus) == cpu.count
        for each in mark.cpus:
            work = each.units if cpu.clock == "cycles" else each.instructions
            waits = each.idle_ns + each.stalled_ns + each.waited_ns
            assert each.time_ns == work * 10**9 // rate + waits, mark.name


@pytest.mark.matrix
@pytest.mark.parametrize("clock", ["flat", "cycles"])
@pytest.mark.parametrize("count", [2, 4])
def test_other_load_moves_nothing(bench: Bench, count: int, clock: Clock) -> None:
    quiet = run(bench, count, clock)
    assert_sums(quiet)
    with other_load():
        assert_equal_runs(run(bench, count, clock), quiet)


@pytest.mark.matrix
@pytest.mark.parametrize("clock", ["flat", "cycles"])
@pytest.mark.parametrize(
    "options",
    [
        "-accel tcg,tb-size=4",
        "-icount contexts=0",
        pytest.param("-accel tcg,one-insn-per-tb=on", marks=pytest.mark.thorough),
    ],
)
def test_translation_moves_nothing(
    bench: Bench, tmp_path: Path, clock: Clock, options: str
) -> None:
    usual = run(bench, 2, clock)
    assert_equal_runs(run(bench.with_options(options, tmp_path), 2, clock), usual)


QUANTUM_NS = 20_000


def in_order(bench: Bench, seed: int, directory: Path, count: int, more: str = "") -> KeptRun:
    """A board with so many CPUs does `WORK` in the order of a seed."""
    directory.mkdir()
    profile = with_cpus(count, "flat")
    cpu = profile.cpu.model_copy(update={"quantum_ns": QUANTUM_NS})
    return bench.with_order(seed, directory, more).run(
        load_topology("one-board"),
        {"board": WORK},
        profiles={"board": profile.model_copy(update={"cpu": cpu})},
    )


@pytest.mark.parametrize("count", [2, 4])
def test_an_order_follows_from_its_seed(bench: Bench, tmp_path: Path, count: int) -> None:
    booted = in_order(bench.with_snapshots(None), 7, tmp_path / "booted", count)
    assert_sums(booted)
    warm = bench.with_snapshots(Snapshots(tmp_path / "snapshots"))
    usual = in_order(warm, 0, tmp_path / "usual", count)
    with other_load():
        assert_equal_runs(in_order(warm, 7, tmp_path / "again", count), booted)
    other = in_order(warm, 8, tmp_path / "other", count)
    probed = {run.files()["board/probe.jsonl"] for run in (booted, usual, other)}
    assert len(probed) == 3
    assert len(list((tmp_path / "snapshots").iterdir())) == 1


@pytest.mark.parametrize("seed", [0, 7])
def test_clocks_are_apart_by_at_most_the_quantum(bench: Bench, tmp_path: Path, seed: int) -> None:
    trace = tmp_path / "turns"
    in_order(bench, seed, tmp_path / "order", 4, OPTIONS.format(trace))
    latest, turns = 0, read_turns(trace)
    assert {turn.cpu for turn in turns} == {0, 1, 2, 3}
    for turn in turns:
        assert turn.began_ns >= latest - QUANTUM_NS
        latest = max(latest, turn.ended_ns)


CORES = """
{prepare}
echo {allowed} >/proc/irq/default_smp_affinity
modprobe -a authenc uio
insmod /job/firesteel.ko
for irq in $(grep " 0000:" /proc/interrupts | cut -d : -f 1); do
    cat /proc/irq/$irq/effective_affinity_list
done | probe data cpus
rmmod firesteel
dmesg | probe data dmesg
"""


@pytest.mark.parametrize(("allowed", "cpus"), [("3", "1 0 1"), ("2", "1 1 1")])
def test_each_crypto_core_has_a_cpu_for_its_interrupt(
    bench: Bench, allowed: str, cpus: str
) -> None:
    board = with_cpus(2, "flat")
    cores = board.cores[0].model_copy(update={"count": 3})
    files = {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}
    kept = bench.run(
        load_topology("one-board"),
        {"board": CORES.format(prepare=PREPARE, allowed=allowed)},
        {"board": files},
        {"board": board.model_copy(update={"cores": (cores,)})},
    )
    assert kept.text("board", "cpus").split() == cpus.split()
    assert "WARNING" not in kept.text("board", "dmesg")


READINGS = 10_000
"""Of each CPU."""


@pytest.mark.parametrize("clock", ["flat", "cycles"])
def test_counters_never_step_back(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    files = {"board": job_modules(tmp_path_factory.mktemp, "counters")}
    script = f"insmod /job/counters.ko count={READINGS}\ndmesg | probe data dmesg\n"
    kept = bench.run(
        load_topology("one-board"), {"board": script}, files, {"board": with_cpus(4, clock)}
    )
    assert f"counters: {4 * READINGS} readings, 0 back" in kept.text("board", "dmesg")


def two_boards(bench: Bench) -> KeptRun:
    """Two boards with two CPUs each exchange packets and a file."""
    board = f"{await_node(PEER)}ping -n -i 0 -c 20 -s 1400 {PEER} | probe data ping\n"
    board += f"iperf3 -c {PEER} -n 256K -J | probe data tcp\n{WORK}{release(PEER)}"
    scripts = {"board": board, "peer": f"iperf3 -s -D\n{SERVE}"}
    profiles = {"board": with_cpus(2, "cycles"), "peer": with_cpus(2, "flat")}
    return bench.run(load_topology("host-host"), scripts, profiles=profiles)


@pytest.mark.thorough
def test_a_snapshot_moves_nothing_on_two_boards(bench: Bench, tmp_path: Path) -> None:
    booted = two_boards(bench.with_snapshots(None))
    assert b" 0% packet loss" in booted.run.nodes["board"].data["ping"]
    warm = bench.with_snapshots(Snapshots(tmp_path))
    for _ in ("made", "used"):
        assert_equal_runs(two_boards(warm), booted)
    assert len(list(tmp_path.iterdir())) == 2
