# SPDX-License-Identifier: Apache-2.0
"""fscrypt with the driver loaded: the kernel keeps it from drivers of crypto devices."""

import re

import pytest
from bench import Bench, on_flat
from driver_run import LOAD, TELL, Told

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.protocols.disk import SCRIPTS
from firesteel.protocols.pki import derive

pytestmark = pytest.mark.thorough

_SIZE = 1 << 20
"""Bytes of the file."""

_SCRIPT = f"""
set -e
SIZE={_SIZE}
ENCRYPTED=1
. /job/disk.sh
mount -t debugfs none /sys/kernel/debug
{LOAD}
cat /sys/kernel/debug/firesteel/requests | probe data before
make_memory
new_disk 4096
head -c $SIZE /dev/zero | openssl enc -chacha20 -nosalt -K 01 -iv 00 2>/dev/null |
    tee $DISK | sha256sum | probe data right
sync
echo 3 >/proc/sys/vm/drop_caches
sha256sum <$DISK | probe data came
{TELL}
close_disk
rmmod firesteel
dmesg | probe data dmesg
"""


def test_the_kernel_takes_its_own_code_for_files(bench: Bench) -> None:
    files = {
        "/job/firesteel.ko": JobFile(Products().driver().read_bytes()),
        "/job/disk.sh": JobFile((SCRIPTS / "fscrypt.sh").read_bytes()),
        "/job/key": JobFile(derive("fscrypt", 64)),
    }
    run = bench.run(
        load_topology("one-board"),
        {"board": _SCRIPT},
        {"board": files},
        {"board": on_flat("socrates-hash")},
    )
    assert run.text("board", "came") == run.text("board", "right")
    used = re.findall(r'fscrypt: (\S+) using implementation "(.+)"', run.text("board", "dmesg"))
    assert [mode for mode, _ in used] == ["AES-256-CBC-CTS", "AES-256-XTS"]
    assert not any("firesteel" in implementation for _, implementation in used)
    told = Told(run)
    xts = next(f for f in told.algorithms() if f["driver"] == "xts-aes-firesteel")
    others = [int(f["priority"]) for f in told.algorithms() if f["name"] == "xts(aes)"]
    assert int(xts["priority"]) == max(others), "the kernel knows the driver's, and prefers it"
    assert run.text("board", "before") == run.text("board", "requests")
    told.assert_quiet()
