# SPDX-License-Identifier: Apache-2.0
"""Figures of forwarding, from what four boards handed out."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_cells import made
from workloads.recorded_runs import with_data, with_mark, with_node, with_ports
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import load_profile
from firesteel.boards.result import Mark, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols.window import CellFailure
from firesteel.store.observations import from_text
from firesteel.store.setup import Setup
from firesteel.workloads.cells import cell_figures
from firesteel.workloads.forwarding import ForwardingPlan

_RECORDED = Path(__file__).parent / "recorded" / "forwarding.json"
_TOPOLOGY = "host-gateway-gateway-host"
_FRAMES, _SIZE, _MIPS = 6400, 1024, 554
_RATE_BIT_S = 1_000_000_000


def _cell(**changes: object) -> Cell:
    plan = ForwardingPlan(sizes=(64, _SIZE), frames=_FRAMES)
    cell = made("ipsec", "none:none", plan, topology=_TOPOLOGY, link_rate_bit_s=_RATE_BIT_S)
    return cell.model_copy(update=changes)


def _run() -> TopologyRun:
    """ESP without cryptography, recorded with trials of up to `_FRAMES` frames."""
    topology = load_topology(_TOPOLOGY)
    links = {link.name: {"rate_bit_s": _RATE_BIT_S} for link in topology.links}
    topology = topology.override(links=links)
    profiles = {name: load_profile(node.profile) for name, node in topology.nodes.items()}
    setup = Setup(topology=topology, profiles=profiles)
    return from_text(_RECORDED.read_text(), setup, "0" * 64, 1)


def _told(item: str, text: str) -> TopologyRun:
    """The run, with another text in one of the client's data."""
    return with_data(_run(), item, text.encode(), "host-a")


def _busier(window: str, more_ns: int) -> TopologyRun:
    """The run, in which the measured board slept for less of a window."""

    def wake(mark: Mark) -> Mark:
        return replace(mark, idle_ns=mark.idle_ns - more_ns)

    return with_mark(_run(), f"{window}.end", wake, "gateway-a")


def _figures(run: TopologyRun, size: int) -> dict[str, float]:
    figures = cell_figures(_cell(), run)
    return {each.metric: each.value for each in figures if each.parameter.size_bytes == size}


@pytest.mark.parametrize("size", [64, _SIZE])
def test_a_packet_takes_what_the_processor_has_for_it_at_the_highest_rate(size: int) -> None:
    run = _run()
    figures = _figures(run, size)
    rate = figures["instructions_per_packet"] / figures["busy_per_packet"]
    assert rate == pytest.approx(_MIPS, rel=1e-3)
    assert figures["packet_rate"] * figures["busy_per_packet"] == pytest.approx(1e6, rel=1e-3)
    assert figures["stalled_per_packet"] < figures["busy_per_packet"]
    assert figures["throughput"] == figures["packet_rate"] * (size - 18) / 1e6
    assert 99 < figures["cpu"] <= 100
    # In so short a stream the kernel frees routes when all frames have gone
    sent, _, _ = map(int, run.nodes["host-a"].data[f"transit-{size}"].split())
    assert 0.95 * sent < figures["packet_rate"] < 0.98 * sent
    ethernet = load_profile("socrates").ethernet
    assert ethernet
    delay = ethernet.interrupt_delay_us
    assert delay < figures["latency_light_load"] < delay + 2 * figures["busy_per_packet"]
    transit = run.nodes["gateway-a"].transits[f"transit-{size}"]
    assert figures["latency_mean"] == transit.total_ns / 1e3 / transit.frames
    known = [figures[f"latency_{which}"] for which in ("min", "p50", "p99", "max")]
    assert known == sorted(known)
    assert figures["latency_min"] < figures["latency_mean"] < figures["latency_max"]


def test_a_packet_takes_nothing_of_what_a_window_takes_without_it() -> None:
    before, after = (_figures(run, _SIZE) for run in (_run(), _busier("single", 1_000_000)))
    less = before["busy_per_packet"] - after["busy_per_packet"]
    assert less == pytest.approx(1000 / (_FRAMES - 1))
    with pytest.raises(CellFailure, match="with what can be put off it is 106.0% at the most"):
        cell_figures(_cell(), _busier("transit-64", 12_000_000))


