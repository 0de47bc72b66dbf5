# SPDX-License-Identifier: Apache-2.0
"""What else was in use while a recorded run was measured, and a link that carried too much."""

from dataclasses import replace
from typing import Any

import pytest
from workloads import recorded_runs as recorded

from firesteel.boards.profile import STORAGE
from firesteel.boards.result import CpuClock, TopologyRun
from firesteel.protocols.window import CellFailure, ends_of, window
from firesteel.workloads.cells import cell_figures
from firesteel.workloads.load import load_values

CELL = recorded.cell("ipsec")


def loads(run: TopologyRun, over: float | None = None) -> dict[str, float]:
    return {metric: value for metric, value, *_ in load_values(CELL, run, "transfer", over)}


def ended(run: TopologyRun, node: str, **more: Any) -> TopologyRun:
    """The run with the mark at the transfer's end otherwise."""
    return recorded.with_mark(run, "transfer.end", lambda mark: replace(mark, **more), node)


def test_the_peer_is_busy_when_it_does_not_sleep() -> None:
    run = recorded.run("ipsec")
    (first, last), (begin, end) = (
        ends_of(run.nodes[node], "transfer") for node in ("peer", "board")
    )
    elapsed, of_board = last.time_ns - first.time_ns, end.time_ns - begin.time_ns
    assert loads(ended(run, "peer", idle_ns=first.idle_ns + elapsed))["peer_cpu"] == 0
    awake = loads(ended(run, "peer", idle_ns=first.idle_ns))["peer_cpu"]
    assert awake == pytest.approx(100 * elapsed / of_board)
    usual = loads(run)["peer_cpu"]
    assert 0 < usual < 100
    pause = 10**9
    late = ended(run, "peer", time_ns=last.time_ns + pause, idle_ns=last.idle_ns + pause)
    assert loads(late)["peer_cpu"] == pytest.approx(usual), "a late mark adds no work"
    assert loads(run, over=of_board / 2)["peer_cpu"] == pytest.approx(2 * usual)


def test_several_cpus_are_added_up_and_each_has_its_share() -> None:
    run = recorded.run("ipsec")
    assert "cpu_busiest" not in loads(run)
    first, last = ends_of(run.nodes["board"], "transfer")
    elapsed = last.time_ns - first.time_ns

    def clock(time_ns: int, idle_ns: int) -> CpuClock:
        return CpuClock(time_ns, 0, 0, idle_ns, 0, 0, 0)

    begun = (clock(first.time_ns, 7), clock(first.time_ns + 5, 9))
    idle = (7 + elapsed // 4, 9 + elapsed)
    over = tuple(clock(each.time_ns + elapsed, ns) for each, ns in zip(begun, idle, strict=True))
    run = recorded.with_mark(run, "transfer.begin", lambda mark: replace(mark, cpus=begun))
    run = recorded.with_mark(run, "transfer.end", lambda mark: replace(mark, cpus=over))
    found = loads(run)
    assert found["cpu0"] == found["cpu_busiest"] == pytest.approx(75)
    assert found["cpu1"] == 0
    assert window(run.nodes["board"], "transfer").busy == pytest.approx(0.75 * elapsed)


@pytest.mark.parametrize(
    ("depth", "read", "waited", "expected"),
    [(1, 0.0, 0.0, 0), (1, 0.5, 0.4, 50), (1, 0.1, 0.8, 80), (4, 0.1, 0.8, 20), (1, 2.0, 2.0, 100)],
)
def test_a_disk_is_busy_while_it_transfers_and_as_far_as_its_queue_is_full(
    depth: int, read: float, waited: float, expected: float
) -> None:
    run = recorded.run("ipsec", "socrates-sd")
    assert "storage_busy" not in loads(recorded.run("ipsec"))
    board = run.nodes["board"]
    assert board.profile.storage
    storage = board.profile.storage.model_copy(update={"queue_depth": depth})
    profile = board.profile.model_copy(update={"storage": storage})
    run = replace(run, nodes=run.nodes | {"board": replace(board, profile=profile)})
    first, last = ends_of(board, "transfer")
    elapsed = last.time_ns - first.time_ns
    before = dict.fromkeys(("read_bytes", "written_bytes", "busy_ns"), 7)
    after = before | {
        "read_bytes": 7 + round(read * elapsed * storage.read_byte_s / 1e9),
        "busy_ns": 7 + round(waited * elapsed),
    }

    def counting(run: TopologyRun, mark: str, counts: dict[str, int]) -> TopologyRun:
        return recorded.with_mark(run, mark, lambda at: replace(at, cores={STORAGE: counts}))

    run = counting(counting(run, "transfer.begin", before), "transfer.end", after)
    assert loads(run)["storage_busy"] == pytest.approx(expected, rel=1e-4)


def test_the_use_of_the_link_is_that_of_its_frames_with_preamble_and_gap() -> None:
    run = recorded.run("ipsec")
    first, last = ends_of(run.nodes["board"], "transfer")
    (one,), (other,) = first.ports.values(), last.ports.values()
    elapsed = last.time_ns - first.time_ns
    size = other.rx_bytes - one.rx_bytes + 24 * (other.rx_frames - one.rx_frames)
    expected = 100 * size * 8e9 / 100_000_000 / elapsed
    assert loads(run)["link_use"] == pytest.approx(expected, rel=1e-3)
    most = elapsed * 100_000_000 // (8 * 10**9)
    with pytest.raises(CellFailure, match="link `wire`, .*100000000 bit/s"):
        loads(recorded.with_ports(run, {"rx_bytes": most}, "transfer.end"))


def test_every_row_says_how_busy_the_peer_and_the_link_were() -> None:
    run = recorded.run("ipsec")
    figures = cell_figures(CELL, run)
    rows = {(each.workload, each.parameter.text) for each in figures if each.metric == "cpu"}
    assert len(rows) == 5
    for metric in ("peer_cpu", "link_use"):
        assert {(f.workload, f.parameter.text) for f in figures if f.metric == metric} == rows
    with pytest.raises(CellFailure, match=r"Node peer .*transfer\.begin"):
        loads(recorded.with_node(run, "peer", marks=()))
