# SPDX-License-Identifier: Apache-2.0
"""Where time goes: the icicle, the functions, and profiles that cannot be used."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from made_profiles import content, profile, profile_of
from made_runs import results_of
from report_page import check

from firesteel.base.errors import FiresteelError
from firesteel.profiling.layers import LAYERS
from firesteel.report.flame import WIDTH, icicle, standalone
from firesteel.report.profiles import function_sheet, functions_sheet, in_pairs, load_profiles
from firesteel.report.write import render, write_report
from firesteel.store.store import Store


def test_parts_are_as_wide_as_their_share_and_have_titles() -> None:
    svg = icicle(profile().stacks, "a cell")
    widths = {
        title: float(width)
        for title, width in re.findall(r"<title>(.*?):.*?</title><rect.*?width=\"([\d.]+)\"", svg)
    }
    assert widths["a cell"] == WIDTH
    assert widths["aes_encrypt&lt;x&gt;"] == pytest.approx(WIDTH * 0.6)
    assert widths["openvpn"] == pytest.approx(WIDTH * 0.9)
    assert "tiny" not in widths, "what is thinner than a line is left out"
    assert "600 instructions, 60.0 %" in svg
    assert f"var(--layer-{LAYERS.index('libcrypto')})" in svg
    assert ElementTree.fromstring(svg).get("role") == "img"


def test_nothing_is_drawn_of_nothing() -> None:
    assert ElementTree.fromstring(icicle([], "empty")).tag == "svg"


def test_a_picture_of_its_own_has_its_colours() -> None:
    root = ElementTree.fromstring(standalone(profile().stacks, "a cell"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "--layer-10" in str(root[0].text)


def test_functions_are_summed_over_processes_and_stand_side_by_side() -> None:
    software, hardware = profile(), profile("hardware")
    sheet = functions_sheet(software, hardware)
    assert sheet.rows[0][0] == "aes_encrypt<x>"
    assert sheet.rows[1] == [
        *("udp_sendmsg", "kernel network", "vmlinux"),
        *("399", "39.9 %", "399", "39.9 %"),
    ]
    assert len(function_sheet(software).columns) == 4


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
    assert page.count('class="flame"') == len(results.records)
    assert "instructions go</h2>" in page
    without = render(results)
    assert "Where time goes" not in without


def test_a_profile_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(FiresteelError, match=r"a\.json: .*damaged"):
        load_profiles(tmp_path)


def test_there_may_be_none(tmp_path: Path) -> None:
    assert load_profiles(tmp_path / "profiles") == []
