# SPDX-License-Identifier: Apache-2.0
"""Figures of forwarding, from what four boards handed out."""

from dataclasses import replace
from pathlib import Path

import pytest
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import load_profile
from firesteel.board.result import TopologyRun, Transit
from firesteel.board.topology import load_topology
from firesteel.model.cell import Cell
from firesteel.protocols.failure import CellFailure
from firesteel.store.observations import from_text
from firesteel.store.setup import Setup
from firesteel.workloads.cells import cell_figures
from firesteel.workloads.forwarding import ForwardingPlan

_RECORDED = Path(__file__).parent / "recorded" / "forwarding.json"
_TOPOLOGY = "host-gateway-gateway-host"
_FRAMES, _SIZE, _MIPS = 6400, 1024, 554
_RATE_BIT_S = 1_000_000_000


def _cell(**changes: object) -> Cell:
    profiles = {name: node.profile for name, node in load_topology(_TOPOLOGY).nodes.items()}
    return Cell(
        topology=_TOPOLOGY,
        profiles=profiles,
        measured="gateway-a",
        protocol="ipsec",
        cipher="none",
        mac="none",
        implementation="software",
        link_rate_bit_s=_RATE_BIT_S,
        plans=(ForwardingPlan(sizes=(64, _SIZE), frames=_FRAMES),),
    ).model_copy(update=changes)


def _run() -> TopologyRun:
    """ESP without cryptography, recorded with trials of up to `_FRAMES` frames."""
    topology = load_topology(_TOPOLOGY)
    links = {link.name: {"rate_bit_s": _RATE_BIT_S} for link in topology.links}
    topology = topology.override(links=links)
    profiles = {name: load_profile(node.profile) for name, node in topology.nodes.items()}
    setup = Setup(topology=topology, profiles=profiles, order=tuple(topology.nodes))
    return from_text(_RECORDED.read_text(), setup, "0" * 64)


def _figures(run: TopologyRun, size: int) -> dict[str, float]:
    figures = cell_figures(_cell(), run)
    return {each.metric: each.value for each in figures if each.parameter.size_bytes == size}


@pytest.mark.parametrize("size", [64, _SIZE])
def test_a_packet_takes_what_the_processor_has_for_it_at_the_highest_rate(size: int) -> None:
    figures = _figures(_run(), size)
    rate = figures["instructions_per_packet"] / figures["busy_per_packet"]
    assert rate == pytest.approx(_MIPS, rel=1e-3)
    assert figures["packet_rate"] * figures["busy_per_packet"] == pytest.approx(1e6, rel=0.1)
    assert figures["stalled_per_packet"] < figures["busy_per_packet"]
    assert figures["throughput"] == figures["packet_rate"] * (size - 18) / 1e6
    assert 90 < figures["cpu"] <= 100


def test_latency_is_that_of_the_board_s_own_ports() -> None:
    run = _run()
    transit = run.nodes["gateway-a"].transits[f"transit-{_SIZE}"]
    figures = _figures(run, _SIZE)
    assert transit.frames == _FRAMES
    assert figures["latency_mean"] == transit.total_ns / 1e3 / transit.frames
    known = [figures[f"latency_{which}"] for which in ("min", "p50", "p99", "max")]
    assert known == sorted(known)
    assert figures["latency_min"] < figures["latency_mean"] < figures["latency_max"]


def test_frames_that_the_board_did_not_pass_on_fail_the_cell() -> None:
    run = _run()
    board = run.nodes["gateway-a"]
    fewer = replace(board.transits["transit-64"], frames=_FRAMES - 1)
    spoilt_transits: list[dict[str, Transit]] = [{}, {**board.transits, "transit-64": fewer}]
    for transits in spoilt_transits:
        spoilt = replace(board, transits=transits)
        with pytest.raises(CellFailure, match="of 6400 frames of 64 bytes gateway-a passed on"):
            cell_figures(_cell(), replace(run, nodes=run.nodes | {"gateway-a": spoilt}))


def test_frames_that_another_node_lost_fail_the_cell() -> None:
    run = _run()
    node = run.nodes["gateway-b"]
    marks = []
    for mark in node.marks:
        ports = mark.ports
        if mark.name == "proof.after":
            lost = replace(ports["eth1"], rx_dropped=ports["eth1"].rx_dropped + 3)
            ports = ports | {"eth1": lost}
        marks.append(replace(mark, ports=ports))
    spoilt = replace(node, marks=tuple(marks))
    with pytest.raises(CellFailure, match="3 frames were lost by gateway-b"):
        cell_figures(_cell(), replace(run, nodes=run.nodes | {"gateway-b": spoilt}))


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
    with pytest.raises(FiresteelError, match="forwarding is measured of a gateway"):
        jobs_of(cell)


def test_no_transit_is_longer_than_the_longest() -> None:
    for node in _run().nodes.values():
        for transit in node.transits.values():
            _check(transit)


def _check(transit: Transit) -> None:
    assert transit.least_ns <= transit.median_ns <= transit.p99_ns <= transit.most_ns
    assert transit.least_ns * transit.frames <= transit.total_ns
