# SPDX-License-Identifier: Apache-2.0
"""A core whose results have flipped bits, and the driver's comparison of them with software.

cryptobench compares every result with the kernel's generic code, and fails where one differs.
"""

import pytest
from bench import Bench, KeptRun, on_flat, with_fault

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_CIPHERS = {
    "ecb": "reference='ecb(aes-generic)' key=32 size=1408",
    "cbc": "reference='cbc(aes-generic)' key=32 size=1408",
    "ctr": "reference='ctr(aes-generic)' key=16 size=1400",
    "xts": "reference='xts(ecb(aes-generic))' key=64 size=4096",
}
_ROUNDS = 2

# A core that was wrong is out of service for a while, twice as long each time; until it is asked
# again all is right in any case.
_BENCH = """
mount -t debugfs none /sys/kernel/debug
modprobe -a authenc uio
insmod /job/firesteel.ko minimum=0 verify={verify}
modprobe cryptobench
{runs}
probe data results /run/results
probe data queues /sys/kernel/debug/firesteel/queues
"""
_RUN = """
sleep 3
if echo kind=cipher algorithm={name}-aes-firesteel {settings} \\
    requests=200 in_flight=4 decrypt={decrypt} >/proc/cryptobench
then echo right
elif dmesg | tail -n 1 | grep -q "another result"
then echo wrong
else echo failed
fi >>/run/results
"""


@pytest.fixture(scope="module")
def flipping() -> Profile:
    return with_fault(on_flat("socrates-hash"), Fault(kind="flipped-bit", rate=10))


def results(bench: Bench, profile: Profile, verify: int) -> tuple[list[str], KeptRun]:
    """Whether each run of cryptobench was right, and the board's run."""
    runs = [
        _RUN.format(name=name, settings=settings, decrypt=decrypt)
        for name, settings in _CIPHERS.items()
        for decrypt in range(_ROUNDS)
    ]
    run = bench.run(
        load_topology("one-board"),
        {"board": _BENCH.format(verify=verify, runs="".join(runs))},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": profile},
    )
    return run.text("board", "results").split(), run


def wrong_results(run: KeptRun) -> int:
    """Of the driver's own count."""
    words = run.text("board", "queues").split()
    return int(words[words.index("wrong-results") + 1])


def test_a_flipped_bit_is_told_by_nothing_without_a_tag(bench: Bench, flipping: Profile) -> None:
    found, run = results(bench, flipping, 0)
    assert found == ["wrong"] * len(_CIPHERS) * _ROUNDS
    assert wrong_results(run) == 0


def test_verified_results_are_right_and_the_core_goes_out_of_service(
    bench: Bench, flipping: Profile
) -> None:
    found, run = results(bench, flipping, 1)
    assert found == ["right"] * len(_CIPHERS) * _ROUNDS
    assert wrong_results(run) >= len(_CIPHERS)
