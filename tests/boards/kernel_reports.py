# SPDX-License-Identifier: Apache-2.0
"""What the debug kernel found: its log and the files of its checkers, read into reports.

A job begins with `PREPARE` and ends with `collect()`.  Then `evidence_of` has what it handed over,
`inactive` says which checkers were not at work to the end, and `reports` what they found.  A test
of a driver is complete with

    evidence = evidence_of(run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence) == []
"""

import gzip
import re
from dataclasses import dataclass

from firesteel.boards.result import NodeResult

PREPARE = """
mount -t debugfs debugfs /sys/kernel/debug
"""
"""Shell lines with which a job begins."""

_STEP_SECONDS = 5
_COLLECT = """
for step in $(seq {steps}); do
    grep -q '^selftest *: unknown' /proc/crypto || break
    sleep {step_seconds}
done
for scan in 1 2; do
    sleep 6
    echo scan >/sys/kernel/debug/kmemleak
done
probe data kernel.kmemleak /sys/kernel/debug/kmemleak
probe data kernel.dma-disabled /sys/kernel/debug/dma-api/disabled
probe data kernel.dma-errors /sys/kernel/debug/dma-api/error_count
probe data kernel.lockdep /proc/lockdep_stats
probe data kernel.tainted /proc/sys/kernel/tainted
probe data kernel.crypto /proc/crypto
probe data kernel.config /proc/config.gz
dmesg | probe data kernel.log
"""

_CONTEXT_LINES = 40
_TIME = re.compile(r"^\[ *\d+\.\d+\] ")
_FIRST_LINE = "Booting Linux on physical CPU"

# The first pattern that a line fits names the kind of its report.
_KINDS = (
    ("kasan", r"BUG: KASAN: "),
    ("ubsan", r"UBSAN: "),
    ("lockdep", r"WARNING: (possible|inconsistent|suspicious|bad|held|lock held|Nested)\b"),
    ("lockdep", r"(\[ )?BUG: (Invalid wait context|held lock freed|.* still has locks held)"),
    ("lockdep", r"INFO: (trying to register non-static key|lockdep is turned off)"),
    ("lockdep", r"BUG: (MAX_LOCK|MAX_STACK_TRACE|looking up invalid subclass|key .* not been reg)"),
    ("lockdep", r"DEBUG_LOCKS_WARN_ON"),
    ("context", r"BUG: (sleeping function called|scheduling while atomic)"),
    ("context", r"BUG: using \w+\(\) in preemptible"),
    ("context", r"(softirq|initcall|BUG: workqueue) .*(preempt|leaked)"),
    ("dma", r"DMA-API: (?!preallocated |debugging enabled )"),
    ("object", r"ODEBUG: |list_(add|del) corruption|refcount_t: "),
    ("self-test", r"alg: (?!extra crypto tests enabled|No test for |self-tests for .* passed)"),
    ("kmemleak", r"kmemleak: (\d+ new suspected|.*disabled|.*exceeded|Cannot|Freeing unknown)"),
    ("stall", r"INFO: task .* blocked for more than"),
    ("stall", r"rcu: INFO: |watchdog: BUG: |BUG: workqueue lockup"),
    ("memory", r".*: page allocation failure|Out of memory: |BUG \S+ .*: "),
    ("memory", r"usercopy: |.*detected buffer overflow"),
    ("interrupt", r"irq \d+: nobody cared|genirq: Flags mismatch|Disabling IRQ #"),
    ("crash", r"kernel BUG at |Internal error: |Unable to handle kernel |Kernel panic|BUG: "),
    ("warning", r"WARNING: "),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)

# Bits of /proc/sys/kernel/tainted: modules from outside of the kernel's tree, without signature;
# and a program that was given a core, which reaches all memory.
_HARMLESS_TAINT = 1 << 12 | 1 << 13 | 1 << 6

_CONFIGURED = (
    "CONFIG_KASAN_GENERIC",
    "CONFIG_UBSAN_BOUNDS",
    "CONFIG_UBSAN_SHIFT",
    "CONFIG_PROVE_LOCKING",
    "CONFIG_DEBUG_ATOMIC_SLEEP",
    "CONFIG_DEBUG_KMEMLEAK",
    "CONFIG_DMA_API_DEBUG_SG",
    "CONFIG_DEBUG_LIST",
    "CONFIG_DEBUG_SG",
    "CONFIG_DEBUG_OBJECTS",
    "CONFIG_CRYPTO_MANAGER_EXTRA_TESTS",
)
_ANNOUNCED = (
    "kasan: Kernel address sanitizer initialized",
    "Lock dependency validator: ",
    "kmemleak: Kernel memory leak detector initialized",
    "DMA-API: debugging enabled by kernel config",
)


@dataclass(frozen=True)
class Evidence:
    """What a job handed over at its end."""

    log: str
    """The kernel's whole log."""

    kmemleak: str
    """Allocations to which nothing points."""

    dma_disabled: bool
    """Whether checking of DMA mappings gave up."""

    dma_errors: int
    lockdep: str
    tainted: int
    crypto: str
    """/proc/crypto: the algorithms, and whether they passed their self-tests."""

    config: str


