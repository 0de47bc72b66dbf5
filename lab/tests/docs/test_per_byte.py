# SPDX-License-Identifier: Apache-2.0
"""Instructions per byte, from a profile and the throughput of its record."""

from pathlib import Path

import pytest
from advice_store import Runs, cell

from firesteel.base.errors import FiresteelError
from firesteel.profiling.document import Profile, Stack, profile_path, save
from firesteel.store.store import Store
from firesteel.workloads.openssl_speed import SpeedPlan
from tools.figures import rendered

GHASH = "@0x1 (GHASH for ARMv4/NEON, with NEON)"


def store_with(directory: Path, implementation: str = "software") -> tuple[Store, str]:
    """A store with a profile of a second of a million blocks of 16 bytes; the run's name."""
    runs = Runs(Store(directory))
    speed = cell(implementation, protocol="openssl", speed=SpeedPlan(sizes=(16,), seconds=2))
    run = runs.add((speed, {("openssl-speed", "16 B", "throughput", "MB/s"): 8.0}))
    (entry,) = runs.store.journal(run).entries
    counts = {GHASH: 80_000_000, "@0x2": 79_000_000, "@0x3 (near GHASH)": 1_000_000}
    profile = Profile(
        cell=speed.label,
        key=entry.key,
        implementation=implementation,
        node="board",
        window="speed-16",
        instructions=sum(counts.values()),
        stacks=tuple(
            Stack(frames=("openssl", "libcrypto", "libcrypto.so.3", name), instructions=count)
            for name, count in counts.items()
        ),
    )
    save(profile_path(runs.store, run, entry.key, "speed-16", "speed-16"), profile)
    return runs.store, run


def test_large_pieces_of_code_and_their_sum_are_shown(tmp_path: Path) -> None:
    store, run = store_with(tmp_path)
    text = rendered(f'<!-- {{{{ per_byte("{run}") }}}} -->\n<!--/-->\n', store)
    label = "openssl aes-256-cbc:sha256 software"
    assert text.splitlines()[3:-1] == [
        f"| {label} | Debian's | {GHASH} | 5.0 |",
        f"| {label} | Debian's | all | 10.0 |",
    ]


def test_a_run_without_such_a_profile_is_an_error(tmp_path: Path) -> None:
    store, run = store_with(tmp_path, "hardware")
    with pytest.raises(FiresteelError, match="no such profiles"):
        rendered(f'<!-- {{{{ per_byte("{run}") }}}} -->\n<!--/-->\n', store)
