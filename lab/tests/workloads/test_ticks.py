# SPDX-License-Identifier: Apache-2.0
"""CPU use as `top` would show it: the ticks of /proc/stat at both marks of a window."""

import pytest
from workloads import recorded_runs as recorded

from firesteel.protocols.window import Ticks, window
from firesteel.workloads.cells import cell_figures
from firesteel.workloads.load import tick_values

SECOND = 10**9
BEGIN = (100, 0, 200, 300, 10, 0, 50, 0, 7, 8)
"""user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice, in 10 ms each."""


def cpu(columns: tuple[int, ...]) -> bytes:
    line = " ".join(map(str, columns))
    return (
        f"irq_ns 0\nsoftirq_ns 0\ncpu  {line}\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 0 \nctxt 0\n".encode()
    )


def ticks(*grown: int) -> Ticks:
    """Of the transfer's window, in which the columns grew so much."""
    end = tuple(
        column + (grown[place] if place < len(grown) else 0) for place, column in enumerate(BEGIN)
    )
    run = recorded.run("ipsec")
    for when, columns in (("begin", BEGIN), ("end", end)):
        run = recorded.with_data(run, f"transfer.{when}.cpu", cpu(columns))
    return window(run.nodes["board"], "transfer").ticks


def test_all_columns_are_busy_but_idle_and_iowait() -> None:
    found = ticks(1, 2, 4, 30, 10, 8, 16, 32)
    assert (found.busy, found.idle) == (63 * SECOND // 100, 40 * SECOND // 100)
    assert found.share == pytest.approx(63 / 103)


def test_a_guest_s_time_is_in_user_time_already() -> None:
    assert ticks(5, 0, 0, 5, 0, 0, 0, 0, 100, 100).share == 0.5


def test_idle_time_that_goes_back_counts_as_none() -> None:
    """As in `top`: proc(5) says that iowait may, and idle time with it."""
    found = ticks(5, 0, 0, -3, 5)
    assert (found.busy, found.idle) == (SECOND // 20, SECOND // 20)


def test_a_window_without_a_tick_has_no_such_figure() -> None:
    run = recorded.run("ipsec")
    for when in ("begin", "end"):
        run = recorded.with_data(run, f"transfer.{when}.cpu", cpu(BEGIN))
    during = window(run.nodes["board"], "transfer")
    assert during.ticks.share is None
    assert list(tick_values(during)) == []
    figures = cell_figures(recorded.cell("ipsec"), run)
    metrics = {each.metric for each in figures if each.workload == "file-transfer"}
    assert "cpu" in metrics
    assert not metrics & {"cpu_tick", "cpu_tick_busy"}


def test_figures_of_a_recorded_run() -> None:
    """/proc/stat there: 45 0 92 342 0 0 6, and 45 0 93 356 0 0 30 at the end."""
    run = recorded.run("ipsec")
    found = {
        each.metric: each.value
        for each in cell_figures(recorded.cell("ipsec"), run)
        if each.workload == "file-transfer"
    }
    seconds = found["elapsed"]
    assert found["cpu_tick"] == pytest.approx(100 * 25 / 39)
    assert found["cpu_tick_busy"] == pytest.approx(100 * 0.25 / seconds)
    assert seconds < 0.39, "all ticks together are more than the time"
