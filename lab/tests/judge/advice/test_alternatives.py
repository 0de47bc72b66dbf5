# SPDX-License-Identifier: Apache-2.0
"""Advice says how hardware stands beside the best other software of the run that it rests on."""

import json

import pytest
from commands import invoke

from firesteel.base.checkout import RECORDED
from firesteel.judge.verdict import RowVerdict

_BESIDE = "Compared with the best other software of equal protection:"


def told(protocol: str, suite: str, *more: str, run: str = "gigabit") -> str:
    command = ("advise", "--protocol", protocol, "--suite", suite, "--store", str(RECORDED))
    return invoke(*command, "--run", run, *more).stdout


def test_a_tunnel_on_the_cores_stands_beside_one_in_the_kernel() -> None:
    said = " ".join(told("openvpn", "aes-256-gcm").split())
    assert "OpenVPN AES-256-GCM" in said.split(f"{_BESIDE} of 1 row in hardware, 1 ")[0]
    found = json.loads(told("openvpn", "aes-256-gcm", "--format", "json"))["alternatives"]
    assert found["rows"][0]["software"].startswith("IPsec AES-256-GCM")


@pytest.mark.parametrize("protocol", ["openvpn", "ipsec"])
def test_other_software_that_does_better_is_named_in_the_answer_itself(protocol: str) -> None:
    found = json.loads(told(protocol, "aes-256-gcm", "--format", "json"))
    better = any(row["verdict"] == "loses" for row in found["alternatives"]["rows"])
    said = "Other software of equal protection, such as " in found["sentence"]
    assert said == (better and found["answer"] == "yes")


def test_for_programs_each_row_has_its_alternative() -> None:
    beside = json.loads(told("ipsec", "aes-256-gcm", "--format", "json"))["alternatives"]
    assert beside["sentence"].startswith(_BESIDE)
    (row,) = beside["rows"]
    assert row["experiment"] == "file-transfer"
    assert row["software"].startswith("OpenVPN AES-256-GCM")
    judged = RowVerdict("throughput", row["speed"], row["cpu_work"], "", 0.0, 0.0)
    assert row["verdict"] in (judged.verdict, "inconclusive")
