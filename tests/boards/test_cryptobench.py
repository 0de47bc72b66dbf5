# SPDX-License-Identifier: Apache-2.0
"""The module cryptobench refuses what is wrong in a sentence, measures nothing of itself, and
notices results that are not the reference's."""

import re

import pytest
from bench import Bench, KeptRun, assert_equal_runs, on_flat, other_load

from firesteel.boards.topology import load_topology
from firesteel.workloads.crypto_api import Output, parse_output

CBC = "kind=cipher algorithm=cbc(aes) reference=cbc(aes-generic) key=32"

GOOD = {
    "scattered": f"{CBC} size=1408 head=52 requests=9 each=1",
    "longer": f"{CBC} size=1408 head=52 requests=18",
    "one": f"{CBC} size=16 requests=1",
    "several": f"{CBC} size=16 requests=3 in_flight=9",
    "megabyte": f"{CBC} size=1048576 requests=1",
    "hash": "kind=hash algorithm=sha256 reference=sha256-generic size=1 requests=2",
}

BAD = {
    f"{CBC} size=64 requests=1 colour=red": "there is no setting colour",
    f"{CBC} size=64 requests": "requests: wanted is KEY=VALUE",
    f"{CBC} size=0 requests=1": "size=0: allowed are numbers from 1 to 1048576",
    f"{CBC} size=-1 requests=1": "size=-1: allowed are numbers from 1 to 1048576",
    f"{CBC} size=64 requests=many": "requests=many: allowed are numbers from 1 to 10000",
    f"{CBC} size=64": "algorithm, reference, size and requests must be given",
    "kind=pk algorithm=rsa reference=rsa size=1 requests=1": "kind=pk: allowed are cipher, aead,",
    f"{CBC} size=64 requests=2 in_flight=2 each=1": "each=1 takes one request in flight, not 2",
    f"{CBC} size=65536 requests=9999": "9999 requests of 65536 bytes need more than 256 MiB",
    CBC.replace("key=32", "key=33") + " size=64 requests=1": "takes no key of 33 bytes",
    CBC.replace("cbc(aes) ", "abc(aes) ") + " size=64 requests=1": "gives no cipher abc(aes)",
    f"{CBC} size=63 requests=1": "the reference cbc(aes-generic) fails",
    CBC.replace("=cbc(aes-generic)", "=ecb(aes-generic)") + " size=64 requests=2": (
        "request 1 of 3 gave error 0 or another result than ecb(aes-generic)"
    ),
}

_MEASURE = "".join(
    f"echo '{settings}' >/proc/cryptobench\nprobe data {name} /proc/cryptobench\n"
    for name, settings in GOOD.items()
)

_REFUSE = "".join(
    f"! echo '{settings}' >/proc/cryptobench 2>/dev/null\n"
    f"dmesg | tail -n 1 | probe data bad-{number}\n"
    for number, settings in enumerate(BAD)
)

_SCRIPT = f"""set -e
modprobe cryptobench
{_MEASURE}{_REFUSE}
probe data after-bad /proc/cryptobench
echo '{GOOD["one"]}' >/proc/cryptobench
rmmod cryptobench
modprobe cryptobench
probe data loaded-again /proc/cryptobench
"""


BOARD = on_flat("socrates")
"""Its clock counts instructions, so that times say how many the module counted as a request's."""


def measure(bench: Bench) -> KeptRun:
    """Run it once."""
    return bench.run(load_topology("one-board"), {"board": _SCRIPT}, {}, {"board": BOARD})


@pytest.fixture(scope="module")
def measured(bench: Bench) -> KeptRun:
    return measure(bench)


def output(run: KeptRun, name: str) -> Output:
    return parse_output(run.run.nodes["board"].data[name], name)


def test_each_request_of_a_run_takes_the_same_instructions(measured: KeptRun) -> None:
    each = output(measured, "scattered").each
    assert len(each) == 9
    counts = sorted(request.instructions for request in each)
    # Now and then the timer's tick falls into one.
    assert counts[0] == counts[6]
    rate = BOARD.cpu.rate
    for request in each:
        assert request.time_ns == pytest.approx(request.instructions * 1e9 / rate, abs=2)
        assert request.busy_ns == request.time_ns


def test_a_run_is_its_requests_and_little_besides(measured: KeptRun) -> None:
    longer = output(measured, "longer")
    least = min(request.instructions for request in output(measured, "scattered").each)
    assert longer.each == ()
    assert longer.requests == 18
    assert least <= longer.instructions / 18 < least * 1.03


def test_more_may_be_in_flight_than_there_are_requests(measured: KeptRun) -> None:
    several = output(measured, "several")
    assert (several.requests, several.in_flight, several.asynchronous) == (3, 9, 0)


@pytest.mark.parametrize("number", range(len(BAD)))
def test_a_mistake_is_told_in_the_kernel_s_log(measured: KeptRun, number: int) -> None:
    (line,) = measured.text("board", f"bad-{number}").splitlines()
    assert re.search(r"\] cryptobench: |cbc-aes", line)
    assert list(BAD.values())[number] in line


def test_after_a_mistake_nothing_old_is_told(measured: KeptRun) -> None:
    assert measured.text("board", "after-bad") == ""
    assert measured.text("board", "loaded-again") == ""


def test_equal_runs_are_equal_under_foreign_load(bench: Bench, measured: KeptRun) -> None:
    with other_load():
        assert_equal_runs(measure(bench), measured)
