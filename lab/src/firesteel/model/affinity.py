# SPDX-License-Identifier: Apache-2.0
"""Affinity: which CPUs of the measured board do which part of the work."""

from typing import Annotated

from pydantic import AfterValidator, Field

from firesteel.base.schema import Table, pattern

ALL = "all"
"""All CPUs of the board, also where a sweep varies how many these are."""

_LIST = pattern(
    rf"^({ALL}|[0-7](-[0-7])?(,[0-7](-[0-7])?)*)$",
    f'CPUs as Linux lists them, such as "0", "0-1" or "0,2", or "{ALL}"',
)


def cpus_of(listed: str) -> list[int]:
    """The CPUs of a list; a range that ends before it begins is empty."""
    found = set()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return sorted(found)


def _shortest(listed: str) -> str:
    """The list as Linux prints it, so that one set of CPUs makes one cell."""
    if listed == ALL:
        return listed
    for part in listed.split(","):
        if not cpus_of(part):
            raise ValueError(f"the range {part} ends before it begins; allowed is a rising range")
    cpus = cpus_of(listed)
    firsts = [cpu for cpu in cpus if cpu - 1 not in cpus]
    lasts = [cpu for cpu in cpus if cpu + 1 not in cpus]
    return ",".join(
        f"{first}-{last}" if last > first else str(first)
        for first, last in zip(firsts, lasts, strict=True)
    )


CpuList = Annotated[str, Field(pattern=_LIST), AfterValidator(_shortest)]
"""CPUs, as `/sys/devices/system/cpu/online` lists them, or `all`."""


class Affinity(Table):
    """Members that are left out keep Linux's defaults without irqbalance: interrupts on CPU 0,
    packets on the CPU of their interrupt, programs on any CPU.
    """

    irq: CpuList | None = None
    """CPUs for interrupts from the network and the cores (`/proc/irq/default_smp_affinity`). The
    first CPU takes all interrupts.
    """
    rps: CpuList | None = None
    """CPUs on which the network stack processes received packets (`rps_cpus`)."""
    taskset: CpuList | None = None
    """CPUs on which all programs of the board run."""

    @property
    def given(self) -> dict[str, str]:
        """The settings that are made, by name."""
        return {name: listed for name, listed in self if listed is not None}

    @property
    def text(self) -> str:
        """The text for columns: `irq 0 taskset 1`; empty if nothing is set."""
        return " ".join(f"{name} {listed}" for name, listed in self.given.items())
