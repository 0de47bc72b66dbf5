# SPDX-License-Identifier: Apache-2.0
"""Requests of one transform complete in the order in which they were submitted.

guest/order/ submits them, more at a time than the driver has commands, of sizes for the core and
for software; cores fail and are reset meanwhile.
"""

import pytest
from bench import Bench, on_flat, with_fault
from driver_run import TELL, Told
from guest_module import MODULES, build_module
from order_outcome import Outcome, outcomes

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

COUNT = 4000

_JOB = """
mount -t debugfs none /sys/kernel/debug
modprobe -a authenc uio
insmod /job/firesteel.ko {driver}
until [ $(cut -d. -f1 /proc/uptime) -ge 3 ]; do sleep 0.1; done
insmod /job/order.ko count={count} {options}
{tell}
rmmod order
rmmod firesteel
dmesg | probe data dmesg
"""

FAULTS = (
    None,
    Fault(kind="dma-error", rate=100),
    Fault(kind="gone", rate=300, for_ns=30_000, within_ns=60_000),
    Fault(kind="late", rate=20, factor=100),
)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> JobFile:
    directory = tmp_path_factory.mktemp("module")
    return JobFile(build_module(Products(), "order", MODULES / "order", directory))


def _run(
    bench: Bench,
    module: JobFile,
    *,
    count: int,
    options: str = "",
    fault: Fault | None = None,
    faster: int = 1,
    driver: str = "",
) -> tuple[Outcome, Told]:
    """`faster` is by how much the processor is faster than the board's own."""
    profile = on_flat("socrates-hash")
    rate = faster * profile.cpu.rate
    cpu = profile.cpu.model_copy(update={"instructions_per_second": rate})
    # the driver has measured the core by then
    late = fault.model_copy(update={"from_ms": 3000}) if fault else None
    files = {
        "/job/firesteel.ko": JobFile(Products().driver().read_bytes()),
        "/job/order.ko": module,
    }
    run = bench.run(
        load_topology("one-board"),
        {"board": _JOB.format(count=count, options=options, driver=driver, tell=TELL)},
        {"board": files},
        {"board": with_fault(profile, late).model_copy(update={"cpu": cpu})},
    )
    (outcome,) = outcomes(run.text("board", "dmesg"))
    return outcome, Told(run)


@pytest.mark.matrix
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind if fault else "none")
def test_no_request_overtakes_another(parts: Bench, module: JobFile, fault: Fault | None) -> None:
    outcome, told = _run(parts, module, count=COUNT, fault=fault)
    assert outcome[:4] == (COUNT, 0, 0, 0)
    # all ways of a request were taken
    assert outcome.busy > 0 < outcome.at_once
    assert told.requests("software-small") != {} != told.requests("hardware")
    assert told.queues()["backlogged"] > 0
    assert (told.requests("failed") != {}) == (fault is not None and fault.kind != "late")
    told.assert_quiet()


def test_software_overtakes_nothing_when_the_backlog_is_full(parts: Bench, module: JobFile) -> None:
    """More requests at a time than the backlog takes: software does the rest, in order.  Only a
    fast processor submits so many before the core has done the first; it would do all by itself.
    """
    outcome, told = _run(
        parts,
        module,
        count=6000,
        options="window=1400 held_back=0",
        faster=20,
        driver="minimum=0",
    )
    assert outcome[:4] == (6000, 0, 0, 0)
    assert told.requests("software-full") != {} != told.requests("hardware")
    told.assert_quiet()


def test_a_refused_tag_overtakes_nothing(parts: Bench, module: JobFile) -> None:
    """Software looks again at what the core refuses; it ends in its order all the same."""
    options = "aead=1 'algorithm=gcm(aes)'"
    outcome, told = _run(parts, module, count=2000, options=options)
    assert outcome[:4] == (2000, 0, 0, 0)
    assert outcome.refused == 400
    assert told.requests("tag-recheck") != {} != told.requests("hardware")
    told.assert_quiet()


@pytest.mark.parametrize("entry", [8, 16])
@pytest.mark.parametrize("options", ["", "aead=1 'algorithm=gcm(aes)'"], ids=["cbc", "gcm"])
def test_lists_of_tiny_entries_are_right(
    parts: Bench, module: JobFile, options: str, entry: int
) -> None:
    """The core has a descriptor for each entry; software does what has more than a command."""
    options = f"{options} entry={entry}"
    outcome, told = _run(parts, module, count=1800, options=options, driver="minimum=0")
    assert outcome[:4] == (1800, 0, 0, 0)
    assert told.requests("software-shape") != {} != told.requests("hardware")
    told.assert_quiet()


_OWN = "gcm_base(ctr-aes-neonbs,cryptd(ghash-ce-sync))"
"""GCM as the kernel makes it of its fastest code for 32-bit ARM without crypto extensions."""

_SOFTWARE = f"""
modprobe -a aes-arm-bs ghash-arm-ce gcm
for less in 0 8; do
    insmod /job/order.ko count=900 window=900 aead=1 'algorithm={_OWN}' held_back=0 less=$less
    rmmod order
done
dmesg | probe data dmesg
"""


def test_the_kernels_own_software_lets_requests_overtake(parts: Bench, module: JobFile) -> None:
    """Each request takes its turns in the queue of `cryptd`; one of whole blocks takes one less,
    and so ends before others.  No item is used again: all are submitted at once.
    """
    run = parts.run(
        load_topology("one-board"),
        {"board": _SOFTWARE},
        {"board": {"/job/order.ko": module}},
        {"board": on_flat("socrates")},
    )
    whole, mixed = outcomes(run.text("board", "dmesg"))
    assert whole.completed == mixed.completed == 900
    assert whole.overtaken == whole.wrong == mixed.wrong == whole.failed == mixed.failed == 0
    assert mixed.overtaken > 100
