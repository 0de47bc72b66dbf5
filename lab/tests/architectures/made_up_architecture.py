# SPDX-License-Identifier: Apache-2.0
"""A second architecture that nobody has, and products that nobody built."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from firesteel.architectures.architecture import Kernel, Machine, Target, Toolchain
from firesteel.architectures.armhf import ARMHF
from firesteel.boards.profile import Profile, load_profile
from firesteel.build.cache import Cache

OTHER = replace(
    ARMHF,
    name="other",
    toolchain=Toolchain("other-linux-gnu", "ld-other.so.1", "other", "other1"),
    kernel=Kernel("other", "any", "Other", link_register="ra", delay="wait"),
    machine=Machine(
        emulator="qemu-system-other",
        options="plain",
        non_coherent="coherent=no",
        cpus={"other-1": "Other 1"},
        memory_start=0x80000000,
        most_memory_mib=1024,
        console="ttyS0",
    ),
)

_PACKAGES = "".join(
    f"{name} 1.0\n"
    for name in (
        "libcrypt1",
        "libssl3t64",
        "libzstd1",
        "linux-image-6.1-any",
        "openssh-server",
        "zlib1g",
    )
)
_FILES = {"packages.list": _PACKAGES, "qemu.dsc": "Version: 1:10.0.1\n", "manifest.json": "{}"}


def other_profile() -> Profile:
    """A board of the other architecture, with cores."""
    own = load_profile("socrates").model_dump(mode="json")
    return Profile.model_validate({**own, "cpu": {**own["cpu"], "model": "other-1"}})


def locks_in(directory: Path) -> Callable[[Target], Path]:
    """Stands in for `image.lock_path`: each architecture has a lock of one package."""

    def lock_path(architecture: Target) -> Path:
        path = directory / f"packages-{architecture.name}.lock"
        path.write_text(f"base-{architecture.name} 1.0 {'0' * 64}\n")
        return path

    return lock_path


def products_in(directory: Path) -> Callable[[Cache, str, str, object], Path]:
    """Stands in for `Cache.product`: each file that is asked for says of which product it is."""

    def product(_: Cache, kind: str, key: str, __: object) -> Path:
        home = directory / kind / key
        home.mkdir(parents=True, exist_ok=True)
        names = ("firesteel.ko", "firesteel.so", "libfiresteel.so.0", "version")
        programs = ("ssh", "scp", "sshd", "sshd-session", "sshd-auth", "kernel", "kernel.key")
        for name in (*names, *programs):
            (home / name).write_text(f"{name} of {kind} {key}")
        for name, content in _FILES.items():
            (home / name).write_text(content)
        return home

    return product
