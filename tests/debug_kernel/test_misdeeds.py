# SPDX-License-Identifier: Apache-2.0
"""The debug kernel reports faults, and we read its reports: a module commits them one by one."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench
from kernel_reports import PREPARE, Evidence, collect, evidence_of, inactive, reports

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology

_MODULE = Path(__file__).resolve().parent / "guest" / "misdeeds"

# The first report of KASAN turns lockdep off; so what lockdep must see comes first.
_MISDEEDS = (
    "lock-both-ways",
    "sleep-with-spinlock",
    "shift-too-far",
    "unmap-twice",
    "digest-wrongly",
    "leak",
    "write-outside",
    "read-freed",
)

_SCRIPT = f"""
{PREPARE}
modprobe sha256-generic
insmod /job/misdeeds.ko
for misdeed in {" ".join(_MISDEEDS)}; do
    echo $misdeed >/sys/module/misdeeds/parameters/commit
done
{collect(self_tests_seconds=30)}
"""


@pytest.fixture(scope="module")
def evidence(bench: Bench, module: Callable[[str, Path], bytes]) -> Evidence:
    run = bench.run(
        load_topology("one-board"),
        {"board": _SCRIPT},
        {"board": {"/job/misdeeds.ko": JobFile(module("misdeeds", _MODULE))}},
    )
    return evidence_of(run.run.nodes["board"])


@pytest.mark.parametrize(
    ("misdeed", "kind", "says"),
    [
        ("lock-both-ways", "lockdep", "WARNING: possible circular locking dependency detected"),
        ("sleep-with-spinlock", "context", "BUG: sleeping function called from invalid context"),
        ("shift-too-far", "ubsan", "UBSAN: shift-out-of-bounds in .*misdeeds/main.c"),
        ("unmap-twice", "dma", "DMA-API: .*misdeeds: device driver tries to free DMA memory"),
        ("unmap-twice", "dma", "misuses of DMA mappings: 1"),
        ("digest-wrongly", "self-test", "alg: .hash: sha256-misdeeds test failed .wrong result"),
        ("digest-wrongly", "self-test", "sha256-misdeeds: unknown"),
        ("leak", "kmemleak", "kmemleak: [0-9]+ new suspected memory leaks"),
        ("leak", "kmemleak", "unreferenced object "),
        ("write-outside", "kasan", "BUG: KASAN: slab-out-of-bounds in misdeeds_write_outside"),
        ("read-freed", "kasan", "BUG: KASAN: slab-use-after-free in misdeeds_read_freed"),
        ("unmap-twice", "warning", "WARNING: CPU: 0"),
        ("write-outside", "tainted", "/proc/sys/kernel/tainted has the bits"),
    ],
)
def test_a_misdeed_is_reported(evidence: Evidence, misdeed: str, kind: str, says: str) -> None:
    assert misdeed in _MISDEEDS
    found = [report for report in reports(evidence) if report.kind == kind]
    assert [report for report in found if re.match(says, report.headline)]


def test_only_random_inputs_find_the_wrong_digest(evidence: Evidence) -> None:
    (report, *_) = [
        report for report in reports(evidence) if "hash: sha256-misdeeds " in report.headline
    ]
    assert 'on test vector "random: psize=' in report.headline


def test_a_leak_is_told_with_its_origin(evidence: Evidence) -> None:
    leaks = [report for report in reports(evidence) if report.headline.startswith("unreferenced")]
    assert any("misdeeds_leak" in leak.text for leak in leaks)


def test_lockdep_off_after_its_report_is_told(evidence: Evidence) -> None:
    assert inactive(evidence) == ["lockdep has turned itself off"]
