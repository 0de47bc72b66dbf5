# SPDX-License-Identifier: Apache-2.0
"""Cores in user space, on boards: what can be mapped, the lock, deaths, interrupts, owners.

    board: crypto0 AES, hash, public key    the kernel's; the public-key engine is programs'
           crypto1 AES, hash                a program's

A program (guest/uio/) plays scenarios and looks at what comes of them; each test here names one.
"""

import errno
import os
from collections.abc import Mapping
from typing import Literal

import pytest
from bench import Bench, on_flat
from uio_scenes import (
    AGAIN,
    ALONE,
    AWAIT,
    DEVICES,
    FIRST,
    LOAD,
    MEASURE,
    SECOND,
    TELL,
    Played,
    hands,
    job_files,
    play,
    status,
)

from firesteel.boards.cores import Cores, Fault, Timing
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_BEGIN = """
mount -t debugfs none /sys/kernel/debug
"""

_END = """
dmesg | probe data dmesg
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    return job_files(Products().driver().read_bytes(), tmp_path_factory.mktemp("uio"))


def run_board(
    bench: Bench,
    files: Mapping[str, JobFile],
    script: str,
    profile: Profile,
    *,
    before: str = "",
    options: str = "user=last",
) -> Played:
    """Load the driver and play; `before` it is loaded, and its `options`."""
    whole = _BEGIN + before + LOAD.format(options=options) + script + TELL + _END
    topology = load_topology("one-board")
    return Played(bench.run(topology, {"board": whole}, {"board": files}, {"board": profile}))


# ---- two windows, one for each ----


@pytest.fixture(scope="module")
def played(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    owners = f"cat {DEVICES}/{FIRST}/owner {DEVICES}/{SECOND}/owner | probe data owners\n"
    return run_board(bench, files, owners + play(*ALONE), on_flat("socrates-hash"))


@pytest.mark.parametrize("scenario", ALONE)
def test_scenario(played: Played, scenario: str) -> None:
    played.assert_well(scenario)


def test_the_last_of_two_is_a_programs_if_asked_for(played: Played) -> None:
    assert played.lines("owners") == ["kernel", "user"]


def test_the_kernel_has_reported_nothing(played: Played) -> None:
    played.assert_quiet()


def test_the_driver_counts_what_programs_did(played: Played) -> None:
    engine, master = played.counts(FIRST, "pk"), played.counts(SECOND, "cm")
    # chaos kills 200; those that slept are no deaths of the lock's
    assert 150 < engine["deaths"] < engine["joined"]
    assert 20 < engine["orphans"] <= engine["recoveries"]
    assert engine["slots"] == engine["faults"] == 0
    assert engine["refused"] == 1  # one too many
    assert engine["wakes"] > 0
    assert master["interrupts"] == 100 == played.cores("crypto1")["cm_interrupts"]
    assert master["opens"] == master["stops"] == 5
    assert master["refused"] == 2
    assert played.counts(FIRST, "cm")["opens"] == 0


def test_what_is_polled_for_does_not_interrupt(played: Played) -> None:
    # by interrupt: one operation of `operation`, none of `once`; one may come late as it is masked
    assert played.counts(FIRST, "pk")["interrupts"] <= 3
    assert played.cores("crypto0")["pk_operations"] > 300


# ---- owners change, devices go ----


@pytest.fixture(scope="module")
def changed(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    """The kernel's core is slow and has all requests, so that some are always on their way."""
    profile = on_flat("socrates-hash")
    slow = profile.cores[0].model_copy(update={"timing": Timing(clock_hz=20_000_000)})
    profile = profile.model_copy(update={"cores": (slow, profile.cores[1])})
    return run_board(bench, files, hands(1000), profile, options="minimum=0 user=last")


