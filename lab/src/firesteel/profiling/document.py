# SPDX-License-Identifier: Apache-2.0
"""A profile: how many instructions a cell's measured node spent where, and its file.

    STORE/runs/RUN/profiles/KEY.json            of the cell's main window
    STORE/runs/RUN/profiles/KEY-WINDOW.json     of another

KEY is the address of the cell's record.

It is a function of the record's inputs and the window, as the record is of its inputs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import NonNegativeInt, PositiveInt

from firesteel.base.envelope import Kind, read_text
from firesteel.base.files import write_whole
from firesteel.base.toml import Table
from firesteel.boards.result import TopologyRun
from firesteel.profiling.symbols import REST, Frames, Layer
from firesteel.protocols.window import busy_between, mark_of
from firesteel.store.store import Store

FORMAT = 1
"""The version of the file's format that this code writes and reads."""

_COMPLETION = re.compile(r" (irq|poll)(?= at | \[|$)")

_KIND = Kind("profile", FORMAT, "`firesteel profile --fresh` makes it again")


class Stack(Table):
    """Instructions of one place; `frames` are process, layer, object and function."""

    frames: tuple[str, str, str, str]
    instructions: PositiveInt


class Profile(Table):
    """One cell's profile in one window.

    `cell` is its label, `key` its record's address, `node` the measured one.  `instructions` are
    the sum of all stacks' and what the node's clock counted in the window.
    """

    cell: str
    key: str
    implementation: str
    node: str
    window: str
    instructions: NonNegativeInt
    stacks: tuple[Stack, ...]

    @property
    def configuration(self) -> str:
        """The cell's label without implementation and completion: the common part of profiles in
        software and in hardware.
        """
        label = self.cell.replace(f" {self.implementation}", "", 1)
        return _COMPLETION.sub("", label)

    def to_json(self) -> str:
        """The profile's file, to the byte."""
        content = {"format": FORMAT, **self.model_dump(mode="json")}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Profile":
        """The profile in `text`, read from `where`.

        Raises `FiresteelError` when it is damaged or was written by a newer Firesteel.
        """
        profile = _KIND.validate(_KIND.load(text, where), Profile, where)
        if sum(stack.instructions for stack in profile.stacks) != profile.instructions:
            raise _KIND.damaged(where, "its stacks are not its sum")
        return profile

    def totals(self, *frames: int) -> Counter[tuple[str, ...]]:
        """Instructions by some of the frames, by their numbers: 1 for the layer."""
        found: Counter[tuple[str, ...]] = Counter()
        for stack in self.stacks:
            found[tuple(stack.frames[number] for number in frames)] += stack.instructions
        return found


def stacks_of(named: Counter[Frames]) -> tuple[Stack, ...]:
    """The stacks of a profile: the largest first, equal ones by name."""
    stacks = [Stack(frames=each, instructions=count) for each, count in named.items()]
    return tuple(sorted(stacks, key=lambda stack: (-stack.instructions, stack.frames)))


def profile_path(store: Store, run: str, key: str, window: str, main: str) -> Path:
    """Where the profile of a window is, or would be; `main` is the cell's main window."""
    name = key if window == main else f"{key}-{window}"
    return store.runs / run / "profiles" / f"{name}.json"


def load(path: Path) -> Profile | None:
    """The profile in a file; None if there is none.

    Raises `FiresteelError` when it is damaged, of another format or not to be read.
    """
    text = read_text(path)
    return None if text is None else Profile.from_json(text, str(path))


def save(path: Path, profile: Profile) -> None:
    """Writes a profile's file, whole or not at all."""
    write_whole(path, profile.to_json().encode())


def folded(profiles: Iterable[Profile]) -> str:
    """Stacks a line each, as programs that draw flame graphs read them: `a;b;c 12`."""
    return "".join(
        f"{';'.join(frame.replace(';', ',') for frame in (profile.cell, *stack.frames))} "
        f"{stack.instructions}\n"
        for profile in profiles
        for stack in profile.stacks
    )


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
        """From the window's beginning to its end; of several CPUs the sum over all."""
        return sum(self.seconds.values())


def spents_of(store: Store, profiles: Iterable[Profile]) -> list[Spent]:
    """Profiles whose records describe their windows; the oldest records do not.

    Raises `FiresteelError` when a record is damaged.
    """
    runs = ((profile, store.observations(profile.key)) for profile in profiles)
    return [
        spent(profile, run)
        for profile, run in runs
        if any(mark.name == f"{profile.window}.end" for mark in run.nodes[profile.node].marks)
    ]


def spent(profile: Profile, run: TopologyRun) -> Spent:
    """Where the time of the run went that was profiled.

    Raises `CellFailure` when the run has no such window.
    """
    node = run.nodes[profile.node]
    first, last = (mark_of(node, f"{profile.window}.{which}") for which in ("begin", "end"))
    idle, stalled = last.idle_ns - first.idle_ns, last.stalled_ns - first.stalled_ns
    computed = busy_between(first, last) - stalled
    counts, whole = profile.totals(_LAYER), profile.instructions or 1
    seconds = {
        part: computed * (sum(counts[(layer,)] for layer in layers) / whole) / 1e9
        for part, layers in _PARTS.items()
    }
    exact = node.profile.cpu.clock == "flat"
    return Spent(profile, seconds | {REGISTERS: stalled / 1e9, IDLE: idle / 1e9}, exact)
