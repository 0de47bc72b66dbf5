# SPDX-License-Identifier: Apache-2.0
"""Files by the ways that are not the usual ones.  Each must succeed, for which what arrives must be
what the server has, and in hardware the cores of the measured board must have done their share.
"""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

EXPERIMENT = """
title = "Files"
topology = "{topology}"
measured = "{measured}"
profiles = {{ {measured} = "socrates-hash" }}

[[configurations]]
protocol = "{protocol}"
suite = "{suite}"
implementation = "{implementation}"

[transfer]
size = "1 MiB"
by = {by}
"""

MEBIBYTE = 1 << 20
_ALL_BUT_A_TRIAL = MEBIBYTE - (32 << 10)
"""The provider leaves the first 17 KiB and a message to software, until its trial is due."""


def fetch(
    directory: Path,
    protocol: str,
    suite: str,
    *,
    by: str = '["http", "sftp"]',
    topology: str = "host-host",
    measured: str = "board",
    implementation: str = "hardware",
) -> Record:
    """The record of the one cell with these values."""
    values = {"protocol": protocol, "suite": suite, "by": by, "topology": topology}
    values |= {"measured": measured, "implementation": implementation}
    (record,) = measure(directory, EXPERIMENT.format(**values))
    (rate,) = (each for each in record.figures if each.metric == "throughput")
    assert 1 < rate.value < 12.5, "MB/s; the link carries no more"
    return record


@pytest.mark.first
def test_a_server_leaves_records_to_the_kernel_and_its_driver(tmp_path: Path) -> None:
    record = fetch(tmp_path, "ktls", "aes-256-gcm:gcm", by='"http"', topology="board-serves")
    assert record.proof["cores.crypto0.aes_bytes"] > MEBIBYTE


@pytest.mark.matrix
@pytest.mark.parametrize(("protocol", "cores"), [("ktls", "crypto0"), ("https", "crypto1")])
def test_a_server_has_records_that_it_receives_from_the_core(
    tmp_path: Path, protocol: str, cores: str
) -> None:
    """By the kernel and its driver, or by nginx and the provider."""
    record = fetch(tmp_path, protocol, "aes-256-gcm:gcm", by='"upload"', topology="board-serves")
    assert record.proof[f"cores.{cores}.aes_bytes"] > _ALL_BUT_A_TRIAL


@pytest.mark.matrix
@pytest.mark.parametrize("topology", ["host-host", "board-serves"])
@pytest.mark.parametrize("suite", ["aes-256-gcm:gcm", "aes-256-cbc:sha256"])
def test_either_end_of_https_has_records_from_the_core(
    tmp_path: Path, topology: str, suite: str
) -> None:
    proof = fetch(tmp_path, "https", suite, topology=topology).proof
    assert proof["cores.crypto1.aes_bytes"] > _ALL_BUT_A_TRIAL
    assert (proof["cores.crypto1.hash_bytes"] > _ALL_BUT_A_TRIAL) == suite.endswith("sha256")


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("topology", "by"),
    [("host-host", "sftp"), ("board-serves", "sftp"), ("host-host", "rcp")],
)
def test_either_end_of_ssh_has_its_cipher_from_the_core(
    tmp_path: Path, topology: str, by: str
) -> None:
    record = fetch(tmp_path, "ssh", "aes-256-cbc:none", by=f'"{by}"', topology=topology)
    assert record.proof["cores.crypto1.aes_bytes"] > _ALL_BUT_A_TRIAL


def test_http_goes_through_the_tunnel_of_a_gateway_with_cores(tmp_path: Path) -> None:
    record = fetch(
        tmp_path,
        "ipsec",
        "aes-256-gcm:gcm",
        topology="host-gateway-gateway-host",
        measured="gateway-a",
    )
    assert record.proof["tunnel_rx_bytes"] > MEBIBYTE


@pytest.mark.first
def test_http_in_the_clear_needs_no_core(tmp_path: Path) -> None:
    fetch(tmp_path, "none", "none:none", by='"http"', implementation="software")
