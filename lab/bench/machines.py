# SPDX-License-Identifier: Apache-2.0
"""What it costs to hand cells to other machines, and what many machines would make of that.

    scripts/bench.sh machines [--cells N] [--record]

1. Cells whose boards end at once are run here, two at a time, and on two workers of this machine
   with one cell each.  What the latter take longer is what distribution costs.
2. What client and scheduler work for a cell is their CPU time; storing a real record is measured on
   those in `recorded/` and comes on top.  Of that, packing observations runs beside all else.
3. A queue is simulated: client and scheduler, each doing one thing at a time but for packing, feed
   workers whose cells take 20 s on average.  This is a computation with the costs of this machine,
   not a cluster: it knows neither slow networks nor machines that die.

Ends with status 1 when a goal is missed; --record keeps the figures for docs/machines.md.
"""

import argparse
import heapq
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from dask_here import FakeBoards, FakeBoardsRunner, Process, Scheduler, WorkerProcess
from distributed.security import Security
from fake_watcher import Notes
from made_up import MadeUp

from firesteel.base.checkout import RECORDED
from firesteel.boards.run import run_topology
from firesteel.machines.cluster import Cluster
from firesteel.machines.scheduler import quiet
from firesteel.model.cell import Cell
from firesteel.run.experiment.experiment import Experiment, load_experiment
from firesteel.run.loop import Options, execute
from firesteel.store import observations
from firesteel.store.record import use
from firesteel.store.store import Store
from tools.benchmark import Figure, benchmark, conclude

_OVERHEAD_GOAL_MS = 100.0
_BUSY_GOAL_PERCENT = 95.0
_CELL_SECONDS = 20.0
_WORKERS = 200
_CPUS = 2
"""Of the client."""

_EMULATOR = """#!/bin/sh
# Ends at once, with the logs of an orderly run.
while [ $# -gt 0 ]; do
    case $2 in *,log=*) log=${2#*,log=} log=${log%%,*} ;; *,trace=*) trace=${2#*,trace=} ;; esac
    case $1 in -serial) console=${2#file:} ;; esac
    shift
done
: >"$trace"
: >"$console"
counts='"instructions":2,"idle_ns":0,"stalled_ns":0,"user_ns":0,"ports":{},"cores":{}'
echo '{"kind":"start","version":2}' >"$log"
echo '{"kind":"end","time_ns":9,'"$counts}" >>"$log"
"""


class _Runner(FakeBoardsRunner):
    """Boards say nothing here."""

    expects = False


@dataclass(frozen=True)
class Costs:
    """Seconds for each cell: what its worker loses between two of them; what client and scheduler
    work for it, and what the client's other CPUs may do.
    """

    between: float
    client: float
    scheduler: float
    beside: float = 0.0

    def service(self, cpus: int) -> float:
        """How long the next cell waits for one, where the client has so many CPUs."""
        return max(self.client, (self.client + self.beside) / cpus, self.scheduler)


def cells(count: int) -> tuple[Experiment, list[Cell]]:
    """As many different cells."""
    experiment = load_experiment("quickstart")
    first = experiment.cells(quick=True)[0]
    return experiment, [first.model_copy(update={"seed": seed + 1}) for seed in range(count)]


def run(directory: Path, count: int, cluster: Cluster | None) -> tuple[float, float]:
    """Wall and CPU seconds of this process for that many cells, here or there."""
    fake = FakeBoards(directory)
    fake.products.qemu.write_text(_EMULATOR)
    experiment, chosen = cells(count)
    runner = _Runner(cluster.run if cluster else run_topology, fake)
    wall, cpu = time.monotonic(), time.process_time()
    store = Store(Path(tempfile.mkdtemp(dir=directory)))
    journal = execute(experiment, chosen, Options(jobs=2), runner, store, Notes(), cluster)
    if journal.count("done") != count:
        raise SystemExit(f"{journal.count('failed')} cells failed: {journal.entries[0].problem}")
    return time.monotonic() - wall, time.process_time() - cpu


