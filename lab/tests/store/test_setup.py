# SPDX-License-Identifier: Apache-2.0
"""Records say what they were measured on, and so does all that is made of them."""

import re
from pathlib import Path

import pytest
from advice_store import RTT, Runs, cell
from commands import invoke
from made_runs import page_of, results_of

from firesteel.advice.advice import advise
from firesteel.analysis.export import export_frame
from firesteel.analysis.results import Results
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.board.cores import CLOCK_HZ, REGISTER_NS, Cores, Timing
from firesteel.board.profile import load_profile
from firesteel.board.topology import load_topology
from firesteel.sensitivity.commands import ask
from firesteel.store.setup import Setup, cores_in_words, rate_in_words
from firesteel.store.store import Store


def setup(topology: str = "host-host", **profiles: str) -> Setup:
    wired = load_topology(topology).override(profiles=profiles)
    nodes = {name: load_profile(node.profile) for name, node in wired.nodes.items()}
    return Setup(topology=wired, profiles=nodes, order=tuple(nodes))


def test_the_models_defaults_are_those_of_the_model() -> None:
    text = (CHECKOUT / "model" / "timing.c").read_text(encoding="utf-8")
    assert re.findall(r"\.clock_hz = (\d+),", text) == [str(CLOCK_HZ)]
    assert re.findall(r"\.register_ns = (\d+),", text) == [str(REGISTER_NS)]
    assert re.findall(r"\.dma_latency_cycles = (\d+),", text) == ["30"]


def test_a_board_and_its_link_are_told_in_words() -> None:
    told = dict(setup().rows())
    board = told["board (socrates)"]
    assert board.startswith("Cortex-A15 of 800 MHz with the costs of cortex-a9, 1024 MiB, ")
    for value in ("653 µs", "crypto0 (AES, public key; PCI"):
        assert value in board
    for value in ("100 Mbit/s", "568 µs", "2 frames"):
        assert value in told["link wire (board, peer)"]
    assert setup().in_short("board").endswith("; others: peer 100,000 MIPS")


def test_a_board_that_counts_instructions_is_told_with_their_rate() -> None:
    assert rate_in_words(load_profile("socrates").on_clock("flat")) == "554 MIPS"


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


def test_a_record_keeps_it(results: Results) -> None:
    (record,) = results.records
    assert record.measurement.setup == setup()


def test_show_and_report_say_it(results: Results, tmp_path: Path) -> None:
    shown = invoke("show", "--store", str(tmp_path)).stdout
    assert " ".join(setup().in_short("board").split()) in " ".join(shown.split())
    page = page_of(results)
    before_answer = page[: page.index('id="answer"')]
    told = dict(setup().rows())
    assert setup().in_short("board") in before_answer
    assert told["link wire (board, peer)"] in before_answer
    assert told["board (socrates)"] in page


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


def test_export_of_a_board_that_counts_instructions_has_their_rate(tmp_path: Path) -> None:
    flat = results_of(tmp_path, lambda cell: cell.protocol == "none", clock="flat")
    row = export_frame(flat).row(0, named=True)
    told = {
        "clock": "flat",
        "instructions_per_second": 554_000_000,
        "processor": None,
        "processor_hz": None,
    }
    assert {name: row[name] for name in told} == told


OTHER = "three-hosts-gateway-host"


def add(runs: Runs, topology: str, software: float, hardware: float) -> None:
    both = (
        (cell(how, topology=topology), {RTT: value})
        for how, value in (("software", software), ("hardware", hardware))
    )
    runs.add(*both)


def test_advice_is_of_one_topology_and_names_the_others(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    add(runs, "host-host", 2.0, 1.0)
    add(runs, OTHER, 1.0, 2.0)
    newest = advise(runs.store, ask("openvpn", "aes-256-cbc:sha256"))
    assert (newest.answer, newest.place.topology) == ("no", OTHER)
    assert [place.topology for place in newest.others] == ["host-host"]
    question = ask("openvpn", "aes-256-cbc:sha256", "socrates", "host-host")
    asked = advise(runs.store, question)
    assert (asked.answer, asked.place.name) == ("yes", "`socrates` in `host-host`")
    options = ("--board", "socrates", "--topology", "host-host", "--store", str(tmp_path))
    suite = ("--protocol", "openvpn", "--suite", "aes-256-cbc:sha256")
    told = invoke("advise", *suite, *options).stdout
    assert asked.place.name in told
    named = invoke("advise", *suite, "--store", str(tmp_path)).stdout
    assert f"(--board, --topology, --link): {asked.place.name}" in " ".join(named.split())


def test_advice_for_a_topology_without_records_says_so(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    add(runs, "host-host", 2.0, 1.0)
    with pytest.raises(FiresteelError, match=f"in the topology `{OTHER}`"):
        advise(runs.store, ask("openvpn", "aes-256-cbc:sha256", None, OTHER))
    with pytest.raises(FiresteelError, match="no topology `nowhere`"):
        advise(runs.store, ask("openvpn", "aes-256-cbc:sha256", None, "nowhere"))
