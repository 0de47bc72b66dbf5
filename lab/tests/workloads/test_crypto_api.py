# SPDX-License-Identifier: Apache-2.0
"""Crypto-api cells: the job's lines, figures of recorded runs, and none of what went elsewhere."""

import re
from collections.abc import Callable

import pytest
from made_cells import with_plan
from workloads import recorded_crypto as recorded
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.profile import load_profile
from firesteel.model.cell import Cell, Implementation
from firesteel.model.figure import Figure
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.offload import check_share, engines
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.crypto_api import CryptoPlan

_EACH = re.compile(rb"^each (\d+) (\d+) (\d+)$", re.MULTILINE)

IMPLEMENTATIONS: list[Implementation] = ["software", "virtio-crypto"]


def value(figures: list[Figure], parameter: str, metric: str) -> float:
    (found,) = [
        figure.value
        for figure in figures
        if (figure.workload, figure.parameter.text, figure.metric)
        == ("kernel-crypto", parameter, metric)
    ]
    return found


def _longer(idle: int) -> Callable[[re.Match[bytes]], bytes]:
    def changed(line: re.Match[bytes]) -> bytes:
        instructions, time, asleep = map(int, line.groups())
        return b"each %d %d %d" % (instructions, time + 500_000, asleep + idle)

    return changed


def lines(cell: Cell) -> dict[str, dict[str, str]]:
    """The settings of each run of the cell's job, by the run's name."""
    (job,) = jobs_of(cell).values()
    runs = {}
    for line in job.files["/job/runs"].content.decode().splitlines():
        name, *words = line.split(" ")
        runs[name] = dict(word.split("=", 1) for word in words)
    return runs


def test_a_job_has_a_line_for_each_run() -> None:
    told = lines(recorded.cell("software"))
    assert list(told)[:3] == ["encrypt-64-each", "encrypt-64-1", "encrypt-64-4"]
    assert len(told) == 2 * 2 * 3
    each = told["decrypt-1400-each"]
    assert each["size"] == "1408", "padded to blocks as ESP does"
    assert (each["each"], each["decrypt"], each["in_flight"]) == ("1", "1", "1")
    assert told["encrypt-64-4"]["in_flight"] == "4"


def test_large_requests_are_fewer() -> None:
    cell = recorded.cell("software")
    plan = cell.needed(CryptoPlan).model_copy(update={"sizes": (16, 65_536), "requests": 1000})
    told = lines(with_plan(cell, plan))
    assert told["encrypt-16-1"]["requests"] == "1000"
    assert told["encrypt-65536-1"]["requests"] == "256"


def test_virtio_crypto_is_asked_for_by_name_and_the_rest_is_not() -> None:
    assert lines(recorded.cell("virtio-crypto"))["encrypt-64-1"]["algorithm"] == (
        "virtio_crypto_aes_cbc"
    )
    for implementation, driver in (("software", "''"), ("hardware", "'firesteel user=last'")):
        cell = recorded.cell("software").model_copy(update={"implementation": implementation})
        assert lines(cell)["encrypt-64-1"]["algorithm"] == "cbc(aes)"
        settings = jobs_of(cell)["board"].files["/job/settings"].content
        assert settings == f"DRIVER={driver}\nKERNEL_SOFTWARE=fastest\nSTART_OFFSET=0\n".encode()


def test_a_hash_knows_one_direction() -> None:
    cell = recorded.cell("software").model_copy(update={"cipher": "none", "mac": "sha256"})
    assert {name.split("-")[0] for name in lines(cell)} == {"encrypt"}


