# SPDX-License-Identifier: Apache-2.0
"""The debug kernel's checkers are at work and find nothing while a board's cores are kept busy."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench, KeptRun, on_flat
from exercise import TELL, counted, told
from guest_module import MODULES
from kernel_reports import (
    PREPARE,
    Evidence,
    collect,
    evidence_of,
    inactive,
    reports,
    self_tests,
)

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology

COMPARED = ("sha256-asm", "sha256-neon", "cbc-aes-neonbs")
"""Drivers of ARM's own code, which self-tests compare with the generic code."""

_SCRIPT = f"""
{PREPARE}
modprobe sha256-arm
modprobe aes-arm-bs
ip xfrm state add src 10.0.0.1 dst 10.0.0.2 proto esp spi 1 mode transport \
    enc 'cbc(aes)' 0x{"42" * 32} auth-trunc 'hmac(sha256)' 0x{"24" * 32} 128
ip xfrm state flush
probe mark self-tests.end

insmod /job/exercise.ko
sleep 1
{TELL}
grep -c ' __ubsan_handle_' /proc/kallsyms | probe data ubsan-handlers
{collect()}
probe mark collected
"""


@pytest.fixture(scope="module")
def run(bench: Bench, module: Callable[[str, Path], bytes]) -> KeptRun:
    return bench.run(
        load_topology("one-board"),
        {"board": _SCRIPT},
        {"board": {"/job/exercise.ko": JobFile(module("exercise", MODULES / "exercise"))}},
        {"board": on_flat("socrates-hash")},
    )


@pytest.fixture(scope="module")
def evidence(run: KeptRun) -> Evidence:
    return evidence_of(run.run.nodes["board"])


def test_every_checker_is_at_work_to_the_end(run: KeptRun, evidence: Evidence) -> None:
    assert inactive(evidence) == []
    assert int(run.text("board", "ubsan-handlers")) > 0


def test_self_tests_with_random_inputs_are_run_and_passed(evidence: Evidence) -> None:
    assert "alg: extra crypto tests enabled" in evidence.log
    results = self_tests(evidence)
    assert {driver: results[driver] for driver in COMPARED} == dict.fromkeys(COMPARED, "passed")
    assert results["authenc(hmac(sha256-neon),cbc-aes-neonbs)"] == "passed"


def test_the_cores_compute_on_the_debug_kernel(run: KeptRun) -> None:
    windows = told(run, "board")
    counts = counted(run, "board", "crypto0", "crypto1")
    for window, count in zip(windows, counts, strict=True):
        for core in window.values():
            assert core.done > 10
            assert core.wrong == 0
        assert count["cm_jobs"] == window["symmetric"].done


def test_nothing_is_reported(evidence: Evidence) -> None:
    assert reports(evidence) == []
