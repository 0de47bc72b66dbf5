# SPDX-License-Identifier: Apache-2.0
"""The kernel's own cryptography, and the drivers that may take its place."""

import re
from collections.abc import Mapping

from firesteel.architectures.architecture import Kernel
from firesteel.boards.job import JobFile
from firesteel.boards.profile import BOARD_FILES
from firesteel.model.cell import AS_INSTALLED, BY_PCRYPT, IN_SOFTWARE, Cell, Implementation
from firesteel.protocols.window import CellFailure

_DRIVER = "/job/firesteel.ko"
_MODPROBE = BOARD_FILES / "jobs" / "driver" / "modprobe.conf"

KERNEL_SOFTWARE = BOARD_FILES / "jobs" / "kernel-software.sh"
"""The script that loads it."""

_DRIVERS: Mapping[Implementation, str] = {
    "software": "",
    AS_INSTALLED: "",
    BY_PCRYPT: "",
    "hardware": "firesteel",
    "hardware-kernel": "firesteel",
    "virtio-crypto": "virtio_crypto",
}

_MARKS = {"hardware": "firesteel", "virtio-crypto": "virtio"}
"""A part of the names of the algorithms that a driver registers."""


_OF_SEVERAL = re.compile(r"[a-z]+\([\w,-]+\)")
"""What the kernel calls an algorithm that it makes of several."""


def driver_files(driver: bytes) -> dict[str, JobFile]:
    """The driver of the cores, and what lets `modprobe firesteel` find it, by guest path."""
    return {
        _DRIVER: JobFile(driver),
        "/etc/modprobe.d/firesteel.conf": JobFile(_MODPROBE.read_bytes()),
    }


def driver_module(cell: Cell, user: str = "last") -> str:
    """The kernel module of the cell's implementation, with its parameters in modprobe's form; empty
    for software.

    `user` says of our driver which CryptoMasters are programs': by default the last of several.
    """
    driver = _DRIVERS[cell.implementation]
    if driver == "firesteel":
        driver += f" user={user}"
    return f"{driver} completion={cell.completion}" if cell.completion else driver


def kernel_software(cell: Cell) -> dict[str, str]:
    """The variable that names the kernel's own code for scripts.  It is the fastest, also with the
    driver, which leaves requests to software if that costs less.
    """
    asked = {AS_INSTALLED: "as-installed", BY_PCRYPT: "threads"}
    return {"KERNEL_SOFTWARE": asked.get(cell.implementation, "fastest")}


def checking(told: JobFile, kernel: Kernel) -> JobFile:
    """`KERNEL_SOFTWARE`, which lets generic code pass where this kernel has no other."""
    return JobFile(told.content.replace(b"sha[0-9]+", kernel.hashes.encode()), told.mode)


def check_driver(cell: Cell, driver: str, *, aside: bool = False) -> None:
    """`driver` is what the kernel calls the algorithm that was measured; `aside`: the driver of the
    cores has stepped aside for it.

    Raises `CellFailure` when it is not of the cell's implementation.
    """
    found = [name for name, mark in _MARKS.items() if mark in driver] or ["software"]
    is_software = cell.implementation in IN_SOFTWARE or aside
    expected = "software" if is_software else cell.implementation
    if found != [expected]:
        raise CellFailure(
            f"Cell {cell.label}: the kernel took {driver}, which is {' and '.join(found)}."
        )


def check_fastest(cell: Cell, driver: str) -> None:
    """The same of an algorithm that the kernel makes of several, and names by the code of each:
    `adiantum(xchacha12-neon,aes-arm,nhpoly1305-neon)`.

    Raises `CellFailure` also when one is generic code, but for software as installed.
    """
    check_driver(cell, driver)
    if not _OF_SEVERAL.fullmatch(driver):
        raise CellFailure(f"Cell {cell.label}: {driver!r} does not name the kernel's code.")
    if cell.implementation != AS_INSTALLED and "-generic" in driver:
        raise CellFailure(f"Cell {cell.label}: the kernel took {driver}, which has generic code.")
