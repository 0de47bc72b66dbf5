# SPDX-License-Identifier: Apache-2.0
"""Where the time of a window went: the marks around it say how long the processor computed, waited
for registers and slept, and a profile what it computed.

A profile counts instructions.  Where the board's clock counts cycles, these take different times,
and the parts of what was computed are no more than shares of its instructions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firesteel.board.result import TopologyRun
from firesteel.profiling.document import Profile
from firesteel.profiling.layers import REST, Layer
from firesteel.protocols.window import busy_between, mark_of
from firesteel.store.store import Store

_PARTS: Mapping[str, tuple[Layer, ...]] = {
    "cryptography": ("libcrypto", "provider", "libfiresteel", "kernel crypto", "driver"),
    "network": ("kernel network",),
    "file system": ("file system",),
    "programs": ("application", "libc and other libraries"),
    "rest of the kernel": ("interrupt", REST),
}

_LAYER = 1
"""Of a stack's frames."""

REGISTERS, IDLE = "registers", "idle"

PARTS = (*_PARTS, REGISTERS, IDLE)
"""In the order in which they are shown.  `registers` is what the processor waited for slow device
registers, `idle` when it slept: the link, another node or a core had work to do.
"""

ESTIMATED = (
    "parts of what was computed are estimates, by instructions, which take different times where "
    "the clock counts cycles"
)
"""What is said of a `Spent` that is not exact, in words that begin small."""


@dataclass(frozen=True)
class Spent:
    """The seconds of a profile's window by `PARTS`, all together `elapsed`; whether they are
    `exact`, or what was computed is divided by instructions that take different times.
    """

    profile: Profile
    seconds: Mapping[str, float]
    exact: bool = True

    @property
    def elapsed(self) -> float:
        """From the window's beginning to its end."""
        return sum(self.seconds.values())


def spents_of(store: Store, profiles: Iterable[Profile]) -> list[Spent]:
    """Of the profiles whose records tell of their windows, which the oldest do not.

    Raises `FiresteelError` when a record is damaged.
    """
    runs = ((profile, store.observations(profile.key)) for profile in profiles)
    return [spent(profile, run) for profile, run in runs if _has_window(run, profile)]


def _has_window(run: TopologyRun, profile: Profile) -> bool:
    return any(mark.name == f"{profile.window}.end" for mark in run.nodes[profile.node].marks)


def spent(profile: Profile, run: TopologyRun) -> Spent:
    """Where the time of the run went that was profiled.

    Raises `CellFailure` when the run has no such window.
    """
    node = run.nodes[profile.node]
    first, last = (mark_of(node, f"{profile.window}.{which}") for which in ("begin", "end"))
    idle, stalled = last.idle_ns - first.idle_ns, last.stalled_ns - first.stalled_ns
    computed = busy_between(first, last) - stalled
    counts = profile.totals(_LAYER)
    seconds = {
        part: computed * _share(profile, sum(counts[(layer,)] for layer in layers)) / 1e9
        for part, layers in _PARTS.items()
    }
    exact = node.profile.cpu.clock == "flat"
    return Spent(profile, seconds | {REGISTERS: stalled / 1e9, IDLE: idle / 1e9}, exact)


def _share(profile: Profile, instructions: int) -> float:
    return instructions / (profile.instructions or 1)
