# SPDX-License-Identifier: Apache-2.0
"""The Linux driver comes and goes while it is in use.

Files go over IPsec in both directions all the time, an encrypted disk is opened, used and closed,
and another user of the kernel's crypto does the same with transforms.
"""

import re

from bench import Bench, KeptRun, await_node, on_flat, release
from driver_run import LOAD, TELL
from ipsec_traffic import (
    BOARD,
    PEER,
    associations,
    exchange_files,
    serve_files,
    stop_exchange,
)

from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology

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
    # a cache may go meanwhile
    for cache in /sys/kernel/slab/*/shrink; do echo 1 >$cache || true; done 2>/dev/null
    for sample in $(seq 10); do
        cat /proc/meminfo
        sleep 0.05
    done | probe data memory-$1
}
"""
"""Packets under way take some MiB, now more, now less: of ten samples the least is taken."""


def renewing(here: str, there: str, suite: str) -> str:
    """A shell function that replaces the associations; the policies stay."""
    lines = associations(here, there, suite).splitlines()
    states = [line for line in lines if line.startswith("ip xfrm state")]
    return "\n".join(["renew() {", "ip xfrm state flush", *states, "}\n"])


def reload(rounds: int) -> str:
    """Shell lines that load and unload the driver; the last time they let it tell.

    With associations that use it, it cannot go; without, as soon as what is under way has ended.
    A connection keeps its route, and by it the associations, until it sends again; one that only
    receives does so no more without associations, so that they come back for a moment.  The other
    end waits twice as long each time it tries in vain, up to two minutes: so does the moment.
    """
    settled = min(10, rounds // 2)
    return f"""
{_MEMORY}
modprobe -a authenc uio
refused=0
refresh() {{
    renew
    sleep $((moment / 1000)).$(printf %03d $((moment % 1000)))
    ip xfrm state flush
    [ $moment -gt 120000 ] || moment=$((moment * 2))
}}
reload() {{
    [ $(($1 % 10)) = 0 ] && tests=N || tests=Y
    echo $tests >/sys/module/cryptomgr/parameters/notests
    insmod /job/firesteel.ko user=last
    renew
    sleep 0.03
    rmmod firesteel 2>/dev/null && exit 1
    [ $1 != {rounds} ] || tell
    ip xfrm state flush
    moment=30
    until rmmod firesteel 2>/dev/null; do
        refused=$((refused + 1))
        sleep 0.01
        [ $((refused % 50)) != 0 ] || refresh
    done
    renew
    sleep 0.03
}}
for round in $(seq {rounds}); do
    reload $round
    [ $round != {settled} ] || memory before
done
memory after
echo $refused | probe data refused
"""


def unplug(rounds: int) -> str:
    """Shell lines that take the devices from the driver and give them back.

    What uses a device goes on in software when it is gone; new associations use it again.
    """
    settled = min(10, rounds // 2)
    return f"""
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
for round in $(seq {rounds}); do
    unplug
    [ $round != {settled} ] || memory before
done
tell
memory after
"""


def under_traffic(
    bench: Bench, driver: JobFile, suite: str, torture: str, frame: tuple[str, str]
) -> KeptRun:
    """Run the shell lines `torture` on the board under traffic over IPsec.

    `frame` are the shell lines before and after all else.
    """
    board = frame[0] + associations(BOARD, PEER, suite) + renewing(BOARD, PEER, suite)
    board += f"tell() {{\n{TELL}\n}}\n" + await_node(PEER) + exchange_files(PEER)
    board += _CRYPTO_USER + _DISK_USER + torture + stop_exchange() + release(PEER) + _AFTERWARDS
    board += frame[1]
    return bench.run(
        load_topology("host-host"),
        {"board": board, "peer": associations(PEER, BOARD, suite) + serve_files()},
        {"board": {"/job/firesteel.ko": driver}},
        {"board": on_flat("socrates-hash"), "peer": load_profile("peer")},
    )


def used(run: KeptRun, when: str, name: str) -> int:
    """The least of what a line of /proc/meminfo says is used in KiB, up to a constant."""
    samples = re.findall(rf"^{name}: +(\d+) kB$", run.text("board", f"memory-{when}"), re.M)
    return min(-int(sample) if name == "MemFree" else int(sample) for sample in samples)
