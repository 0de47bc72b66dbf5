# SPDX-License-Identifier: Apache-2.0
"""Real machines: their names, the way to reach them, and their description of themselves.

A machine is called by its address, `ssh:root@192.0.2.7/eth1`, wherever a board has the name of its
profile.  Its profile is what it says of itself (`board/machine/facts.sh`).
"""

import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Self

from pydantic import Field, model_validator

from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError, shortened
from firesteel.base.toml import in_words, pattern
from firesteel.boards.cores import Cores
from firesteel.boards.profile import Cpu, Memory, Profile

MACHINE = BOARD / "machine"
"""What runs jobs there."""

PREFIX = "ssh:"
"""The prefix of real machines' names; names of profiles never begin with it."""

HOST = pattern(
    r"^([A-Za-z0-9_.-]+@)?([A-Za-z0-9][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$",
    'a host, as "root@192.0.2.7" or "root@board.lan:2222"',
)
INTERFACE = pattern(
    r"^[A-Za-z0-9_.-]{1,15}$", 'the name of a network interface, as "eth1"; 15 characters at most'
)

_CORES = (Cores(name="firesteel", aes=True, hash=True),)
"""By the name that the probe there gives what the driver says that its cores did."""

_PATIENCE_S = 10
_SECONDS = 60
"""After which a machine that was asked what it is does not answer."""


@dataclass(frozen=True)
class Address:
    """A machine and the interfaces that are its ends of links, in their order."""

    host: str
    interfaces: tuple[str, ...] = ()

    @staticmethod
    def of(name: str) -> "Address":
        """That of a machine's name; `FiresteelError` where it is none."""
        host, slash, listed = name.removeprefix(PREFIX).partition("/")
        interfaces = tuple(listed.split(",")) if slash else ()
        if not re.match(HOST, host):
            raise FiresteelError(
                f"{shortened(name)}: after `{PREFIX}`, allowed is {in_words(HOST)}."
            )
        for each in interfaces:
            if not re.match(INTERFACE, each):
                raise FiresteelError(
                    f"{shortened(name)}: after `/`, allowed is {in_words(INTERFACE)}; of several, "
                    "with commas between them."
                )
        return Address(host, interfaces)

    @property
    def name(self) -> str:
        """What the machine is called."""
        return PREFIX + "/".join(filter(None, (self.host, ",".join(self.interfaces))))

    def command(self, words: Sequence[str]) -> list[str]:
        """The local command that runs a command there, by OpenSSH's client: keys and all else that
        it needs are the user's own configuration.
        """
        user, _, rest = self.host.rpartition("@")
        host, port = rest, ""
        if found := re.fullmatch(r"(.*):([0-9]+)", rest):
            host, port = found[1], found[2]
        return [
            *("ssh", "-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={_PATIENCE_S}"),
            *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=6"),
            *(("-l", user) if user else ()),
            *(("-p", port) if port else ()),
            *("--", host.strip("[]"), shlex.join(words)),
        ]


def is_real(name: str) -> bool:
    """Whether a board of that name is a real machine."""
    return name.startswith(PREFIX)


class RealCpu(Cpu):
    """The CPUs of a real machine, by /proc/cpuinfo; its clock is the wall's."""

    model: str
    """What the kernel calls it."""
    clock: Literal["wall"] = "wall"  # type: ignore[assignment]
    """The wall's."""
    hertz: int | None = Field(default=None, ge=1)
    """Its highest frequency, if the kernel knows."""
    count: int = Field(default=1, ge=1)
    """CPUs of the machine."""

    @model_validator(mode="after")
    def _has_what_its_clock_needs(self) -> Self:
        return self


class RealMemory(Memory):
    """The memory of a real machine; whether DMA is coherent there, nobody says."""

    mebibytes: int = Field(ge=1)
    """Main memory, MiB."""
    dma: Literal["unknown"] = "unknown"  # type: ignore[assignment]
    """Nobody says."""


