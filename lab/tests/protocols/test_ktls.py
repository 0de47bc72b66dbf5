# SPDX-License-Identifier: Apache-2.0
"""kTLS is nginx's, and the kernel's own counters are its proof."""

import shlex

import pytest
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.topology import load_topology
from firesteel.model.cell import Cell, Implementation
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.ktls import KTLS
from firesteel.workloads.transfer import TransferPlan


def cell(
    suite: str = "aes-256-gcm:gcm",
    implementation: Implementation = "software",
    topology: str = "board-serves",
) -> Cell:
    cipher, mac = suite.split(":")
    return Cell(
        topology=topology,
        profiles={name: node.profile for name, node in load_topology(topology).nodes.items()},
        measured="board",
        protocol="ktls",
        cipher=cipher,
        mac=mac,
        implementation=implementation,
        plans=(TransferPlan(size=1 << 20),),
    )


@pytest.mark.parametrize("suite", KTLS.suites)
def test_the_server_leaves_records_to_the_kernel(suite: str) -> None:
    content = jobs_of(cell(suite))["board"].files["/job/settings"].content.decode()
    told = dict(word.split("=", 1) for word in shlex.split(content))
    assert told["FILES_SERVER"] == "ktls"
    assert told["TLS_SERVER"].endswith(" ssl_conf_command Options KTLS;")
    assert told["KERNEL_SOFTWARE"] == "fastest"


def test_cores_do_no_chacha20() -> None:
    assert KTLS.suites_of("hardware") == ("aes-256-gcm:gcm",)
    with pytest.raises(FiresteelError, match=r"allowed are aes-256-gcm:gcm\."):
        KTLS.check_cell(cell("chacha20-poly1305:poly1305", "hardware"))


def test_a_client_cannot_be_measured() -> None:
    with pytest.raises(FiresteelError, match=r"which is `peer` here; measure that one, or take"):
        jobs_of(cell(topology="host-host"))


@pytest.mark.parametrize("section", ["", "TlsTxSw \t0\n", "TlsRxSw \t3\n"])
def test_a_kernel_that_encrypted_nothing_fails(section: str) -> None:
    with pytest.raises(CellFailure, match="the kernel of `board` encrypted for no connection"):
        KTLS.check_path(cell(), {"tls": section})
    KTLS.check_path(cell(), {"tls": "TlsCurrTxSw \t0\nTlsTxSw \t3\n"})


def test_users_are_told_the_option_and_the_module() -> None:
    setup = KTLS.setup(cell(implementation="hardware"), None)
    assert "docs/ktls.md" in setup.pages
    lines = [line for step in setup.steps for line in step.lines]
    assert "ssl_conf_command Options KTLS;" in lines
    assert "tls" in lines
