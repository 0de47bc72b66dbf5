# SPDX-License-Identifier: Apache-2.0
"""The best other software of connections and of disks protects as much as the row in hardware."""

from typing import Any

import polars as pl
import pytest
from made_pairs import both, row
from made_results import results_in

from firesteel.advice.alternatives import alternatives_sentence, unneeded_sentence
from firesteel.analysis.alternatives import Alternative, alternatives
from firesteel.analysis.offload import offloads
from firesteel.analysis.places import Places
from firesteel.analysis.results import load_results
from firesteel.analysis.rows import Rows
from firesteel.base.checkout import RECORDED
from firesteel.report.findings import findings
from firesteel.report.offload import alternatives_grid
from firesteel.store.store import Store

WEB = {
    "experiment": "tls-connections",
    "protocol": "nginx",
    "parameter": "rsa-2048",
    "unit": "1/min",
}
HYBRID = {**WEB, "protocol": "nginx-hybrid"}
P256 = {"parameter": "ecdsa-p256"}

DISK = {
    "experiment": "disk-random-read",
    "protocol": "dm-crypt",
    "cipher": "aes-256-xts",
    "mac": "none",
    "parameter": "4 KiB, sector 4096 B",
}
ADIANTUM = {**DISK, "cipher": "adiantum"}
TAGS = {**DISK, "mac": "hmac-sha256"}
GCM = {**DISK, "cipher": "aes-256-gcm", "mac": "gcm"}


def found(*rows: dict[str, Any]) -> list[Alternative]:
    results = results_in(pl.DataFrame(rows))
    labelled = Places.of(results).labelled(results)
    return alternatives(offloads(labelled), Rows(labelled))


def connections(value: float, implementation: str = "software", **more: Any) -> dict[str, Any]:
    return row("connections", value, implementation, **(WEB | more))


RSA_ON_CORES = both("connections", 2000, 6000, **WEB)


def test_another_key_of_the_server_is_one() -> None:
    (one,) = found(*RSA_ON_CORES, connections(7500, **P256))
    assert one.hardware_name == "nginx, TLS 1.3 with X25519, hardware, rsa-2048"
    assert one.software_name == "nginx, TLS 1.3 with X25519, ecdsa-p256"
    assert one.judged.speed == 0.8
    assert one.judged.verdict == "loses"
    assert one.offload.verdict == "helps", "against software with its own key"


def test_both_keys_are_named() -> None:
    some = found(*RSA_ON_CORES, connections(7500, **P256))
    assert unneeded_sentence(some) == (
        "No accelerator is needed in 1 of 1 row: other software does better. Worse on the cores: "
        "nginx, TLS 1.3 with X25519, hardware, rsa-2048 "
        "(than nginx, TLS 1.3 with X25519, ecdsa-p256)."
    )
    assert alternatives_sentence(some).endswith(
        "1 loses (to nginx, TLS 1.3 with X25519, ecdsa-p256)."
    )
    grid = alternatives_grid(some)
    assert grid
    assert grid.rows[0][2] == "nginx, TLS 1.3 with X25519, ecdsa-p256"


@pytest.mark.parametrize("key", ["rsa-1024", "rsa-4096"])
def test_a_key_of_the_same_algorithm_is_none(key: str) -> None:
    assert found(*RSA_ON_CORES, connections(9000, parameter=key)) == []


def test_a_weaker_key_is_none_and_a_strong_one_is() -> None:
    ecdsa = both("connections", 7500, 8000, **(WEB | P256))
    assert found(*ecdsa, connections(9000)) == [], "RSA with 2048 bits is weaker than P-256"
    (one,) = found(*ecdsa, connections(9000, parameter="rsa-4096"))
    assert one.software_name.endswith("rsa-4096")


def test_hybrids_are_compared_with_hybrids() -> None:
    plain, hybrid = connections(7500, **P256), connections(6500, **(HYBRID | P256))
    (one,) = found(*RSA_ON_CORES, plain, hybrid)
    assert one.software.identity.protocol == "nginx"
    (one,) = found(*both("connections", 1900, 5000, **HYBRID), plain, hybrid)
    assert one.software_name == "nginx (hybrid), TLS 1.3 with X25519MLKEM768, ecdsa-p256"
    tunnel = WEB | {"protocol": "openvpn-hybrid"}
    others = connections(600, **(tunnel | P256)), connections(700, **(WEB | P256))
    (one,) = found(*both("connections", 500, 510, **tunnel), *others)
    assert one.software_name == "OpenVPN (hybrid), TLS 1.3 with X25519MLKEM768, ecdsa-p256"


