# SPDX-License-Identifier: Apache-2.0
"""Boards with several processors, in real time: as fast as this machine emulates them.

The processors are threads of the emulator, so what they do interleaves as on a real board, and
otherwise in each run.  Such a board has neither virtual time nor a probe, which would refuse to be
without: it hands over data and makes no marks, so no figure can come of it.  Only tests have it;
boards that are measured have several processors in virtual time.
"""

import base64
import io
import os
import tarfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import KeptRun
from guest_module import MODULES

from firesteel.architectures.architecture import Target
from firesteel.architectures.armhf import ARMHF
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile, job_archive, write_initramfs
from firesteel.boards.profile import Profile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.run import BoardProcess, console_text, last_lines
from firesteel.boards.topology import load_topology

NODE = "board"

_GUEST = MODULES / "real-time"
_END = b"end"

_FIRST_ADDRESS = 2
"""Of cores on the PCI bus, as on boards that have a probe."""


class RealTimeFailure(Exception):  # noqa: N818 - a board fails, the test does not err
    """A board that did not do what its script says."""


@dataclass(frozen=True)
class RealTimeBoard:
    """What is started.

    `timeout` is that of a run, in wall seconds.
    """

    products: BoardProducts
    new_directory: Callable[[], Path]
    timeout: float
    target: Target = ARMHF

    def run(
        self, script: str, files: Mapping[str, JobFile], profile: Profile, processors: int
    ) -> KeptRun:
        """Run a shell script on a board with the memory and the cores of a profile.

        Raises `RealTimeFailure` when the board does not power off in time, panics, or its script
        fails.
        """
        directory = self.new_directory()
        console, handed = directory / "console", directory / "handed"
        initramfs = directory / "initramfs"
        archive = job_archive(_job(script, files))
        write_initramfs(self.products.initramfs, archive, initramfs)
        command = self._command(profile, processors, initramfs)
        command += ["-serial", f"file:{console}", "-serial", f"file:{handed}"]
        self._wait(command, directory, console)
        initramfs.unlink()
        text = console_text(console)
        data = _unpack(handed.read_bytes(), text, directory)
        node = NodeResult(NODE, (), data, text, profile)
        return KeptRun(TopologyRun({NODE: node}, "", load_topology("one-board")), directory)

    def _command(self, profile: Profile, processors: int, initramfs: Path) -> list[str]:
        machine = self.target.machine
        command = [
            *(str(self.products.qemu), "-accel", "tcg,thread=multi", "-M", machine.options),
            *("-cpu", machine.cpu(list(machine.cpus)[-1]), "-smp", str(processors)),
            *("-m", str(profile.memory.mebibytes), "-nodefaults", "-display", "none"),
            *("-no-reboot", "-monitor", "none"),
            *("-kernel", str(self.products.kernel), "-initrd", str(initramfs)),
            *("-append", self.target.fill_in(self.products.cmdline.read_text()).strip()),
        ]
        for number, cores in enumerate(profile.cores):
            properties = {"id": cores.name, **cores.properties(seed=1)}
            if cores.bus == "pci":
                properties["addr"] = hex(_FIRST_ADDRESS + number)
            words = [f"silex-{cores.bus}", *(f"{key}={value}" for key, value in properties.items())]
            command += ["-device", ",".join(words)]
        return command

    def _wait(self, command: list[str], directory: Path, console: Path) -> None:
        deadline = time.monotonic() + self.timeout
        with BoardProcess(command, directory / "qemu") as process:
            while (status := process.status()) is None:
                if time.monotonic() > deadline:
                    raise _failure(f"did not end within {self.timeout:g} s", console, directory)
                time.sleep(0.1)
        if status:
            said = (directory / "qemu").read_text()
            raise _failure(f"ended with status {status}: {said}", console, directory)


def _job(script: str, files: Mapping[str, JobFile]) -> Job:
    return Job(
        {
            "/job/run": JobFile((_GUEST / "run").read_bytes()),
            "/job/bin/probe": JobFile((_GUEST / "probe").read_bytes(), 0o755),
            "/job/script": JobFile(f"set -e\n{script}".encode()),
            **files,
        }
    )


def _unpack(handed: bytes, console: str, directory: Path) -> dict[str, bytes]:
    """What the guest handed over, by name."""
    text, end, _ = handed.replace(b"\r", b"").partition(b"\n" + _END)
    if not end:
        raise RealTimeFailure(_told("ended before it handed over its results", console, directory))
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(text)), mode="r:gz") as archive:
        data = {
            member.name: file.read()
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }
    for name, content in data.items():
        (directory / os.fsdecode(name)).write_bytes(content)
    said = [data.pop(name).decode(errors="replace") for name in ("job.log", "job.dmesg")]
    if status := int(data.pop("job.status")):
        ends = "\n".join(line for text in said for line in last_lines(text))
        told = _told(f"its script ended with status {status}:\n{ends}", console, directory)
        raise RealTimeFailure(told)
    return data


def _failure(what: str, console: Path, directory: Path) -> RealTimeFailure:
    return RealTimeFailure(_told(what, console_text(console), directory))


def _told(what: str, console: str, directory: Path) -> str:
    tail = "\n".join(last_lines(console))
    return f"the board {what}\n--- its console ---\n{tail}\nAll of it is in {directory}"
