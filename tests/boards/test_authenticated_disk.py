# SPDX-License-Identifier: Apache-2.0
"""dm-crypt above dm-integrity has its tags from the driver: what was written comes back, also when
the core ends in the middle, and sectors that somebody has changed are refused.
"""

from collections.abc import Mapping

import pytest
from bench import Bench, KeptRun, on_flat, with_fault
from driver_run import LOAD, TELL, UNPLUG, Told, await_requests

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.model.cell import Cell
from firesteel.protocols.disk import DM_CRYPT, SCRIPTS
from firesteel.protocols.disk_cipher import DiskCipher
from firesteel.protocols.kernel import KERNEL_SOFTWARE
from firesteel.protocols.site import settings_file

_SIZE = 4 << 20
"""Bytes of the disk."""

_SECTOR = 4096
_SECTORS = _SIZE // _SECTOR
"""Requests to the driver for each time that the disk is written or read."""

_TRIALS = 800
"""Messages that the driver measures with when it is loaded are fewer, but not much."""

SUITES = {"aes-256-gcm:gcm": "gcm-aes", "aes-256-xts:hmac-sha256": "authenc-hmac-sha256-xts-aes"}
"""The driver's algorithm for each."""

MESSAGES = {"aes-256-gcm:gcm": 1, "aes-256-xts:hmac-sha256": 2}
"""That the core is given for a request: AES, and the hash."""

PASSES = {"written": 1, "read": 2}
"""How often the disk was written or read before what the core ends in; at first with zeros."""


def _cipher(suite: str) -> DiskCipher:
    cipher, mac = suite.split(":")
    cell = Cell(
        topology="one-board",
        profiles={"board": "socrates-hash"},
        measured="board",
        protocol=DM_CRYPT.name,
        cipher=cipher,
        mac=mac,
        implementation="software",
        plans=(),
    )
    found = DM_CRYPT.cipher(cell)
    assert found is not None
    return found


_PREPARE = """
set -e
. /job/settings
. /job/kernel-software.sh
. /job/disk.sh
mount -t debugfs none /sys/kernel/debug
head -c $SIZE /dev/zero | openssl enc -chacha20 -nosalt -K 01 -iv 00 >/run/sample 2>/dev/null
sha256sum </run/sample | probe data right
make_memory
read_back() {
    dd if=$DISK bs=65536 iflag=direct | sha256sum | probe data $1
}
"""


_USE = f"""
new_disk {_SECTOR}
dd if=/run/sample of=$DISK bs=65536 oflag=direct
cat /sys/kernel/debug/firesteel/requests | probe data requests-written
read_back came
{TELL}
close_disk
rmmod firesteel
open_disk {_SECTOR}
read_back in-software
close_disk
dmesg | probe data dmesg
"""


def _run(
    bench: Bench,
    suite: str,
    script: str,
    profile: str,
    fault: Fault | None = None,
    software: str = "fastest",
) -> KeptRun:
    cipher = _cipher(suite)
    settings: Mapping[str, str] = {
        "SIZE": str(_SIZE),
        "CIPHER": cipher.spec,
        "KEY": cipher.key.hex(),
        "METADATA": str(cipher.metadata_bytes),
        "KERNEL_SOFTWARE": software,
    }
    files = {
        "/job/firesteel.ko": JobFile(Products().driver().read_bytes()),
        "/job/disk.sh": JobFile((SCRIPTS / "dm-crypt.sh").read_bytes()),
        "/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes()),
        "/job/settings": settings_file(settings),
    }
    return bench.run(
        load_topology("one-board"),
        {"board": _PREPARE + script},
        {"board": files},
        {"board": with_fault(on_flat(profile), fault)},
    )


