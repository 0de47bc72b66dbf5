# SPDX-License-Identifier: Apache-2.0
"""Where instructions go: the tables of each suite, code that ran, and profiles that
cannot be used.
"""

import json
from base64 import b64decode
from pathlib import Path

import pytest
from made_profiles import content, profile, profile_of
from made_runs import results_of
from report_page import check

from firesteel.base.errors import FiresteelError
from firesteel.profiling.document import Profile, Stack
from firesteel.report.profiles import code_grid, code_that_ran, in_pairs, load_profiles
from firesteel.report.write import render, write_report
from firesteel.store.store import Store


def test_profiles_are_paired_by_suite() -> None:
    other = profile_of(content("hardware") | {"cell": "ipsec x:y hardware"})
    software, hardware = profile(), profile("hardware")
    assert in_pairs([hardware, software, other]) == [(software, hardware), (other,)]
    assert in_pairs([software]) == [(software,)]


def test_the_report_has_those_of_its_records(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.cipher == "aes-256-cbc", (), "openvpn")
    directory = tmp_path / "runs" / results.journal.name / "profiles"
    directory.mkdir()
    for record in results.records:
        made = content(record.inputs.cell.implementation, record.inputs.key)
        made["cell"] = record.inputs.cell.label
        (directory / f"{record.inputs.key}.json").write_text(json.dumps(made))
    (directory / "old.json").write_text(json.dumps(content(key="of another run")))
    page = write_report(Store(tmp_path), results).read_text()
    check(page)
    stacks = b64decode(page.split("data:text/plain;base64,")[1].split('"')[0]).decode()
    assert stacks.count("aes_encrypt<x> 600") == len(results.records)
    assert "functions that take most" in page
    assert "instructions go</h2>" in page
    without = render(results)
    assert "Where time goes" not in without


def test_a_profile_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(FiresteelError, match=r"a\.json: .*damaged"):
        load_profiles(tmp_path)


def test_there_may_be_none(tmp_path: Path) -> None:
    assert load_profiles(tmp_path / "profiles") == []


def made_of(implementation: str, *stacks: tuple[str, str, str, int]) -> Profile:
    return Profile(
        cell=f"ipsec aes-256-gcm:gcm {implementation}",
        key="k",
        implementation=implementation,
        node="board",
        window="transfer",
        instructions=sum(stack[3] for stack in stacks),
        stacks=tuple(
            Stack(frames=("p", layer, place, function), instructions=count)
            for layer, place, function, count in stacks
        ),
    )


SOFTWARE = made_of(
    "software",
    ("kernel crypto", "ghash_arm_ce.ko", "pmull_ghash_update_p8", 300),
    ("kernel crypto", "kernel", "crypto_xor", 5),
    ("libcrypto", "libcrypto.so.3", "@0x10 (GHASH for ARMv4/NEON, without NEON)", 100),
    ("libcrypto", "libcrypto.so.3", "@0x99", 95),
    ("kernel network", "kernel", "tcp_sendmsg", 500),
)
HARDWARE = made_of(
    "hardware", ("driver", "firesteel.ko", "start", 40), ("application", "a", "b", 60)
)


def test_only_cryptography_that_has_a_name_and_a_part_is_told() -> None:
    told = [
        (code.profile.implementation, code.function, code.share)
        for code in code_that_ran([SOFTWARE])
    ]
    assert told == [
        ("software", "pmull_ghash_update_p8", 0.3),
        ("software", "@0x10 (GHASH for ARMv4/NEON, without NEON)", 0.1),
    ]


def test_the_table_has_a_row_for_each() -> None:
    grid = code_grid([SOFTWARE, HARDWARE])
    assert grid is not None
    assert grid.rows[0][:3] == ["ipsec aes-256-gcm:gcm", "software", "ghash_arm_ce.ko"]
    assert grid.rows[-1][1:] == ["hardware", "firesteel.ko", "start", "40.0 %"]
    assert code_grid([]) is None
