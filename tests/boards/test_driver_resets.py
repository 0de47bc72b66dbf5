# SPDX-License-Identifier: Apache-2.0
"""Cores that are reset or lose power for a moment, in the middle of what they do, over and over.

A core that comes back is idle and shows no error.  The module cryptobench compares every result
with software's: one that the driver believed though the core had done nothing ends a run.
"""

import os
from typing import Literal

import pytest
from bench import Bench, on_flat
from driver_run import PREPARE, TELL, Told

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

REQUESTS = int(os.environ.get("FIRESTEEL_REQUESTS", "100"))
"""Of each run of cryptobench, of which a board makes 108."""

_CIPHER = "kind=cipher key=32 head=52 size={size}"
_GCM = (
    "kind=aead key=36 ad=16 head=52 size={size} algorithm=rfc4106-gcm-aes-firesteel "
    "reference=rfc4106(gcm_base(ctr(aes-generic),ghash-generic))"
)
_AUTHENC = (
    "kind=aead key=32 auth_key=32 ad=16 head=52 size={size} "
    "algorithm=authenc-hmac-sha256-cbc-aes-firesteel "
    "reference=authenc(hmac(sha256-generic),cbc(aes-generic))"
)
_KINDS = (
    f"{_CIPHER} algorithm=cbc-aes-firesteel reference=cbc(aes-generic)",
    f"{_CIPHER} algorithm=ctr-aes-firesteel reference=ctr(aes-generic)",
    "kind=cipher key=64 size={size} algorithm=xts-aes-firesteel reference=xts(ecb(aes-generic))",
    _GCM,
    _AUTHENC,
    "kind=hash size={size} algorithm=sha256-firesteel reference=sha256-generic",
    "kind=hash key=32 size={size} algorithm=hmac-sha256-firesteel reference=hmac(sha256-generic)",
)
_SIZES = (64, 1408, 16384)

_IN_SERVICE = "until grep -q 'in-service 1' $queues; do sleep 0.1; done"
"""Shell text that waits until the core is there again: the pauses double."""


def _lines() -> str:
    """Shell lines that make requests of all kinds, and say which run was wrong."""
    lines = []
    for completion in ("irq", "poll", "adaptive"):
        lines.append(f"echo {completion} >/sys/module/firesteel/parameters/completion")
        for kind in _KINDS:
            for size in _SIZES:
                for decrypt in (0, 1) if "kind=hash" not in kind else (0,):
                    in_flight = 1 if size == 64 else 16
                    settings = (
                        f"{kind.format(size=size)} decrypt={decrypt} "
                        f"requests={REQUESTS} in_flight={in_flight}"
                    )
                    lines.append(_IN_SERVICE)
                    lines.append(
                        f"echo '{settings}' >/proc/cryptobench || "
                        f"echo '{completion} {settings}' >>/run/wrong"
                    )
    return "\n".join(lines)


_JOB = f"""
{PREPARE}
echo Y > /sys/module/cryptomgr/parameters/notests
modprobe -a authenc uio cryptobench
insmod /job/firesteel.ko minimum=0
until [ $(cut -d. -f1 /proc/uptime) -ge 5 ]; do sleep 0.1; done
queues=/sys/kernel/debug/firesteel/queues
>/run/wrong
{_lines()}
probe data wrong /run/wrong
{TELL}
rmmod cryptobench
rmmod firesteel
dmesg | probe data dmesg
"""


def _board(bus: Literal["pci", "sysbus"], for_ns: int) -> Profile:
    """One window with AES and hash, which is gone for a moment once in some hundred jobs."""
    profile = on_flat("socrates-hash")
    # the driver has measured the core by then
    fault = Fault(kind="gone", rate=1200, from_ms=5000, for_ns=for_ns, within_ns=60_000)
    core = profile.cores[0].model_copy(update={"bus": bus, "pk": False, "faults": (fault,)})
    return profile.model_copy(update={"cores": (core,)})


@pytest.mark.parametrize(
    ("bus", "for_ns"),
    [("pci", 1000), ("sysbus", 30_000), ("pci", 1_000_000)],
)
def test_nothing_is_believed_of_a_core_that_was_reset(
    bench: Bench, bus: Literal["pci", "sysbus"], for_ns: int
) -> None:
    run = bench.run(
        load_topology("one-board"),
        {"board": _JOB},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": _board(bus, for_ns)},
    )
    told = Told(run)
    assert run.text("board", "wrong") == ""
    # some strike when nothing is under way: the next job then finds a core that works on no lists
    assert 3 <= told.queues()["vanished"] <= told.cores("fault_gone")
    assert told.requests("failed") != {}
    assert sum(told.requests("hardware").values()) >= 50 * REQUESTS
    told.assert_quiet()
