# SPDX-License-Identifier: Apache-2.0
"""A disk in virtual time: what is written comes back, requests take what was designed to the
nanosecond, and neither the host's load nor a snapshot moves anything, also with several CPUs.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import Bench, KeptRun, assert_equal_runs, other_load

from firesteel.boards.command import Snapshots
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile, Storage, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

READ, WRITE, LATENCY = 20_000_000, 7_000_000, 300_000
"""Bytes per second, and ns."""

KIB = 1024

WORK = f"""
set -e
insmod /job/virtio_blk.ko
cat /sys/block/vda/size /sys/block/vda/queue/write_cache | probe data disk
window() {{
    name=$1
    shift
    probe mark "$name.begin"
    "$@"
    probe mark "$name.end"
}}
head -c {1024 * KIB} /dev/urandom >/run/file
window write dd if=/run/file of=/dev/vda bs=64k oflag=direct
window read dd if=/dev/vda of=/run/back bs=64k count=16 iflag=direct
window odd dd if=/dev/vda of=/run/odd bs=4k skip=100 count=3 iflag=direct
same() {{
    [ "$(sha256sum <"$1")" = "$(sha256sum <"$2")" ]
}}
same /run/file /run/back
window both sh -c '
    dd if=/dev/vda of=/run/1 bs=4k count=64 iflag=direct &
    dd if=/dev/vda of=/run/2 bs=4k count=64 skip=64 iflag=direct &
    wait'
head -c {512 * KIB} /run/file >/run/half
cat /run/1 /run/2 >/run/both
same /run/half /run/both
"""


def board(queue_depth: int, cpus: int = 1) -> Profile:
    """A board with a disk of 8 MiB."""
    disk = Storage.model_validate(
        {
            "mebibytes": 8,
            "read_byte_s": READ,
            "write_byte_s": WRITE,
            "latency_ns": LATENCY,
            "queue_depth": queue_depth,
        }
    )
    flat = load_profile("socrates").on_clock("flat")
    cpu = flat.cpu.model_copy(update={"count": cpus})
    made = flat.model_copy(update={"cpu": cpu, "storage": disk, "cores": ()})
    return made.on_clock("cycles")


def run(bench: Bench, profile: Profile) -> KeptRun:
    """The board does `WORK`."""
    module = Products().artifact("virtio-blk").file.read_bytes()
    files = {"board": {"/job/virtio_blk.ko": JobFile(module)}}
    return bench.run(load_topology("one-board"), {"board": WORK}, files, {"board": profile})


def growth(kept: KeptRun, window: str) -> Mapping[str, int]:
    """What the disk counted, and the board's times."""
    node = kept.run.nodes["board"]
    begin, end = (node.mark(f"{window}.{side}") for side in ("begin", "end"))
    counted = {
        name: count - begin.cores["storage"][name] for name, count in end.cores["storage"].items()
    }
    return {
        **counted,
        "elapsed": end.time_ns - begin.time_ns,
        "idle": end.idle_ns - begin.idle_ns,
    }


def designed(requests: int, size: int, rate: int) -> int:
    """The ns of requests of so many bytes, one after the other."""
    return requests * (LATENCY - -size * 10**9 // rate)


@pytest.mark.parametrize(("queue_depth", "cpus"), [(1, 1), (32, 2)])
def test_requests_take_their_time_to_the_nanosecond(
    bench: Bench, queue_depth: int, cpus: int
) -> None:
    quiet = run(bench, board(queue_depth, cpus))
    assert quiet.text("board", "disk").split() == [str(8 * 2048), "write", "through"]
    alone = {
        "write": ("writes", "written_bytes", 16, 64 * KIB, WRITE),
        "read": ("reads", "read_bytes", 16, 64 * KIB, READ),
        "odd": ("reads", "read_bytes", 3, 4 * KIB, READ),
    }
    for window, (number, count, requests, size, rate) in alone.items():
        found = growth(quiet, window)
        assert (found[number], found[count]) == (requests, requests * size), window
        assert found["busy_ns"] == designed(requests, size, rate), window
        assert found["late_ns"] < 1000 * requests
        assert found["busy_ns"] < found["elapsed"]
    # Two programs together: only a disk with a queue has their latencies at once.
    both, one_by_one = growth(quiet, "both"), designed(128, 4 * KIB, READ)
    assert both["read_bytes"] == 512 * KIB
    assert (both["elapsed"] > one_by_one) == (queue_depth == 1)
    with other_load():
        assert_equal_runs(run(bench, board(queue_depth, cpus)), quiet)


def test_a_snapshot_moves_nothing(bench: Bench, tmp_path: Path) -> None:
    booted = run(bench.with_snapshots(None), board(4))
    warm = bench.with_snapshots(Snapshots(tmp_path))
    for _ in ("made", "used"):
        assert_equal_runs(run(warm, board(4)), booted)
    assert len(list(tmp_path.iterdir())) == 1