@pytest.mark.parametrize("suite", CRYPTO_API.suites)
def test_every_suite_has_an_algorithm_with_a_reference_in_generic_code(suite: str) -> None:
    cipher, mac = suite.split(":")
    update = {"cipher": cipher, "mac": mac}
    told = CRYPTO_API.algorithm(recorded.cell("software").model_copy(update=update))
    assert "generic" in told.reference
    assert told.padded(1400) in (1400, 1408)


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            {"cipher": "aes-256-cbc", "mac": "gcm"},
            "not go with aes-256-cbc:gcm; allowed are",
        ),
        (
            {"cipher": "aes-256-ctr", "implementation": "virtio-crypto"},
            "not go with aes-256-ctr:none; allowed are aes-128-cbc:none,",
        ),
        ({"topology": "host-host"}, "measured on one board, and the topology `host-host` has 2"),
        (
            {"profiles": {"board": "socrates-hash"}, "implementation": "virtio-crypto"},
            "the profile `socrates-hash` of node `board` has no virtio_crypto",
        ),
        (
            {"profiles": {"board": "peer"}, "implementation": "hardware"},
            "the profile `peer` of node `board` has no cores",
        ),
        ({"plans": ()}, "the table `crypto` is missing"),
    ],
)
def test_what_does_not_go_together_is_told(update: dict[str, object], message: str) -> None:
    with pytest.raises(FiresteelError, match=message):
        jobs_of(recorded.cell("software").model_copy(update=update))


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_figures_are_those_of_the_reports(implementation: Implementation) -> None:
    figures = cell_figures(recorded.cell(implementation), recorded.run(implementation))
    assert {figure.workload for figure in figures} == {"kernel-crypto", "kernel-crypto-decrypt"}
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
    assert len(rows) == len(set(rows)) == 52
    assert all(figure.value > 0 for figure in figures)
    times = [value(figures, "1400 B", f"time_per_request{end}") for end in ("_p50", "_p99")]
    assert times[0] <= times[1]


def test_the_figures_of_software_in_numbers() -> None:
    figures = cell_figures(recorded.cell("software"), recorded.run("software"))
    assert value(figures, "1400 B", "instructions_per_request_p50") == 73_964
    assert value(figures, "1400 B", "time_per_request_p50") == pytest.approx(133.51, abs=0.01)
    throughput = value(figures, "1400 B", "throughput")
    assert throughput == pytest.approx(1400 / 133.51, rel=0.1)
    assert value(figures, "1400 B", "cpu") == 100


@pytest.mark.parametrize(
    ("idle", "busy"),
    [
        pytest.param(0, 513.846, id="stalled in a register access"),
        pytest.param(500_000, 13.846, id="asleep"),
    ],
)
def test_work_is_the_time_that_the_cpu_does_not_sleep(idle: int, busy: float) -> None:
    """Each request takes 500 µs longer, and not one instruction more."""
    longer = recorded.with_report(
        recorded.run("virtio-crypto"), lambda text: _EACH.sub(_longer(idle), text)
    )
    figures = cell_figures(recorded.cell("virtio-crypto"), longer)
    assert value(figures, "1400 B", "instructions_per_request_p50") == 7_671
    assert value(figures, "1400 B", "time_per_request_p50") == pytest.approx(513.846)
    assert value(figures, "1400 B", "cpu_time_per_request_p50") == pytest.approx(busy)
    assert value(figures, "1400 B", "cpu_time_per_request") == pytest.approx(busy, abs=0.01)


def test_virtio_crypto_takes_a_driver_s_instructions() -> None:
    figures = cell_figures(recorded.cell("virtio-crypto"), recorded.run("virtio-crypto"))
    assert value(figures, "1400 B", "instructions_per_request_p50") == 7_671
    proof = cell_proof(recorded.cell("virtio-crypto"), recorded.run("virtio-crypto"))
    assert proof["crypto_asynchronous"] == proof["crypto_requests"] == 120
    assert proof["crypto_bytes"] == 60 * (64 + 1408)
    assert proof["cores.crypto0.aes_jobs"] == 0


def small(cell: Cell) -> Cell:
    """A part of a cell: the requests that may be left to software."""
    return with_plan(cell, cell.needed(CryptoPlan).model_copy(update={"sizes": (64,)}))


