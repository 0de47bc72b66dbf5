# SPDX-License-Identifier: Apache-2.0
"""A CryptoMaster that cannot be stopped: on the bus of a device tree, without a reset line, nothing
keeps it from memory.

The module is loaded all the same, and the machine does not sleep while the core may write.
"""

import re
from collections.abc import Mapping
from typing import Literal

import pytest
from bench import Bench, KeptRun, on_flat
from driver_run import PREPARE, TELL, Told
from guest_module import job_modules
from uio_scenes import AWAIT, DEVICES, FIRST, MEASURE, SECOND, Played, job_files, play, status

from firesteel.boards.cores import Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

AT_WORK = 2
"""What says that a core goes on: `FIRESTEEL_AT_WORK` of driver/cryptomaster.h."""

EPERM, ENOMEM = 1, 12

_WITHOUT_TESTS = "echo Y >/sys/module/cryptomgr/parameters/notests\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    modules = job_modules(
        tmp_path_factory.mktemp, "answers", "announced", "lines", "linger", "stalls"
    )
    driver = Products().driver().read_bytes()
    return {**job_files(driver, tmp_path_factory.mktemp("uio")), **modules}


def run_board(bench: Bench, files: Mapping[str, JobFile], script: str, profile: Profile) -> KeptRun:
    whole = f"{script}dmesg | probe data dmesg\n"
    topology = load_topology("one-board")
    return bench.run(topology, {"board": whole}, {"board": files}, {"board": profile})


def one_window(bus: Literal["pci", "sysbus"], *faults: Fault) -> Profile:
    profile = on_flat("socrates-hash")
    core = profile.cores[0].model_copy(update={"bus": bus, "faults": faults, "pk": False})
    return profile.model_copy(update={"cores": (core,)})


# ---- loading the module ----

_LOAD = """
modprobe -a authenc uio
seconds() { cut -d. -f1 /proc/uptime; }
load() {
    begin=$(seconds)
    insmod /job/firesteel.ko minimum=0 timeout=50
    echo $(($(seconds) - begin))
}
unload() {
    for try in $(seq 600); do
        rmmod firesteel 2>/dev/null && echo gone && return
        sleep 0.1
    done
}
"""

_STUCK_AT_ONCE = f"""
insmod /job/answers.ko early=1 after=1 answer={AT_WORK}
load | probe data at-once
ls /sys/bus/platform/drivers/firesteel | probe data devices
rmmod firesteel
rmmod answers
"""


def _stuck_later(name: str) -> str:
    """The core has done its first command, which is the driver's own, and others."""
    return f"""
insmod /job/answers.ko early=1 after=2 answer={AT_WORK}
load | probe data {name}
{TELL}
rmmod answers
unload | probe data {name}-gone
"""


