# SPDX-License-Identifier: Apache-2.0
"""kTLS is nginx's, and the kernel's own counters are its proof."""

import pytest
from workloads.sites import file_cell, jobs_of, settings

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.protocols.https import KTLS
from firesteel.protocols.window import CellFailure

GCM, CHACHA = KTLS.suites


def cell(suite: str = GCM, topology: str = "board-serves", by: str | None = None) -> Cell:
    return file_cell("ktls", suite, topology, by=by)


@pytest.mark.parametrize(
    ("of", "by", "server"),
    [
        (cell(), "ktls", "ktls"),
        (cell(CHACHA), "ktls", "ktls"),
        (cell(by="upload"), "upload", "upload-ktls"),
    ],
)
def test_the_server_leaves_records_to_the_kernel(of: Cell, by: str, server: str) -> None:
    told = settings(of)
    assert (told["FILES_BY"], told["FILES_SERVER"]) == (by, server)
    assert told["TLS_SERVER"].endswith(" ssl_conf_command Options KTLS;")
    assert told["KERNEL_SOFTWARE"] == "fastest"


def test_neither_cores_with_chacha20_nor_a_client_are_measured() -> None:
    assert KTLS.suites_of("hardware") == (GCM,)
    with pytest.raises(FiresteelError, match=r"allowed are aes-256-gcm:gcm\."):
        KTLS.check_cell(file_cell("ktls", CHACHA, "board-serves", "hardware"))
    with pytest.raises(FiresteelError, match=r"it is `peer` here: measure that node, or use"):
        jobs_of(cell(topology="host-host"))


@pytest.mark.parametrize(
    ("section", "did"),
    [
        ("", "encrypted"),
        ("TlsTxSw \t0\nTlsRxSw \t3\n", "encrypted"),
        ("TlsTxSw \t3\nTlsRxSw \t0\n", "decrypted"),
        ("TlsTxSw \t3\n", "decrypted"),
    ],
)
def test_a_kernel_that_did_one_direction_alone_fails(section: str, did: str) -> None:
    with pytest.raises(CellFailure, match=f"the kernel of `board` {did} for no connection"):
        KTLS.check_path(cell(), {"tls": section})
    KTLS.check_path(cell(), {"tls": "TlsCurrTxSw \t0\nTlsTxSw \t3\nTlsRxSw \t3\n"})
