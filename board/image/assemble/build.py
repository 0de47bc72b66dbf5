# SPDX-License-Identifier: Apache-2.0
"""Compiling what the image has of ours: programs and modules."""

import subprocess
from pathlib import Path

from assemble.errors import AssembleError

_CROSS = "@TRIPLET@-"
_CFLAGS = ("-std=c17", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-static")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssembleError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def program(source: Path, headers: Path, output: Path) -> None:
    """A static guest program from `source`, written to `output`.

    `headers` is the directory with `probe.h`.
    """
    _run([f"{_CROSS}gcc", *_CFLAGS, f"-I{headers}", "-o", str(output), str(source)])
    _run([f"{_CROSS}strip", str(output)])


def module(source: Path, headers: Path, script: Path, work: Path) -> Path:
    """The kernel module in directory `source`, built by `script` in the directory `work`.

    `headers` is the root under which the kernel's header packages were unpacked.
    """
    work.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.iterdir()):
        (work / file.name).write_bytes(file.read_bytes())
    _run([str(script), str(headers), str(work)])
    return work / f"{source.name}.ko"
