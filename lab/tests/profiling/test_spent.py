# SPDX-License-Identifier: Apache-2.0
"""Where the time of a window went."""

import io

import pytest
from made_profiles import profile
from rich.console import Console

from firesteel.board.profile import Clock, load_profile
from firesteel.board.result import Mark, NodeResult, TopologyRun
from firesteel.board.topology import load_topology
from firesteel.profiling.document import _PARTS, ESTIMATED, PARTS, Profile, Spent, spent
from firesteel.profiling.symbols import LAYERS
from firesteel.report.profiles import by_part


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


def test_every_layer_is_of_one_part() -> None:
    layers = [layer for those in _PARTS.values() for layer in those]
    assert sorted(layers) == sorted(LAYERS)


def test_instructions_share_the_time_that_the_processor_computed() -> None:
    found = _spent(profile())
    assert found.seconds == pytest.approx(
        dict.fromkeys(PARTS, 0.0)
        | {"cryptography": 0.6, "network": 0.399, "rest of the kernel": 0.001}
        | {"registers": 0.5, "idle": 0.5}
    )
    assert found.elapsed == pytest.approx(2)


def test_a_window_in_which_nothing_was_executed_has_no_shares() -> None:
    empty = profile().model_copy(update={"instructions": 0, "stacks": ()})
    assert _spent(empty).seconds["cryptography"] == 0


def test_parts_are_estimates_where_instructions_take_different_times() -> None:
    exact, estimated = _spent(profile()), _spent(profile(), "cycles")
    assert (exact.exact, estimated.exact) == (True, False)
    assert exact.seconds == estimated.seconds
    for spents, said in (([exact], False), ([estimated], True), ([exact, estimated], True)):
        grid = by_part(spents)
        assert grid
        assert (ESTIMATED in grid.title) == said


def test_the_terminal_sets_software_beside_hardware_within_80_columns() -> None:
    grid = by_part([_spent(profile(), "cycles"), _spent(profile("hardware"), "cycles")])
    assert grid
    text = io.StringIO()
    grid.show(Console(width=80, file=text))
    assert text.getvalue().count("where the time went") == 1, "it is one table"
    rows = {name: cells for name, *cells in grid.rows}
    assert rows["cryptography"] == ["0.6000", "30.00"] * 2
    assert rows["elapsed"] == ["2.0000", "100.00"] * 2