def test_bytes_cost_what_large_frames_take_more_than_small_ones() -> None:
    run = _run()
    (found,) = (each for each in cell_figures(_cell(), run) if each.metric == "busy_per_byte")
    small, large = (_figures(run, size)["busy_per_packet"] for size in (64, _SIZE))
    assert found.parameter.text == ""
    assert found.value == pytest.approx((large - small) * 1000 / (_SIZE - 64))
    alone = _cell(plans=(ForwardingPlan(sizes=(_SIZE,), frames=_FRAMES),))
    assert "busy_per_byte" not in {each.metric for each in cell_figures(alone, run)}


def test_a_board_that_forwards_less_than_the_light_load_has_no_latency_under_it() -> None:
    run = _told(f"transit-{_SIZE}", f"999 {_FRAMES} 1\n")
    assert "latency_light_load" not in _figures(run, _SIZE)
    assert "latency_light_load" in _figures(run, 64)


def test_the_stream_that_is_measured_is_the_one_that_was_clean() -> None:
    once = _told("transit-64", f"40000 {_FRAMES} 1\n")
    assert _figures(once, 64)["packet_rate"] == 40_000, "the processor has time for it"
    run = _told("transit-64", f"40000 {_FRAMES} 2\n")
    with pytest.raises(CellFailure, match="of 64 bytes gateway-a passed on another number"):
        cell_figures(_cell(), run)

    def renamed(name: str) -> str:
        return name.replace("transit-64", "transit-64-2")

    for name, node in run.nodes.items():
        marks = tuple(replace(mark, name=renamed(mark.name)) for mark in node.marks)
        transits = {renamed(name): each for name, each in node.transits.items()}
        run = with_node(run, name, marks=marks, transits=transits)
    assert _figures(run, 64)["packet_rate"] == 40_000


def _with_uncounted() -> TopologyRun:
    run = _run()
    text = run.nodes["host-b"].data["proof.after"].decode()
    names, values = (line.split() for line in text.splitlines() if line.startswith("Udp:"))
    values[names.index("RcvbufErrors")] = "7"
    lines = [line for line in text.splitlines() if not line.startswith("Udp:")]
    told = "\n".join([*lines, " ".join(names), " ".join(values), ""])
    return with_data(run, "proof.after", told.encode(), "host-b")


def test_frames_that_were_lost_elsewhere_fail_the_cell() -> None:
    run = _run()
    transits = run.nodes["gateway-a"].transits
    fewer = replace(transits["transit-64"], frames=_FRAMES - 1)
    passed_on = "of 6400 frames of 64 bytes gateway-a passed on"
    for spoilt, says in (
        (with_node(run, "gateway-a", transits={}), passed_on),
        (with_node(run, "gateway-a", transits={**transits, "transit-64": fewer}), passed_on),
        (with_ports(run, {"rx_dropped": 3}, node="gateway-b"), "frames were lost by gateway-b"),
        (with_ports(run, {"tx_dropped": 3}, node="gateway-b"), "frames were lost by gateway-b"),
        (_with_uncounted(), "counts frames on host-b missed 7"),
    ):
        with pytest.raises(CellFailure, match=says):
            cell_figures(_cell(), spoilt)


def test_cores_have_to_do_most_of_large_packets() -> None:
    hardware = _cell(cipher="aes-256-gcm", mac="gcm", implementation="hardware")
    with pytest.raises(CellFailure, match="cores"):
        cell_figures(hardware, _run())


@pytest.mark.parametrize(
    ("topology", "measured"),
    [("host-host", "board"), (_TOPOLOGY, "host-a"), (_TOPOLOGY, "host-b")],
)
def test_hosts_forward_nothing(topology: str, measured: str) -> None:
    profiles = {name: node.profile for name, node in load_topology(topology).nodes.items()}
    cell = _cell(topology=topology, measured=measured, profiles=profiles, link_rate_bit_s=None)
    with pytest.raises(FiresteelError, match="forwarding is measured on a gateway"):
        jobs_of(cell)
