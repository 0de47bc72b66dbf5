# SPDX-License-Identifier: Apache-2.0
"""Advice says how hardware stands beside the best other software of the run that it rests on."""

import json

from commands import invoke

from firesteel.base.checkout import RECORDED

_BESIDE = "Compared with the best other software:"


def told(protocol: str, suite: str, *more: str, run: str = "gigabit") -> str:
    command = ("advise", "--protocol", protocol, "--suite", suite, "--store", str(RECORDED))
    return invoke(*command, "--run", run, *more).stdout


def test_a_tunnel_on_the_cores_may_lose_to_one_in_the_kernel() -> None:
    said = " ".join(told("openvpn", "aes-256-gcm").split())
    assert said.startswith("Yes, offload OpenVPN AES-256-GCM"), "its own suite is asked about"
    assert f"{_BESIDE} of 1 row in hardware, 1 loses (to IPsec AES-256-GCM" in said


def test_for_programs_each_row_has_its_alternative() -> None:
    beside = json.loads(told("ipsec", "aes-256-gcm", "--format", "json"))["alternatives"]
    assert beside["sentence"].startswith(_BESIDE)
    (row,) = beside["rows"]
    assert row["experiment"] == "file-transfer"
    assert row["software"].startswith("OpenVPN AES-256-GCM")
    assert row["verdict"] == "helps"
    assert row["speed"] > 1 > row["cpu_work"]