def test_hardware_is_proved_by_the_counters_of_the_cores() -> None:
    cell, run = recorded.cell("hardware"), recorded.run("software")
    figures = cell_figures(cell, recorded.as_if_by_the_cores(run))
    assert {figure.implementation for figure in figures} == {"hardware"}
    assert value(figures, "1400 B", "offloaded") == 100
    assert value(figures, "64 B, 4 in flight", "offloaded") == 100
    half = recorded.as_if_by_the_cores(run, of=0.5)
    with pytest.raises(CellFailure, match="50 % of 15488 bytes"):
        cell_figures(cell, half)
    figures = cell_figures(small(cell), half)
    assert value(figures, "64 B, 4 in flight", "offloaded") == 50


def test_hardware_without_large_requests_needs_some_work_of_the_cores() -> None:
    cell, run = recorded.cell("hardware"), recorded.run("software")
    idle = recorded.as_if_by_the_cores(run, of=0)
    with pytest.raises(CellFailure, match=r"none .*\(aes_bytes\)"):
        cell_figures(small(cell), idle)


def test_each_engine_of_a_suite_is_looked_at_by_itself() -> None:
    cell = recorded.cell("hardware")
    authenc = cell.model_copy(update={"mac": "hmac-sha256"})
    both = load_profile("socrates-hash")
    assert engines(cell, both) == ("aes_bytes",)
    assert engines(authenc, both) == engines(authenc) == ("aes_bytes", "hash_bytes")
    assert engines(authenc.model_copy(update={"cipher": "none"}), both) == ("hash_bytes",)
    assert engines(authenc, load_profile("socrates")) == ("aes_bytes",)
    by_aes_alone = recorded.as_if_by_the_cores(recorded.run("software"))
    with pytest.raises(CellFailure, match=" 0 % of"):
        check_share(authenc, by_aes_alone.nodes["board"], "encrypt-1400-1", 11 * 1408)


@pytest.mark.parametrize(
    ("cell", "run", "says"),
    [
        ("software", "virtio-crypto", "took virtio_crypto_aes_cbc, which is virtio-crypto"),
        ("virtio-crypto", "software", "took cbc-aes-neonbs, which is software"),
        ("hardware", "software", "took cbc-aes-neonbs, which is software"),
    ],
)
def test_another_driver_is_a_failed_cell(
    cell: Implementation, run: Implementation, says: str
) -> None:
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell(cell), recorded.run(run))


def test_cores_at_work_in_a_software_cell_are_a_failed_cell() -> None:
    busy = recorded.as_if_by_the_cores(recorded.run("software"))
    back = recorded.with_report(busy, lambda text: text.replace(b"-firesteel", b"-neonbs"))
    with pytest.raises(CellFailure, match="cores did part"):
        cell_figures(recorded.cell("software"), back)


def test_requests_that_never_reached_the_device_are_a_failed_cell() -> None:
    run = recorded.with_report(
        recorded.run("virtio-crypto"), lambda text: text.replace(b"nous 10\n", b"nous 9\n")
    )
    with pytest.raises(CellFailure, match="9 of 10 requests"):
        cell_figures(recorded.cell("virtio-crypto"), run)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"driver ", b"drover ", "lacks driver"),
        (b"time_ns ", b"time_ns x", "is damaged: invalid literal"),
        (b"requests 10", b"requests 11", "is of another run|not one line per request"),
        (b"in_flight 1", b"in_flight 2", "is of another run"),
        (b"each ", b"eech ", "no line for each request"),
    ],
)
def test_a_damaged_report_gives_no_figures(old: bytes, new: bytes, says: str) -> None:
    run = recorded.with_report(recorded.run("software"), lambda text: text.replace(old, new))
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell("software"), run)


def test_a_missing_report_gives_no_figures() -> None:
    run = recorded.with_report(recorded.run("software"), lambda _: None)
    with pytest.raises(CellFailure, match="no data .*encrypt-64-each"):
        cell_figures(recorded.cell("software"), run)
