# SPDX-License-Identifier: Apache-2.0
"""Transfers over links of several rates stand beside each other, and say what the link hides."""

from made_pairs import both, found, row

from firesteel.analysis.places import Places
from firesteel.analysis.verdict import hidden
from firesteel.model.cell import Place
from firesteel.report.offload import links_grid

NONE = {"protocol": "none", "cipher": "none", "mac": "none"}
SLOW, FAST = {"link": ""}, {"link": "1 Gbit/s"}
RATES = {Place("", "", ""): (100_000_000,), Place("", "", "", "1 Gbit/s"): (1_000_000_000,)}

PAIRS = found(
    *both("throughput", 5.0, 9.6, **SLOW),
    row("throughput", 10.0, **NONE, **SLOW),
    *both("throughput", 6.0, 30.0, **FAST),
    row("throughput", 100.0, **NONE, **FAST),
    *both("throughput", 4.0, 8.0, protocol="ssh", **FAST),
)
PLACES = Places.of(each for pair in PAIRS for each in (pair.software, pair.hardware))


def test_rates_stand_beside_each_other() -> None:
    sheet = links_grid(PAIRS, PLACES, RATES)
    assert sheet
    assert sheet.groups == [("100 Mbit/s", 3), ("1 Gbit/s", 3), ("", 1)]
    ipsec, ssh = ([getattr(text, "text", text) for text in line] for line in sheet.rows)
    assert ipsec[0] == "IPsec AES-256-GCM, 16 MiB"
    assert ipsec[1:] == ["5.00", "9.60", "1.92", "6.00", "30.00", "5.00", *ipsec[-1:]]
    assert ipsec[-1] == "hides the gain at 100 Mbit/s"
    assert ssh[1:] == ["–", "–", "–", "4.00", "8.00", "2.00", "–"]


def test_one_rate_needs_no_table() -> None:
    assert links_grid(PAIRS[:1], PLACES, RATES) is None


def test_what_is_hidden_is_found_over_faster_links() -> None:
    (one,) = hidden(PAIRS)
    assert (one.pair, one.faster) == (PAIRS[0], (PAIRS[1],))
