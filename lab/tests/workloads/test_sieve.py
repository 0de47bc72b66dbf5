# SPDX-License-Identifier: Apache-2.0
"""Work beside traffic: how much longer it takes, and that the traffic was what was asked for."""

import pytest
from workloads.made_streams import file_run, sieve_run, work, work_beside
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.result import TopologyRun
from firesteel.protocols.window import CellFailure
from firesteel.workloads.sieve import SIEVE


def test_the_work_beside_traffic_is_set_against_that_on_the_idle_board() -> None:
    found = SIEVE.figures(work(), sieve_run(took=1.5, rate=8e6))
    told = {each.metric: each.value for each in found}
    assert (told["run_time"], told["slowdown"], told["idle_run_time"]) == (1.5, 1.5, 1)
    assert told["traffic"] == pytest.approx(1)


def test_a_rate_that_is_off_by_a_little_is_told() -> None:
    found = SIEVE.figures(work(), sieve_run(took=1.5, rate=8e6 * 0.985))
    assert next(each.value for each in found if each.metric == "traffic") == pytest.approx(0.985)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (sieve_run(took=1.5, rate=7.8e6), r"7\.80 Mbit/s flowed .* 8\.00 were asked"),
        (sieve_run(took=1.5, rate=8.2e6), r"8\.20 Mbit/s flowed"),
        (sieve_run(took=4.6, rate=8e6), "the traffic ended before"),
        (sieve_run(took=1.5, rate=8e6, said="78497"), "`78497`, of 78498 primes"),
    ],
)
def test_other_traffic_or_other_work_gives_no_figures(run: TopologyRun, says: str) -> None:
    with pytest.raises(CellFailure, match=says):
        SIEVE.figures(work(), run)


def test_the_measured_node_works_and_the_client_sends() -> None:
    told = {
        node: set(job.files["/job/settings"].content.decode().splitlines())
        for node, job in jobs_of(work()).items()
    }
    assert {"SIEVE_RUNS=yes", "SIEVE_PORT=5301", "ACTS=sieve"} <= told["board"]
    assert {"SIEVE_RUNS=''", "SIEVE_PORT=''", "ACTS=''", "SIEVE_PORTS=5301"} <= told["peer"]


def test_a_file_that_comes_slowly_is_traffic_too() -> None:
    cell = work_beside("https")
    found = SIEVE.figures(cell, file_run(took=1.5, rate=8e6 * 0.97))
    assert next(each.value for each in found if each.metric == "traffic") == pytest.approx(0.97)
    assert SIEVE.payload(cell, []) == (5_000_000, 0)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (file_run(took=1.5, rate=7.5e6), r"7\.50 Mbit/s flowed .* 8\.00 were asked"),
        (file_run(took=4.8, rate=8e6), "the traffic ended before"),
    ],
)
def test_a_file_at_another_rate_or_that_ends_gives_no_figures(run: TopologyRun, says: str) -> None:
    with pytest.raises(CellFailure, match=says):
        SIEVE.figures(work_beside("https"), run)


@pytest.mark.parametrize(
    ("protocol", "by", "size"), [("https", "https", "5000000"), ("ssh", "scp", "''")]
)
def test_files_come_slowly_and_ports_are_forwarded(protocol: str, by: str, size: str) -> None:
    for job in jobs_of(work_beside(protocol)).values():
        told = set(job.files["/job/settings"].content.decode().splitlines())
        assert {f"SIEVE_BY={by}", f"SIEVE_FILE={size}", f"TRANSFER_SIZES={size}"} <= told
        assert f"/job/fetch-{by}.sh" in job.files


def test_beside_programs_the_client_works() -> None:
    with pytest.raises(FiresteelError, match="measured of its client, `peer`"):
        jobs_of(work_beside("https", topology="board-serves"))
