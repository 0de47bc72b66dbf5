# SPDX-License-Identifier: Apache-2.0
"""Cores in user space, on boards: what can be mapped, the lock, deaths, interrupts, owners.

    board: crypto0 AES, hash, public key    the kernel's; the public-key engine is programs'
           crypto1 AES, hash                a program's

A program (guest/uio/) plays scenarios and looks at what comes of them; each test here names one.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from bench import Bench, KeptRun
from guest_module import MODULES
from guest_program import build_program

from firesteel.board.cores import Cores, Fault
from firesteel.board.job import JobFile
from firesteel.board.profile import Profile, load_profile
from firesteel.board.topology import load_topology
from firesteel.build.products import Products

FIRST, SECOND = "0000:00:02.0", "0000:00:03.0"
"""What the kernel calls the windows of `socrates-hash`."""

_DEVICES = "/sys/bus/pci/devices"

_BEGIN = """
mount -t debugfs none /sys/kernel/debug
"""

_LOAD = """
modprobe -a authenc uio
insmod /job/firesteel.ko {options}
"""

_TELL = """
cat /sys/kernel/debug/firesteel/user | probe data user
cat /sys/kernel/debug/firesteel/requests | probe data requests
probe mark told
rmmod firesteel
dmesg | probe data dmesg
"""

_AWAIT = "until [ -e /run/ready ]; do sleep 0.01; done\nrm /run/ready\n"
"""Until a scenario that runs beside is where it wants to be."""


def play(*scenarios: str) -> str:
    """Shell lines that play them, each with an output of its own."""
    return "".join(
        f"{{ /job/uio {name} || echo not ok: status $?; }} 2>&1 | probe data {name}\n"
        for name in scenarios
    )


def status(name: str, command: str) -> str:
    """Shell lines that hand over a command's status and what it says."""
    return f"{{ {command} && echo status 0 || echo status $?; }} 2>&1 | probe data {name}\n"


@dataclass(frozen=True)
class Played:
    """What a run says."""

    run: KeptRun

    def lines(self, name: str) -> list[str]:
        return self.run.text("board", name).splitlines()

    def assert_well(self, scenario: str) -> None:
        """All that it looked at was as it should be, to the end."""
        lines = [line for line in self.lines(scenario) if not line.startswith("#")]
        assert [line for line in lines if not line.startswith("ok ")] == []
        assert lines[-1] == f"ok {scenario} has ended"

    def counts(self, window: str, core: str) -> Mapping[str, int]:
        """The driver's counters of one core."""
        found: dict[str, int] = {}
        for line in self.lines("user"):
            name, which, *words = line.split()
            if (name, which) == (window, core):
                found |= dict(zip(words[::2], map(int, words[1::2]), strict=True))
        return found

    def cores(self, name: str) -> Mapping[str, int]:
        """A window's own counters."""
        return self.run.run.nodes["board"].mark("told").cores[name]

    def assert_quiet(self) -> None:
        """The kernel has reported nothing."""
        text = self.run.text("board", "dmesg")
        assert not [word for word in ("WARNING", "BUG", "Oops", "Kernel panic") if word in text]


def numbers() -> bytes:
    """A modular exponentiation of 1024 bits and its answer, as guest/uio/ reads them."""
    source = random.Random(1)
    modulus = source.getrandbits(1024) | 1 << 1023 | 1
    base, exponent = source.getrandbits(1023), source.getrandbits(1024)
    four = (modulus, base, exponent, pow(base, exponent, modulus))
    return "".join(f"{number:0256x}\n" for number in four).encode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    products = Products()
    program = build_program(products, MODULES / "uio", tmp_path_factory.mktemp("uio"))
    return {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/uio": JobFile(program, 0o755),
        "/job/modexp": JobFile(numbers()),
    }


def run_board(
    bench: Bench,
    files: Mapping[str, JobFile],
    script: str,
    profile: Profile,
    *,
    before: str = "",
    options: str = "",
) -> Played:
    """Load the driver and play; `before` it is loaded, and its `options`."""
    whole = _BEGIN + before + _LOAD.format(options=options) + script + _TELL
    topology = load_topology("one-board")
    return Played(bench.run(topology, {"board": whole}, {"board": files}, {"board": profile}))


# ---- two windows, one for each ----

ALONE = ("maps", "operation", "once", "slots", "turns", "deaths", "chaos", "message")


