# SPDX-License-Identifier: Apache-2.0
"""A runner that makes figures up instead of running boards: always the same for the same cell.

Figures of other seeds than 1 are up to half a percent off.  All are multiplied by `factor`.
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from made_up import run_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Clock
from firesteel.boards.result import TopologyRun
from firesteel.judge.compare import load_published
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.run.loop import Cancelled
from firesteel.store.record import Inputs, Versions
from firesteel.store.setup import Setup
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.transfer import TransferPlan
from firesteel.workloads.workload import rows

HASH = hashlib.sha256(b"a product").hexdigest()
CLASSES = (
    *(
        Parameter(class_bytes=low, class_bytes_most=2 * low - 1)
        for low in (20, 40, 80, 160, 320, 640, 1280)
    ),
    Parameter(class_bytes=2560),
)


def versions_of(cell: Cell, qemu: str = HASH, boards: str = HASH) -> Versions:
    """Versions of a cell's inputs: all cells are sent different jobs, the same on all boards."""
    nowhere: dict[str, object] = {"profiles": {}, "topology": "", "link_rate_bit_s": None}
    jobs = _hash(cell.model_copy(update=nowhere).model_dump_json())
    place = _hash(boards + "".join((*cell.profiles.values(), cell.topology, cell.link)))
    return Versions(qemu=qemu, kernel=HASH, image=HASH, boards=place, commands=HASH, jobs=jobs)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class FakeRunner:
    """Notes what it measured; `fail` names labels of cells that fail, all seeds or the one behind
    the label; `before` runs before each; boards have their own clocks or that one.
    """

    def __init__(
        self,
        fail: Sequence[str] = (),
        before: Callable[[Cell, threading.Event], None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.fail = fail
        self.before = before
        self.clock = clock
        self.prepared = 0
        self.measured: list[str] = []
        self.qemu = HASH
        self.boards = HASH
        self.factor = 1.0
        self._lock = threading.Lock()
        self._published = load_published()

    def prepare(self, cells: Sequence[Cell]) -> None:
        self.prepared += len(cells)

    def inputs(self, cell: Cell) -> Inputs:
        versions = versions_of(cell, qemu=self.qemu, boards=self.boards)
        return Inputs(cell=cell, versions=versions)

    def packages(self) -> dict[str, str]:
        return {"openvpn": "2.6.14-1", "strongswan-swanctl": "6.0.1-6", "linux-image": "6.12.107"}

    def measure(self, cell: Cell, logs: Path, cancel: threading.Event) -> TopologyRun:
        logs.mkdir(parents=True)
        (logs / "console").write_text("booting\n")
        if self.before:
            self.before(cell, cancel)
        if cancel.is_set():
            raise Cancelled
        with self._lock:
            self.measured.append(cell.label)
        if {cell.label, f"{cell.label} {cell.seed}"} & set(self.fail):
            raise FiresteelError("Node `board` failed: its tunnel carried nothing.\nlast line")
        figures = self._ping(cell) + self._transfer(cell)
        trace = hashlib.sha256(f"{cell.label} {cell.seed}".encode()).hexdigest()
        return run_of(cell, figures, {"tunnel_bytes": 123}, trace, self._setup(cell), self.clock)

    def _setup(self, cell: Cell) -> Setup | None:
        """The boards that it was measured on; those of the checkout if None."""

    def _near(self, cell: Cell, experiment: str, metric: str, parameter: str) -> float:
        """A value up to a fifth off the published one, or off a plain guess."""
        configuration = (cell.protocol, cell.cipher, cell.mac, cell.implementation)
        found = (
            each.result.value
            for each in self._published
            for of in (each.result.identity,)
            if (of.workload, each.result.metric) == (experiment, metric)
            and (of.protocol, of.cipher, of.mac, of.implementation) == configuration
            and (each.result.at == parameter or experiment == "file-transfer")
        )
        guess = {"rtt_mean": 2.5, "throughput": 6.0, "cpu": 80.0}[metric]
        value = next(found, guess)
        seed = hashlib.sha256(f"{cell.label}{metric}{parameter}".encode()).digest()[0]
        other = hashlib.sha256(f"{metric}{parameter}{cell.seed}".encode()).digest()[0] / 255
        chance = 0.0 if cell.seed == 1 else 0.01 * (other - 0.5)
        return float(value) * (0.8 + 0.4 * seed / 255) * (1 + chance) * self.factor

    def _ping(self, cell: Cell) -> list[Figure]:
        figures: list[Figure] = []
        pings = cell.plan(PingPlan)
        for size in pings.sizes if pings else ():
            mean = self._near(cell, "ping", "rtt_mean", f"{size} B")
            spread = {"rtt_mean": 1.0, "rtt_p50": 0.98, "rtt_p90": 1.1, "rtt_p99": 1.4}
            values = [(metric, round(mean * factor, 4)) for metric, factor in spread.items()]
            figures += rows(cell, "ping", Parameter(size_bytes=size), values)
        return figures

    def _transfer(self, cell: Cell) -> list[Figure]:
        transfer = cell.plan(TransferPlan)
        if not transfer:
            return []
        size = f"{transfer.size >> 20} MiB"
        beginning = transfer.steady_from or 0
        rate = self._near(cell, "file-transfer", "throughput", size)
        cpu = min(100.0, self._near(cell, "file-transfer", "cpu", size))
        values = [
            ("throughput", rate),
            ("cpu", cpu),
            ("cpu_user", cpu * 0.4),
            ("cpu_system", cpu * 0.3),
            ("cpu_softirq", cpu * 0.25),
            ("cpu_irq", cpu * 0.05),
            ("cpu_seconds_per_mb", cpu / 100 / rate),
            ("context_switches", 12345),
            ("interrupts", 23456),
            ("packets_sent", 5912),
            ("packets_received", 11873),
            ("transferred", (transfer.size - beginning) / (1 << 20)),
        ]
        values = [(metric, round(value, 4)) for metric, value in values]
        figures = rows(cell, "file-transfer", Parameter(file_bytes=transfer.size), values)
        shares = (0, 0.02, 33.1, 0.01, 0.01, 0.01, 66.8, 0.05)
        for each, share in zip(CLASSES, shares, strict=True):
            figures += rows(cell, "packet-sizes", each, [("frequency", share)])
        return figures
