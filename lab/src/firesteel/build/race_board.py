# SPDX-License-Identifier: Apache-2.0
"""What a board of the tests has that looks for data races: 64 bits, and a kernel that finds them.

KCSAN, which does that, does not exist for 32-bit ARM.  Nothing is ever measured on this board: it
runs in real time, has no profile, and its architecture is in no registry.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesteel.build.buildroot import BuildRoot
from firesteel.build.image import Kernel


@dataclass(frozen=True)
class RaceBoard:
    """The products."""

    emulator: Path
    kernel: Kernel
    busybox: Path
    """The tree of its package, a static program: all that the guest has."""

    root: BuildRoot
    """Where its programs and modules are built."""

    def write_kernel(self, target: Path) -> None:
        """Write the file that the emulator boots."""
        command = ["tar", "--extract", "--to-stdout", f"--file={self.kernel.tree}"]
        with target.open("wb") as sink:
            subprocess.run([*command, "--wildcards", "./boot/vmlinuz-*"], check=True, stdout=sink)
