# SPDX-License-Identifier: Apache-2.0
"""Two CryptoMasters that work for the kernel: transforms spread, and one that fails or goes takes
nothing with it.

    board: crypto0 AES, public key    peer: software
           crypto1 AES

Files go over two IPsec connections in both directions; each is checked where it arrives.  First
both cores work; then crypto1 hangs in the midst, and comes back; then it is unbound.
"""

from collections.abc import Mapping

import pytest
from bench import Bench, await_node, on_flat, release
from driver_run import PREPARE, Told
from ipsec_traffic import (
    CONNECTIONS,
    PEER,
    connections,
    exchange_files,
    serve_files,
    stop_exchange,
    whole_files,
)
from uio_scenes import status

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

_NAMES = ("crypto0", "crypto1")

_DRIVER = "/sys/bus/pci/drivers/firesteel"

_HANGS_MS = 2_600
"""Of virtual time; the files have gone for half a second by then."""

_BOARD = f"""
{PREPARE}
modprobe -a authenc uio
insmod /job/firesteel.ko
cat /sys/bus/pci/devices/*/owner | probe data owners
{connections(1, 2)}
{await_node(PEER)}
{exchange_files(*(f"{base}.2" for base in CONNECTIONS.values()))}
sleep 0.1
probe mark both.begin
sleep 0.3
probe mark both.end
until [ "$(cut -c1-3 /proc/uptime | tr -d .)" -ge 32 ]; do sleep 0.05; done
probe mark back.begin
sleep 0.2
probe mark back.end
second=$(ls {_DRIVER} | grep ^0000 | tail -n 1)
{status("unbind", f"echo $second >{_DRIVER}/unbind")}
probe mark one.begin
sleep 0.2
probe mark one.end
{stop_exchange()}
cat /sys/kernel/debug/firesteel/queues | probe data queues
{release(PEER)}
dmesg | probe data dmesg
"""


def _board() -> Profile:
    board = on_flat("socrates-2cm")
    first, second = board.cores
    hang = Fault(kind="stuck-busy", nth=1, from_ms=_HANGS_MS)
    return board.model_copy(
        update={"cores": (first, second.model_copy(update={"faults": (hang,)}))}
    )


@pytest.fixture(scope="module")
def told(bench: Bench) -> Told:
    driver = JobFile(Products().driver().read_bytes())
    run = bench.run(
        load_topology("host-host"),
        {"board": _BOARD, "peer": connections(2, 1) + serve_files(len(CONNECTIONS))},
        {"board": {"/job/firesteel.ko": driver}},
        {"board": _board(), "peer": load_profile("peer")},
    )
    return Told(run)


def grown(told: Told, phase: str, counter: str = "aes_bytes") -> Mapping[str, int]:
    """By how much a counter of each core grew in a phase."""
    node = told.run.run.nodes["board"]
    begin, end = (node.mark(f"{phase}.{which}").cores for which in ("begin", "end"))
    return {name: end[name][counter] - begin[name][counter] for name in _NAMES}


def test_both_are_the_kernels_and_both_work(told: Told) -> None:
    assert told.run.text("board", "owners").split() == ["kernel", "kernel"]
    done = grown(told, "both")
    print(done)
    assert min(done.values()) > max(done.values()) / 4


def test_one_that_hangs_comes_back(told: Told) -> None:
    end = told.run.run.nodes["board"].mark("back.end").cores
    assert end["crypto1"]["fault_stuck_busy"] == 1
    done = grown(told, "back")
    print(done)
    assert min(done.values()) > 0


def test_the_other_goes_on_when_one_is_unplugged(told: Told) -> None:
    assert told.run.text("board", "unbind").split() == ["status", "0"]
    done = grown(told, "one")
    print(done)
    assert done["crypto0"] > 0
    assert done["crypto1"] == 0


def test_no_byte_is_wrong(told: Told) -> None:
    for node in ("board", "peer"):
        assert whole_files(told.run.text(node, "digests")) > 4
