# SPDX-License-Identifier: Apache-2.0
"""Connections of tunnels: IKEv2 on the cores, and WireGuard.  Each cell must succeed, which takes a
server that counts as many as its clients."""

from pathlib import Path

import pytest
from lab_run import measure

from firesteel.store.record import Record

EXPERIMENT = """
title = "Connections of tunnels"
topology = "host-host"
measured = "board"
profiles = {{ peer = "clients" }}

[[configurations]]
protocol = "{protocol}"
suite = "{suite}"
implementation = "{implementation}"

[handshakes]
keys = {{ {protocol} = "{key}" }}
alone = 2
clients = 3
seconds = {{ {protocol} = 1 }}
"""


def one(directory: Path, protocol: str, suite: str, implementation: str, key: str) -> Record:
    text = EXPERIMENT.format(protocol=protocol, suite=suite, implementation=implementation, key=key)
    (record,) = measure(directory, text)
    return record


def values(record: Record) -> dict[str, float]:
    return {figure.metric: figure.value for figure in record.figures}


@pytest.mark.thorough
def test_the_core_makes_the_signatures_of_charon(tmp_path: Path) -> None:
    record = one(tmp_path, "ike", "aes-256-gcm:gcm", "hardware", "rsa-2048")
    proof, found = record.proof, values(record)
    assert proof["cores.crypto0.pk_exponentiations"] >= proof["handshakes.rsa-2048"] >= 10
    assert found["offloaded"] == 100
    assert found["connection_time"] > 0


@pytest.mark.thorough
def test_the_server_counts_the_handshakes_of_wireguard(tmp_path: Path) -> None:
    record = one(tmp_path, "wireguard", "chacha20-poly1305:poly1305", "software", "x25519")
    assert record.proof["handshakes.x25519"] >= 30
    assert values(record)["cpu_seconds_per_connection"] > 0