class RealProfile(Profile):
    """What a real machine is, as far as it says.

    `cores` are there where it has the driver firesteel; which engines they are, the driver's
    account shows, and of their time nothing is known.
    """

    cpu: RealCpu
    """The CPUs."""
    memory: RealMemory
    """Main memory."""
    machine: str
    """What `uname -m` says."""
    uname: str
    """System, release and version of the kernel."""
    software: dict[str, str]
    """Versions of what computes, by name."""
    speeds_mbit_s: tuple[int, ...] = ()
    """The interfaces that the address names."""

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        return self

    @property
    def architecture_name(self) -> str:
        """As the kernel calls it."""
        return self.machine

    @property
    def in_words(self) -> str:
        """CPUs, memory and kernel."""
        cpus = f"{self.cpu.count} × {self.cpu.model}" if self.cpu.count > 1 else self.cpu.model
        rate = f" of {self.cpu.hertz / 1e6:,.10g} MHz" if self.cpu.hertz else ""
        cores = ["cores of the driver firesteel"] if self.cores else []
        said = [f"real machine: {cpus}{rate}", f"{self.memory.mebibytes} MiB", self.uname, *cores]
        return ", ".join(said)


@dataclass(frozen=True)
class Facts:
    """The lines of `facts.sh`: what was said with each word, in order."""

    said: Mapping[str, tuple[str, ...]]

    def one(self, word: str, default: str = "") -> str:
        """What was said with a word that comes once."""
        return next(iter(self.said.get(word, ())), default)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What a measurement needs and the machine has not."""
        return self.said.get("lacks", ())


def facts_of(address: Address, needed: Iterable[str] = ()) -> Facts:
    """A description of the machine, and the `needed` programs that it lacks.

    Raises `FiresteelError` where it cannot be reached.
    """
    script = (MACHINE / "facts.sh").read_text(encoding="utf-8")
    wanted = [*sorted(needed), *(f"interface:{each}" for each in address.interfaces)]
    command = address.command(["sh", "-c", script, "facts.sh", *wanted])
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS
        )
    except FileNotFoundError:
        raise FiresteelError(
            "There is no program `ssh` here; install OpenSSH's client (Debian: openssh-client)."
        ) from None
    except subprocess.TimeoutExpired:
        raise FiresteelError(f"{address.name}: it has not answered for {_SECONDS} s.") from None
    if done.returncode:
        why = " ".join(done.stderr.split()) or f"ssh ended with status {done.returncode}"
        raise FiresteelError(
            f"{address.name}: it cannot be reached: {shortened(why)}. `ssh {address.host} true` "
            "must succeed without a question."
        )
    said: dict[str, tuple[str, ...]] = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        said[word] = (*said.get(word, ()), rest)
    return Facts(said)


@cache
def real_profile(name: str) -> RealProfile:
    """What the machine of that name is; it is asked once.

    Raises `FiresteelError` where it is not reached, or does not say.
    """
    address = Address.of(name)
    facts = facts_of(address)
    numbers = {word: facts.one(word) for word in ("cpus", "memory", "khz")}
    if not all(each.isdecimal() for each in numbers.values()):
        raise FiresteelError(f"{name}: it does not identify its system; allowed is Linux.")
    hertz = 1000 * int(numbers["khz"]) or None
    packages = (each.partition(" ") for each in facts.said.get("package", ()))
    return RealProfile(
        cpu=RealCpu(model=facts.one("model"), count=int(numbers["cpus"]), hertz=hertz),
        memory=RealMemory(mebibytes=max(1, int(numbers["memory"]) >> 10)),
        cores=_CORES if "installed" in facts.said.get("firesteel", ()) else (),
        machine=facts.one("machine"),
        uname=facts.one("uname"),
        speeds_mbit_s=tuple(int(each) for each in facts.said.get("speed", ())),
        software={package: version for package, _, version in packages},
    )
