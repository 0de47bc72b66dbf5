# SPDX-License-Identifier: Apache-2.0
"""Adiantum of the kernel: dm-crypt takes the fastest code for each of its parts by itself."""

import pytest
from bench import Bench, KeptRun, on_flat

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.protocols.kernel import KERNEL_SOFTWARE
from firesteel.protocols.pki import derive
from firesteel.protocols.window import busy_between, mark_of

pytestmark = pytest.mark.thorough

FASTEST = "adiantum(xchacha12-neon,aes-arm,nhpoly1305-neon)"

SLOWER = (
    "adiantum(xchacha12-arm,aes-arm,nhpoly1305-neon)",
    "adiantum(xchacha12-generic,aes-arm,nhpoly1305-neon)",
    "adiantum(xchacha12-neon,aes-generic,nhpoly1305-neon)",
    "adiantum(xchacha12-neon,aes-fixed-time,nhpoly1305-neon)",
    "adiantum(xchacha12-neon,aes-arm,nhpoly1305-generic)",
)
"""The same with each part by the other code that the kernel has."""

SIZE = 1 << 20
"""Bytes of the disk."""

TABLE = f"0 {SIZE // 512} crypt %s {derive('adiantum', 32).hex()} 0 /dev/ram0 0 1 sector_size:4096"

OPEN = """
open_disk() {
    echo "$1" | dmsetup create disk --noudevrules --noudevsync
}
"""


def _disk(number: int, spec: str) -> str:
    """A disk that is written and read; afterwards it is closed."""
    return f"""
open_disk "{TABLE % spec}"
dd if=/dev/dm-0 of=/dev/null bs=64K iflag=direct
probe run read-{number} dd if=/dev/dm-0 of=/dev/null bs=64K iflag=direct
probe run write-{number} dd if=/run/written of=/dev/dm-0 bs=64K oflag=direct
sed -n 's/^driver *: \\(adiantum(.*\\)/\\1/p' /proc/crypto | probe data code-{number}
dd if=/dev/dm-0 bs=64K iflag=direct | sha256sum | probe data came-{number}
dmsetup remove disk --noudevrules --noudevsync
dd if=/dev/ram0 bs=64K iflag=direct | sha256sum | probe data raw-{number}
"""


def _busy(run: KeptRun, window: str) -> int:
    node = run.run.nodes["board"]
    return busy_between(mark_of(node, f"{window}.begin"), mark_of(node, f"{window}.end"))


def test_dm_crypt_takes_the_fastest_code_for_each_part(bench: Bench) -> None:
    """All code makes the same of the disk, so a name stands for what it says."""
    specs = ["xchacha12,aes-adiantum-plain64", *(f"capi:{name}-plain64" for name in SLOWER)]
    script = f"""
set -e
KERNEL_SOFTWARE=fastest
. /job/kernel-software.sh
modprobe aes_ti
modprobe brd rd_nr=1 rd_size={SIZE >> 10} max_part=0
head -c {SIZE} /dev/zero | openssl enc -chacha20 -nosalt -K 01 -iv 00 2>/dev/null |
    tee /run/written | sha256sum | probe data written
dd if=/dev/zero of=/dev/ram0 bs=64K oflag=direct count={SIZE >> 16}
{OPEN}{"".join(_disk(number, spec) for number, spec in enumerate(specs))}"""
    run = bench.run(
        load_topology("one-board"),
        {"board": script},
        {"board": {"/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes())}},
        {"board": on_flat("socrates")},
    )
    assert run.text("board", "code-0").split() == [FASTEST]
    assert run.text("board", "came-0") == run.text("board", "written")
    for number, name in enumerate(SLOWER, 1):
        assert name in run.text("board", f"code-{number}").split()
        assert run.text("board", f"came-{number}") == run.text("board", "written")
        assert run.text("board", f"raw-{number}") == run.text("board", "raw-0")
        for way in ("read", "write"):
            # A part may be so small, or the scheduler's tick fall into one of both.
            assert _busy(run, f"{way}-0") < _busy(run, f"{way}-{number}") * 1.01, (way, name)
