# SPDX-License-Identifier: Apache-2.0
"""The board on which KCSAN looks for races: 64 bits, several processors, in real time."""

import re
from collections.abc import Callable
from pathlib import Path

from bench import KeptRun
from guest_module import build_module_for
from kernel_reports import assert_whole, unexpected
from real_time import RealTimeBoard

from firesteel.architectures.arm64 import ARM64
from firesteel.boards.command import BoardProducts
from firesteel.boards.job import Job, JobFile, job_archive
from firesteel.build.products import RACE, RaceBoard

TIMEOUT = 3 * 3600
"""Wall seconds of a run."""

PREPARE = """
mount -t debugfs debugfs /sys/kernel/debug
echo on >/sys/kernel/debug/kcsan
"""
"""Shell lines with which a script begins."""

COLLECT = """
probe data kcsan /sys/kernel/debug/kcsan
dmesg | probe data dmesg
"""
"""Shell lines with which it ends."""

_LEAST_WATCHED = 1000
"""Accesses, of which any script makes a thousand times as many."""

_BAR = "=" * 66
_TIME = re.compile(r"^\[ *\d+\.\d+\] ", re.MULTILINE)
_HEADLINE = "BUG: KCSAN: "

_OF_THE_KERNEL = re.compile(
    r"data-race in ("
    # reads plainly whether work was disabled, while a worker that begins with it marks that
    r"(move_linked_works|process_one_work) / queue_work_on"
    # reads the time again when a sequence counter tells that an interrupt has set it meanwhile
    r"|ktime_get / timekeeping_advance"
    r")$"
)
"""Races between two functions of the kernel's own, of which we call one."""


def race_board(products: RaceBoard, new_directory: Callable[[], Path]) -> RealTimeBoard:
    """The board, ready to run scripts."""
    directory = new_directory()
    kernel, initramfs = directory / "kernel", directory / "initramfs"
    products.write_kernel(kernel)
    init = ARM64.fill_in((RACE / "init").read_text()).encode()
    files = {
        "/init": JobFile(init, 0o755),
        "/bin/busybox": JobFile(next(products.busybox.glob("**/bin/busybox")).read_bytes(), 0o755),
    }
    initramfs.write_bytes(job_archive(Job(files)))
    cmdline = RACE / "cmdline"
    boards = BoardProducts(products.emulator, kernel, initramfs, cmdline)
    return RealTimeBoard(boards, new_directory, TIMEOUT, ARM64)


def module(products: RaceBoard, name: str, source: Path, directory: Path) -> JobFile:
    """A module for it, built in an empty directory."""
    headers = products.kernel.headers
    return JobFile(build_module_for(ARM64, products.root, headers, name, source, directory))


def races(run: KeptRun, module: str) -> list[str]:
    """KCSAN's reports that code of a module has a part in, but for those between functions of the
    kernel's own that are known."""
    log = _TIME.sub("", run.text("board", "dmesg"))
    assert_whole(log)
    found = [block.strip() for block in log.split(_BAR) if _HEADLINE in block]
    ours = [block for block in found if f"[{module}]" in block]
    return [block for block in ours if not _OF_THE_KERNEL.search(block.splitlines()[0])]


def others(run: KeptRun) -> list[str]:
    """Headlines of all that the kernel reported but races."""
    found = unexpected(run.text("board", "dmesg"))
    return [headline for headline in found if not headline.startswith(_HEADLINE)]


def was_active(run: KeptRun) -> bool:
    """Whether KCSAN was on to the end, and watched anything."""
    said = dict(re.findall(r"^(\w+): (\d+)$", run.text("board", "kcsan"), re.MULTILINE))
    return said["enabled"] == "1" and int(said["setup_watchpoints"]) > _LEAST_WATCHED
