# SPDX-License-Identifier: Apache-2.0
"""HTTPS: both ends know one version and one suite, and the client the server by its certificate."""

import pytest
from cryptography import x509
from workloads.sites import file_cell, jobs_of, settings

GCM = "aes-256-gcm:gcm"


@pytest.mark.parametrize(
    ("suite", "version", "name"),
    [
        (GCM, "1.3", "TLS_AES_256_GCM_SHA384"),
        ("aes-256-cbc:sha256", "1.2", "AES256-SHA256"),
        ("chacha20-poly1305:poly1305", "1.3", "TLS_CHACHA20_POLY1305_SHA256"),
    ],
)
def test_both_ends_know_one_version_and_one_suite(suite: str, version: str, name: str) -> None:
    for node in ("board", "peer"):
        told = settings(file_cell("https", suite, "host-host"), node)
        assert told["FILES_BY"] == told["FILES_SERVER"] == "https"
        assert f"ssl_protocols TLSv{version};" in told["TLS_SERVER"]
        assert f" {name};" in told["TLS_SERVER"]
        assert told["TLS_CLIENT"].startswith(f"--tlsv{version} ")
        assert told["TLS_CLIENT"].endswith(f" {name}")


@pytest.mark.parametrize(("topology", "server"), [("host-host", "peer"), ("board-serves", "board")])
def test_the_certificate_is_of_the_name_that_the_client_asks_for(
    topology: str, server: str
) -> None:
    cell = file_cell("https", GCM, topology)
    certificate = x509.load_pem_x509_certificate(
        jobs_of(cell)[server].files["/job/node.pem"].content
    )
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [settings(cell, "peer")["SERVER_NAME"]]
    assert settings(cell, server)["SERVER_NAME"] == server
