# SPDX-License-Identifier: Apache-2.0
"""A cell in hardware gets the driver with its job, and no other cell depends on it; what cannot be
run is refused first.
"""

import pytest
from workloads import recorded_crypto as recorded
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.protocols.site import site_of
from firesteel.run.board_runner import BoardRunner
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import Elsewhere
from firesteel.workloads.cells import nodes_with_cores, with_driver

DRIVER = b"a module"


def test_the_driver_goes_where_it_is_measured_in_hardware() -> None:
    hardware = recorded.cell("hardware")
    nodes = nodes_with_cores(hardware, site_of(hardware, Catalog()))
    job = with_driver(jobs_of(hardware), dict.fromkeys(nodes, DRIVER))["board"]
    assert job.files["/job/firesteel.ko"].content == DRIVER
    finder = job.files["/etc/modprobe.d/firesteel.conf"].content
    assert b"install firesteel " in finder
    assert b"/job/firesteel.ko" in finder


def test_cells_in_software_do_not_change_with_the_driver() -> None:
    for implementation in ("software", "virtio-crypto"):
        cell = recorded.cell(implementation)
        assert nodes_with_cores(cell, site_of(cell, Catalog())) == []


def test_a_libcrypto_without_code_for_the_architecture_is_refused_first() -> None:
    experiment = load("openssl-speed", elsewhere=Elsewhere.of("gateway-a53", None, None))
    runner = BoardRunner(Catalog(), "neon-ghash")
    with pytest.raises(FiresteelError, match="`gateway-a53` is arm64, .* are debian-flags, debug-"):
        runner.prepare(experiment.cells(quick=True))


def test_a_libcrypto_that_programs_do_not_load_is_for_openssl_in_software() -> None:
    runner = BoardRunner(Catalog(), "experimental")
    for cell in (
        load("openssl-speed").cells(quick=True, only=["implementation=hardware"])[:1],
        (load("ssh").cells(quick=True)[:1]),
    ):
        with pytest.raises(FiresteelError, match="only the program `openssl` loads the libcrypto"):
            runner.prepare(cell)
