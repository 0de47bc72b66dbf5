# SPDX-License-Identifier: Apache-2.0
"""Unmodified programs on the cores, by the OpenSSL provider: tunnels, a connection, servers, and
OpenSSL itself.  Each must succeed, which takes cores that did their share of the work."""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

HEAD = """
title = "Programs"
topology = "{topology}"
measured = "board"
profiles = {{ board = "{profile}" }}

[[configurations]]
protocol = "{protocol}"
suite = "{suite}"
implementation = "{implementation}"
"""

MEBIBYTE = 1 << 20
HANDSHAKES = """
[handshakes]
keys = {{ {program} = "rsa-2048" }}
alone = 2
clients = 2
seconds = {{ {program} = 4 }}
"""
TRANSFER = '[transfer]\nsize = "1 MiB"\n'


def one(
    directory: Path,
    protocol: str,
    suite: str,
    tables: str = TRANSFER,
    profile: str = "socrates",
    topology: str = "host-host",
    implementation: str = "hardware",
) -> Record:
    head = HEAD.format(
        protocol=protocol,
        suite=suite,
        profile=profile,
        topology=topology,
        implementation=implementation,
    )
    (record,) = measure(directory, head + tables)
    return record


@pytest.mark.first
def test_openvpn_has_cipher_and_mac_from_the_core_that_is_its_own(tmp_path: Path) -> None:
    record = one(tmp_path, "openvpn", "aes-256-cbc:sha256", profile="socrates-hash")
    proof = record.proof
    assert proof["cores.crypto1.aes_bytes"] > MEBIBYTE
    assert proof["cores.crypto1.hash_bytes"] > MEBIBYTE
    assert proof["cores.crypto0.cm_jobs"] == 0, "this one is the kernel's"


def test_openvpn_tells_the_tag_of_gcm_behind_and_still_has_the_core(tmp_path: Path) -> None:
    record = one(tmp_path, "openvpn", "aes-256-gcm:gcm")
    assert record.proof["cores.crypto0.aes_bytes"] > MEBIBYTE


@pytest.mark.first
@pytest.mark.matrix
@pytest.mark.parametrize(
    ("program", "suite"), [("openvpn", "aes-256-cbc:none"), ("nginx", "aes-256-gcm:gcm")]
)
def test_servers_have_their_signatures_from_the_core(
    tmp_path: Path, program: str, suite: str
) -> None:
    record = one(tmp_path, program, suite, HANDSHAKES.format(program=program))
    values = {figure.metric: figure.value for figure in record.figures}
    assert record.proof["handshakes.rsa-2048"] >= 4
    assert 0 < values["connection_time"] < 0.15, "software takes 0.2 s for OpenVPN's"
    assert 0 < values["cpu"] < 100
    assert values["core_busy"] > 0


def test_scp_has_its_cipher_from_the_only_core(tmp_path: Path) -> None:
    record = one(tmp_path, "ssh", "aes-256-cbc:none")
    assert record.proof["cores.crypto0.aes_bytes"] > MEBIBYTE


def test_the_core_takes_blocks_from_some_size_on(tmp_path: Path) -> None:
    sizes = "[speed]\nsizes = [16, 4096]\n"
    record = one(tmp_path, "openssl", "aes-256-cbc:none", sizes, "socrates-hash", "one-board")
    values = {(figure.parameter.text, figure.metric): figure.value for figure in record.figures}
    assert values["16 B", "offloaded"] < 1
    assert values["4096 B", "offloaded"] > 99.9, "all but what comes before the trial"


def test_system_calls_lead_to_a_core_of_the_kernels(tmp_path: Path) -> None:
    sizes = "[speed]\nsizes = [4096]\n"
    openssl = ("openssl", "aes-256-cbc:none", sizes, "socrates", "one-board")
    record = one(tmp_path, *openssl, implementation="hardware-kernel")
    values = {figure.metric: figure.value for figure in record.figures}
    assert values["offloaded"] == 100
    assert values["throughput"] > 0
