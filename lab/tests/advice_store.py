# SPDX-License-Identifier: Apache-2.0
"""A store with runs whose figures a test has chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_runner import HASH, versions_of
from made_up import put, record_of

from firesteel.base.envelope import digest
from firesteel.boards.profile import Clock
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.store.journal import Entry, Journal
from firesteel.store.store import Store
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.registry import parameter_of
from firesteel.workloads.transfer import TransferPlan
from firesteel.workloads.workload import rows

Named = tuple[str, str, str, str]
"""Experiment, parameter, metric and unit."""

RTT: Named = ("ping", "56 B", "rtt_mean", "ms")
LONG_RTT: Named = ("ping", "1000 B", "rtt_mean", "ms")
RATE: Named = ("file-transfer", "16 MiB", "throughput", "MB/s")
CPU: Named = ("file-transfer", "16 MiB", "cpu", "percent of the loaded core")
CPU_TIME: Named = ("file-transfer", "16 MiB", "cpu_seconds_per_mb", "s/MB")


@dataclass
class Runs:
    """Runs in a store, each a minute later than the one before."""

    store: Store
    count: int = field(default=0)

    def add(
        self,
        *measured: tuple[Cell, Mapping[Named, float]],
        qemu: str = HASH,
        failed: tuple[Cell, ...] = (),
        uncertainty: Mapping[Named, float] | None = None,
        packages: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> str:
        """A run with these cells and their figures, and cells that failed; its name.

        `uncertainty` is half of a figure's own interval, in all cells; `packages` are the guest's.
        With a `clock`, boards have it instead of their own.
        """
        self.count += 1
        journal = Journal(
            name=f"2026-11-22-test-{self.count}",
            experiment="test",
            title="t",
            quick=True,
            started=f"2026-11-22T00:{self.count:02}:00+00:00",
            entries=[
                self._entry(cell, figures, qemu, uncertainty or {}, packages or {}, clock)
                for cell, figures in measured
            ]
            + [
                Entry(cell=cell, key="0" * 64, state="failed", problem="It broke.\nlog")
                for cell in failed
            ],
        )
        self.store.save(journal)
        return journal.name

    def _entry(
        self,
        cell: Cell,
        figures: Mapping[Named, float],
        qemu: str,
        uncertainty: Mapping[Named, float],
        packages: Mapping[str, str],
        clock: Clock | None,
    ) -> Entry:
        made = _figures(cell, figures, uncertainty)
        versions = versions_of(cell, qemu)
        if packages:
            versions = versions.model_copy(update={"image": digest(dict(packages))})
        record = record_of(cell, versions, made, packages)
        put(self.store, record, clock)
        return Entry(cell=cell, key=record.key, state="done", seconds=1.0)


def cell(implementation: str = "software", **changes: Any) -> Cell:
    """OpenVPN with AES-256-CBC and SHA-256, if nothing else is said."""
    given: dict[str, Any] = {
        "topology": "host-host",
        "profiles": {"board": "socrates", "peer": "peer"},
        "measured": "board",
        "protocol": "openvpn",
        "cipher": "aes-256-cbc",
        "mac": "sha256",
        "implementation": implementation,
        "completion": "adaptive" if implementation == "hardware" else None,
        "ping": PingPlan(sizes=(56, 1000), count=10),
        "transfer": TransferPlan(size=16 << 20),
    }
    return Cell(**(given | changes))


def _figures(
    of: Cell, named: Mapping[Named, float], uncertainty: Mapping[Named, float]
) -> tuple[Figure, ...]:
    return tuple(
        figure.model_copy(
            update={"uncertainty": uncertainty.get((experiment, parameter, metric, unit))}
        )
        for (experiment, parameter, metric, unit), value in named.items()
        for figure in rows(of, experiment, parameter_of(experiment, parameter), [(metric, value)])
    )
