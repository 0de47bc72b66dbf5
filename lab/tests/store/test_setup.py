# SPDX-License-Identifier: Apache-2.0
"""Records say what they were measured on, and so does all that is made of them."""

import re
from pathlib import Path

import pytest
from made_runs import results_of

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.cores import CLOCK_HZ, REGISTER_NS, Cores, Timing
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology
from firesteel.judge.export import export_frame
from firesteel.judge.results import Results
from firesteel.store.setup import Setup, cores_in_words


def setup(topology: str = "host-host", **profiles: str) -> Setup:
    wired = load_topology(topology).override(profiles=profiles)
    nodes = {name: load_profile(node.profile) for name, node in wired.nodes.items()}
    return Setup(topology=wired, profiles=nodes)


def test_the_models_defaults_are_those_of_the_model() -> None:
    text = (CHECKOUT / "model" / "timing.c").read_text(encoding="utf-8")
    assert re.findall(r"\.clock_hz = (\d+),", text) == [str(CLOCK_HZ)]
    assert re.findall(r"\.register_ns = (\d+),", text) == [str(REGISTER_NS)]
    assert re.findall(r"\.dma_latency_cycles = (\d+),", text) == ["30"]


def test_a_board_and_its_link_are_told_in_words() -> None:
    told = dict(setup().rows())
    board = told["board (socrates)"]
    assert board.startswith("Cortex-A9 at 800 MHz, emulated as Cortex-A15, 1024 MiB, ")
    for value in ("653 µs", "crypto0 (AES, public key; PCI"):
        assert value in board
    for value in ("100 Mbit/s", "568 µs", "2 frames"):
        assert value in told["link wire (board, peer)"]
    assert setup().in_short("board").endswith("; others: peer 100,000 MIPS")


def test_what_a_profile_says_of_its_cores_is_told() -> None:
    timing = Timing(clock_hz=200_000_000, register_ns=0, aes256_cycles=15)
    cores = Cores(name="x", bus="sysbus", hash=True, timing=timing)
    told = cores_in_words(cores)
    assert told.startswith("x (hash; device tree, 200 MHz, 0 ns ")
    assert "aes256_cycles 15" in told
    zero = Cores(name="x", aes=True, timing=Timing(zero=True))
    assert cores_in_words(zero).startswith("x (AES; PCI, ")
    assert "no time" in cores_in_words(zero)
    assert "Hz" not in cores_in_words(zero)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return results_of(tmp_path, lambda cell: cell.protocol == "none")


def test_export_has_columns_of_it(results: Results) -> None:
    row = export_frame(results).row(0, named=True)
    told = {
        "cpu_model": "cortex-a15",
        "clock": "cycles",
        "instructions_per_second": None,
        "processor": "cortex-a9",
        "processor_hz": 800_000_000,
        "memory_mib": 1024,
        "interrupt_delay_us": 653,
        "core_clock_hz": 100_000_000,
        "core_register_ns": 120,
        "link_rate_bit_s": 100_000_000,
        "link_latency_ns": 568_000,
        "peer_instructions_per_second": 100_000_000_000,
    }
    assert {name: row[name] for name in told} == told
    assert row["links"] == f"wire: {dict(setup().rows())['link wire (board, peer)']}"
