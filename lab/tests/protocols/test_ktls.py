# SPDX-License-Identifier: Apache-2.0
"""kTLS is nginx's, and the kernel's own counters are its proof."""

import pytest
from workloads.sites import file_cell, jobs_of, variables_of

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell, Implementation
from firesteel.protocols.https import KTLS
from firesteel.protocols.window import CellFailure


def cell(
    suite: str = "aes-256-gcm:gcm",
    implementation: Implementation = "software",
    topology: str = "board-serves",
) -> Cell:
    return file_cell("ktls", suite, topology, implementation)


@pytest.mark.parametrize("suite", KTLS.suites)
def test_the_server_leaves_records_to_the_kernel(suite: str) -> None:
    told = variables_of(jobs_of(cell(suite))["board"])
    assert told["FILES_SERVER"] == "ktls"
    assert told["TLS_SERVER"].endswith(" ssl_conf_command Options KTLS;")
    assert told["KERNEL_SOFTWARE"] == "fastest"


def test_a_server_that_takes_files_leaves_them_to_the_kernel() -> None:
    job = jobs_of(file_cell("ktls", "aes-256-gcm:gcm", "board-serves", by="upload"))["board"]
    told = variables_of(job)
    assert (told["FILES_BY"], told["FILES_SERVER"]) == ("upload", "upload-ktls")
    assert told["TLS_SERVER"].endswith(" ssl_conf_command Options KTLS;")


def test_cores_do_no_chacha20() -> None:
    assert KTLS.suites_of("hardware") == ("aes-256-gcm:gcm",)
    with pytest.raises(FiresteelError, match=r"allowed are aes-256-gcm:gcm\."):
        KTLS.check_cell(cell("chacha20-poly1305:poly1305", "hardware"))


def test_a_client_cannot_be_measured() -> None:
    with pytest.raises(FiresteelError, match=r"which is `peer` here; measure that one, or take"):
        jobs_of(cell(topology="host-host"))


@pytest.mark.parametrize(
    ("section", "did"),
    [
        ("", "encrypted"),
        ("TlsTxSw \t0\nTlsRxSw \t3\n", "encrypted"),
        ("TlsRxSw \t3\n", "encrypted"),
        ("TlsTxSw \t3\nTlsRxSw \t0\n", "decrypted"),
        ("TlsTxSw \t3\n", "decrypted"),
    ],
)
def test_a_kernel_that_did_one_direction_alone_fails(section: str, did: str) -> None:
    with pytest.raises(CellFailure, match=f"the kernel of `board` {did} for no connection"):
        KTLS.check_path(cell(), {"tls": section})


def test_a_kernel_that_did_both_directions_passes() -> None:
    KTLS.check_path(cell(), {"tls": "TlsCurrTxSw \t0\nTlsTxSw \t3\nTlsRxSw \t3\n"})


def test_users_are_told_the_option_and_the_module() -> None:
    setup = KTLS.setup(cell(implementation="hardware"), None)
    assert "docs/ktls.md" in setup.pages
    lines = [line for step in setup.steps for line in step.lines]
    assert "ssl_conf_command Options KTLS;" in lines
    assert "tls" in lines
