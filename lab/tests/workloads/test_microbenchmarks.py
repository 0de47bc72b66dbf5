# SPDX-License-Identifier: Apache-2.0
"""Single operations: the job's lines, what is read from reports, and none of what is none."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

import pytest
from made_cells import made
from pydantic import ValidationError
from workloads.sites import jobs_of

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.profile import load_profile
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.topology import load_topology
from firesteel.protocols.window import CellFailure
from firesteel.workloads.microbenchmarks import (
    MICROBENCHMARKS,
    Bandwidth,
    Latency,
    Microbenchmarks,
    MicrobenchmarksPlan,
    Operation,
)

PLAN = MicrobenchmarksPlan(
    algorithms=("sha256",),
    bulk_algorithms=("aes-128-cbc-decrypt-neon", "chacha20-poly1305-integer", "ghash"),
    sizes=(16, 8192),
    seconds=2,
    operations=("pipe", "pipe-bandwidth", "ed25519-verify", "x25519"),
    latencies=("read-latency",),
    latency_sizes=(512,),
    bandwidths=("memory-copy",),
    bandwidth_sizes=(8192, 16384),
)

REPORTS = {
    "sha256.16": "+DT:sha256:2:16\n+R:1000000:sha256:2.000000\n",
    "sha256.8192": "+R:16000:sha256:2.000000\n",
    "aes-128-cbc-decrypt-neon.8192": "+R:8000:AES-128-CBC:2.000000\n",
    "chacha20-poly1305-integer.8192": "+R:9000:ChaCha20-Poly1305:2.000000\n",
    "ghash.8192": "+R:7000:ghash:2.000000\n",
    "pipe": "pipe 39812.5 ns\n",
    "pipe-bandwidth": "pipe-bandwidth 341.2 MB/s\n",
    "ed25519-verify": "+R10:3000:253:Ed25519:1.00\n+R11:1000:253:Ed25519:2.00\n+F6:0:253",
    "x25519": "+R9:4000:253:2.00\n+F5:22:253:2000.000000:0.000500\n",
    "read-latency.512": "read-latency 4.01 ns\n",
    "memory-copy.8192": "memory-copy 1.6e+03 MB/s\n",
    "memory-copy.16384": "memory-copy 800 MB/s\n",
}


PUBLIC_KEYS = {"ed25519-sign", "ed25519-verify", "x25519"}
"""What OpenSSL does, and not the guest's `microbench`."""

CELL = made("bare-board", "none:none", PLAN, topology="one-board")


def run(other: Mapping[str, str] = MappingProxyType({})) -> TopologyRun:
    """The board reported that, but for what `other` says."""
    data = {name: report.encode() for name, report in (REPORTS | dict(other)).items()}
    board = NodeResult("board", (), data, "", load_profile("socrates"))
    return TopologyRun({"board": board}, "0" * 64, load_topology("one-board"))


def test_each_run_has_a_line_with_its_command() -> None:
    text = jobs_of(CELL)["board"].files["/job/runs"].content.decode()
    told = dict(line.split(" ", 1) for line in text.splitlines())
    assert list(told) == list(REPORTS)
    speed = "openssl speed -elapsed -mr -seconds 2 -bytes 8192"
    assert told["sha256.8192"] == f"{speed} -evp sha256"
    neon = told["aes-128-cbc-decrypt-neon.8192"]
    assert neon == f"env OPENSSL_armcap=1 {speed} -decrypt -evp aes-128-cbc"
    assert told["x25519"] == "openssl speed -elapsed -mr -seconds 2 ecdhx25519"
    assert told["ghash.8192"] == f"{speed} ghash"
    assert told["pipe"] == "microbench pipe"
    assert told["memory-copy.16384"] == "microbench memory-copy 16384"
    integer = told["chacha20-poly1305-integer.8192"]
    assert integer == f"env OPENSSL_armcap=0 {speed} -aead -evp chacha20-poly1305"


def test_figures_are_named_by_operation_and_size() -> None:
    found = MICROBENCHMARKS.figures(CELL, run())
    values = {(each.parameter.text, each.metric): each.value for each in found}
    assert len(values) == len(found)
    assert values["sha256, 8192 B", "throughput"] == pytest.approx(65.536)
    assert values["sha256, 16 B", "operation_time"] == pytest.approx(2000)
    assert values["pipe", "operation_time"] == 39812.5
    assert values["ed25519-verify", "operation_time"] == pytest.approx(2e6)
    assert values["x25519", "operation_time"] == pytest.approx(5e5)
    assert ("x25519", "throughput") not in values
    assert values["pipe-bandwidth", "throughput"] == 341.2
    assert values["memory-copy, 8192 B", "throughput"] == 1600
    assert ("memory-copy, 8192 B", "operation_time") not in values
    assert MICROBENCHMARKS.proof(CELL, run()) == {"microbenchmarks": len(REPORTS)}
    assert set(MICROBENCHMARKS.windows(CELL, [])) == set(REPORTS)


@pytest.mark.parametrize(
    ("name", "report", "told"),
    [
        ("pipe", "Segmentation fault\n", "microbench pipe gave no result: Segmentation fault"),
        ("pipe", "fork 12 ns\n", "microbench pipe gave no result"),
        ("pipe", "pipe 0 ns\n", "microbench pipe gave no result"),
        ("ed25519-verify", "+R10:30:253:Ed25519:1.00\n", "openssl speed of ed25519-verify gave no"),
        ("ghash.8192", "+R:0:ghash:2.0\n", "openssl speed of ghash, 8192 B gave no result"),
    ],
)
def test_a_report_without_a_result_fails_the_cell(name: str, report: str, told: str) -> None:
    with pytest.raises(CellFailure, match=told):
        MICROBENCHMARKS.proof(CELL, run({name: report}))


def test_the_guest_measures_what_the_table_may_name() -> None:
    source = (CHECKOUT / "board" / "image" / "tools" / "microbench.c").read_text()
    table = source[source.index("BENCHMARKS[] = {") :]
    sized = set(re.findall(r"^\t(?:CHAIN|MEMORY)\(\"([\w-]+)\"", table, re.MULTILINE))
    others = set(re.findall(r"^\t(?:CALL\(|STREAM\(|\{ )\"([\w-]+)\"", table, re.MULTILINE))
    assert sized == {*get_args(Latency), *get_args(Bandwidth)}
    assert others == {each for each in get_args(Operation) if each not in PUBLIC_KEYS}


def test_an_algorithm_is_listed_once() -> None:
    table = {
        "algorithms": ["md5"],
        "bulk_algorithms": ["sha1", "md5"],
        "sizes": 64,
        "operations": "pipe",
        "latencies": "read-latency",
        "latency_sizes": 512,
        "bandwidths": "memory-copy",
        "bandwidth_sizes": 8192,
    }
    with pytest.raises(ValidationError, match="has md5 more than once"):
        Microbenchmarks.model_validate(table)
    plan = Microbenchmarks.model_validate(table | {"bulk_algorithms": "sha1"})
    assert plan.values(quick=True)["bulk_algorithms"] == ("sha1",)
