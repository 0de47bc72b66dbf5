# SPDX-License-Identifier: Apache-2.0
"""What else was in use while a recorded run was measured, and a link that carried too much."""

import operator
from dataclasses import replace

import pytest
from workloads import recorded_runs as recorded

from firesteel.board.result import Mark, PortCounters, TopologyRun
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures
from firesteel.workloads.load import load_values

CELL = recorded.cell("ipsec")


def loads(run: TopologyRun, name: str = "transfer", over: float | None = None) -> dict[str, float]:
    return {metric: value for metric, value, *_ in load_values(CELL, run, name, over)}


def changed(run: TopologyRun, node: str, name: str, **more: object) -> TopologyRun:
    """The run with one mark of a node otherwise."""
    result = run.nodes[node]
    marks = tuple(
        replace(mark, **more) if mark.name == name else mark  # type: ignore[arg-type]
        for mark in result.marks
    )
    return replace(run, nodes=run.nodes | {node: replace(result, marks=marks)})


def marks(run: TopologyRun, node: str, name: str = "transfer") -> tuple[Mark, Mark]:
    return run.nodes[node].mark(f"{name}.begin"), run.nodes[node].mark(f"{name}.end")


def port(mark: Mark) -> PortCounters:
    (found,) = mark.ports.values()
    return found


def test_the_peer_is_busy_when_it_does_not_sleep() -> None:
    run = recorded.run("ipsec")
    first, last = marks(run, "peer")
    elapsed = last.time_ns - first.time_ns
    of_board = operator.sub(*(mark.time_ns for mark in reversed(marks(run, "board"))))
    asleep = changed(run, "peer", "transfer.end", idle_ns=first.idle_ns + elapsed)
    awake = changed(run, "peer", "transfer.end", idle_ns=first.idle_ns)
    assert loads(asleep)["peer_cpu"] == 0
    assert loads(awake)["peer_cpu"] == pytest.approx(100 * elapsed / of_board)
    assert 0 < loads(run)["peer_cpu"] < 100


def test_a_mark_that_comes_late_takes_nothing_off_the_peers_work() -> None:
    run = recorded.run("ipsec")
    _, last = marks(run, "peer")
    pause = 10**9
    later = {"time_ns": last.time_ns + pause, "idle_ns": last.idle_ns + pause}
    late = changed(run, "peer", "transfer.end", **later)
    assert loads(late)["peer_cpu"] == pytest.approx(loads(run)["peer_cpu"])


def test_shares_are_of_the_time_that_is_measured() -> None:
    run = recorded.run("ipsec")
    first, last = marks(run, "board")
    half = (last.time_ns - first.time_ns) / 2
    assert loads(run, over=half)["peer_cpu"] == pytest.approx(2 * loads(run)["peer_cpu"])


def test_the_use_of_the_link_is_that_of_its_frames_with_preamble_and_gap() -> None:
    run = recorded.run("ipsec")
    first, last = marks(run, "board")
    one, other = port(first), port(last)
    size = other.rx_bytes - one.rx_bytes + 24 * (other.rx_frames - one.rx_frames)
    expected = size * 8e9 / 100_000_000 / (last.time_ns - first.time_ns)
    assert loads(run)["link_use"] == pytest.approx(100 * expected, rel=1e-3)


def test_a_link_that_carried_more_than_it_can_fails_the_cell() -> None:
    run = recorded.run("ipsec")
    first, last = marks(run, "board")
    ((interface, counters),) = last.ports.items()
    most = (last.time_ns - first.time_ns) * 100_000_000 // (8 * 10**9)
    ports = {interface: replace(counters, rx_bytes=counters.rx_bytes + most)}
    impossible = changed(run, "board", "transfer.end", ports=ports)
    with pytest.raises(CellFailure, match="link `wire`, .*100000000 bit/s"):
        loads(impossible)


def test_every_row_says_how_busy_the_peer_and_the_link_were() -> None:
    figures = cell_figures(CELL, recorded.run("ipsec"))
    rows = {(each.workload, each.parameter.text) for each in figures if each.metric == "cpu"}
    assert len(rows) == 5
    for metric in ("peer_cpu", "link_use"):
        assert {(f.workload, f.parameter.text) for f in figures if f.metric == metric} == rows


def test_a_node_without_marks_is_a_failure() -> None:
    run = recorded.run("ipsec")
    unmarked = replace(run, nodes=run.nodes | {"peer": replace(run.nodes["peer"], marks=())})
    with pytest.raises(CellFailure, match=r"Node peer .*transfer\.begin"):
        loads(unmarked)
