# SPDX-License-Identifier: Apache-2.0
"""Hardware beside the best other software, which protects as much: what may stand beside it, which
of several counts, and how the report says it.
"""

from typing import Any

import polars as pl
import pytest
from made_pairs import both, row
from made_results import results_in

from firesteel.judge.advice.answer import alternatives_in_short, alternatives_sentence, by_verdict
from firesteel.judge.places import Places
from firesteel.judge.rows import Rows
from firesteel.judge.verdict import Offload, alternatives, offloads
from firesteel.show.report.offload import alternatives_grid

HARDWARE = both("throughput", 5.0, 10.0)
"""IPsec with AES-256-GCM."""

WIREGUARD = {"protocol": "wireguard", "cipher": "chacha20-poly1305", "mac": "poly1305"}
CBC = {"cipher": "aes-256-cbc", "mac": "sha256"}


def of_all(*rows: dict[str, Any]) -> list[Offload]:
    results = results_in(pl.DataFrame(rows))
    labelled = Places.of(results).labelled(results)
    return alternatives(offloads(labelled), Rows(labelled))


def found(*rows: dict[str, Any]) -> list[Offload]:
    return of_all(*HARDWARE, *rows)


def own(*rows: dict[str, Any]) -> list[str]:
    return [pair.verdict for pair in offloads(results_in(pl.DataFrame(rows)))]


def test_without_other_software_there_is_none() -> None:
    assert found() == []
    assert alternatives_grid([]) is None


def test_a_tunnel_of_another_protocol_is_one() -> None:
    (one,) = found(row("throughput", 20.0, **WIREGUARD))
    assert one.software.label == "WireGuard ChaCha20-Poly1305"
    assert one.judged.speed == 0.5
    assert one.judged.verdict == "loses"
    assert own(*HARDWARE) == ["helps"], "against software of its own suite"


def test_of_several_the_one_that_hardware_stands_worst_against_counts() -> None:
    rows = [row("throughput", 20.0, **WIREGUARD), row("throughput", 9.0, **CBC)]
    for order in (rows, rows[::-1]):
        (one,) = found(*order)
        assert one.software.label == "WireGuard ChaCha20-Poly1305"


def test_cpu_work_decides_where_speed_does_not() -> None:
    told = both("cpu_seconds_per_mb", 0.1, 0.05)
    rows = [row("throughput", 10.0, **CBC), row("cpu_seconds_per_mb", 0.04, **CBC)]
    rows += [row("throughput", 10.0, **WIREGUARD), row("cpu_seconds_per_mb", 0.045, **WIREGUARD)]
    (one,) = of_all(*HARDWARE, *told, *rows)
    assert (one.software.label, one.judged.verdict) == ("IPsec AES-256-CBC:SHA-256", "loses")


def test_files_of_another_size_are_the_same_work() -> None:
    assert len(found(row("throughput", 20.0, **(WIREGUARD | {"parameter": "8 MiB"})))) == 1


def test_a_key_without_a_certificate_stands_beside_any_kind() -> None:
    ike = {"protocol": "ike", "experiment": "tls-connections", "parameter": "rsa-2048"}
    wireguard = ike | WIREGUARD
    pair = [
        row("connections", 1200.0, **ike),
        row("connections", 2400.0, "hardware", **ike),
    ]
    (one,) = found(*pair, row("connections", 12000.0, **(wireguard | {"parameter": "x25519"})))
    assert (one.software.label, one.judged.speed) == ("WireGuard, Noise IK with X25519", 0.2)
    assert found(*pair, row("connections", 9000.0, **(wireguard | {"parameter": "rsa-4096"}))) == []


def test_the_sentence_counts_and_names() -> None:
    some = found(row("throughput", 20.0, **WIREGUARD))
    assert alternatives_sentence(some) == (
        "Compared with the best other software of equal protection: of 1 row in hardware, 1 loses "
        "(to WireGuard ChaCha20-Poly1305)."
    )
    good = found(row("throughput", 2.0, **WIREGUARD))
    assert alternatives_sentence(good).endswith("of 1 row in hardware, 1 gains.")
    assert alternatives_in_short(good).endswith("other software of equal protection: 1 gains.")
    verdicts = [each.judged.verdict for each in (*some, *good, *good)]
    assert by_verdict(verdicts) == ["1 loses", "2 gain"]


