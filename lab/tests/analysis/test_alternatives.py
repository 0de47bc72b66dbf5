# SPDX-License-Identifier: Apache-2.0
"""Hardware beside the best other software: what may stand beside it, which of several counts, and
how the report says it; test_other_connections_and_disks.py has those of connections and disks.
"""

from typing import Any

import polars as pl
from made_pairs import both, row
from made_results import results_in

from firesteel.advice.alternatives import (
    alternatives_in_short,
    alternatives_sentence,
    unneeded_sentence,
)
from firesteel.analysis.alternatives import Alternative, alternatives
from firesteel.analysis.offload import offloads
from firesteel.analysis.places import Places
from firesteel.analysis.results import load_results
from firesteel.analysis.rows import Rows
from firesteel.analysis.verdict import counted
from firesteel.base.checkout import RECORDED
from firesteel.report.findings import findings
from firesteel.report.offload import alternatives_grid
from firesteel.store.store import Store

HARDWARE = both("throughput", 5.0, 10.0)
"""IPsec with AES-256-GCM."""

WIREGUARD = {"protocol": "wireguard", "cipher": "chacha20-poly1305", "mac": "poly1305"}
CBC = {"cipher": "aes-256-cbc", "mac": "sha256"}


def found(*rows: dict[str, Any]) -> list[Alternative]:
    results = results_in(pl.DataFrame([*HARDWARE, *rows]))
    labelled = Places.of(results).labelled(results)
    return alternatives(offloads(labelled), Rows(labelled))


def test_without_other_software_there_is_none() -> None:
    assert found() == []
    assert alternatives_grid([]) is None


def test_a_tunnel_of_another_protocol_is_one() -> None:
    (one,) = found(row("throughput", 20.0, **WIREGUARD))
    assert one.software.label == "WireGuard ChaCha20-Poly1305"
    assert one.judged.speed == 0.5
    assert one.judged.verdict == "loses"
    assert one.offload.verdict == "helps", "against software of its own suite"


def test_of_several_the_one_that_hardware_stands_worst_against_counts() -> None:
    rows = [row("throughput", 20.0, **WIREGUARD), row("throughput", 9.0, **CBC)]
    for order in (rows, rows[::-1]):
        (one,) = found(*order)
        assert one.software.label == "WireGuard ChaCha20-Poly1305"


def test_cpu_work_decides_where_speed_does_not() -> None:
    told = both("cpu_seconds_per_mb", 0.1, 0.05)
    rows = [row("throughput", 10.0, **CBC), row("cpu_seconds_per_mb", 0.04, **CBC)]
    rows += [row("throughput", 10.0, **WIREGUARD), row("cpu_seconds_per_mb", 0.045, **WIREGUARD)]
    (one,) = found(*told, *rows)
    assert (one.software.label, one.judged.verdict) == ("IPsec AES-256-CBC:SHA-256", "loses")


def test_what_does_not_protect_is_no_alternative() -> None:
    for suite in ({"cipher": "none", "mac": "none"}, {"cipher": "aes-256-cbc", "mac": "none"}):
        assert found(row("throughput", 50.0, **suite)) == []


def test_neither_is_what_serves_another_purpose_or_nobody_would_choose() -> None:
    assert found(row("throughput", 50.0, protocol="ssh", **CBC)) == []
    assert found(row("throughput", 50.0, as_in_2015="no-neon", **CBC)) == []
    assert found(row("throughput", 50.0, "software-as-installed", completion="", **CBC)) == []
    assert found(row("throughput", 50.0, "hardware", **CBC)) == []


def test_rows_elsewhere_or_of_other_work_are_none() -> None:
    assert found(row("throughput", 50.0, link="1 Gbit/s", **WIREGUARD)) == []
    assert found(row("rtt_mean", 0.1, experiment="ping", parameter="56 B", **WIREGUARD)) == []


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
        "Compared with the best other software: of 1 row in hardware, 1 loses "
        "(to WireGuard ChaCha20-Poly1305)."
    )
    good = found(row("throughput", 2.0, **WIREGUARD))
    assert alternatives_sentence(good).endswith("of 1 row in hardware, 1 gains.")
    assert alternatives_in_short(good) == ("Against the best other software: 1 gains.")
    assert counted([each.judged.verdict for each in (*some, *good, *good)]) == {
        "helps": 2,
        "loses": 1,
    }


def test_rows_that_need_no_accelerator_are_named_first() -> None:
    some = found(row("throughput", 20.0, **WIREGUARD))
    assert unneeded_sentence(some) == (
        "No accelerator is needed in 1 of 1 row: other software does better. "
        f"Worse on the cores: {some[0].offload.label} (than WireGuard ChaCha20-Poly1305)."
    )
    assert unneeded_sentence(found(row("throughput", 2.0, **WIREGUARD))) == ""


def test_recorded_rows_over_both_links_have_some() -> None:
    told = findings(load_results(Store(RECORDED), "today"), [])
    links = {each.offload.identity.link for each in told.alternatives}
    assert len(links) == 2
    assert unneeded_sentence(told.alternatives).startswith("No accelerator is needed in ")


def test_recorded_tunnels_have_some() -> None:
    told = findings(load_results(Store(RECORDED), "gigabit"), [])
    by_protocol = {
        (each.offload.identity.protocol, each.software.identity.protocol): each.judged.verdict
        for each in told.alternatives
    }
    assert by_protocol["ipsec", "openvpn"] == "helps"
    assert by_protocol["openvpn", "ipsec"] == "loses", "a tunnel in the kernel costs less"
    grid = alternatives_grid(told.alternatives)
    assert grid
    assert len(grid.rows) == len(told.alternatives)
