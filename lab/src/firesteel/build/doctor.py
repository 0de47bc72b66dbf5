# SPDX-License-Identifier: Apache-2.0
"""What this machine lacks for building and running boards, and the command that mends it.

Each check looks at one thing and changes nothing.  It returns nothing when all is well, and
otherwise one sentence that says what is missing and how to mend it.
"""

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.build import debian, privilege
from firesteel.build.cache import cache_directory

GIB = 2**30

SPACE_NEEDED, SPACE_RESERVE = 5 * GIB, GIB
"""Bytes that an empty cache grows to, with room for the files of runs; and those that runs and a
rebuild of one part need in a cache that has grown already."""

MEMORY_NEEDED = 4 * GIB
"""Bytes of memory that two boards and a build need; firmware may take a tenth of it."""

_RELEASES = ("12", "13")
_PACKAGE_OF = {
    "mmdebstrap": "mmdebstrap",
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "unshare": "util-linux",
    "setpriv": "util-linux",
    "flock": "util-linux",
    "chroot": "coreutils",
    "tar": "tar",
    "gpgv": "gpgv",
}


@dataclass(frozen=True)
class Machine:
    """The facts that the checks use; tests replace it."""

    architecture: str
    os_release: Path
    memory: int
    cache: Path
    free_space: Callable[[Path], int]
    keyring: Path = debian.KEYRING


Check = Callable[[Machine], str | None]


def this_machine() -> Machine:
    """The machine that we run on."""
    return Machine(
        architecture=platform.machine(),
        os_release=Path("/etc/os-release"),
        memory=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        cache=cache_directory(),
        free_space=lambda path: shutil.disk_usage(path).free,
    )


def lacks(machine: Machine, checks: Sequence[Check] | None = None) -> list[str]:
    """All that the machine lacks, a sentence each; empty when it has everything."""
    return [sentence for check in checks or CHECKS if (sentence := check(machine)) is not None]


def check_architecture(machine: Machine) -> str | None:
    """The emulator is built for, and runs on, amd64."""
    if machine.architecture == "x86_64":
        return None
    return f"This machine is {machine.architecture}; Firesteel supports only amd64 (x86_64)."


def check_release(machine: Machine) -> str | None:
    """Debian 12 or 13 is what this is tested on."""
    lines = machine.os_release.read_text().splitlines() if machine.os_release.is_file() else []
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    name, version = (told.get(key, "").strip('"') for key in ("ID", "VERSION_ID"))
    if name == "debian" and version in _RELEASES:
        return None
    found = f"{name or 'of unknown kind'} {version}".strip()
    return f"This machine is {found}; use Debian {' or '.join(_RELEASES)}, or a container of it."


def check_commands(_: Machine) -> str | None:
    """The programs that builds call."""
    # An ordinary user's PATH lacks /usr/sbin, where some of them are; root's and sudo's has it.
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    missing = [command for command in _PACKAGE_OF if shutil.which(command, path=path) is None]
    if not missing:
        return None
    verb = "is" if len(missing) == 1 else "are"
    packages = sorted({_PACKAGE_OF[command] for command in missing})
    return f"{', '.join(missing)} {verb} missing; install with: {_install(*packages)}"


def check_keyring(machine: Machine) -> str | None:
    """The keys that Debian's archives are signed with."""
    if machine.keyring.exists():
        return None
    return f"Debian's archive keys are missing; install with: {_install('debian-archive-keyring')}"


def check_root(_: Machine) -> str | None:
    """Making file trees and entering the build root need root or sudo."""
    if privilege.is_root() or shutil.which("sudo"):
        return None
    return "Building needs root or sudo; run this as root, or as root: apt-get install sudo"


def check_may_be_root(_: Machine) -> str | None:
    """Before anything is fetched for a build: that it will not be refused at its first step."""
    return privilege.refusal() if shutil.which("sudo") else None


def check_namespaces(_: Machine) -> str | None:
    """Builds run in separate namespaces of mounts and process IDs."""
    probe = ["sh", "-c", "mount -t tmpfs none /mnt && chroot / true"]
    try:
        if not privilege.is_root() and not privilege.is_silent():
            return None  # sudo wants a password, which a check does not ask for
        command = privilege.namespace_command(probe)
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except (OSError, FiresteelError):
        return None  # another check reports a missing program
    if done.returncode == 0:
        return None
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return (
        f"Root may not create namespaces, mounts or a chroot here ({reason}); start a container "
        "with: --privileged"
    )


def check_space(machine: Machine) -> str | None:
    """The cache grows by gigabytes."""
    place = next(each for each in (machine.cache, *machine.cache.parents) if each.exists())
    mend = "set another one with: export FIRESTEEL_CACHE=DIRECTORY"
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError:
        return f"The cache {machine.cache} cannot be written; {mend}"
    needed = SPACE_RESERVE if (machine.cache / "image").exists() else SPACE_NEEDED
    free = machine.free_space(place)
    if free >= needed:
        return None
    has = f"needs {_gib(needed)} and has {_gib(free)} free"
    return f"The cache {machine.cache} {has}; {mend} (on a disk with more space)"


def check_memory(machine: Machine) -> str | None:
    """Two boards take a gigabyte each, and a build as much."""
    if machine.memory >= MEMORY_NEEDED * 0.9:
        return None
    has = f"This machine has {_gib(machine.memory)} of memory"
    return f"{has}, but two boards need {_gib(MEMORY_NEEDED)}."


def check_mirror(_: Machine) -> str | None:
    """Packages and sources come from a Debian archive."""
    try:
        debian.find_mirror()
    except FiresteelError as error:
        return str(error)
    return None


CHECKS: tuple[Check, ...] = (
    *(check_architecture, check_release, check_commands, check_keyring, check_root),
    *(check_namespaces, check_memory, check_space, check_mirror),
)
"""In the order in which they are shown: what no command mends comes first."""

BEFORE_BUILDING: tuple[Check, ...] = (
    *(check_architecture, check_commands, check_keyring, check_root, check_may_be_root),
    *(check_namespaces, check_space),
)
"""Those without which a build cannot end well; the mirror is asked by the builds that need it."""

IN_A_BUNDLE: tuple[Check, ...] = (check_architecture, check_memory)
"""Those that count where nothing is built; the bundle itself has looked at all else."""

BEFORE_WORKING: tuple[Check, ...] = (check_architecture,)
"""Those without which boards do not run where nothing is built."""


def _install(*packages: str) -> str:
    return f"{'' if privilege.is_root() else 'sudo '}apt-get install {' '.join(packages)}"


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
