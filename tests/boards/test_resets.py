# SPDX-License-Identifier: Apache-2.0
"""Cores that are reset or lose power while programs use them, on PCI and from the device tree.

A program (guest/aimed/) sends requests of every kind through libfiresteel, by each way of waiting,
to public-key engines that each fail in their own way: between register accesses or at any moment
of an operation, for a nanosecond (a reset) to a millisecond.
"""

from pathlib import Path
from typing import Literal

import pytest
from bench import Bench
from library_program import build_library_program
from uio_scenes import LOAD, TELL, Played

from firesteel.board.cores import Cores, Fault, Timing
from firesteel.board.job import JobFile
from firesteel.board.profile import Profile, load_profile
from firesteel.board.topology import load_topology
from firesteel.build.products import Products

_FROM_MS = 10_000
"""The board is up by then, and the program knows the right answers."""

_ROUNDS = 8

_FAULTS = (
    Fault(kind="gone", accesses=100, for_ns=1, from_ms=_FROM_MS),
    Fault(kind="gone", accesses=200, for_ns=30_000, from_ms=_FROM_MS),
    Fault(kind="gone", rate=1, within_ns=400_000, for_ns=1_000, from_ms=_FROM_MS),
    Fault(kind="gone", rate=2, within_ns=50_000, for_ns=1_000_000, from_ms=_FROM_MS),
)

_BEGIN = "mount -t debugfs none /sys/kernel/debug\n"
_END = "dmesg | probe data dmesg\n"

_SHOOT = "".join(
    f"/job/aimed uio{i} {_ROUNDS} {_FROM_MS} >/run/aimed-{i} 2>&1 &\n" for i in range(len(_FAULTS))
)
"""All at once, so that each knows the right answers in time."""

_SHOW = "wait\n" + "".join(f"probe data aimed-{i} /run/aimed-{i}\n" for i in range(len(_FAULTS)))


def failing_board(bus: Literal["pci", "sysbus"]) -> Profile:
    """A board with an engine for each fault."""
    timing = Timing(clock_hz=1_000_000_000)
    cores = tuple(
        Cores(name=f"pk{i}", bus=bus, pk=True, pk_multipliers=256, timing=timing, faults=(fault,))
        for i, fault in enumerate(_FAULTS)
    )
    return load_profile("socrates").model_copy(update={"cores": cores})


@pytest.mark.parametrize("bus", ["pci", "sysbus"])
def test_no_answer_is_wrong(bench: Bench, tmp_path: Path, bus: Literal["pci", "sysbus"]) -> None:
    products = Products()
    aimed = build_library_program(products, "aimed", tmp_path, ("tests/aimed-cases.c",))
    files = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/aimed": JobFile(aimed, 0o755),
    }
    whole = _BEGIN + LOAD.format(options="") + _SHOOT + _SHOW + TELL + _END
    run = bench.run(
        load_topology("one-board"),
        {"board": whole},
        {"board": files},
        {"board": failing_board(bus)},
    )
    played = Played(run)
    for i in range(len(_FAULTS)):
        lines = played.lines(f"aimed-{i}")
        print(f"pk{i}, {played.cores(f'pk{i}')['fault_gone']} times gone:", *lines, sep="\n")
        assert [line for line in lines if not line.startswith(("#", "ok "))] == []
        assert lines[-1] == "ok aimed has ended"
        assert tally(lines, "answered") > 100
        assert tally(lines, "withheld") > 100
        assert played.cores(f"pk{i}")["fault_gone"] > 100
    played.assert_quiet()


def tally(lines: list[str], word: str) -> int:
    """What the program counted, over all ways of waiting."""
    words = [line.replace(",", "").split() for line in lines if word in line]
    return sum(int(line[line.index(word) - 1]) for line in words)
