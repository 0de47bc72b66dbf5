# SPDX-License-Identifier: Apache-2.0
"""What a board of the tests has that looks for data races: 64 bits, and a kernel that finds them.

KCSAN, which does that, does not exist for 32-bit ARM.  Nothing is ever measured on this board: it
runs in real time, has no profile, and its architecture is in no registry.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesteel.architectures.arm64 import ARM64
from firesteel.build import buildroot, debug_kernel, qemu
from firesteel.build.apt import apt_within, extract
from firesteel.build.buildroot import BuildRoot
from firesteel.build.cache import Cache, key_of, remove_tree
from firesteel.build.debug_kernel import KernelSource
from firesteel.build.image import Kernel
from firesteel.build.mirror import SUITE
from firesteel.build.progress import Runner
from firesteel.build.qemu import QemuSource


@dataclass(frozen=True)
class RaceBoard:
    """The products."""

    emulator: Path
    kernel: Kernel
    busybox: Path
    """A static program: all that the guest has."""

    root: BuildRoot
    """Where its programs and modules are built."""

    def write_kernel(self, target: Path) -> None:
        """Write the file that the emulator boots."""
        command = ["tar", "--extract", "--to-stdout", f"--file={self.kernel.tree}"]
        with target.open("wb") as sink:
            subprocess.run([*command, "--wildcards", "./boot/vmlinuz-*"], check=True, stdout=sink)


def make(
    cache: Cache,
    runner: Runner,
    kernel: KernelSource,
    emulator: QemuSource,
    emulator_root: BuildRoot,
) -> RaceBoard:
    """The products, built if need be.  The emulator is built in `emulator_root`, which is that of
    all other boards' emulator.
    """
    root = buildroot.make(cache, runner, ARM64)
    built = debug_kernel.make(cache, runner, kernel, root, ARM64, debug_kernel.RACE)
    program = qemu.make(cache, runner, emulator, emulator_root, qemu.REAL_TIME).program(ARM64)
    return RaceBoard(program, built, _busybox(cache, runner), root)


def _busybox(cache: Cache, runner: Runner) -> Path:
    package = f"busybox-static:{ARM64.name}"

    def build(partial: Path) -> None:
        packages, tree = partial / "packages", partial / "tree"
        packages.mkdir()
        with apt_within(partial, runner, ARM64.name) as apt:
            apt.download("busybox", [package], packages)
        extract(packages, tree)
        shutil.copy(next(tree.glob("**/bin/busybox")), partial / "busybox")
        for path in (packages, tree):
            remove_tree(path)

    key = key_of({"suite": SUITE, "package": package})
    return cache.product("busybox", key, build) / "busybox"
