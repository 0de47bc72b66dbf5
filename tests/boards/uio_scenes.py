# SPDX-License-Identifier: Apache-2.0
"""What boards do with cores in user space: shell lines, and what a run says.

A program (guest/uio/) plays scenarios and looks at what comes of them. `ALONE` are those that need
nothing else; `hands()` changes owners and takes devices away meanwhile.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import KeptRun
from guest_module import MODULES
from guest_program import build_program
from kernel_reports import unexpected

from firesteel.boards.job import JobFile
from firesteel.build.products import Products

FIRST, SECOND = "0000:00:02.0", "0000:00:03.0"
"""What the kernel calls the windows of `socrates-hash`."""

DEVICES = "/sys/bus/pci/devices"

LOAD = """
modprobe -a authenc uio
insmod /job/firesteel.ko {options}
"""

TELL = """
cat /sys/kernel/debug/firesteel/user | probe data user
cat /sys/kernel/debug/firesteel/requests | probe data requests
probe mark told
rmmod firesteel
"""

AGAIN = "again-"
"""Begin of the outputs of what `hands()` plays."""

AWAIT = "until [ -e /run/ready ]; do sleep 0.01; done\nrm /run/ready\n"
"""Until a scenario that runs beside is where it wants to be."""


def play(*scenarios: str, prefix: str = "") -> str:
    """Shell lines that play them; the output of each is called like it, with a prefix."""
    return "".join(
        f"{{ /job/uio {name} || echo not ok: status $?; }} 2>&1 | probe data {prefix}{name}\n"
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
        assert lines[-1] == f"ok {scenario.removeprefix(AGAIN)} has ended"

    def counts(self, window: str, core: str) -> Mapping[str, int]:
        """The driver's counters of one core."""
        found: dict[str, int] = {}
        for line in self.lines("user"):
            name, which, *words = line.split()
            if (name, which) == (window, core):
                found |= dict(zip(words[::2], map(int, words[1::2]), strict=True))
        return found

    def windows(self) -> set[str]:
        """Those that the driver has."""
        return {line.split()[0] for line in self.lines("user")}

    def cores(self, name: str) -> Mapping[str, int]:
        """A window's own counters."""
        return self.run.run.nodes["board"].mark("told").cores[name]

    def assert_quiet(self) -> None:
        """The kernel has reported nothing."""
        assert unexpected(self.run.text("board", "dmesg")) == []


def numbers() -> bytes:
    """A modular exponentiation of 1024 bits and its answer, as guest/uio/ reads them."""
    source = random.Random(1)
    modulus = source.getrandbits(1024) | 1 << 1023 | 1
    base, exponent = source.getrandbits(1023), source.getrandbits(1024)
    four = (modulus, base, exponent, pow(base, exponent, modulus))
    return "".join(f"{number:0256x}\n" for number in four).encode()


def job_files(driver: bytes, directory: Path) -> Mapping[str, JobFile]:
    """What a board needs: the driver, the program, which is built in the empty `directory`."""
    program = build_program(Products(), MODULES / "uio", directory)
    return {
        "/job/firesteel.ko": JobFile(driver),
        "/job/uio": JobFile(program, 0o755),
        "/job/modexp": JobFile(numbers()),
    }


ALONE = ("maps", "operation", "once", "slots", "turns", "deaths", "chaos", "message")
"""Scenarios on `socrates-hash`, loaded with `user=last`."""

_BENCH = (
    "kind=cipher algorithm=cbc-aes-firesteel reference=cbc(aes-generic) "
    "key=32 size=1408 requests={requests} in_flight=16"
)
MEASURE = f"echo '{_BENCH}' >/proc/cryptobench"
"""Shell text with a place for the number of requests, of which each result is looked at."""

_SWITCH = f"""
(
    while [ ! -e /run/stop ]; do
        for owner in user kernel; do
            sleep 0.01
            echo $owner >{DEVICES}/{FIRST}/owner
            echo $owner >>/run/switches
        done
    done
) &
"""

_HANDS = f"""
/job/uio hold >/run/hold 2>&1 &
{AWAIT}
{status("busy", f"echo kernel >{DEVICES}/{SECOND}/owner")}
{status("in-use", "rmmod firesteel")}
{status("other", f"echo other >{DEVICES}/{SECOND}/owner")}
cat {DEVICES}/{SECOND}/owner | probe data kept
{status("beside", MEASURE.format(requests=200))}
touch /run/go
wait
probe data hold /run/hold
{status("back", f"echo kernel >{DEVICES}/{SECOND}/owner")}
{{ /job/uio message || true; }} | probe data none
{status("given", f"echo user >{DEVICES}/{SECOND}/owner")}
{play("message", prefix=AGAIN)}
{status("both", f"echo user >{DEVICES}/{FIRST}/owner && echo kernel >{DEVICES}/{SECOND}/owner")}
/job/uio away >/run/away 2>&1 &
{AWAIT}
{status("unbind", f"echo {FIRST} >/sys/bus/pci/drivers/firesteel/unbind")}
wait
probe data away /run/away
{status("bind", f"echo {FIRST} >/sys/bus/pci/drivers/firesteel/bind")}
{play("operation", prefix=AGAIN)}
rmmod cryptobench
"""


def hands(requests: int) -> str:
    """Shell lines that change owners while the kernel makes so many requests, and then while
    programs have what changes; at last a device goes."""
    measure = status("switched", MEASURE.format(requests=requests))
    begin = f"modprobe cryptobench\n{_SWITCH}{measure}"
    return f"{begin}touch /run/stop\nwait\nprobe data switches /run/switches\n{_HANDS}"
