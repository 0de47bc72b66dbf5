# SPDX-License-Identifier: Apache-2.0
"""The driver lets go of memory only when neither it nor a core uses it any more.

A user of the kernel's crypto (guest/linger/) makes time for it: in the callback of a request he
lingers, while on another processor a device is unbound, given to a program or reset.  Another core
does not stop when the driver resets it (guest/answers/).
"""

import dataclasses
import re

import pytest
from bench import Bench, KeptRun, on_flat
from driver_run import PREPARE, Told
from guest_module import job_modules
from real_time import RealTimeBoard
from uio_scenes import DEVICES, FIRST

from firesteel.boards.command import BoardProducts
from firesteel.boards.cores import Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

PROCESSORS = 2

TIMEOUT = 300
"""Wall seconds of a run in real time, which takes a few."""

AT_WORK = 2
"""What says that a core goes on: `FIRESTEEL_AT_WORK` of driver/cryptomaster.h."""

# Callbacks run on the processor that takes the interrupt, so it must be the one that linger keeps.
_PREPARE = f"""{PREPARE}
echo 1 >/proc/irq/default_smp_affinity
echo Y >/sys/module/cryptomgr/parameters/notests
modprobe -a authenc uio aes-generic cbc
insmod /job/firesteel.ko minimum=0 timeout={{timeout}} completion=irq
linger=/sys/module/linger/parameters
await() {{{{ until [ "$(cat $linger/$1)" = $2 ]; do sleep 0.01; done; }}}}
"""

_TELL = """
rmmod linger
dmesg | probe data dmesg
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JobFile]:
    driver = JobFile(Products().driver().read_bytes())
    modules = job_modules(tmp_path_factory.mktemp, "linger", "arenas", "answers")
    return {"/job/firesteel.ko": driver} | modules


@pytest.fixture(scope="module")
def real_time(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> RealTimeBoard:
    """A board whose kernel fills memory that was freed, and notices who writes there."""
    cmdline = tmp_path_factory.mktemp("cmdline") / "cmdline"
    cmdline.write_text(f"{boards.cmdline.read_text().strip()} slab_debug=FP,kmalloc-*\n")
    poisoning = dataclasses.replace(boards, cmdline=cmdline)
    return RealTimeBoard(poisoning, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)


def slow() -> Profile:
    """One window with AES, so slow that requests wait for it."""
    profile = on_flat("socrates-hash")
    timing = {"timing": Timing(clock_hz=1_000_000)}
    return profile.model_copy(update={"cores": (profile.cores[0].model_copy(update=timing),)})


def ended(run: KeptRun) -> tuple[int, ...]:
    """Of the requests: how many ended, failed, were wrong then, and were wrong afterwards."""
    line = r"linger: ended (\d+) failed (\d+) wrong (\d+) spoilt (\d+)"
    (found,) = re.findall(line, run.text("board", "dmesg"))
    return tuple(map(int, found))


_UNBIND = f"""{_PREPARE.format(timeout=5000)}
insmod /job/linger.ko count=600 at=599
echo 1 >$linger/go
echo {FIRST} >/sys/bus/pci/drivers/firesteel/unbind
cat $linger/ended $linger/lingering | probe data then
{_TELL}"""


def test_a_device_is_unbound_when_the_last_callback_has_returned(
    real_time: RealTimeBoard, files: dict[str, JobFile]
) -> None:
    """Requests wait for commands when it begins, so that software does them, a few at a time."""
    run = real_time.run(_UNBIND, files, slow(), PROCESSORS)
    assert run.text("board", "then") == "600\nN\n"
    assert ended(run) == (600, 0, 0, 0)
    Told(run).assert_quiet()


# The third request is in the middle of a list of eight, whose others have ended, too, but have
# their commands still.
_GIVE = f"""
insmod /job/arenas.ko device={FIRST}
{_PREPARE.format(timeout=5000)}
insmod /job/linger.ko count=16 at=3 ms=2000
echo 1 >$linger/go
await lingering Y
echo user >{DEVICES}/{FIRST}/owner
cat /sys/module/arenas/parameters/live | probe data live
await ended 16
cat /sys/module/arenas/parameters/live | probe data live-afterwards
{_TELL}"""


def test_keys_and_mapped_memory_are_gone_when_a_program_gets_the_core(
    real_time: RealTimeBoard, files: dict[str, JobFile]
) -> None:
    run = real_time.run(_GIVE, files, slow(), PROCESSORS)
    assert ended(run) == (16, 0, 0, 0)
    for live in ("live", "live-afterwards"):
        assert re.fullmatch(r"0 of [1-9]\d*\n", run.text("board", live))
    Told(run).assert_quiet()


# The core works for 40 ms on each request, and is done with all when it stops at last.
_UNSTOPPABLE = f"""{_PREPARE.format(timeout=50)}
until [ $(cut -d. -f1 /proc/uptime) -ge 5 ]; do sleep 0.1; done
insmod /job/answers.ko answer={AT_WORK}
insmod /job/linger.ko count=9 at=9
echo 1 >$linger/go
sleep 2
cat /sys/module/answers/parameters/asked | probe data asked
rmmod answers
await ended 9
sleep 0.5
{_TELL}
rmmod firesteel
"""


def test_a_core_that_does_not_stop_spoils_no_result(
    parts: Bench, files: dict[str, JobFile]
) -> None:
    """On the bus of a device tree nothing else keeps it from memory."""
    fault = Fault(kind="late", rate=1, factor=1000, from_ms=5000)
    profile = on_flat("socrates-hash")
    core = profile.cores[0].model_copy(update={"bus": "sysbus", "faults": (fault,)})
    run = parts.run(
        load_topology("one-board"),
        {"board": _UNSTOPPABLE},
        {"board": files},
        {"board": profile.model_copy(update={"cores": (core,)})},
    )
    assert int(run.text("board", "asked")) > 1
    assert ended(run) == (9, 0, 0, 0)
    Told(run).assert_quiet()