def _nth(suite: str, ends_in: str) -> int:
    """The message in the middle of a pass over the disk."""
    return _TRIALS + MESSAGES[suite] * (PASSES[ends_in] * _SECTORS + _SECTORS // 2)


def _fault(kind: str, suite: str, ends_in: str) -> Fault | None:
    if kind not in ("dma-error", "gone", "stuck-busy"):
        return None
    return Fault.model_validate({"kind": kind, "nth": _nth(suite, ends_in)})


def _unplug(suite: str, ends_in: str) -> str:
    """Shell lines that do it meanwhile."""
    midway = PASSES[ends_in] * _SECTORS + _SECTORS // 2
    return f"({await_requests(SUITES[suite], midway)}{UNPLUG}) &\n"


@pytest.mark.matrix
@pytest.mark.parametrize("end", ["none", "dma-error", "stuck-busy", "gone", "unplugged"])
@pytest.mark.parametrize("ends_in", PASSES)
@pytest.mark.parametrize("suite", SUITES)
def test_what_was_written_comes_back(bench: Bench, suite: str, ends_in: str, end: str) -> None:
    script = LOAD + (_unplug(suite, ends_in) if end == "unplugged" else "") + _USE
    run = _run(bench, suite, script, "socrates-hash", _fault(end, suite, ends_in))
    right = run.text("board", "right")
    assert run.text("board", "came") == right
    assert run.text("board", "in-software") == right
    told, algorithm = Told(run), SUITES[suite]
    served = told.requests("hardware")[algorithm]
    left = told.requests("software-out-of-service").get(algorithm, 0)
    if end == "none":
        assert left == 0
        assert served >= 3 * _SECTORS
    else:
        assert left > 0
        assert PASSES[ends_in] * _SECTORS < served
        if end in ("gone", "unplugged"):
            assert served < (PASSES[ends_in] + 1) * _SECTORS
        assert told.requests("failed").get(algorithm, 0) > 0 or end == "unplugged"
    told.assert_quiet()


_DEEP = """
new_disk 512
fio --name=deep --filename=$DISK --size=$SIZE $FIO --thread --rw=write --bs=131072 --iodepth=32 \\
    --verify=sha256 --verify_fatal=1 --output=/run/fio
"""

_DEEP_PASS = _SIZE // 512
"""Requests: more than a thousand of them are under way at once."""


@pytest.mark.matrix
@pytest.mark.parametrize("end", ["dma-error", "gone", "unplugged"])
@pytest.mark.parametrize("suite", SUITES)
def test_software_takes_over_thousands_of_requests(bench: Bench, suite: str, end: str) -> None:
    """As installed, where the kernel's own GCM has GHASH by a queue of 1,000 requests."""
    midway = 3 * _DEEP_PASS // 2
    fault = None
    if end != "unplugged":
        nth = _TRIALS + MESSAGES[suite] * midway
        fault = Fault.model_validate({"kind": end, "nth": nth})
    unplug = f"({await_requests(SUITES[suite], midway)}{UNPLUG}) &\n"
    script = LOAD + (unplug if end == "unplugged" else "") + _DEEP
    script += f"{TELL}close_disk\ndmesg | probe data dmesg\n"
    run = _run(bench, suite, script, "socrates-hash", fault, "as-installed")
    told, algorithm = Told(run), SUITES[suite]
    assert told.requests("hardware")[algorithm] > _DEEP_PASS
    # After a bus error the core may soon be back.
    least = 0 if end == "dma-error" else 1000
    assert told.requests("software-out-of-service")[algorithm] > least
    told.assert_quiet()


_FORGE = f"""
new_disk {_SECTOR}
dd if=/run/sample of=$DISK bs=65536 oflag=direct
find_sectors {_SECTOR}
close_disk

# put FILE AT: changes bytes of the disk below.
put() {{
    dd if=$1 of=/dev/ram0 bs=1 seek=$2 conv=notrunc,fsync
}}
# sector NUMBER and tag NUMBER: copies of what is stored of it.
sector() {{
    dd if=/dev/ram0 bs={_SECTOR} skip=$((DATA / 8 + $1)) count=1 iflag=direct
}}
tag() {{
    dd if=/dev/ram0 bs=1 skip=$((METADATA_AT * 512 + $1 * METADATA)) count=$METADATA
}}
# flip: the same with another last bit of the first byte.
flip() {{
    first=$(od -A n -t u1 -N 1 "$1")
    printf "\\\\$(printf %o $((first ^ 1)))" >/run/flipped
    put /run/flipped "$2"
}}
sector 1 >/run/sector
flip /run/sector $((DATA * 512 + 1 * {_SECTOR}))
tag 3 >/run/tag
flip /run/tag $((METADATA_AT * 512 + 3 * METADATA))
tag 5 >/run/tag
tail -c 1 /run/tag >/run/iv
flip /run/iv $((METADATA_AT * 512 + 6 * METADATA - 1))
# What was stored of another sector, whole.
sector 8 >/run/sector
tag 8 >/run/tag
put /run/sector $((DATA * 512 + 7 * {_SECTOR}))
put /run/tag $((METADATA_AT * 512 + 7 * METADATA))

open_disk {_SECTOR}
for number in 0 1 2 3 4 5 6 7 8; do
    if dd if=$DISK bs={_SECTOR} skip=$number count=1 iflag=direct >/run/sector 2>/run/error; then
        wanted=$(dd if=/run/sample bs={_SECTOR} skip=$number count=1 | md5sum)
        if [ "$(md5sum </run/sector)" = "$wanted" ]; then echo whole; else echo spoilt; fi
    else
        sed 's/.*: //' /run/error
    fi
done 2>/dev/null | probe data sectors
close_disk
dmesg | probe data dmesg
"""

_REFUSED = "Invalid or incomplete multibyte or wide character"
"""What the C library calls EILSEQ."""

CHANGED = (1, 3, 5, 7)
"""A sector, its tag, its IV, and one that has another's."""


@pytest.mark.matrix
@pytest.mark.parametrize("implementation", ["software", "hardware", "without a hash core"])
@pytest.mark.parametrize("suite", SUITES)
def test_a_sector_that_was_changed_is_refused(
    bench: Bench, suite: str, implementation: str
) -> None:
    profile = "socrates" if implementation == "without a hash core" else "socrates-hash"
    on_cores = implementation != "software"
    script = LOAD + _FORGE + TELL if on_cores else _FORGE
    run = _run(bench, suite, script, profile)
    expected = [_REFUSED if number in CHANGED else "whole" for number in range(9)]
    assert run.text("board", "sectors").splitlines() == expected
    log = run.text("board", "dmesg")
    for number in CHANGED:
        assert f"INTEGRITY AEAD ERROR, sector {number * _SECTOR // 512}" in log
    if not on_cores:
        return
    told, algorithm = Told(run), SUITES[suite]
    assert told.requests("hardware")[algorithm] > 1000
    checked_by_core = suite == "aes-256-gcm:gcm" or implementation == "hardware"
    # dm-crypt reads such a sector a second time.
    assert told.requests("tag-recheck").get(algorithm, 0) == (8 if checked_by_core else 0)