@dataclass(frozen=True)
class Report:
    """One finding: of what kind, and the log's or file's lines from it on."""

    kind: str
    text: str

    @property
    def headline(self) -> str:
        """Its first line."""
        return self.text.split("\n", 1)[0]


class EvidenceError(Exception):
    """Evidence from which nothing can be concluded."""


def collect(self_tests_seconds: int = 900) -> str:
    """Shell lines with which a job ends: they look for leaks and hand over all that is known.

    Before that they wait until every algorithm has passed its self-test, at most so many seconds
    of virtual time: one that has not passed, or not yet, is listed as `unknown`.  Memory counts as
    leaked when it is 5 s old and two scans in a row find no pointer to it.
    """
    steps = -(-self_tests_seconds // _STEP_SECONDS)
    return _COLLECT.format(steps=steps, step_seconds=_STEP_SECONDS)


def assert_whole(log: str) -> None:
    """Raises `EvidenceError` when a kernel's log has lost its beginning."""
    if _FIRST_LINE not in log.split("\n", 1)[0]:
        raise EvidenceError("the kernel's log has lost its beginning: it was longer than its room")


def evidence_of(node: NodeResult) -> Evidence:
    """What a node's job handed over; `EvidenceError` when its log is not whole."""

    def text(name: str) -> str:
        return node.data[f"kernel.{name}"].decode(errors="replace")

    log = text("log")
    assert_whole(log)
    return Evidence(
        log=log,
        kmemleak=text("kmemleak"),
        dma_disabled=text("dma-disabled").strip() != "N",
        dma_errors=int(text("dma-errors")),
        lockdep=text("lockdep"),
        tainted=int(text("tainted")),
        crypto=text("crypto"),
        config=gzip.decompress(node.data["kernel.config"]).decode(),
    )


def inactive(evidence: Evidence) -> list[str]:
    """Checkers that were not at work up to the end, a clause each."""
    configured = set(evidence.config.splitlines())
    found = [f"{option} is not set" for option in _CONFIGURED if f"{option}=y" not in configured]
    found += [f"the log has no `{line}`" for line in _ANNOUNCED if line not in evidence.log]
    if not re.search(r"^ *debug_locks: +1$", evidence.lockdep, re.MULTILINE):
        found.append("lockdep has turned itself off")
    if evidence.dma_disabled:
        found.append("checking of DMA mappings has turned itself off")
    return found


_TESTS_OFF = "alg: self-tests disabled"


def reports(evidence: Evidence, tests_off: bool = False) -> list[Report]:
    """All that the kernel found, in the order of its log; what the log does not say comes last.

    `tests_off` is for a job that has turned self-tests off for a while: that is no report then.

    Several lines of one report may be found, each of its own kind, such as the warning under which
    a DMA mapping's misuse is told.
    """
    found = in_log(evidence.log)
    if tests_off:
        found = [report for report in found if report.headline != _TESTS_OFF]
    found += [Report("kmemleak", entry) for entry in _leaks(evidence.kmemleak)]
    if evidence.dma_errors:
        found.append(Report("dma", f"misuses of DMA mappings: {evidence.dma_errors}"))
    if taint := evidence.tainted & ~_HARMLESS_TAINT:
        found.append(Report("tainted", f"/proc/sys/kernel/tainted has the bits {taint:#x}"))
    found += [
        Report("self-test", f"{driver}: {result}")
        for driver, result in self_tests(evidence).items()
        if result != "passed"
    ]
    return found


def self_tests(evidence: Evidence) -> dict[str, str]:
    """The results of self-tests, such as `passed`, by the algorithm's driver."""
    return {fields["driver"]: fields["selftest"] for fields in algorithms(evidence.crypto)}


def algorithms(crypto: str) -> list[dict[str, str]]:
    """The fields of each algorithm in the text of /proc/crypto."""
    entries = (
        dict(re.findall(r"^(\w+) +: (.*)$", entry, re.MULTILINE)) for entry in crypto.split("\n\n")
    )
    return [fields for fields in entries if fields]


def in_log(log: str) -> list[Report]:
    """What a kernel's log reports, whether or not it is the debug kernel's."""
    lines = [_TIME.sub("", line) for line in log.splitlines()]
    found = []
    for number, line in enumerate(lines):
        for kind, pattern in _PATTERNS:
            if pattern.match(line):
                found.append(Report(kind, "\n".join(lines[number : number + _CONTEXT_LINES])))
                break
    return found


def unexpected(log: str) -> list[str]:
    """The headlines of a log's reports, but for self-tests that a job has turned off."""
    return [report.headline for report in in_log(log) if report.headline != _TESTS_OFF]


def _leaks(kmemleak: str) -> list[str]:
    return re.findall(r"^unreferenced object .*(?:\n .*)*", kmemleak, re.MULTILINE)