def test_requests_are_right_while_the_core_changes_hands(changed: Played) -> None:
    assert changed.lines("switched") == ["status 0"]
    assert len(changed.lines("switches")) >= 4
    ways = {
        words[1]: int(words[2])
        for words in map(str.split, changed.lines("requests"))
        if words[0] == "cbc-aes-firesteel"
    }
    assert ways["hardware"] > 300
    assert ways["software-out-of-service"] > 100
    # those that were on their way when it changed
    assert 0 < ways["failed"] <= 32 * len(changed.lines("switches"))


def test_what_a_program_has_open_stays_its_own(changed: Played) -> None:
    changed.assert_well("hold")
    assert changed.lines("busy")[-1] == "status 1"
    assert "busy" in changed.lines("busy")[0]
    assert changed.lines("in-use")[-1] == "status 1"
    assert "in use" in changed.lines("in-use")[0]
    assert changed.lines("other")[-1] == "status 1"
    assert changed.lines("kept") == ["user"]


def test_the_kernels_core_works_beside_a_programs(changed: Played) -> None:
    assert changed.lines("beside") == ["status 0"]


def test_a_core_comes_and_goes_between_kernel_and_programs(changed: Played) -> None:
    assert [changed.lines(step) for step in ("back", "given", "both")] == [["status 0"]] * 3
    (refused,) = changed.lines("none")
    assert refused.startswith("not ok open CryptoMaster: ")
    assert os.strerror(errno.ENOENT) in refused
    changed.assert_well(f"{AGAIN}message")


def test_a_device_goes_while_a_program_has_it(changed: Played) -> None:
    assert changed.lines("unbind") == changed.lines("bind") == ["status 0"]
    changed.assert_well("away")
    changed.assert_well(f"{AGAIN}operation")
    changed.assert_quiet()


# ---- other boards ----


