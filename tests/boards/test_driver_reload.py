# SPDX-License-Identifier: Apache-2.0
"""The Linux driver is loaded and unloaded, and its device taken away, over and over under traffic.

Files go over IPsec in both directions all the time; another user of the kernel's crypto opens and
closes transforms without a pause.  Nothing is lost, spoilt, leaked or reported.
"""

import os
import re

import pytest
from bench import Bench, KeptRun, await_node, release
from driver_run import LOAD, PREPARE, TELL, Told
from ipsec_traffic import (
    BOARD,
    PEER,
    associations,
    exchange_files,
    serve_files,
    stop_exchange,
    whole_files,
)

from firesteel.board.job import JobFile
from firesteel.board.profile import load_profile
from firesteel.board.topology import load_topology
from firesteel.build.products import Products

ROUNDS = int(os.environ.get("FIRESTEEL_ROUNDS", "20"))
"""100 take a quarter of an hour on a machine with other work; docs/driver.md has their result."""

_SETTLED = 10
"""Rounds after which the kernel has made all that it keeps."""

_CRYPTO_USER = """
modprobe cryptobench
use_crypto() {
    until [ -e /run/stop ]; do
        for settings in 'cipher algorithm=cbc(aes) reference=cbc(aes-generic) key=32' \\
            'hash algorithm=sha256 reference=sha256-generic' \\
            'cipher algorithm=ctr(aes-generic) reference=ctr(aes-generic) key=16'; do
            echo kind=$settings size=4096 requests=16 in_flight=8 >/proc/cryptobench ||
                echo $settings >>/run/crypto-failed
            echo $settings >>/run/crypto-used
            sleep 0.2
        done
    done
}
use_crypto &
"""
"""Three algorithms by turns: of the last one the driver has none, so that it is not in use then."""

_DISK_USER = """
modprobe brd rd_nr=1 rd_size=4096 max_part=0
use_disk() {
    until [ -e /run/stop ]; do
        echo "0 8192 crypt aes-xts-plain64 $(printf %0128d 7) 0 /dev/ram0 0" |
            dmsetup create --noudevrules --noudevsync disk
        dd if=/run/sample of=/dev/dm-0 bs=65536 oflag=direct
        dd if=/dev/dm-0 bs=65536 count=4 iflag=direct | md5sum >>/run/read-back
        dmsetup remove --noudevrules --noudevsync disk
        sleep 0.2
    done 2>/dev/null
}
use_disk &
"""
"""An encrypted disk is opened, written, read and closed."""

_AFTERWARDS = """
dmesg | probe data dmesg
for use in crypto-used read-back; do probe data $use /run/$use; done
[ ! -e /run/crypto-failed ]
"""

_MEMORY = """
memory() {
    sync
    echo 3 >/proc/sys/vm/drop_caches
    for cache in /sys/kernel/slab/*/shrink; do echo 1 >$cache; done
    cat /proc/meminfo | probe data memory-$1
}
"""

# With SAs that use the driver it cannot go; without, as soon as what is under way has ended.
_RELOAD = f"""
{_MEMORY}
refused=0
reload() {{
    [ $(($1 % 10)) = 0 ] && tests=N || tests=Y
    echo $tests >/sys/module/cryptomgr/parameters/notests
    insmod /job/firesteel.ko
    renew
    sleep 0.03
    ! rmmod firesteel 2>/dev/null
    [ $1 != {ROUNDS} ] || tell
    ip xfrm state flush
    until rmmod firesteel 2>/dev/null; do refused=$((refused + 1)); done
    renew
    sleep 0.03
}}
for round in $(seq {ROUNDS}); do
    reload $round
    [ $round != {_SETTLED} ] || memory before
done
memory after
echo $refused | probe data refused
"""


# What uses a device goes on in software when it is gone; new associations use it again.
_UNPLUG = f"""
{LOAD}
{_MEMORY}
cd /sys/bus/pci/drivers/firesteel
devices=$(echo 0000:*)
unplug() {{
    for device in $devices; do echo $device >unbind; done
    sleep 0.02
    for device in $devices; do echo $device >bind; done
    renew
    sleep 0.03
}}
for round in $(seq {ROUNDS}); do
    unplug
    [ $round != {_SETTLED} ] || memory before
done
tell
memory after
"""


def renewing(here: str, there: str, suite: str) -> str:
    """A shell function that replaces the associations; the policies stay."""
    lines = associations(here, there, suite).splitlines()
    states = [line for line in lines if line.startswith("ip xfrm state")]
    return "\n".join(["renew() {", "ip xfrm state flush", *states, "}\n"])


@pytest.fixture(scope="module")
def driver() -> JobFile:
    return JobFile(Products().driver().read_bytes())


def under_traffic(bench: Bench, driver: JobFile, suite: str, torture: str) -> KeptRun:
    """Run the shell lines `torture` on the board while files go over IPsec; `renew` is there."""
    board = PREPARE + associations(BOARD, PEER, suite) + renewing(BOARD, PEER, suite)
    board += f"tell() {{\n{TELL}\n}}\n" + await_node(PEER) + exchange_files(PEER)
    board += _CRYPTO_USER + _DISK_USER + torture + stop_exchange() + release(PEER) + _AFTERWARDS
    return bench.run(
        load_topology("host-host"),
        {"board": board, "peer": associations(PEER, BOARD, suite) + serve_files()},
        {"board": {"/job/firesteel.ko": driver}},
        {"board": load_profile("socrates-hash"), "peer": load_profile("peer")},
    )


def kib(run: KeptRun, when: str, name: str) -> int:
    """A line of /proc/meminfo."""
    (value,) = re.findall(rf"^{name}: +(\d+) kB$", run.text("board", f"memory-{when}"), re.M)
    return int(value)


@pytest.fixture(scope="module", params=("reload", "unplug"))
def tortured(bench: Bench, driver: JobFile, request: pytest.FixtureRequest) -> KeptRun:
    suite, torture = {"reload": ("cbc-sha256", _RELOAD), "unplug": ("gcm", _UNPLUG)}[request.param]
    return under_traffic(bench, driver, suite, torture)


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
    assert len(read_back) > ROUNDS // 2
    assert set(read_back) == {digest}


def test_the_driver_was_in_use_to_the_end(tortured: KeptRun) -> None:
    told = Told(tortured)
    assert sum(told.requests("hardware").values()) > 100
    assert told.queues()["in-service"] == 2


def test_no_memory_is_lost(tortured: KeptRun) -> None:
    """A device has 2 MiB of buffers; the kernel's own use goes up and down by some 100 KiB."""
    for name, limit in (("MemFree", -1024), ("SUnreclaim", -256), ("VmallocUsed", -256)):
        sign = 1 if name == "MemFree" else -1
        assert sign * (kib(tortured, "after", name) - kib(tortured, "before", name)) > limit
