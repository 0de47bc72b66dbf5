# SPDX-License-Identifier: Apache-2.0
"""Lines of the kernel's log that are reports are told from those that are not."""

import gzip

import pytest
from kernel_reports import (
    Evidence,
    EvidenceError,
    evidence_of,
    inactive,
    reports,
    self_tests,
)

from firesteel.boards.profile import load_profile
from firesteel.boards.result import NodeResult

START = "[    0.000000] Booting Linux on physical CPU 0x0\n"
HARMLESS = """\
[    0.000000] kasan: Kernel address sanitizer initialized
[    0.000000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
[    0.012000] kmemleak: Kernel memory leak detector initialized (mem pool available: 38000)
[    1.000000] DMA-API: preallocated 65536 debug entries
[    1.000001] DMA-API: debugging enabled by kernel config
[    2.000000] alg: extra crypto tests enabled.  This is intended for developer use only.
[    2.100000] alg: No test for cipher_null (cipher_null-generic)
[    2.200000] exercise: loading out-of-tree module taints kernel.
"""
CRYPTO = """\
name         : cbc(aes)
driver       : cbc-aes-neonbs
selftest     : passed

name         : sha256
driver       : sha256-generic
selftest     : {sha256}

"""


def node(log: str, **changed: str) -> NodeResult:
    config = "".join(
        f"CONFIG_{option}=y\n"
        for option in (
            *("KASAN_GENERIC", "UBSAN_BOUNDS", "UBSAN_SHIFT", "PROVE_LOCKING"),
            *("DEBUG_ATOMIC_SLEEP", "DEBUG_KMEMLEAK", "DMA_API_DEBUG_SG", "DEBUG_LIST"),
            *("DEBUG_SG", "DEBUG_OBJECTS", "CRYPTO_MANAGER_EXTRA_TESTS"),
        )
    )
    files = {
        "log": log,
        "kmemleak": "",
        "dma-disabled": "N\n",
        "dma-errors": "0\n",
        "lockdep": " lock-classes: 900 [max: 8192]\n debug_locks:                      1\n",
        "tainted": "4096\n",
        "crypto": CRYPTO.format(sha256="passed"),
        **changed,
    }
    data = {f"kernel.{name}": text.encode() for name, text in files.items()}
    data["kernel.config"] = gzip.compress(config.encode())
    return NodeResult("board", (), data, "", load_profile("socrates"))


def evidence(log: str = "", **changed: str) -> Evidence:
    return evidence_of(node(START + HARMLESS + log, **changed))


def test_a_harmless_log_has_no_report() -> None:
    assert reports(evidence()) == []
    assert inactive(evidence()) == []


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("kasan", "BUG: KASAN: slab-out-of-bounds in f+0x1/0x2"),
        ("ubsan", "UBSAN: shift-out-of-bounds in /a.c:1:2"),
        ("lockdep", "WARNING: possible recursive locking detected"),
        ("lockdep", "WARNING: inconsistent lock state"),
        ("lockdep", "WARNING: suspicious RCU usage"),
        ("lockdep", "[ BUG: Invalid wait context ]"),
        ("lockdep", "INFO: trying to register non-static key."),
        ("lockdep", "BUG: MAX_LOCKDEP_CHAINS too low!"),
        ("context", "BUG: sleeping function called from invalid context at a.c:1"),
        ("context", "BUG: scheduling while atomic: sh/1/0x2"),
        ("dma", "DMA-API: device driver has pending DMA allocations while released"),
        ("dma", "DMA-API: debugging out of memory - disabling"),
        ("object", "ODEBUG: free active (active state 0) object: 1 object type: timer_list"),
        ("object", "list_add corruption. next->prev should be prev (1), but was 2. (next=3)."),
        ("object", "refcount_t: underflow; use-after-free."),
        ("self-test", "alg: skcipher: x encryption test failed (wrong result)"),
        ("self-test", "alg: hash: skipping comparison tests for x because y is unavailable"),
        ("kmemleak", "kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)"),
        ("kmemleak", "kmemleak: Kernel memory leak detector disabled"),
        ("stall", "INFO: task sh:1 blocked for more than 120 seconds."),
        ("stall", "rcu: INFO: rcu_preempt self-detected stall on CPU"),
        ("stall", "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [sh:1]"),
        ("memory", "modprobe: page allocation failure: order:4, mode:0xcc0"),
        ("interrupt", "irq 55: nobody cared (try booting with the irqpoll option)"),
        ("crash", "Internal error: Oops: 5 [#1] PREEMPT SMP ARM"),
        ("crash", "8<--- cut here ---\n[    3.1] Unable to handle kernel NULL pointer dereference"),
        ("crash", "BUG: anything else"),
        ("warning", "WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2"),
    ],
)
def test_a_report_has_its_kind(kind: str, line: str) -> None:
    (report,) = reports(evidence(f"[    3.000000] {line}\n[    3.100000] after it\n"))
    assert report.kind == kind
    assert report.text.endswith("after it")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("kmemleak", "unreferenced object 0xc1 (size 64):\n  backtrace:\n    f\n", "kmemleak"),
        ("dma-errors", "2\n", "dma"),
        ("tainted", f"{4096 + 512}\n", "tainted"),
        ("crypto", CRYPTO.format(sha256="unknown"), "self-test"),
    ],
)
def test_what_the_log_does_not_say_is_found(name: str, content: str, kind: str) -> None:
    (report,) = reports(evidence(**{name: content}))
    assert report.kind == kind


def test_every_leak_is_a_report() -> None:
    leak = 'unreferenced object 0xc1 (size 64):\n  comm "sh"\n    f+0x1\n'
    found = reports(evidence(kmemleak=leak * 3))
    assert [report.text for report in found] == [leak.rstrip()] * 3


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("lockdep", " debug_locks:                      0\n", "lockdep has turned itself off"),
        ("dma-disabled", "Y\n", "checking of DMA mappings has turned itself off"),
    ],
)
def test_a_checker_that_gave_up_is_told(name: str, content: str, says: str) -> None:
    assert inactive(evidence(**{name: content})) == [says]


def test_a_checker_that_never_was_is_told() -> None:
    told = inactive(evidence_of(node(START + HARMLESS.replace("kasan:", "kasan is off"))))
    (missing,) = told
    assert "`kasan: " in missing


def test_a_log_without_its_beginning_proves_nothing() -> None:
    with pytest.raises(EvidenceError, match="lost its beginning"):
        evidence_of(node(HARMLESS))


def test_self_tests_are_read_by_driver() -> None:
    assert self_tests(evidence()) == {"cbc-aes-neonbs": "passed", "sha256-generic": "passed"}