WEB = {
    "experiment": "tls-connections",
    "protocol": "nginx",
    "parameter": "rsa-2048",
    "unit": "1/min",
}
P256 = {"parameter": "ecdsa-p256"}

DISK = {
    "experiment": "disk-random-read",
    "protocol": "dm-crypt",
    "cipher": "aes-256-xts",
    "mac": "none",
    "parameter": "4 KiB, sector 4096 B",
}


def connections(value: float, implementation: str = "software", **more: Any) -> dict[str, Any]:
    return row("connections", value, implementation, **(WEB | more))


RSA_ON_CORES = both("connections", 2000, 6000, **WEB)


def test_another_key_of_the_server_is_one() -> None:
    (one,) = of_all(*RSA_ON_CORES, connections(7500, **P256))
    assert one.software_name == "nginx, TLS 1.3 with X25519, ecdsa-p256"
    assert one.judged.speed == 0.8
    assert one.judged.verdict == "loses"
    assert own(*RSA_ON_CORES) == ["helps"], "against software with its own key"


def test_a_weaker_key_is_none_and_a_strong_one_is() -> None:
    ecdsa = both("connections", 7500, 8000, **(WEB | P256))
    assert of_all(*ecdsa, connections(9000)) == [], "RSA with 2048 bits is weaker than P-256"
    (one,) = of_all(*ecdsa, connections(9000, parameter="rsa-4096"))
    assert one.software_name.endswith("rsa-4096")


def test_connections_have_their_own_purpose() -> None:
    """A tunnel's handshakes are none of a web server's, whatever the key; nor are logins."""
    for protocol in ("openvpn-tls13", "openvpn-hybrid", "sshd"):
        other = connections(9000, protocol=protocol, **P256)
        assert of_all(*RSA_ON_CORES, other) == []
    tunnel = both("connections", 500, 510, **(WEB | {"protocol": "openvpn-tls13"}))
    old = {"protocol": "openvpn", "cipher": "aes-256-cbc", "mac": "none"}
    (one,) = of_all(*tunnel, connections(600, **old))
    assert one.software_name == "OpenVPN, DHE-RSA, rsa-2048", "no suite of data matters"
    login = both("connections", 225, 220, **(WEB | {"protocol": "sshd"}))
    (one,) = of_all(*login, connections(230, protocol="sshd", **P256))
    assert one.software_name == "SSH logins, mlkem768x25519-sha256, ecdsa-p256"


def disk(value: float, **more: Any) -> dict[str, Any]:
    return row("throughput", value, **(DISK | more))


XTS_ON_CORES = both("throughput", 14, 21, **DISK)


@pytest.mark.parametrize(
    ("hardware", "other"),
    [
        *(
            (HARDWARE, other)
            for other in (
                row("throughput", 50.0, cipher="none", mac="none"),
                row("throughput", 50.0, cipher="aes-256-cbc", mac="none"),
                row("throughput", 50.0, protocol="ssh", **CBC),
                row("throughput", 50.0, as_in_2015="no-neon", **CBC),
                row("throughput", 50.0, "software-as-installed", completion="", **CBC),
                row("throughput", 50.0, "hardware", **CBC),
                row("throughput", 50.0, link="1 Gbit/s", **WIREGUARD),
                row("rtt_mean", 0.1, experiment="ping", parameter="56 B", **WIREGUARD),
            )
        ),
        (RSA_ON_CORES, connections(9000, parameter="rsa-1024")),
        (RSA_ON_CORES, connections(9000, parameter="rsa-4096")),
        (XTS_ON_CORES, disk(70, cipher="none")),
        (XTS_ON_CORES, disk(70, protocol="fscrypt")),
        (XTS_ON_CORES, disk(70, protocol="crypto-api", cipher="aes-128-xts")),
        (XTS_ON_CORES, disk(26, cipher="adiantum", parameter="4 KiB, sector 512 B")),
        (XTS_ON_CORES, disk(26, cipher="adiantum", parameter="128 KiB, sector 4096 B")),
        (XTS_ON_CORES, disk(26, cipher="adiantum", experiment="disk-random-write")),
    ],
)
def test_what_does_not_protect_or_serve_as_well_or_run_there_is_none(
    hardware: list[dict[str, Any]], other: dict[str, Any]
) -> None:
    """Nor what nobody would choose, keys of the same algorithm, and what is of other work."""
    assert of_all(*hardware, other) == []