def test_a_window_of_the_device_tree(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """Its interrupts are found by name; the parameter gives CryptoMaster away."""
    profile = on_flat("socrates")
    core = profile.cores[0].model_copy(update={"bus": "sysbus"})
    played = run_board(
        bench,
        files,
        play("operation", "once", "message"),
        profile.model_copy(update={"cores": (core,)}),
        options="user=all",
    )
    for scenario in ("operation", "once", "message"):
        played.assert_well(scenario)
    assert played.lines("requests") == []  # there is none for the kernel
    played.assert_quiet()


def test_lines_that_are_one(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """Without messages both cores share a pin; the parameter names a device, and a size."""
    one_pin = "".join(f"echo 0 >{DEVICES}/{name}/msi_bus\n" for name in (FIRST, SECOND))
    interrupts = "grep firesteel-pk /proc/interrupts | probe data interrupts\n"
    played = run_board(
        bench,
        files,
        play("operation", "deaths", "message") + interrupts,
        on_flat("socrates-hash"),
        before=one_pin,
        options=f"user=0000:00:01.0,{SECOND} buffer=2048",
    )
    for scenario in ("operation", "deaths", "message"):
        played.assert_well(scenario)
    assert "MSI" not in played.lines("interrupts")[0]
    played.assert_quiet()


BUSES: tuple[Literal["pci", "sysbus"], ...] = ("pci", "sysbus")


def engine_alone(*faults: Fault, bus: Literal["pci", "sysbus"] = "pci") -> Profile:
    """A board with nothing but a public-key engine, which fails."""
    cores = (Cores(name="pk", bus=bus, pk=True, faults=faults),)
    return on_flat("socrates").model_copy(update={"cores": cores})


FOR_EVER = (Fault(kind="stuck-busy", nth=1), Fault(kind="gone", nth=1))


@pytest.mark.parametrize("fault", FOR_EVER, ids=lambda fault: fault.kind)
def test_a_core_that_never_ends(bench: Bench, files: Mapping[str, JobFile], fault: Fault) -> None:
    played = run_board(bench, files, play("stuck"), engine_alone(fault))
    played.assert_well("stuck")
    assert played.counts(FIRST, "pk")["faults"] >= 1
    assert played.counts(FIRST, "pk")["recoveries"] == 1  # when the driver was loaded
    assert played.run.text("board", "dmesg").count("out of service") == 1
    played.assert_quiet()


def test_what_was_left_in_it_before_is_cleared(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """By a boot loader, or by a kernel before this one: before any program can look."""
    played = run_board(bench, files, play("find"), engine_alone(), before=play("leave"))
    played.assert_well("leave")
    played.assert_well("find")
    played.assert_quiet()


def test_a_core_that_is_late_is_waited_for(bench: Bench, files: Mapping[str, JobFile]) -> None:
    fault = Fault(kind="late", rate=2, factor=3)
    played = run_board(bench, files, play("deaths"), engine_alone(fault))
    played.assert_well("deaths")
    assert played.counts(FIRST, "pk")["faults"] == 0
    assert played.cores("pk")["fault_late"] > 2


def test_a_lost_interrupt_is_no_more_than_a_delay(
    bench: Bench, files: Mapping[str, JobFile]
) -> None:
    fault = Fault(kind="lost-interrupt", rate=2)
    played = run_board(bench, files, play("turns", "chaos"), engine_alone(fault))
    played.assert_well("turns")
    played.assert_well("chaos")


# ---- resets that nobody announces ----


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("for_ns", [1000, 30_000, 1_000_000])
def test_programs_learn_of_a_reset(
    bench: Bench, files: Mapping[str, JobFile], bus: Literal["pci", "sysbus"], for_ns: int
) -> None:
    fault = Fault(kind="gone", nth=1, for_ns=for_ns)
    played = run_board(bench, files, play("reset"), engine_alone(fault, bus=bus))
    played.assert_well("reset")
    assert played.cores("pk")["fault_gone"] == 1
    window = {"pci": FIRST, "sysbus": next(iter(played.windows()))}[bus]
    assert played.counts(window, "pk")["resets"] == 1
    played.assert_quiet()


def test_a_reset_is_counted_once(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """However often the driver looks before it can clear the core."""
    fault = Fault(kind="gone", nth=1, for_ns=1000)
    slow = Timing(clock_hz=5_000_000)  # after a reset it clears its memory for 0.4 ms
    cores = (Cores(name="pk", pk=True, faults=(fault,), timing=slow),)
    profile = on_flat("socrates").model_copy(update={"cores": cores})
    played = run_board(bench, files, play("looks"), profile)
    played.assert_well("looks")
    assert played.counts(FIRST, "pk")["resets"] == 1
    played.assert_quiet()


def test_programs_learn_that_the_machine_slept(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """The kernel's test of suspend: devices sleep for five seconds."""
    script = f"""
/job/uio told >/run/told 2>&1 &
{AWAIT}
echo devices >/sys/power/pm_test
{status("slept", "echo freeze >/sys/power/state")}
wait
probe data told /run/told
"""
    played = run_board(bench, files, script, engine_alone())
    assert played.lines("slept") == ["status 0"]
    played.assert_well("told")
    assert played.counts(FIRST, "pk")["resets"] == 0
    played.assert_quiet()


def test_a_reset_that_the_kernel_notices_is_told_to_programs(
    bench: Bench, files: Mapping[str, JobFile]
) -> None:
    """By CryptoMaster, in the same window of the device tree."""
    profile = on_flat("socrates")
    fault = Fault(kind="gone", nth=1, for_ns=100_000, from_ms=5000)
    core = profile.cores[0].model_copy(update={"bus": "sysbus", "faults": (fault,)})
    script = f"""
/job/uio told >/run/told 2>&1 &
{AWAIT}
until [ $(cut -d. -f1 /proc/uptime) -ge 5 ]; do sleep 0.1; done
modprobe cryptobench
{status("measured", MEASURE.format(requests=200))}
rmmod cryptobench
wait
probe data told /run/told
"""
    played = run_board(
        bench, files, script, profile.model_copy(update={"cores": (core,)}), options="minimum=0"
    )
    played.assert_well("told")
    assert played.lines("measured") == ["status 0"]
    assert played.cores("crypto0")["fault_gone"] == 1
    played.assert_quiet()
