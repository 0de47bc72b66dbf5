# SPDX-License-Identifier: Apache-2.0
"""A cell in hardware gets the driver with its job, and no other cell depends on it."""

from jobs import recorded_crypto as recorded
from jobs.sites import jobs_of

from firesteel.board_runner import with_driver

DRIVER = b"a module"


def test_the_driver_goes_where_it_is_measured_in_hardware() -> None:
    hardware = recorded.cell("hardware")
    job = with_driver(hardware, jobs_of(hardware), DRIVER)["board"]
    assert job.files["/job/firesteel.ko"].content == DRIVER
    finder = job.files["/etc/modprobe.d/firesteel.conf"].content
    assert b"install firesteel " in finder
    assert b"/job/firesteel.ko" in finder


def test_cells_in_software_do_not_change_with_the_driver() -> None:
    for implementation in ("software", "virtio-crypto"):
        cell = recorded.cell(implementation)
        assert with_driver(cell, jobs_of(cell), DRIVER) == jobs_of(cell)


def test_the_driver_is_told_how_to_wait() -> None:
    polling = recorded.cell("hardware").model_copy(update={"completion": "poll"})
    settings = jobs_of(polling)["board"].files["/job/settings"].content
    assert settings.splitlines() == [
        b"DRIVER='firesteel completion=poll'",
        b"KERNEL_SOFTWARE=fastest",
        b"START_OFFSET=0",
    ]
