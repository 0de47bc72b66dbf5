# SPDX-License-Identifier: Apache-2.0
"""dm-crypt without its work queues and with sectors of 4,096 bytes: what was written comes back,
also when the core ends in the middle.
"""

import pytest
from bench import Bench, on_flat, with_fault
from driver_run import LOAD, TELL, UNPLUG, Told, await_requests, ends_at

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.protocols.pki import derive

_SIZE = 4 << 20
"""Bytes of the disk."""

OPTIONS = {
    "no-queues": ("no_read_workqueue no_write_workqueue", 512),
    "large-sectors": ("sector_size:4096", 4096),
    "both": ("no_read_workqueue no_write_workqueue sector_size:4096", 4096),
}
"""Of dm-crypt, and the bytes of a sector."""

_TRIALS = 800
"""Messages that the driver measures with when it is loaded are fewer, but not much."""

_MIDWAY = 512
"""Sectors that the core has had by then; the disk has at least 1,024."""


def _script(options: str, unplug: str) -> str:
    count = len(options.split())
    return f"""
set -e
mount -t debugfs none /sys/kernel/debug
modprobe dm-crypt
modprobe brd rd_nr=1 rd_size={_SIZE >> 10} max_part=0
head -c {_SIZE} /dev/zero | openssl enc -chacha20 -nosalt -K 01 -iv 00 >/run/sample 2>/dev/null
sha256sum </run/sample | probe data right
open_disk() {{
    echo "0 {_SIZE // 512} crypt aes-xts-plain64 {derive("disk", 64).hex()} 0 /dev/ram0 0 {count} \\
        {options}" | dmsetup create disk --noudevrules --noudevsync
}}
close_disk() {{ dmsetup remove disk --noudevrules --noudevsync; }}
read_back() {{ dd if=/dev/dm-0 bs=65536 iflag=direct | sha256sum | probe data $1; }}
{LOAD}
echo 0 >/sys/module/firesteel/parameters/minimum
open_disk
{unplug}
dd if=/run/sample of=/dev/dm-0 bs=65536 oflag=direct
read_back came
{TELL}
close_disk
rmmod firesteel
open_disk
read_back in-software
close_disk
dd if=/dev/ram0 bs=65536 iflag=direct | sha256sum | probe data raw
dmesg | probe data dmesg
"""


ENDS = {"none": None, **ends_at(_TRIALS + _MIDWAY)}


@pytest.mark.matrix
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_what_was_written_comes_back(bench: Bench, option: str, end: str) -> None:
    options, sector = OPTIONS[option]
    unplug = f"({await_requests('xts-aes', _MIDWAY)}{UNPLUG}) &\n" if end == "unplugged" else ""
    run = bench.run(
        load_topology("one-board"),
        {"board": _script(options, unplug)},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": with_fault(on_flat("socrates-hash"), ENDS[end])},
    )
    right = run.text("board", "right")
    assert run.text("board", "came") == right
    assert run.text("board", "in-software") == right
    assert run.text("board", "raw") != right
    told = Told(run)
    served = told.requests("hardware")["xts-aes"]
    stopped = told.requests("software-out-of-service").get("xts-aes", 0)
    if end == "none":
        assert stopped == 0
        assert served >= 2 * _SIZE // sector
    else:
        assert served >= _MIDWAY
        # after a bus error the core may soon be back
        assert stopped > 0 or end == "bus error"
    told.assert_quiet()
