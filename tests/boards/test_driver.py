# SPDX-License-Identifier: Apache-2.0
"""The Linux driver on a board: the kernel's own self-tests, what went where, and faults.

The self-tests are the kernel's known answers for each algorithm, on lists that are cut and aligned
in many ways; the kernel runs them when an algorithm is registered.
"""

from pathlib import Path

import pytest
from bench import Bench, on_flat, with_fault
from driver_run import AES, HASH, LOAD, PREPARE, TELL, Told
from guest_module import MODULES, build_module

from firesteel.boards.cores import Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_LOAD = f"""
{PREPARE}
{LOAD}
probe mark loaded
"""

_END = """
rmmod firesteel
dmesg | probe data dmesg
"""


@pytest.fixture(scope="module")
def driver() -> JobFile:
    return JobFile(Products().driver().read_bytes())


def load(bench: Bench, driver: JobFile, profile: Profile, more: str = "") -> Told:
    """Load it, let it tell, run `more` lines, and remove it."""
    run = bench.run(
        load_topology("host-host"),
        {"board": _LOAD + TELL + more + _END, "peer": "true\n"},
        {"board": {"/job/firesteel.ko": driver}},
        {"board": profile, "peer": load_profile("peer")},
    )
    return Told(run)


@pytest.fixture(scope="module")
def with_hash(parts: Bench, driver: JobFile) -> Told:
    return load(parts, driver, on_flat("socrates-hash"))


@pytest.mark.first
def test_the_kernels_self_tests_pass(with_hash: Told) -> None:
    assert with_hash.self_tests() == dict.fromkeys(AES | HASH, "passed")
    with_hash.assert_quiet()


def test_the_kernel_takes_ours(with_hash: Told) -> None:
    assert set(with_hash.taken().values()) == {True}


_SLOW = """
echo 0 >/sys/module/firesteel/parameters/minimum
cat /proc/crypto | probe data crypto-all
echo -1 >/sys/module/firesteel/parameters/minimum
cat /proc/crypto | probe data crypto-again
"""


def test_the_kernel_takes_software_where_a_core_never_pays(parts: Bench, driver: JobFile) -> None:
    """The core has a clock of 1 MHz."""
    profile = on_flat("socrates-hash")
    slow = profile.cores[0].model_copy(update={"timing": Timing(clock_hz=1_000_000)})
    told = load(parts, driver, profile.model_copy(update={"cores": (slow,)}), _SLOW)
    assert told.self_tests() == dict.fromkeys(AES | HASH, "passed")
    assert set(told.taken().values()) == {False}
    assert set(told.taken("crypto-all").values()) == {True}
    assert told.taken("crypto-again") == told.taken()
    told.assert_quiet()


@pytest.mark.first
def test_the_core_served_the_self_tests(with_hash: Told) -> None:
    served = with_hash.requests("hardware")
    assert served.keys() == AES | HASH
    assert all(served[name] >= 10 for name in AES | HASH)
    jobs = with_hash.queues()["jobs"]
    assert sum(served.values()) == jobs
    # An authenc request is one job of the driver, and a message each for AES and hash.
    messages = with_hash.cores("aes_jobs") + with_hash.cores("hash_jobs")
    assert jobs < with_hash.cores("cm_jobs") == messages
    assert with_hash.requests("failed") == {}


def test_interrupts_and_polling_both_end_requests(with_hash: Told) -> None:
    queues = with_hash.queues()
    assert queues["polls"] > 100 < queues["interrupts"]
    assert queues["lost"] == queues["resets"] == 0
    assert queues["interrupts"] == with_hash.cores("cm_interrupts")


def test_what_is_not_there_is_not_registered(parts: Bench, driver: JobFile) -> None:
    """On the platform bus, where the driver finds the core in the device tree."""
    profile = on_flat("socrates")
    core = profile.cores[0].model_copy(update={"bus": "sysbus"})
    told = load(parts, driver, profile.model_copy(update={"cores": (core,)}))
    assert told.self_tests() == dict.fromkeys(AES, "passed")
    assert told.cores("hash_jobs") == 0 < told.cores("aes_jobs")
    told.assert_quiet()


_NEVER = -1
_PATIENCE = 2
"""Times an interrupt and sleeping that a caller that may wait is polled for."""


def _pair(text: str) -> tuple[int, int]:
    base, per_kib = text.split("+")
    return int(base), int(per_kib)


def _break_even(core: tuple[int, int], software: tuple[int, int], more: int = 0) -> int:
    """The least number of bytes with which `more` ns and the core take less time by an eighth."""
    base, per_kib = core[0] + more, core[1]
    least = [each - (each >> 3) for each in software]
    if base <= least[0]:
        return 0 if per_kib <= software[1] else _NEVER
    if per_kib >= least[1]:
        return _NEVER
    return ((base - least[0]) << 10) // (least[1] - per_kib) + 1


