# SPDX-License-Identifier: Apache-2.0
"""HTTPS: both ends know one version and one suite, and the client the server by its certificate."""

import pytest
from cryptography import x509
from workloads.sites import file_cell, jobs_of, variables_of

from firesteel.board.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols.https import HTTPS


def _cell(suite: str, topology: str = "host-host") -> Cell:
    return file_cell("https", suite, topology)


def _settings(cell: Cell, node: str) -> dict[str, str]:
    return variables_of(jobs_of(cell)[node])


@pytest.mark.parametrize(
    ("suite", "version", "name"),
    [
        ("aes-256-gcm:gcm", "1.3", "TLS_AES_256_GCM_SHA384"),
        ("aes-256-cbc:sha256", "1.2", "AES256-SHA256"),
        ("chacha20-poly1305:poly1305", "1.3", "TLS_CHACHA20_POLY1305_SHA256"),
    ],
)
def test_both_ends_know_one_version_and_one_suite(suite: str, version: str, name: str) -> None:
    assert suite in HTTPS.suites
    for node in ("board", "peer"):
        told = _settings(_cell(suite), node)
        assert told["FILES_BY"] == told["FILES_SERVER"] == "https"
        assert f"ssl_protocols TLSv{version};" in told["TLS_SERVER"]
        assert f" {name};" in told["TLS_SERVER"]
        assert told["TLS_CLIENT"].startswith(f"--tlsv{version} ")
        assert told["TLS_CLIENT"].endswith(f" {name}")


@pytest.mark.parametrize(("topology", "server"), [("host-host", "peer"), ("board-serves", "board")])
def test_the_certificate_is_of_the_name_that_the_client_asks_for(
    topology: str, server: str
) -> None:
    cell = _cell("aes-256-gcm:gcm", topology)
    certificate = x509.load_pem_x509_certificate(
        jobs_of(cell)[server].files["/job/node.pem"].content
    )
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [_settings(cell, "peer")["SERVER_NAME"]]
    assert _settings(cell, server)["SERVER_NAME"] == server


def test_nodes_between_have_no_keys() -> None:
    cell = _cell("aes-256-gcm:gcm").model_copy(
        update={
            "topology": "host-gateway-gateway-host",
            "profiles": dict.fromkeys(load_topology("host-gateway-gateway-host").nodes, "peer"),
            "measured": "host-a",
        }
    )
    keyed = [node for node, job in jobs_of(cell).items() if "/job/node.key" in job.files]
    assert keyed == ["host-a", "host-b"]
