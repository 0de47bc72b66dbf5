# SPDX-License-Identifier: Apache-2.0
"""The Linux driver on the debug kernel: self-tests, IPsec, coming and going; nothing is reported.

The self-tests are those with random inputs, compared with the kernel's generic code.
"""

import json
from collections.abc import Mapping

import pytest
from bench import SERVE, Bench, KeptRun, await_node, on_flat, release
from driver_run import AES, HASH, LOAD, TELL, Told
from ipsec_traffic import CONNECTIONS, PEER, connections
from kernel_reports import PREPARE, collect, evidence_of, inactive, reports, self_tests

from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

SENT = 512 * 1024
"""Bytes of each transfer over IPsec."""

_ALGORITHMS = {"socrates": AES, "socrates-hash": AES | HASH}

# Self-tests are done when insmod returns.  What has been loaded twice is looked at.
_COME_AND_GO = f"""
{PREPARE}
{LOAD}
rmmod firesteel
{LOAD}
{TELL}
rmmod firesteel
{collect()}
"""


@pytest.fixture(scope="module")
def driver() -> Mapping[str, JobFile]:
    return {"/job/firesteel.ko": JobFile(Products().debug_driver().read_bytes())}


@pytest.fixture(scope="module", params=sorted(_ALGORITHMS))
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(bench: Bench, driver: Mapping[str, JobFile], profile: str) -> KeptRun:
    return bench.run(
        load_topology("one-board"),
        {"board": _COME_AND_GO},
        {"board": driver},
        {"board": on_flat(profile)},
    )


def test_self_tests_with_random_inputs_pass(loaded: KeptRun, profile: str) -> None:
    told = Told(loaded)
    assert told.self_tests() == dict.fromkeys(_ALGORITHMS[profile], "passed")
    assert told.requests("hardware").keys() == _ALGORITHMS[profile]
    assert "alg: extra crypto tests enabled" in evidence_of(loaded.run.nodes["board"]).log


def test_self_tests_and_unloading_leave_no_report(loaded: KeptRun) -> None:
    evidence = evidence_of(loaded.run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence) == []
    assert set(self_tests(evidence).values()) == {"passed"}


_PROCESSORS = 4

_SEVERAL = f"""
{PREPARE}
{LOAD}
{TELL}
rmmod firesteel
{collect()}
"""


def test_self_tests_with_random_inputs_pass_on_several_processors(
    bench: Bench, driver: Mapping[str, JobFile], profile: str
) -> None:
    """Interrupts and bottom halves of a core meet those who wait for it.

    In virtual time: on a busy machine, the kernel would give up self-tests after a minute.
    """
    flat = on_flat(profile)
    cpu = flat.cpu.model_copy(update={"count": _PROCESSORS})
    run = bench.run(
        load_topology("one-board"),
        {"board": _SEVERAL},
        {"board": driver},
        {"board": flat.model_copy(update={"cpu": cpu})},
    )
    told = Told(run)
    assert told.self_tests() == dict.fromkeys(_ALGORITHMS[profile], "passed")
    assert told.requests("hardware").keys() == _ALGORITHMS[profile]
    evidence = evidence_of(run.run.nodes["board"])
    assert "alg: extra crypto tests enabled" in evidence.log
    assert inactive(evidence) == []
    assert reports(evidence) == []


def transfers(base: str, name: str) -> str:
    """Shell lines that send and fetch: by what costs less, then by core and interrupts alone."""
    lines = []
    for minimum in (-1, 0):
        completion = "irq" if minimum == 0 else "adaptive"
        for parameter, value in (("minimum", minimum), ("completion", completion)):
            lines.append(f"echo {value} >/sys/module/firesteel/parameters/{parameter}\n")
        for way in ("", "-R"):
            lines.append(
                f"iperf3 -c {base}.2 -n {SENT} {way} -J | probe data {name}{way}{minimum}\n"
            )
    return "".join(lines)


# Without self-tests of the driver, which are another test's.
_WITHOUT_TESTS = f"""
echo Y >/sys/module/cryptomgr/parameters/notests
{LOAD}
echo N >/sys/module/cryptomgr/parameters/notests
"""


@pytest.fixture(scope="module")
def traffic(bench: Bench, driver: Mapping[str, JobFile], profile: str) -> KeptRun:
    board = PREPARE + _WITHOUT_TESTS + connections(1, 2) + await_node(PEER)
    board += "".join(transfers(base, suite) for suite, base in CONNECTIONS.items())
    board += TELL + "ip xfrm policy flush\nip xfrm state flush\n" + release(PEER)
    board += f"until rmmod firesteel; do sleep 1; done\n{collect()}"
    peer = connections(2, 1) + "iperf3 -s -D\n" + SERVE
    return bench.run(
        load_topology("host-host"),
        {"board": board, "peer": peer},
        {"board": driver},
        {"board": on_flat(profile), "peer": load_profile("peer")},
    )


def test_ipsec_goes_through_the_core(traffic: KeptRun) -> None:
    names = [
        f"{suite}{way}{least}" for suite in CONNECTIONS for way in ("", "-R") for least in (-1, 0)
    ]
    for name in names:
        ends = json.loads(traffic.text("board", name))["end"]
        assert ends["sum_received"]["bytes"] >= SENT
    told = Told(traffic)
    served = told.requests("hardware")
    assert served["rfc4106-gcm-aes"] > 500 < served["authenc-hmac-sha256-cbc-aes"]
    assert told.requests("failed") == {}


def test_ipsec_leaves_no_report(traffic: KeptRun) -> None:
    evidence = evidence_of(traffic.run.nodes["board"])
    assert inactive(evidence) == []
    assert reports(evidence, tests_off=True) == []
