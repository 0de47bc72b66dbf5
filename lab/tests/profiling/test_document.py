# SPDX-License-Identifier: Apache-2.0
"""A profile's file, and what is shown of it."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from made_profiles import profile as made_profile
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.base.tidy import to_csv
from firesteel.boards.profile import Clock, load_profile
from firesteel.boards.result import Mark, NodeResult, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.profiling.document import (
    ESTIMATED,
    PARTS,
    Profile,
    Spent,
    folded,
    load,
    profile_path,
    save,
    spent,
    stacks_of,
)
from firesteel.profiling.symbols import Frames
from firesteel.show.report.profiles import by_function, by_layer, by_part, tidy
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
    other = profile_path(Store(tmp_path), "run", "ab", "ping-56", "transfer")
    assert other.name == "ab-ping-56.json"
    save(path, profile())
    assert load(path) == profile()
    shuffled = Counter(dict(sorted(NAMED.items(), key=lambda item: item[0].function)))
    assert profile(named=shuffled).to_json() == path.read_text()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 2}, "format 2, written by a newer Firesteel"),
        ({"instructions": 999}, "its stacks are not its sum"),
        ({"stacks": [{"frames": ["a"], "instructions": 1000}]}, "damaged"),
    ],
)
def test_a_damaged_or_newer_file_is_told(change: dict[str, object], told: str) -> None:
    content = json.loads(profile().to_json()) | change
    with pytest.raises(FiresteelError, match=told) as error:
        Profile.from_json(json.dumps(content), "some/file.json")
    assert "some/file.json" in str(error.value)


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


def _mark(name: str, time_ns: int, idle_ns: int, stalled_ns: int) -> Mark:
    return Mark(name, time_ns, 0, idle_ns, stalled_ns, 0)


def _spent(of: Profile, clock: Clock = "flat") -> Spent:
    """Of a window of two seconds: the processor slept for half a second and waited for a half."""
    marks = (
        _mark("transfer.begin", 10**9, 10**8, 0),
        _mark("transfer.end", 3 * 10**9, 6 * 10**8, 5 * 10**8),
    )
    node = NodeResult("board", marks, {}, "", load_profile("socrates").on_clock(clock))
    return spent(of, TopologyRun({"board": node}, "0" * 64, load_topology("host-host")))


def test_instructions_share_the_time_that_the_processor_computed() -> None:
    found = _spent(made_profile())
    assert found.seconds == pytest.approx(
        dict.fromkeys(PARTS, 0.0)
        | {"cryptography": 0.6, "network": 0.399, "rest of the kernel": 0.001}
        | {"registers": 0.5, "idle": 0.5}
    )
    assert found.elapsed == pytest.approx(2)


def test_parts_are_estimates_where_instructions_take_different_times() -> None:
    exact, estimated = _spent(made_profile()), _spent(made_profile(), "cycles")
    assert (exact.exact, estimated.exact) == (True, False)
    assert exact.seconds == estimated.seconds
    for spents, said in (([exact], False), ([estimated], True), ([exact, estimated], True)):
        grid = by_part(spents)
        assert grid
        assert (ESTIMATED in grid.title) == said


def test_the_terminal_sets_software_beside_hardware_within_80_columns() -> None:
    grid = by_part([_spent(made_profile(), "cycles"), _spent(made_profile("hardware"), "cycles")])
    assert grid
    text = io.StringIO()
    grid.show(Console(width=80, file=text))
    assert text.getvalue().count("where the time went") == 1, "it is one table"
    rows = {name: cells for name, *cells in grid.rows}
    assert rows["cryptography"] == ["0.6000", "30.00"] * 2
    assert rows["elapsed"] == ["2.0000", "100.00"] * 2
