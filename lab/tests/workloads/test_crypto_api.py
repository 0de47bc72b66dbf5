# SPDX-License-Identifier: Apache-2.0
"""Crypto-api cells: the job's lines, figures of recorded runs, and none of what went elsewhere."""

import re
from dataclasses import replace
from typing import Any

import pytest
from made_cells import with_plan
from workloads import recorded_crypto as recorded
from workloads.sites import jobs_of, settings, value

from firesteel.base.errors import FiresteelError
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import load_profile
from firesteel.model.cell import Cell, Implementation
from firesteel.protocols.crypto_api import CRYPTO_API
from firesteel.protocols.offload import check_share, engines
from firesteel.protocols.site import site_of
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_jobs, cell_proof
from firesteel.workloads.crypto_api import CryptoPlan

_EACH = re.compile(rb"^each (\d+) (\d+) (\d+)$", re.MULTILINE)


def lines(cell: Cell) -> dict[str, dict[str, str]]:
    """The settings of each run of the cell's job, by the run's name."""
    text = jobs_of(cell)["board"].files["/job/runs"].content.decode()
    split = (line.split(" ") for line in text.splitlines())
    return {name: dict(word.split("=", 1) for word in words) for name, *words in split}


def changed(cell: Cell, **plan: Any) -> Cell:
    return with_plan(cell, cell.needed(CryptoPlan).model_copy(update=plan))


def test_a_job_has_a_line_for_each_run() -> None:
    cell = recorded.cell("software")
    told = lines(cell)
    assert list(told)[:3] == ["encrypt-64-each", "encrypt-64-1", "encrypt-64-4"]
    assert len(told) == 2 * 2 * 3
    each = told["decrypt-1400-each"]
    assert each["size"] == "1408", "padded to blocks as ESP does"
    assert (each["each"], each["decrypt"], each["in_flight"]) == ("1", "1", "1")
    assert told["encrypt-64-4"]["in_flight"] == "4"
    large = lines(changed(cell, sizes=(16, 65_536), requests=1000))
    assert [large[f"encrypt-{size}-1"]["requests"] for size in (16, 65_536)] == ["1000", "256"]
    with_data = cell.model_copy(update={"cipher": "aes-256-gcm-esp", "mac": "gcm"})
    fitting = lines(changed(with_data, sizes=(32_768, 65_536)))
    assert {name.split("-")[1] for name in fitting} == {"32768"}, (
        "no packet has associated data, too"
    )
    a_hash = lines(cell.model_copy(update={"cipher": "none", "mac": "sha256"}))
    assert {name.split("-")[0] for name in a_hash} == {"encrypt"}
    for implementation, driver, algorithm in (
        ("software", "", "cbc(aes)"),
        ("hardware", "firesteel user=last", "cbc(aes)"),
        ("virtio-crypto", "virtio_crypto", "virtio_crypto_aes_cbc"),
    ):
        of = cell.model_copy(update={"implementation": implementation})
        assert lines(of)["encrypt-64-1"]["algorithm"] == algorithm
        known = {"DRIVER": driver, "KERNEL_SOFTWARE": "fastest", "START_OFFSET": "0"}
        assert settings(of) == known


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
            {"cipher": "aes-256-ctr", "implementation": "virtio-crypto"},
            "not support aes-256-ctr:none; allowed are aes-128-cbc:none,",
        ),
        (
            {"profiles": {"board": "socrates-hash"}, "implementation": "virtio-crypto"},
            "the profile `socrates-hash` of node `board` has no virtio_crypto",
        ),
        (
            {"profiles": {"board": "peer"}, "implementation": "hardware"},
            "the profile `peer` of node `board` has no cores",
        ),
    ],
)
def test_what_does_not_go_together_is_told(update: dict[str, object], message: str) -> None:
    with pytest.raises(FiresteelError, match=message):
        jobs_of(recorded.cell("software").model_copy(update=update))


def test_a_board_with_several_cpus_is_refused() -> None:
    cell = recorded.cell("software")
    site = site_of(cell, Catalog())
    board = site.measured(cell)
    several = board.model_copy(update={"cpu": board.cpu.model_copy(update={"count": 2})})
    with pytest.raises(FiresteelError, match="the board has 2; measure it on a board with one CPU"):
        cell_jobs(cell, replace(site, profiles={cell.measured: several}))


@pytest.mark.parametrize(
    ("implementation", "instructions"), [("software", 73_964), ("virtio-crypto", 7_671)]
)
def test_figures_are_those_of_the_reports(
    implementation: Implementation, instructions: int
) -> None:
    cell, run = recorded.cell(implementation), recorded.run(implementation)
    figures = cell_figures(cell, run)
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
    assert {name for name, _, _ in rows} == {"kernel-crypto", "kernel-crypto-decrypt"}
    assert len(rows) == len(set(rows)) == 52
    assert all(figure.value > 0 for figure in figures)
    at = ("kernel-crypto", "1400 B")
    assert value(figures, *at, "instructions_per_request_p50") == instructions
    assert value(figures, *at, "time_per_request_p50") <= value(
        figures, *at, "time_per_request_p99"
    )
    proof = cell_proof(cell, run)
    assert proof["crypto_requests"] == 120
    assert proof["crypto_bytes"] == 60 * (64 + 1408)
    assert proof["cores.crypto0.aes_jobs"] == 0
    if implementation == "software":
        assert value(figures, *at, "time_per_request_p50") == pytest.approx(133.51, abs=0.01)
        assert value(figures, *at, "throughput") == pytest.approx(1400 / 133.51, rel=0.1)
        assert value(figures, *at, "cpu") == 100
    else:
        assert proof["crypto_asynchronous"] == 120


