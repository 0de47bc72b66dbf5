# SPDX-License-Identifier: Apache-2.0
"""Cores that are reset or lose power while programs use them, on PCI and from the device tree.

A program (guest/aimed/) sends requests of every kind through libfiresteel, by each way of waiting,
to cores that each fail in their own way: between register accesses or at any moment of an
operation, for a nanosecond (a reset) to a millisecond.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from bench import Bench, on_flat
from library_program import build_library_program
from uio_scenes import LOAD, TELL, Played

from firesteel.boards.cores import Cores, Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

pytestmark = pytest.mark.thorough

_FROM_MS = 10_000
"""The board is up by then, and the program knows the right answers."""

_ROUNDS = 8

Bus = Literal["pci", "sysbus"]


@dataclass(frozen=True)
class Target:
    """A core, as the guest's program calls it, and how it fails: a window of it for each fault."""

    core: str
    window: Cores
    faults: tuple[Fault, ...]

    def board(self, bus: Bus) -> Profile:
        cores = tuple(
            self.window.model_copy(update={"name": f"core{i}", "bus": bus, "faults": (fault,)})
            for i, fault in enumerate(self.faults)
        )
        return on_flat("socrates").model_copy(update={"cores": cores})


PUBLIC_KEY = Target(
    "public-key",
    Cores(name="core", pk=True, pk_multipliers=256, timing=Timing(clock_hz=1_000_000_000)),
    (
        Fault(kind="gone", accesses=160, for_ns=1, from_ms=_FROM_MS),
        Fault(kind="gone", accesses=200, for_ns=30_000, from_ms=_FROM_MS),
        Fault(kind="gone", rate=1, within_ns=400_000, for_ns=1_000, from_ms=_FROM_MS),
        Fault(kind="gone", rate=2, within_ns=50_000, for_ns=1_000_000, from_ms=_FROM_MS),
    ),
)
CRYPTOMASTER = Target(
    "cryptomaster",
    Cores(name="core", aes=True, hash=True),
    (
        Fault(kind="gone", accesses=30, for_ns=1, from_ms=_FROM_MS),
        Fault(kind="gone", accesses=40, for_ns=30_000, from_ms=_FROM_MS),
        Fault(kind="gone", rate=3, within_ns=8_000, for_ns=1_000, from_ms=_FROM_MS),
        Fault(kind="gone", rate=2, within_ns=20_000, for_ns=1_000_000, from_ms=_FROM_MS),
    ),
)

_BEGIN = "mount -t debugfs none /sys/kernel/debug\n"
_END = "dmesg | probe data dmesg\n"

_NAMES = tuple(f"aimed-{i}" for i in range(4))


def _shoot(core: str) -> str:
    """Shell lines that start the program on all windows at once, so that each knows the right
    answers in time.
    """
    return "".join(
        f"/job/aimed uio{i} {core} {_ROUNDS} {_FROM_MS} >/run/{name} 2>&1 &\n"
        for i, name in enumerate(_NAMES)
    )


_SHOW = "wait\n" + "".join(f"probe data {name} /run/{name}\n" for name in _NAMES)


@pytest.mark.parametrize("target", [PUBLIC_KEY, CRYPTOMASTER], ids=lambda target: target.core)
@pytest.mark.parametrize("bus", ["pci", "sysbus"])
def test_no_answer_is_wrong(bench: Bench, tmp_path: Path, bus: Bus, target: Target) -> None:
    products = Products()
    cases = ("tests/aimed-cases.c", "tests/aimed-messages.c")
    files = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/aimed": JobFile(build_library_program(products, "aimed", tmp_path, cases), 0o755),
    }
    load = LOAD.format(options="user=all")
    run = bench.run(
        load_topology("one-board"),
        {"board": _BEGIN + load + _shoot(target.core) + _SHOW + TELL + _END},
        {"board": files},
        {"board": target.board(bus)},
    )
    played = Played(run)
    for name in _NAMES:
        lines = played.lines(name)
        print(f"{name}:", *lines, sep="\n")
        assert [line for line in lines if not line.startswith(("#", "ok "))] == []
        assert lines[-1] == "ok aimed has ended"
        assert tally(lines, "answered") > 100
        assert tally(lines, "withheld") > 100
    for window in target.board(bus).cores:
        assert played.cores(window.name)["fault_gone"] > 100
    played.assert_quiet()


def tally(lines: list[str], word: str) -> int:
    """What the program counted, over all ways of waiting."""
    words = [line.replace(",", "").split() for line in lines if word in line]
    return sum(int(line[line.index(word) - 1]) for line in words)
