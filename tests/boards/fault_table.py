# SPDX-License-Identifier: Apache-2.0
"""What came of cells of fault × outcome, as rows; what is wrong with one; and the table of all."""

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Self

from fault_cells import MEASURES, Outcome
from pydantic import BaseModel, ConfigDict

from firesteel.boards.cores import Fault

NOTICED_AS: Mapping[str, tuple[str, ...]] = {
    "dma-error": ("bus-errors",),
    "wrong-tag": (),
    "stuck-busy": ("time-outs",),
    "lost-interrupt": ("lost",),
    "spurious-interrupt": ("idle",),
    "late": ("time-outs",),
    "flipped-bit": ("wrong-results",),
    "gone": ("vanished",),
}
"""The driver's counters that tell of each kind of fault; () where it cannot know."""

_NEVER_LATE = 1000
"""Times as long that a job may take before the driver's time-out is over."""

_SOME_TO_DISKS = 20
"""Bits that were flipped of which some are a disk's, where `verify` sees them.  What a tag protects
is noticed by it, often at the other end."""

_BACK_TO_NORMAL = 0.95
"""Of the throughput without a fault.  A disk's differs by 2 % between boards that did other work
before (185 to 189 ms for the same bytes); software's is a fraction."""

_MEMORY_KIB = {"MemFree": -1024, "SUnreclaim": 256}
"""How much less or more memory there may be after the driver has gone; a device has 2 MiB."""


class Row(BaseModel):
    """One cell's outcome; rates in MB/s of virtual time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: Fault | None
    verify: bool
    struck: int
    struck_later: int
    noticed: int
    served: dict[str, int]
    hardware: int
    failed: int
    out_of_service: int
    warnings: int
    files: int
    files_spoilt: int
    disk_files: int
    disk_files_spoilt: int
    during_ipsec: float
    during_disks: float
    after: dict[str, float]
    memory: dict[str, int]
    reports: tuple[str, ...]

    @classmethod
    def of(cls, outcome: Outcome, verify: bool) -> Self:
        """The row of a cell that was run."""
        fault = outcome.fault
        counters = NOTICED_AS[fault.kind] if fault else ()
        during_ipsec, during_disks = outcome.during()
        return cls(
            fault=fault,
            verify=verify,
            struck=outcome.struck,
            struck_later=outcome.struck_later,
            noticed=sum(outcome.queues[name] for name in counters),
            served=outcome.served,
            hardware=outcome.ways("hardware"),
            failed=outcome.ways("failed"),
            out_of_service=outcome.ways("software-out-of-service"),
            warnings=outcome.warnings,
            files=outcome.files[0],
            files_spoilt=outcome.files[1],
            disk_files=outcome.disks[0],
            disk_files_spoilt=outcome.disks[1],
            during_ipsec=during_ipsec,
            during_disks=during_disks,
            after={name: outcome.throughput(name) for name in MEASURES},
            memory={name: outcome.memory(name) for name in _MEMORY_KIB},
            reports=tuple(outcome.reports),
        )

    @property
    def unseen(self) -> bool:
        """Whether the fault changes results, and nothing but `verify` tells the driver so."""
        return self.fault is not None and self.fault.kind == "flipped-bit" and not self.verify

    def recovered(self, without: "Row") -> float:
        """The least of all throughputs after the fault, as a part of that without a fault."""
        return min(self.after[name] / without.after[name] for name in MEASURES)

    def wrong(self, without: "Row") -> list[str]:
        """What should not be, a clause each; `without` is the row without a fault."""
        found = [f"the kernel reports: {report}" for report in self.reports]
        if self.files_spoilt:
            found.append(f"{self.files_spoilt} files were spoilt over IPsec")
        if self.disk_files_spoilt and not self.unseen:
            found.append(f"{self.disk_files_spoilt} files were spoilt on a disk")
        if self.fault is not None and not self.struck:
            found.append("the fault never struck")
        found += [
            f"the core served no {name}" for name, served in self.served.items() if not served
        ]
        if not self.files or not self.disk_files:
            found.append("nothing went over IPsec or to a disk")
        if self.struck_later:
            found.append(f"the fault struck {self.struck_later} times after its time")
        if self.recovered(without) < _BACK_TO_NORMAL:
            found.append(f"throughput came back to {self.recovered(without):.1%} alone")
        found += self._untold()
        for name, limit in _MEMORY_KIB.items():
            more = self.memory[name] - without.memory[name]
            if more < limit if limit < 0 else more > limit:
                found.append(f"{name} differs by {more} KiB")
        return found

    def _untold(self) -> list[str]:
        """A clause, if the driver's statistics say nothing of a fault that it must have noticed."""
        if self.fault is None or not self.struck or not NOTICED_AS[self.fault.kind]:
            return []
        if self.unseen or (self.fault.kind == "flipped-bit" and self.struck < _SOME_TO_DISKS):
            return []
        if self.fault.kind == "late" and (self.fault.factor or 0) < _NEVER_LATE:
            return []
        return [] if self.noticed else ["the driver's statistics do not tell of the fault"]


_HEAD = (
    *("fault", "one in", "struck", "noticed", "failed", "software"),
    *("IPsec intact", "IPsec corrupted", "disks intact", "disks corrupted"),
    *("IPsec MB/s", "disks MB/s", "afterwards"),
)


def _line(row: Row, without: Row) -> tuple[str | int, ...]:
    fault = row.fault
    name: str = fault.kind if fault else "none"
    name += f", {fault.factor:,} times" if fault and fault.factor else ""
    name += ", verify=1" if row.verify else ""
    counter = bool(fault and NOTICED_AS[fault.kind])
    total = row.hardware + row.out_of_service
    return (
        *(name, fault.rate or "" if fault else "", row.struck, row.noticed if counter else ""),
        *(row.failed, f"{row.out_of_service / total:.0%}"),
        *(row.files, row.files_spoilt, row.disk_files, row.disk_files_spoilt),
        *(f"{row.during_ipsec:.1f}", f"{row.during_disks:.1f}", f"{row.recovered(without):.1%}"),
    )


def table(rows: Iterable[Row], without: Mapping[bool, Row]) -> str:
    """CSV, a line for each row; `without` has those without a fault, by `verify`."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows(_line(row, without[row.verify]) for row in rows)
    return text.getvalue()