@pytest.mark.parametrize(
    ("idle", "busy"),
    [
        pytest.param(0, 513.846, id="stalled in a register access"),
        pytest.param(500_000, 13.846, id="asleep"),
    ],
)
def test_work_is_the_time_that_the_cpu_does_not_sleep(idle: int, busy: float) -> None:
    """Each request takes 500 µs longer, and not one instruction more."""

    def longer(line: re.Match[bytes]) -> bytes:
        instructions, time, asleep = map(int, line.groups())
        return b"each %d %d %d" % (instructions, time + 500_000, asleep + idle)

    run = recorded.run("virtio-crypto")
    figures = cell_figures(
        recorded.cell("virtio-crypto"),
        recorded.with_report(run, lambda text: _EACH.sub(longer, text)),
    )
    at = ("kernel-crypto", "1400 B")
    assert value(figures, *at, "instructions_per_request_p50") == 7_671
    assert value(figures, *at, "time_per_request_p50") == pytest.approx(513.846)
    assert value(figures, *at, "cpu_time_per_request_p50") == pytest.approx(busy)
    assert value(figures, *at, "cpu_time_per_request") == pytest.approx(busy, abs=0.01)


def test_hardware_is_proved_by_the_counters_of_the_cores() -> None:
    cell, run = recorded.cell("hardware"), recorded.run("software")
    small = changed(cell, sizes=(64,))
    figures = cell_figures(cell, recorded.as_if_by_the_cores(run))
    for at in ("1400 B", "64 B, 4 in flight"):
        assert value(figures, "kernel-crypto", at, "offloaded") == 100
    half = recorded.as_if_by_the_cores(run, of=0.5)
    with pytest.raises(CellFailure, match="50 % of 15488 bytes"):
        cell_figures(cell, half)
    figures = cell_figures(small, half)
    assert value(figures, "kernel-crypto", "64 B, 4 in flight", "offloaded") == 50
    with pytest.raises(CellFailure, match=r"none .*\(aes_bytes\)"):
        cell_figures(small, recorded.as_if_by_the_cores(run, of=0))


def test_each_engine_of_a_suite_is_looked_at_by_itself() -> None:
    authenc = recorded.cell("hardware").model_copy(update={"mac": "hmac-sha256"})
    both = load_profile("socrates-hash")
    assert engines(recorded.cell("hardware"), both) == ("aes_bytes",)
    assert engines(authenc, both) == engines(authenc) == ("aes_bytes", "hash_bytes")
    assert engines(authenc.model_copy(update={"cipher": "none"}), both) == ("hash_bytes",)
    assert engines(authenc, load_profile("socrates")) == ("aes_bytes",)
    by_aes_alone = recorded.as_if_by_the_cores(recorded.run("software"))
    with pytest.raises(CellFailure, match=" 0 % of"):
        check_share(authenc, by_aes_alone.nodes["board"], "encrypt-1400-1", 11 * 1408)


@pytest.mark.parametrize(
    ("cell", "run", "old", "new", "says"),
    [
        ("software", "virtio-crypto", b"", b"", "took virtio_crypto_aes_cbc, which is virtio-cry"),
        ("virtio-crypto", "software", b"", b"", "took cbc-aes-neonbs, which is software"),
        ("hardware", "software", b"", b"", "took cbc-aes-neonbs, which is software"),
        ("virtio-crypto", "virtio-crypto", b"nous 10\n", b"nous 9\n", "9 of 10 requests"),
        ("software", "software", b"driver ", b"drover ", "lacks driver"),
        ("software", "software", b"time_ns ", b"time_ns x", "is damaged: invalid literal"),
        ("software", "software", b"requests 10", b"requests 11", "of another run|not one line p"),
        ("software", "software", b"in_flight 1", b"in_flight 2", "is of another run"),
        ("software", "software", b"each ", b"eech ", "no line for each request"),
    ],
)
def test_what_went_elsewhere_or_is_damaged_gives_no_figures(
    cell: Implementation, run: Implementation, old: bytes, new: bytes, says: str
) -> None:
    made = recorded.run(run)
    if old:
        made = recorded.with_report(made, lambda text: text.replace(old, new))
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell(cell), made)


def test_cores_at_work_in_software_and_missing_reports_fail_the_cell() -> None:
    busy = recorded.as_if_by_the_cores(recorded.run("software"))
    back = recorded.with_report(busy, lambda text: text.replace(b"-firesteel", b"-neonbs"))
    for run, says in (
        (back, "cores did part"),
        (recorded.with_report(busy, lambda _: None), "no data .*encrypt-64-each"),
    ):
        with pytest.raises(CellFailure, match=says):
            cell_figures(recorded.cell("software"), run)
