# SPDX-License-Identifier: Apache-2.0
"""Work beside traffic: how much longer it takes, and that the traffic was what was asked for."""

import pytest
from workloads.made_streams import file_run, sieve_run, work, work_beside
from workloads.sites import jobs_of, settings, variables_of

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.window import CellFailure
from firesteel.workloads.sieve import SIEVE


@pytest.mark.parametrize(
    ("cell", "run", "rate"),
    [
        (work(), sieve_run(took=1.5, rate=8e6), 1),
        (work(), sieve_run(took=1.5, rate=8e6 * 0.985), 0.985),
        (work_beside("https"), file_run(took=1.5, rate=8e6 * 0.97), 0.97),
    ],
)
def test_the_work_beside_traffic_is_set_against_that_on_the_idle_board(
    cell: Cell, run: TopologyRun, rate: float
) -> None:
    told = {each.metric: each.value for each in SIEVE.figures(cell, run)}
    assert (told["run_time"], told["slowdown"], told["idle_run_time"]) == (1.5, 1.5, 1)
    assert told["traffic"] == pytest.approx(rate)


@pytest.mark.parametrize(
    ("cell", "run", "says"),
    [
        (work(), sieve_run(took=1.5, rate=7.8e6), r"7\.80 Mbit/s flowed .* 8\.00 were asked"),
        (work(), sieve_run(took=1.5, rate=8.2e6), r"8\.20 Mbit/s flowed"),
        (work(), sieve_run(took=4.6, rate=8e6), "the traffic ended before"),
        (work(), sieve_run(took=1.5, rate=8e6, said="78497"), "`78497`, of 78498 primes"),
        (work_beside("https"), file_run(took=1.5, rate=7.5e6), r"7\.50 Mbit/s flowed"),
        (work_beside("https"), file_run(took=4.8, rate=8e6), "the traffic ended before"),
    ],
)
def test_other_traffic_or_other_work_gives_no_figures(
    cell: Cell, run: TopologyRun, says: str
) -> None:
    with pytest.raises(CellFailure, match=says):
        SIEVE.figures(cell, run)


def test_the_measured_node_works_and_the_client_sends() -> None:
    names = ("SIEVE_RUNS", "SIEVE_PORT", "ACTS", "SIEVE_PORTS")
    told = [[settings(work(), node)[name] for name in names] for node in ("board", "peer")]
    assert told == [["yes", "5301", "sieve", "5301"], ["", "", "", "5301"]]


@pytest.mark.parametrize(
    ("protocol", "by", "size"), [("https", "https", "5000000"), ("ssh", "scp", "")]
)
def test_files_come_slowly_and_ports_are_forwarded(protocol: str, by: str, size: str) -> None:
    for job in jobs_of(work_beside(protocol)).values():
        told = variables_of(job)
        assert (told["SIEVE_BY"], told["SIEVE_FILE"], told["TRANSFER_SIZES"]) == (by, size, size)
        assert f"/job/fetch-{by}.sh" in job.files
    assert SIEVE.payload(work_beside("https"), []) == (5_000_000, 0)
    with pytest.raises(FiresteelError, match="measured only on its client, `peer`"):
        jobs_of(work_beside(protocol, topology="board-serves"))
