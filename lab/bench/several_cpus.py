# SPDX-License-Identifier: Apache-2.0
"""What further CPUs of a board cost its host.

    scripts/bench.sh cpus [--record]

Boards with one, two and four CPUs compute hashes on all of their CPUs, or on one of them.  The cost
is the CPU time that the host spends for one second of virtual time: the difference between a long
and a short piece of work, so that starting a board costs nothing.  Of three measurements the median
counts.

Needs a machine that does nothing else.  Ends with status 1 when a goal is missed; --record keeps
the figures in recorded/benchmarks.
"""

import argparse
import resource
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from firesteel.base.checkout import RECORDED
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile
from firesteel.boards.profile import Clock, Profile, load_profile
from firesteel.boards.run import run_from_snapshots
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from tools.benchmark import Figure, benchmark, conclude

REPEATS = 3
SHORT_MB, LONG_MB = 1, 121
TIMEOUT = 600
"""Wall seconds for one run; far more than any needs."""

WORK = """set -e
probe mark work.begin
for each in $(seq {busy}); do
    dd if=/dev/zero bs=1M count={megabytes} 2>/dev/null | sha256sum >/dev/null &
done
wait
probe mark work.end
"""


@dataclass(frozen=True)
class Load:
    """How many CPUs a board has, on how many of them it computes, and how many times what one CPU
    costs this may cost.
    """

    cpus: int
    busy: int
    goal: float | None = None

    @property
    def title(self) -> str:
        """What it is called in the figures."""
        return f"{self.cpus} CPUs, {self.busy} busy" if self.cpus > 1 else "1 CPU"


ONE = Load(1, 1)
LOADS = (Load(2, 2, 2.3), Load(4, 4, 4.8), Load(2, 1, 1.05), Load(4, 1, 1.05))
CLOCKS: tuple[Clock, ...] = ("flat", "cycles")


def board(cpus: int, clock: Clock) -> Profile:
    """The board `socrates` with so many CPUs."""
    profile = load_profile("socrates").on_clock("flat")
    cpu = profile.cpu.model_copy(update={"count": cpus})
    return profile.model_copy(update={"cpu": cpu}).on_clock(clock)


@cache
def products() -> BoardProducts:
    """The emulator and what its boards boot."""
    return BoardProducts.of(Products())


def spent(load: Load, clock: Clock, megabytes: int) -> tuple[float, float]:
    """CPU seconds of the host, and virtual seconds, for so much work on each busy CPU."""
    topology = load_topology("one-board")
    (node,) = topology.nodes
    script = WORK.format(busy=load.busy, megabytes=megabytes)
    before = _host_seconds()
    with tempfile.TemporaryDirectory() as name:
        run = run_from_snapshots(
            topology,
            {node: Job({"/job/run": JobFile(script.encode())})},
            boards={node: products()},
            seed=1,
            workdir=Path(name),
            timeout=TIMEOUT,
            profiles={node: board(load.cpus, clock)},
        )
    marks = {mark.name: mark.time_ns for mark in run.nodes[node].marks}
    return _host_seconds() - before, (marks["work.end"] - marks["work.begin"]) / 1e9


def _host_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cost(load: Load, clock: Clock) -> float:
    """CPU seconds of the host for one virtual second."""
    host, virtual = spent(load, clock, LONG_MB)
    host_before, virtual_before = spent(load, clock, SHORT_MB)
    return (host - host_before) / (virtual - virtual_before)


def figures(clock: Clock) -> list[Figure]:
    """The costs of all loads on a clock, beside those of one CPU."""
    costs: dict[Load, list[float]] = {load: [] for load in (ONE, *LOADS)}
    for load in costs:
        spent(load, clock, SHORT_MB)  # leaves the snapshot
    for _ in range(REPEATS):
        for load, found in costs.items():
            found.append(cost(load, clock))
    one = statistics.median(costs[ONE])
    told = [Figure(what=f"{clock}, {ONE.title}", value=one, unit="s")]
    for load in LOADS:
        times = statistics.median(costs[load]) / one
        told.append(Figure(what=f"{clock}, {load.title}", value=times, unit="x", most=load.goal))
    return told


def main(arguments: Sequence[str]) -> int:
    """Measures, and says what came out; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("question", choices=["cpus"])
    parser.add_argument("--record", action="store_const", const=RECORDED, help="keep the figures")
    asked = parser.parse_args(arguments)
    found = [figure for clock in CLOCKS for figure in figures(clock)]
    return conclude(benchmark("cpus", len(CLOCKS) * (1 + len(LOADS)), found), asked.record)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