@pytest.fixture(scope="module")
def played(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    owners = f"cat {_DEVICES}/{FIRST}/owner {_DEVICES}/{SECOND}/owner | probe data owners\n"
    return run_board(bench, files, owners + play(*ALONE), load_profile("socrates-hash"))


@pytest.mark.parametrize("scenario", ALONE)
def test_scenario(played: Played, scenario: str) -> None:
    played.assert_well(scenario)


def test_the_last_of_two_is_a_programs(played: Played) -> None:
    assert played.lines("owners") == ["kernel", "user"]


def test_the_kernel_has_reported_nothing(played: Played) -> None:
    played.assert_quiet()


def test_the_driver_counts_what_programs_did(played: Played) -> None:
    engine, master = played.counts(FIRST, "pk"), played.counts(SECOND, "cm")
    # chaos kills 200; those that slept are no deaths of the lock's
    assert 150 < engine["deaths"] < engine["joined"]
    assert 20 < engine["orphans"] <= engine["recoveries"]
    assert engine["slots"] == engine["faults"] == 0
    assert engine["refused"] == 2  # one too many, another namespace
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

_BENCH = (
    "kind=cipher algorithm=cbc-aes-firesteel reference=cbc(aes-generic) "
    "key=32 size=1408 requests={requests} in_flight=16"
)
_MEASURE = f"echo '{_BENCH}' >/proc/cryptobench"
"""Shell text with a place for the number of requests, of which each result is looked at."""

_SWITCH = f"""
(
    while [ ! -e /run/stop ]; do
        for owner in user kernel; do
            sleep 0.01
            echo $owner >{_DEVICES}/{FIRST}/owner
            echo $owner >>/run/switches
        done
    done
) &
{status("switched", _MEASURE.format(requests=5000))}
touch /run/stop
wait
probe data switches /run/switches
"""

_HANDS = f"""
modprobe cryptobench
{_SWITCH}
/job/uio hold >/run/hold 2>&1 &
{_AWAIT}
{status("busy", f"echo kernel >{_DEVICES}/{SECOND}/owner")}
{status("in-use", "rmmod firesteel")}
{status("other", f"echo other >{_DEVICES}/{SECOND}/owner")}
cat {_DEVICES}/{SECOND}/owner | probe data kept
{status("beside", _MEASURE.format(requests=400))}
touch /run/go
wait
probe data hold /run/hold
{status("back", f"echo kernel >{_DEVICES}/{SECOND}/owner")}
{{ /job/uio message || true; }} | probe data none
{status("given", f"echo user >{_DEVICES}/{SECOND}/owner")}
{play("message")}
{status("both", f"echo user >{_DEVICES}/{FIRST}/owner && echo kernel >{_DEVICES}/{SECOND}/owner")}
/job/uio away >/run/away 2>&1 &
{_AWAIT}
{status("unbind", f"echo {FIRST} >/sys/bus/pci/drivers/firesteel/unbind")}
wait
probe data away /run/away
{status("bind", f"echo {FIRST} >/sys/bus/pci/drivers/firesteel/bind")}
{play("operation")}
rmmod cryptobench
"""


@pytest.fixture(scope="module")
def hands(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    return run_board(bench, files, _HANDS, load_profile("socrates-hash"))


def test_requests_are_right_while_the_core_changes_hands(hands: Played) -> None:
    assert hands.lines("switched") == ["status 0"]
    assert len(hands.lines("switches")) >= 4
    ways = {
        words[1]: int(words[2])
        for words in map(str.split, hands.lines("requests"))
        if words[0] == "cbc-aes-firesteel"
    }
    assert ways["hardware"] > 1000
    assert ways["software-out-of-service"] > 300
    # those that were on their way when it changed
    assert 0 < ways["failed"] <= 32 * len(hands.lines("switches"))


def test_what_a_program_has_open_stays_its_own(hands: Played) -> None:
    hands.assert_well("hold")
    assert hands.lines("busy")[-1] == "status 1"
    assert "busy" in hands.lines("busy")[0]
    assert hands.lines("in-use")[-1] == "status 1"
    assert "in use" in hands.lines("in-use")[0]
    assert hands.lines("other")[-1] == "status 1"
    assert hands.lines("kept") == ["user"]


def test_the_kernels_core_works_beside_a_programs(hands: Played) -> None:
    assert hands.lines("beside") == ["status 0"]


def test_a_core_comes_and_goes_between_kernel_and_programs(hands: Played) -> None:
    assert [hands.lines(step) for step in ("back", "given", "both")] == [["status 0"]] * 3
    assert hands.lines("none") == ["not ok open CryptoMaster: No such file or directory"]
    hands.assert_well("message")


def test_a_device_goes_while_a_program_has_it(hands: Played) -> None:
    assert hands.lines("unbind") == hands.lines("bind") == ["status 0"]
    hands.assert_well("away")
    hands.assert_well("operation")
    hands.assert_quiet()


# ---- other boards ----


def test_a_window_of_the_device_tree(bench: Bench, files: Mapping[str, JobFile]) -> None:
    """Its interrupts are found by name; the parameter gives CryptoMaster away."""
    profile = load_profile("socrates")
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
    one_pin = "".join(f"echo 0 >{_DEVICES}/{name}/msi_bus\n" for name in (FIRST, SECOND))
    interrupts = "grep firesteel-pk /proc/interrupts | probe data interrupts\n"
    played = run_board(
        bench,
        files,
        play("operation", "deaths", "message") + interrupts,
        load_profile("socrates-hash"),
        before=one_pin,
        options=f"user=0000:00:01.0,{SECOND} buffer=2048",
    )
    for scenario in ("operation", "deaths", "message"):
        played.assert_well(scenario)
    assert "MSI" not in played.lines("interrupts")[0]
    played.assert_quiet()


def engine_alone(*faults: Fault) -> Profile:
    """A board with nothing but a public-key engine, which fails."""
    cores = (Cores(name="pk", bus="pci", pk=True, faults=faults),)
    return load_profile("socrates").model_copy(update={"cores": cores})


def test_a_core_that_never_ends(bench: Bench, files: Mapping[str, JobFile]) -> None:
    fault = Fault(kind="stuck-busy", nth=1)
    played = run_board(bench, files, play("stuck"), engine_alone(fault))
    played.assert_well("stuck")
    assert played.counts(FIRST, "pk")["faults"] >= 1
    assert played.counts(FIRST, "pk")["recoveries"] == 0
    assert played.run.text("board", "dmesg").count("out of service until it does") == 1
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
