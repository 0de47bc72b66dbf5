# SPDX-License-Identifier: Apache-2.0
"""CPU use as `top` would show it: the ticks of /proc/stat at both marks of a window."""

import pytest
from workloads import recorded_runs as recorded

from firesteel.boards.result import TopologyRun
from firesteel.protocols.window import window
from firesteel.workloads.cells import cell_figures

BEGIN = (100, 0, 200, 300, 10, 0, 50, 0, 7, 8)
"""user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice, in 10 ms each."""


def grown(*more: int) -> TopologyRun:
    """The recorded run, in which the columns grew so much in the transfer's window."""
    run = recorded.run("ipsec")
    all_more = (*more, *(0,) * (len(BEGIN) - len(more)))
    end = tuple(column + each for column, each in zip(BEGIN, all_more, strict=True))
    for when, columns in (("begin", BEGIN), ("end", end)):
        line = f"cpu  {' '.join(map(str, columns))}\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        text = f"irq_ns 0\nsoftirq_ns 0\n{line}intr 0 \nctxt 0\n"
        run = recorded.with_data(run, f"transfer.{when}.cpu", text.encode())
    return run


@pytest.mark.parametrize(
    ("more", "busy", "idle"),
    [
        pytest.param((1, 2, 4, 30, 10, 8, 16, 32), 63, 40, id="all but idle and iowait are busy"),
        pytest.param((5, 0, 0, 5, 0, 0, 0, 0, 100, 100), 5, 5, id="a guest's time is user time"),
        pytest.param((5, 0, 0, -3, 5), 5, 5, id="idle time that goes back counts as none"),
        pytest.param((), 0, 0, id="none"),
    ],
)
def test_columns_are_added_up_as_by_top(more: tuple[int, ...], busy: int, idle: int) -> None:
    run = grown(*more)
    ticks = window(run.nodes["board"], "transfer").ticks
    assert (ticks.busy, ticks.idle) == (busy * 10**7, idle * 10**7)
    assert ticks.share == (busy / (busy + idle) if more else None)
    figures = cell_figures(recorded.cell("ipsec"), run)
    metrics = {each.metric for each in figures if each.workload == "file-transfer"}
    assert "cpu" in metrics
    assert ({"cpu_tick", "cpu_tick_busy"} <= metrics) is bool(more)


def test_figures_of_a_recorded_run() -> None:
    """/proc/stat there: 45 0 92 342 0 0 6, and 45 0 93 356 0 0 30 at the end."""
    figures = cell_figures(recorded.cell("ipsec"), recorded.run("ipsec"))
    found = {each.metric: each.value for each in figures if each.workload == "file-transfer"}
    assert found["cpu_tick"] == pytest.approx(100 * 25 / 39)
    assert found["cpu_tick_busy"] == pytest.approx(100 * 0.25 / found["elapsed"])
    assert found["elapsed"] < 0.39, "all ticks together are more than the time"
