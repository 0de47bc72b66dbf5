# SPDX-License-Identifier: Apache-2.0
"""The Linux driver is loaded, unloaded, and its devices taken away, over and over under traffic.

Nothing is lost, spoilt, leaked or reported.
"""

import os
from collections.abc import Iterator

import pytest
from bench import Bench, KeptRun, on_flat
from driver_run import AES, HASH, LOAD, PREPARE, TELL, Told
from driver_torture import reload, under_traffic, unplug, used
from ipsec_traffic import whole_files

from firesteel.boards.command import BoardProducts
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

pytestmark = pytest.mark.thorough

ROUNDS = int(os.environ.get("FIRESTEEL_ROUNDS", "20"))
"""100 take a quarter of an hour on a machine with other work; docs/driver.md has their result."""


@pytest.fixture(scope="module")
def patient(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A place for runs that may take longer than others."""
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"), 300 + 15 * ROUNDS)
    yield bench
    bench.clean()


@pytest.fixture(scope="module", params=("reload", "unplug"))
def tortured(patient: Bench, request: pytest.FixtureRequest) -> KeptRun:
    driver = JobFile(Products().driver().read_bytes())
    tortures = {"reload": ("cbc-sha256", reload(ROUNDS)), "unplug": ("gcm", unplug(ROUNDS))}
    suite, torture = tortures[request.param]
    return under_traffic(patient, driver, suite, torture, (PREPARE, ""))


_LATER = f"""
{PREPARE}
echo 0 >/sys/bus/pci/drivers_autoprobe
{LOAD}
grep firesteel /proc/crypto && exit 1
echo 0000:00:02.0 >/sys/bus/pci/drivers/firesteel/bind
tries=100
until grep -q cmac-aes-firesteel /sys/kernel/debug/firesteel/costs; do
    tries=$((tries - 1))
    [ $tries != 0 ]
    sleep 0.1
done
{TELL}
rmmod firesteel
dmesg | probe data dmesg
"""


def test_a_device_that_comes_after_the_module(bench: Bench) -> None:
    run = bench.run(
        load_topology("one-board"),
        {"board": _LATER},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": on_flat("socrates-hash")},
    )
    told = Told(run)
    assert told.self_tests() == dict.fromkeys(AES | HASH, "passed")
    told.assert_quiet()


def test_nothing_is_reported(tortured: KeptRun) -> None:
    Told(tortured).assert_quiet()


def test_all_that_was_sent_is_whole(tortured: KeptRun) -> None:
    for node in ("board", "peer"):
        assert whole_files(tortured.text(node, "digests")) > ROUNDS // 10


def test_other_users_had_no_failure(tortured: KeptRun) -> None:
    """A wrong result of theirs fails the job."""
    assert len(tortured.text("board", "crypto-used").splitlines()) > ROUNDS // 2
    digest = tortured.text("board", "digests").split()[0]
    read_back = tortured.text("board", "read-back").replace(" -", "").split()
    assert len(read_back) > ROUNDS // 5
    assert set(read_back) == {digest}


def test_the_driver_was_in_use_to_the_end(tortured: KeptRun) -> None:
    told = Told(tortured)
    assert sum(told.requests("hardware").values()) > 100
    assert told.queues()["in-service"] >= 1


def test_no_memory_is_lost(tortured: KeptRun) -> None:
    """A device has 2 MiB of buffers, of which ten would be lost in 20 rounds.

    Packets under way come and go by 4 MiB and what the kernel keeps for itself by 400 KiB, as
    samples over 60 rounds show that drift neither way.
    """
    most = {"MemFree": 4096, "SUnreclaim": 1024, "VmallocUsed": 256}
    lost = {name: used(tortured, "after", name) - used(tortured, "before", name) for name in most}
    assert {name: kib for name, kib in lost.items() if kib > most[name]} == {}
