# SPDX-License-Identifier: Apache-2.0
"""Encrypted disks and files on a real board: encrypted as they should, the same on every run."""

from pathlib import Path

import pytest
from bench import other_load
from lab_run import measure

from firesteel.store.record import Record

EXPERIMENT = """
title = "Disk"
topology = "one-board"
measured = "board"

[[configurations]]
protocol = "dm-crypt"
suite = {suites}

[[configurations]]
protocol = "dm-crypt"
suite = "aes-128-xts:none"
implementation = "hardware"

[disk]
size = "512 KiB"
block_sizes = "4 KiB"
sector_sizes = [512, 4096]
patterns = ["sequential-write", "random-read"]
depths = [1, 8]
"""


AUTHENTICATED = """
title = "Disk"
topology = "one-board"
measured = "board"
profiles = {{ board = "socrates-hash" }}

[[configurations]]
protocol = "dm-crypt"
suite = "{suite}"
implementation = ["software", "hardware"]

[disk]
size = "512 KiB"
block_sizes = "4 KiB"
sector_sizes = [512, 4096]
patterns = ["sequential-write", "random-read"]
"""

FILES = """
title = "Files"
topology = "one-board"
measured = "board"

[[configurations]]
protocol = "fscrypt"
suite = ["none:none", "aes-256-xts:none"]

[disk]
size = "512 KiB"
block_sizes = "4 KiB"
sector_sizes = 4096
patterns = ["sequential-write", "random-read"]
"""


def figures(record: Record, metric: str) -> dict[tuple[str, str], float]:
    return {
        (figure.workload, figure.parameter.text): figure.value
        for figure in record.figures
        if figure.metric == metric
    }


@pytest.mark.thorough
def test_disks_are_encrypted_and_equal_runs_are_equal_under_foreign_load(tmp_path: Path) -> None:
    suites = ["none:none", "aes-256-cbc-essiv:none", "adiantum:none", "aes-128-xts:none"]
    bare, essiv, adiantum, xts, cores = measure(tmp_path / "1", EXPERIMENT.format(suites=suites))
    for record in (essiv, adiantum, xts, cores):
        assert record.proof["sectors_checked"] == 16 + 2
        assert record.proof["disk_bytes"] == 8 * (512 << 10)
        for at, rate in figures(record, "throughput").items():
            assert 0 < rate < figures(bare, "throughput")[at]
    for record in (essiv, xts, cores):
        for at, rate in figures(record, "throughput").items():
            assert rate < figures(bare, "throughput")[at] / 2
    for at, rate in figures(adiantum, "throughput").items():
        assert rate > figures(xts, "throughput")[at]
    for at, share in figures(cores, "offloaded").items():
        assert share == 100 or "sector 512 B" in at[1]
    with other_load():
        again = measure(tmp_path / "2", EXPERIMENT.format(suites=suites[3:]))
    assert again == [xts, cores]


@pytest.mark.parametrize(
    "suite",
    [pytest.param("aes-256-gcm:gcm", marks=pytest.mark.first), "aes-256-xts:hmac-sha256"],
)
def test_tags_are_right_and_come_from_the_cores(tmp_path: Path, suite: str) -> None:
    software, cores = measure(tmp_path, AUTHENTICATED.format(suite=suite))
    assert software.proof["sectors_checked"] == cores.proof["sectors_checked"] == 16 + 2
    for at, share in figures(cores, "offloaded").items():
        assert share == 100 or "sector 512 B" in at[1]


def test_files_are_encrypted_and_cost_more_than_plain_ones(tmp_path: Path) -> None:
    plain, encrypted = measure(tmp_path, FILES)
    for record in (plain, encrypted):
        assert record.proof["sectors_checked"] == 2
        assert record.proof["disk_bytes"] == 2 * (512 << 10)
    for at, rate in figures(encrypted, "throughput").items():
        assert 0 < rate < figures(plain, "throughput")[at]