def real_record_seconds(directory: Path) -> tuple[float, float]:
    """CPU seconds that it takes to store a record with the observations of real boards, and how
    many of them to pack these.
    """
    recorded, store = Store(RECORDED), Store(directory / "real")
    whole, packing = [], []
    for key in [path.stem for path in sorted((RECORDED / "records").glob("*/*.json"))[::10]]:
        record, observed = recorded.get(key), recorded.observations(key)
        if record is not None and observed is not None:
            began = time.process_time()
            store.put(record, observed, record.packages)
            whole.append(time.process_time() - began)
            text = observations.to_text(observed)
            began = time.process_time()
            observations.pack(text)
            packing.append(time.process_time() - began)
    return fmean(whole), fmean(packing)


def cpu_of(process: Process) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(directory: Path, count: int) -> tuple[Costs, float]:
    """The costs, and how many cells a second went through."""
    use(MadeUp())
    with (
        Scheduler(directory) as scheduler,
        WorkerProcess(scheduler.address, directory / "one", name="one", jobs=1) as one,
        WorkerProcess(scheduler.address, directory / "two", name="two", jobs=1) as two,
    ):
        one.ready()
        two.ready()
        with Cluster(scheduler.address, Security()) as cluster:
            run(directory, 10, cluster)  # Files are there, and Dask has seen such tasks.
            before = cpu_of(scheduler)
            there, client = run(directory, count, cluster)
            in_scheduler = cpu_of(scheduler) - before
        here, _ = run(directory, count, None)
    between = 2 * (there - here) / count
    return Costs(between, client / count, in_scheduler / count), count / there


def busy(costs: Costs, workers: int, seconds: float, each: int = 30) -> float:
    """The share of its time that a worker works, from a run's start to its end, of many that run so
    many cells each on average.

    Client and scheduler serve whoever ended first; how long cells take differs by half.
    """
    chance = random.Random(1)
    service = costs.service(_CPUS)
    free_at, work, end = 0.0, 0.0, 0.0
    wanting = [0.0] * workers  # Since when each wants a cell.
    for _ in range(workers * each):
        since = heapq.heappop(wanting)
        free_at = max(free_at, since) + service
        took = seconds * chance.uniform(0.5, 1.5)
        work += took
        ended = max(free_at, since + max(0.0, costs.between)) + took
        end = max(end, ended)
        heapq.heappush(wanting, ended)
    return work / (workers * end)


def figures(costs: Costs, rate: float, real: float, packing: float) -> list[Figure]:
    """What came out, and what is computed from it.

    Less than nothing between two cells is the noise of a busy machine.
    """
    whole = Costs(costs.between, costs.client + real - packing, costs.scheduler, packing)
    found = [
        Figure(
            what="distribution costs a worker, for each cell",
            value=1e3 * costs.between,
            unit="ms",
            most=_OVERHEAD_GOAL_MS,
        ),
        Figure(what="cells that end at once, on two workers", value=rate, unit="a second"),
        Figure(what="CPU time of the client, for each cell", value=1e3 * costs.client, unit="ms"),
        Figure(what="the same of the scheduler", value=1e3 * costs.scheduler, unit="ms"),
        Figure(what="CPU time to store a record of real boards", value=1e3 * real, unit="ms"),
        Figure(what="of that to pack observations", value=1e3 * packing, unit="ms"),
    ]
    for workers in (50, _WORKERS, 500, 1000):
        found.append(
            Figure(
                what=f"computed: {workers:,} workers with cells of {_CELL_SECONDS:g} s are busy",
                value=100 * busy(whole, workers, _CELL_SECONDS),
                unit="%",
                least=_BUSY_GOAL_PERCENT if workers == _WORKERS else None,
            )
        )
    return found


def main(arguments: Sequence[str]) -> int:
    """Measures, computes, and says what came out; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cells", type=int, default=1000, metavar="N")
    parser.add_argument("--record", action="store_const", const=RECORDED, help="keep the figures")
    told = parser.parse_args(arguments)
    quiet()
    with tempfile.TemporaryDirectory() as name:
        real, packing = real_record_seconds(Path(name))
        costs, rate = measure(Path(name), told.cells)
    found = benchmark("machines", told.cells, figures(costs, rate, real, packing))
    return conclude(found, told.record)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