def test_connections_have_their_own_purpose() -> None:
    """A tunnel's handshakes are none of a web server's, whatever the key; nor are logins."""
    for protocol in ("openvpn-tls13", "openvpn-hybrid", "sshd"):
        other = connections(9000, protocol=protocol, **P256)
        assert found(*RSA_ON_CORES, other) == []
    tunnel = both("connections", 500, 510, **(WEB | {"protocol": "openvpn-tls13"}))
    old = {"protocol": "openvpn", "cipher": "aes-256-cbc", "mac": "none"}
    (one,) = found(*tunnel, connections(600, **old))
    assert one.software_name == "OpenVPN, DHE-RSA, rsa-2048", "no suite of data matters"
    login = both("connections", 225, 220, **(WEB | {"protocol": "sshd"}))
    (one,) = found(*login, connections(230, protocol="sshd", **P256))
    assert one.software_name == "SSH logins, mlkem768x25519-sha256, ecdsa-p256"


def disk(value: float, **more: Any) -> dict[str, Any]:
    return row("throughput", value, **(DISK | more))


XTS_ON_CORES = both("throughput", 14, 21, **DISK)
TAGS_ON_CORES = both("throughput", 9, 12, **TAGS)


def test_adiantum_is_one_of_disks_without_tags() -> None:
    (one,) = found(*XTS_ON_CORES, row("throughput", 26, **ADIANTUM))
    assert one.software_name == "dm-crypt Adiantum"
    assert one.judged.verdict == "loses"
    assert found(*TAGS_ON_CORES, row("throughput", 26, **ADIANTUM)) == []


def test_disks_with_tags_are_compared_with_those_with_tags() -> None:
    (one,) = found(*TAGS_ON_CORES, row("throughput", 11, **GCM))
    assert one.software_name == "dm-crypt AES-256-GCM"
    assert found(*XTS_ON_CORES, row("throughput", 30, **GCM)) == []


def test_neither_a_bare_disk_nor_files_are_one() -> None:
    assert found(*XTS_ON_CORES, disk(70, cipher="none")) == []
    assert found(*XTS_ON_CORES, disk(70, protocol="fscrypt")) == []
    assert found(*XTS_ON_CORES, disk(70, protocol="crypto-api", cipher="aes-128-xts")) == []


@pytest.mark.parametrize(
    "other",
    [
        {"parameter": "4 KiB, sector 512 B"},
        {"parameter": "128 KiB, sector 4096 B"},
        {"experiment": "disk-random-write"},
    ],
)
def test_other_sectors_blocks_and_patterns_are_other_work(other: dict[str, str]) -> None:
    assert found(*XTS_ON_CORES, row("throughput", 26, **(ADIANTUM | other))) == []


def test_a_name_that_loses_in_several_rows_is_said_once() -> None:
    small = {"parameter": "4 KiB, sector 512 B"}
    rows = [*XTS_ON_CORES, row("throughput", 26, **ADIANTUM)]
    rows += [*both("throughput", 13, 17, **(DISK | small))]
    rows += [row("throughput", 20, **(ADIANTUM | small))]
    assert unneeded_sentence(found(*rows)) == (
        "No accelerator is needed in 2 of 2 rows: other software does better. "
        "Worse on the cores: dm-crypt AES-256-XTS, hardware (than dm-crypt Adiantum)."
    )


def test_recorded_connections_and_disks_have_some() -> None:
    told = findings(load_results(Store(RECORDED), "today"), [])
    by_workload: dict[str, list[Alternative]] = {}
    for each in told.alternatives:
        by_workload.setdefault(each.offload.identity.workload, []).append(each)
    keys = {
        (each.offload.identity.parameter.key, each.software.identity.parameter.key)
        for each in by_workload["tls-connections"]
    }
    assert ("rsa-2048", "ecdsa-p256") in keys
    assert not {pair for pair in keys if pair[1] == "rsa-2048"}
    assert by_workload["disk-random-read"]