def test_a_stuck_core_does_not_stop_the_module(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """At its first command, and while an algorithm is measured."""
    faults = (Fault(kind="stuck-busy", nth=1), Fault(kind="late", nth=7, factor=1_000_000))
    quiet = "echo Y >/sys/module/cryptomgr/parameters/notests\n"
    script = PREPARE + quiet + _LOAD + _STUCK_AT_ONCE + _stuck_later("measured")
    run = run_board(bench, files, script, one_window("sysbus", *faults))
    log = run.text("board", "dmesg")
    assert int(run.text("board", "at-once")) <= 1
    assert "crypto" not in run.text("board", "devices")
    assert log.count("CryptoMaster cannot be started") == 1
    # of all algorithms: each tries a few times whether the core is back
    assert int(run.text("board", "measured")) <= 10
    assert log.count("no answer in time") == 1
    assert Told(run).requests("software-out-of-service") != {}
    assert run.text("board", "measured-gone") == "gone\n"
    Told(run).assert_quiet()


def test_a_core_stuck_in_a_self_test_does_not_stop_the_module(
    bench: Bench, files: Mapping[str, JobFile]
) -> None:
    """The kernel waits a minute for a self-test, and the others run in software."""
    fault = Fault(kind="late", nth=30, factor=1_000_000)
    script = PREPARE + _LOAD + _stuck_later("tested")
    run = run_board(bench, files, script, one_window("sysbus", fault))
    assert int(run.text("board", "tested")) <= 90
    assert run.text("board", "dmesg").count("no answer in time") == 1
    assert run.text("board", "tested-gone") == "gone\n"


# ---- a processor that stalls ----

_SWITCHES = 100

_STALLED = f"""
{_LOAD}
load
insmod /job/stalls.ko
for owner in $(yes "user kernel" | head -n {_SWITCHES}); do
    echo $owner >{DEVICES}/{FIRST}/owner || echo $owner
done 2>&1 | probe data refused
rmmod stalls
"""


def test_a_reset_that_began_late_is_not_taken_for_one_that_does_not_end(
    bench: Bench, files: Mapping[str, JobFile]
) -> None:
    """The time that a core has for its reset begins with the reset."""
    profile = one_window("pci")
    slow = profile.cores[0].model_copy(update={"timing": Timing(clock_hz=1_000_000)})
    profile = profile.model_copy(update={"cores": (slow,)})
    run = run_board(bench, files, PREPARE + _WITHOUT_TESTS + _STALLED, profile)
    assert run.text("board", "refused") == ""
    Told(run).assert_quiet()


# ---- sleep ----

_FREEZE = "echo freeze >/sys/power/state"
"""The kernel's test of suspend: devices sleep for a moment."""

_SLEEP = f"""
{PREPARE}
{_WITHOUT_TESTS}
modprobe -a authenc uio cryptobench
echo devices >/sys/power/pm_test
echo 0 >/sys/module/suspend/parameters/pm_test_delay
"""

_OWNER = "/sys/bus/platform/drivers/firesteel/*/owner"

_ASLEEP = f"""
{_SLEEP}
insmod /job/firesteel.ko user=all minimum=0
insmod /job/answers.ko answer={AT_WORK}
{status("programs", _FREEZE)}
rmmod answers
{status("programs-again", _FREEZE)}
{play("message")}
echo kernel >$(echo {_OWNER})
insmod /job/answers.ko answer={AT_WORK}
{status("kernels", _FREEZE)}
rmmod answers
{status("kernels-again", _FREEZE)}
{status("measured", MEASURE.format(requests=100))}
rmmod cryptobench
{TELL}
rmmod firesteel
"""


def test_nothing_sleeps_while_a_core_may_write(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """Whoever owns the core; afterwards it works, and the machine sleeps."""
    played = Played(run_board(bench, files, _ASLEEP, one_window("sysbus")))
    for owner in ("programs", "kernels"):
        assert played.lines(owner)[-1] == "status 1"
        assert "busy" in played.lines(owner)[0]
        assert played.lines(f"{owner}-again") == ["status 0"]
    assert played.run.text("board", "dmesg").count("cannot be stopped: no sleep") == 2
    played.assert_well("message")
    assert played.lines("measured") == ["status 0"]
    assert Told(played.run).requests("hardware")["cbc-aes"] >= 100


# ---- lines of the device tree ----

_LARGE = MEASURE.format(requests=20).replace("size=1408", "size=4096")

# The kernel has the core, then a program, then the kernel.  Each of the kernel's requests takes the
# core 40 ms, and from the twentieth second on longer than the driver waits.
_LINES = f"""
{_SLEEP}
lines=/sys/module/lines/parameters
insmod /job/lines.ko
insmod /job/firesteel.ko minimum=0 timeout=50
cat $lines/running $lines/asserted | probe data loaded
echo poll >/sys/module/firesteel/parameters/completion
cat /sys/kernel/debug/firesteel/queues | probe data before
{status("measured", _LARGE)}
cat /sys/kernel/debug/firesteel/queues | probe data polled
rmmod cryptobench
echo user >$(echo {_OWNER})
/job/uio asleep >/run/asleep 2>&1 &
{AWAIT}
insmod /job/answers.ko answer={AT_WORK}
{status("slept-at-work", _FREEZE)}
wait
rmmod answers
probe data asleep /run/asleep
cat $lines/asserted | probe data asserted
echo kernel >$(echo {_OWNER})
until [ $(cut -d. -f1 /proc/uptime) -ge 20 ]; do sleep 0.1; done
insmod /job/answers.ko answer={AT_WORK}
insmod /job/linger.ko count=9 at=9
echo 1 >/sys/module/linger/parameters/go
for try in $(seq 100); do
    [ $(cat /sys/module/linger/parameters/ended) = 9 ] && break
    sleep 0.1
done
cat /sys/module/linger/parameters/ended $lines/asserted | probe data ended
{status("slept", _FREEZE)}
rmmod answers
rmmod linger
rmmod firesteel
cat $lines/running | probe data unloaded
"""


@pytest.fixture(scope="module")
def lines(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    fault = Fault(kind="late", rate=1, factor=1000, from_ms=20_000)
    profile = one_window("sysbus", fault)
    slow = profile.cores[0].model_copy(update={"timing": Timing(clock_hz=1_000_000)})
    return Played(run_board(bench, files, _LINES, profile.model_copy(update={"cores": (slow,)})))


def test_a_reset_line_stops_what_does_not_stop_by_itself(lines: Played) -> None:
    """So its requests end, in software, and the machine sleeps."""
    assert lines.lines("loaded") == ["Y", "0"]
    ended, asserted = map(int, lines.lines("ended"))
    assert ended == 9
    assert asserted > int(lines.run.text("board", "asserted"))
    assert "linger: ended 9 failed 0 wrong 0 spoilt 0" in lines.run.text("board", "dmesg")
    assert lines.lines("slept") == ["status 0"]


def test_a_reset_line_stops_a_core_that_a_program_has(lines: Played) -> None:
    """So the machine sleeps, and afterwards the program finds the core as after a reset."""
    assert lines.lines("slept-at-work") == ["status 0"]
    assert lines.lines("asserted") == ["1"]
    lines.assert_well("asleep")


def test_the_clock_runs_while_the_driver_has_the_window(lines: Played) -> None:
    assert lines.lines("loaded")[0] == "Y"
    assert lines.lines("unloaded") == ["N"]


def test_nothing_is_polled_for_that_takes_longer_than_two_milliseconds(lines: Played) -> None:
    assert lines.lines("measured") == ["status 0"]
    before, after = (Told(lines.run).queues(item) for item in ("before", "polled"))
    assert after["polls"] == before["polls"]
    assert after["interrupts"] > before["interrupts"]
    assert after["jobs"] >= before["jobs"] + 20


# ---- a PCI function, and who may have it ----

_MASTERING = f"echo $(($(od -An -tu1 -j4 -N1 {DEVICES}/{FIRST}/config) & 4))"
_TAINT = "echo $(($(cat /proc/sys/kernel/tainted) & 64))"
"""Whether the kernel is tainted by what a user has asked for."""

_PCI = f"""
{_SLEEP}
{{ {_TAINT}; }} | probe data taint-before
modprobe -a aes-arm-bs ghash-arm-ce
insmod /job/firesteel.ko user=all
{{ {_TAINT}; }} | probe data taint
{{ {_MASTERING}; }} | probe data mastering-before
insmod /job/answers.ko answer={AT_WORK}
{status("slept", _FREEZE)}
{{ {_MASTERING}; }} | probe data mastering
rmmod answers
{play("message")}
{{ {_MASTERING}; }} | probe data mastering-afterwards

insmod /job/announced.ko slot=2
/job/uio hold >/run/hold 2>&1 &
until [ -e /run/ready ]; do sleep 0.01; done
echo begin >/sys/module/announced/parameters/reset
kill -9 $!
wait $! || true
{{ /job/uio message || true; }} 2>&1 | probe data meanwhile
echo end >/sys/module/announced/parameters/reset
{play("message", prefix="again-")}

insmod /job/answers.ko function=crypto_register_aead answer=-{ENOMEM} most=1
echo kernel >{DEVICES}/{SECOND}/owner
rmmod answers
cat /proc/crypto | probe data one-refused
export OWNER={DEVICES}/{SECOND}/owner
{play("powerless")}
insmod /job/answers.ko function=security_locked_down answer=-{EPERM}
echo user 2>/run/locked >{DEVICES}/{SECOND}/owner || echo refused >>/run/locked
rmmod answers
probe data locked /run/locked
cat {DEVICES}/{SECOND}/owner | probe data kept
{status("given", f"echo user >{DEVICES}/{SECOND}/owner")}
cat /proc/crypto | probe data crypto
cat /sys/kernel/debug/firesteel/user | probe data user
"""


@pytest.fixture(scope="module")
def pci(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    return Played(run_board(bench, files, _PCI, on_flat("socrates-hash")))


def test_a_function_sleeps_without_bus_mastering(pci: Played) -> None:
    """So it writes nothing, and its next program gets it back."""
    assert pci.lines("slept") == ["status 0"]
    bits = ("mastering-before", "mastering", "mastering-afterwards")
    assert [pci.lines(bit) for bit in bits] == [["4"], ["0"], ["4"]]
    pci.assert_well("message")


def test_a_program_may_end_in_the_middle_of_a_reset(pci: Played) -> None:
    assert pci.lines("meanwhile")[-1].startswith("not ok open CryptoMaster")
    pci.assert_well("again-message")


def test_what_programs_can_reach_taints_the_kernel(pci: Played) -> None:
    assert pci.lines("taint-before") == ["0"]
    assert pci.lines("taint") == ["64"]


def test_who_must_not_reach_memory_does_not_get_a_core(pci: Played) -> None:
    """Without the capability, and where the kernel is locked down."""
    pci.assert_well("powerless")
    assert pci.lines("locked")[-1] == "refused"
    assert pci.lines("kept") == ["kernel"]
    assert pci.lines("given") == ["status 0"]


def test_an_algorithm_that_cannot_be_registered_takes_no_other_with_it(pci: Played) -> None:
    refused = re.findall(
        rf"(\S+)-firesteel cannot be registered: -{ENOMEM}", pci.run.text("board", "dmesg")
    )
    assert len(refused) == 1
    before = Told(pci.run).self_tests("one-refused")
    assert refused[0] not in before
    assert {"cbc-aes", "hmac-sha256"} <= before.keys()
    # when the next device becomes the kernel's, all that are missing are tried again
    assert refused[0] in Told(pci.run).self_tests()


def test_software_for_a_tag_is_synchronous(pci: Played) -> None:
    """So no queue of the kernel limits or reorders it."""
    found = {
        fields["driver"]: fields["async"]
        for fields in Told(pci.run).algorithms()
        if fields["name"] in ("gcm(aes)", "ccm(aes)") and fields["module"] != "firesteel"
    }
    assert set(found.values()) == {"no"}
    assert "gcm_base(ctr-aes-neonbs-sync,ghash-ce-sync)" in found