def test_break_evens_follow_from_what_was_measured(with_hash: Told) -> None:
    """All of them, also those that were measured before the interrupt was."""
    common, *lines = (line.split() for line in with_hash.run.text("board", "costs").splitlines())
    measured = dict(zip(common[::2], common[1::2], strict=True))
    interrupt, sleep = int(measured["interrupt"]), int(measured["sleep"])
    core = _pair(measured["core"])
    assert {line[0].removesuffix("-firesteel") for line in lines} == AES | HASH
    assert interrupt != 3000 != sleep, "measured, and not what stands there before"
    polled = {"waiting": _PATIENCE * (interrupt + sleep), "going-on": interrupt}
    asleep = {"waiting": sleep, "going-on": sleep // 2}
    for line in lines:
        told = dict(zip(line[1::2], line[2::2], strict=True))
        software, hardware, processor = (
            _pair(told[name]) for name in ("software", "hardware", "processor")
        )
        assert all(part > 0 for part in software)
        for of in polled:
            to = max((polled[of] - core[0]) << 10, 0) // core[1]
            first = _break_even(hardware, software)
            slow = (hardware[0] + interrupt + asleep[of], hardware[1])
            if of == "going-on":  # the processor's time counts as much as the delay
                slow = ((slow[0] + processor[0] + interrupt) // 2, (slow[1] + processor[1]) // 2)
            second = _break_even(slow, software)
            assert told[of] == f"{first}<={to},{second}"
            assert 0 <= first <= second
        busy = _break_even(processor, software, interrupt // 2)
        assert int(told["busy"]) == busy
        assert busy >= 0


FAULTS = (
    Fault(kind="dma-error", rate=10),
    Fault(kind="stuck-busy", rate=10),
    Fault(kind="lost-interrupt", rate=10),
    Fault(kind="spurious-interrupt", rate=10),
    Fault(kind="late", rate=10),
    Fault(kind="late", rate=10, factor=1_000_000),
    Fault(kind="gone", nth=300),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind}-{fault.factor}")
def test_no_fault_spoils_a_result(parts: Bench, driver: JobFile, fault: Fault) -> None:
    told = load(parts, driver, with_fault(on_flat("socrates-hash"), fault))
    assert told.self_tests() == dict.fromkeys(AES | HASH, "passed")
    assert told.cores(f"fault_{fault.kind.replace('-', '_')}") > 0
    told.assert_quiet()
    out_of_service = told.requests("software-out-of-service")
    if fault.kind in ("dma-error", "stuck-busy", "gone"):
        assert told.requests("failed") != {} != out_of_service
        assert told.run.text("board", "dmesg").count("in software until") == 1


_WITHOUT_COPIES = f"""
{PREPARE}
echo Y > /sys/module/cryptomgr/parameters/notests
modprobe -a authenc uio cryptobench
insmod /job/firesteel.ko minimum=0 backup=0
until [ $(cut -d. -f1 /proc/uptime) -ge 5 ]; do sleep 0.1; done
echo kind=cipher algorithm=cbc-aes-firesteel reference='cbc(aes-generic)' key=32 size=4096 \\
    requests=200 in_flight=8 >/proc/cryptobench || true
{TELL}
dmesg | probe data dmesg
"""


def test_without_a_copy_a_fault_is_an_error_and_no_result(parts: Bench, driver: JobFile) -> None:
    # the driver has measured the core by then
    fault = Fault(kind="dma-error", rate=20, from_ms=5000, until_ms=60000)
    run = parts.run(
        load_topology("one-board"),
        {"board": _WITHOUT_COPIES},
        {"board": {"/job/firesteel.ko": driver}},
        {"board": with_fault(on_flat("socrates-hash"), fault)},
    )
    assert Told(run).requests("failed")["cbc-aes"] > 0
    assert "gave error -5" in run.text("board", "dmesg")


_REMAINS = f"""
{PREPARE}
modprobe -a authenc uio
echo Y > /sys/module/cryptomgr/parameters/notests
insmod /job/firesteel.ko minimum=0
insmod /job/remains.ko
{TELL}
dmesg | probe data dmesg
"""


def test_nothing_of_a_request_stays_behind(parts: Bench, driver: JobFile, tmp_path: Path) -> None:
    """The copy of input that output replaces is wiped when the request has ended."""
    module = build_module(Products(), "remains", MODULES / "remains", tmp_path)
    run = parts.run(
        load_topology("one-board"),
        {"board": _REMAINS},
        {"board": {"/job/firesteel.ko": driver, "/job/remains.ko": JobFile(module)}},
        {"board": on_flat("socrates")},
    )
    assert Told(run).requests("copies")["cbc-aes"] >= 64
    assert "remains: error 0 found 0 control 1" in run.text("board", "dmesg")
