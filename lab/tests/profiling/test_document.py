# SPDX-License-Identifier: Apache-2.0
"""A profile's file, and what is shown of it."""

import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.base.tidy import to_csv
from firesteel.profiling.document import Profile, folded, load, profile_path, save, stacks_of
from firesteel.profiling.symbols import Frames
from firesteel.report.profiles import by_function, by_layer, tidy
from firesteel.store.store import Store

NAMED = Counter(
    {
        Frames("openvpn", "libcrypto", "libcrypto.so.3", "@0x100 (AES for ARMv4)"): 600,
        Frames("openvpn", "application", "openvpn", "main"): 300,
        Frames("curl", "libcrypto", "libcrypto.so.3", "@0x100 (AES for ARMv4)"): 50,
        Frames("[soft interrupts]", "kernel network", "kernel", "tcp;rcv"): 50,
    }
)


def profile(implementation: str = "software", named: Counter[Frames] = NAMED) -> Profile:
    return Profile(
        cell=f"openvpn aes-256-cbc:sha256 {implementation}",
        key="ab" * 32,
        implementation=implementation,
        node="board",
        window="transfer",
        instructions=named.total(),
        stacks=stacks_of(named),
    )


def test_a_file_holds_all_and_is_the_same_each_time(tmp_path: Path) -> None:
    path = profile_path(Store(tmp_path), "run", "ab", "transfer", "transfer")
    assert path == tmp_path / "runs/run/profiles/ab.json"
    assert load(path) is None
    save(path, profile())
    assert load(path) == profile()
    shuffled = Counter(dict(sorted(NAMED.items(), key=lambda item: item[0].function)))
    assert profile(named=shuffled).to_json() == path.read_text()
    assert list(path.parent.iterdir()) == [path]


def test_another_window_has_another_file(tmp_path: Path) -> None:
    path = profile_path(Store(tmp_path), "run", "ab", "ping-56", "transfer")
    assert path.name == "ab-ping-56.json"


def test_what_the_report_reads_is_there() -> None:
    content = json.loads(profile().to_json())
    assert content["format"] == 1
    assert {"cell", "key", "implementation", "window", "instructions", "stacks"} <= set(content)
    assert content["stacks"][0] == {
        "frames": ["openvpn", "libcrypto", "libcrypto.so.3", "@0x100 (AES for ARMv4)"],
        "instructions": 600,
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 2}, "format 2, written by a newer Firesteel"),
        ({"format": None}, "no format number"),
        ({"instructions": 999}, "its stacks are not its sum"),
        ({"stacks": [{"frames": ["a"], "instructions": 1000}]}, "damaged"),
        ({"surprise": 1}, "damaged"),
    ],
)
def test_a_damaged_or_newer_file_is_told(change: dict[str, object], told: str) -> None:
    content = json.loads(profile().to_json()) | change
    with pytest.raises(FiresteelError, match=told) as error:
        Profile.from_json(json.dumps(content), "some/file.json")
    assert "some/file.json" in str(error.value)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', "[" * 100_000])
def test_what_is_no_profile_is_told(text: str) -> None:
    with pytest.raises(FiresteelError, match="profile is damaged .*--fresh`"):
        Profile.from_json(text, "some/file.json")


@pytest.mark.parametrize(
    ("inflict", "told"),
    [
        (lambda path: path.write_bytes(b"\xff"), "this profile is damaged (not valid JSON"),
        (lambda path: path.mkdir(), "cannot be read: Is a directory."),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, inflict: Callable[[Path], object], told: str
) -> None:
    path = tmp_path / "ab.json"
    inflict(path)
    with pytest.raises(FiresteelError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: {told}")


def test_stacks_fold_to_lines_for_flame_graphs() -> None:
    lines = folded([profile()]).splitlines()
    cell = "openvpn aes-256-cbc:sha256 software"
    assert lines[1] == f"{cell};openvpn;application;openvpn;main 300"
    assert lines[3].endswith(";kernel;tcp,rcv 50") or lines[2].endswith(";kernel;tcp,rcv 50")
    assert all(line.count(";") == 4 for line in lines)


@pytest.mark.parametrize(
    ("cell", "implementation", "configuration"),
    [
        ("ipsec aes-256-gcm:gcm software by http", "software", "ipsec aes-256-gcm:gcm by http"),
        ("ipsec aes-256-gcm:gcm hardware poll", "hardware", "ipsec aes-256-gcm:gcm"),
        ("ipsec a:b hardware by http irq at 1 Gbit/s", "hardware", "ipsec a:b by http at 1 Gbit/s"),
    ],
)
def test_a_configuration_is_what_software_and_hardware_have_in_common(
    cell: str, implementation: str, configuration: str
) -> None:
    made = profile().model_copy(update={"cell": cell, "implementation": implementation})
    assert made.configuration == configuration


def test_rows_have_every_stack() -> None:
    rows = tidy([profile(), profile("hardware")])
    assert rows["instructions"].sum() == 2000
    assert to_csv(rows).splitlines()[0] == (
        "cell,implementation,window,process,layer,object,function,instructions"
    )


def test_tables_set_software_beside_hardware_within_80_columns() -> None:
    hardware = profile("hardware", Counter({Frames("openvpn", "provider", "firesteel.so", "f"): 9}))
    layers, top = by_layer([profile(), hardware]), by_function([profile(), hardware], 2)
    for grid in (layers, top):
        assert grid
        text = io.StringIO()
        grid.show(Console(width=80, file=text))
        assert grid.groups == [("software", 2), ("hardware", 2)]
        assert text.getvalue().count(grid.title) == 1, "it is one table"
    assert layers
    found = {name: cells for name, *cells in layers.rows}
    assert found["libcrypto"] == ["0.001", "65.00", "–", "–"]
    assert found["provider"] == ["–", "–", "0.000", "100.00"]
    assert top
    assert [row[0] for row in top.rows] == ["@0x100 (AES for ARMv4) [libcrypto]", "main [openvpn]"]
