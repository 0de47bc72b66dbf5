# SPDX-License-Identifier: Apache-2.0
"""One cell of fault × outcome: IPsec carries TCP and dm-crypt writes while the core fails.

What a board does, in its virtual time since power-on:

1. It loads the driver, which measures the core, and opens two IPsec connections and a disk.
2. For some seconds the fault can strike.  Meanwhile files go over both connections in both
   directions, and to the disk and back; each is checked where it arrives.
3. After the fault it waits until the core is in service, and measures the throughput of all.
4. It closes everything and unloads the driver.

Virtual time is of the board's own work (docs/virtual-time.md).
"""

import re
from dataclasses import dataclass
from functools import cached_property

from bench import Bench, KeptRun, await_node, on_flat, release, with_fault
from driver_run import LOAD, Told
from ipsec_traffic import (
    CONNECTIONS,
    PEER,
    SAMPLE_SIZE,
    connections,
    count_files,
    exchange_files,
    serve_files,
    stop_exchange,
)

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.boards.topology import load_topology

MEASURED = 4 * 1024 * 1024
"""Bytes of each transfer after the fault."""

ALGORITHMS = ("rfc4106-gcm-aes", "authenc-hmac-sha256-cbc-aes", "xts-aes", "cbc-aes")
"""What connections and disks ask for."""

_MEASURE_PORT = 6000


@dataclass(frozen=True)
class Kernel:
    """What a cell wants of the kernel that it runs on."""

    prepare: str = "mount -t debugfs none /sys/kernel/debug\n"
    """Shell lines with which the job begins."""

    collect: str = ""
    """Shell lines with which it ends."""

    fault_ms: tuple[int, int] = (5_000, 8_500)
    """From when until when the fault can strike."""

    traffic_s: int = 6
    """When files begin to go; the fault begins earlier, so that no boot is too long for it."""

    hung_after_s: int = 3
    """A task that does nothing for so long hangs."""


IMAGE_KERNEL = Kernel()

# Before the associations, as they take what is there then; so does `verify`.
_LOAD = f"""
echo %(hung)d >/proc/sys/kernel/hung_task_timeout_secs
echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
{LOAD}
echo %(verify)d >/sys/module/firesteel/parameters/verify
"""

_SETUP = """
modprobe brd rd_nr=2 rd_size=4096 max_part=0
open_disk() {
    echo "0 8192 crypt $2 $3 0 /dev/ram$1 0" |
        dmsetup create --noudevrules --noudevsync disk$1
}
open_disk 0 aes-xts-plain64 $(printf %0128d 7)
open_disk 1 aes-cbc-essiv:sha256 $(printf %064d 7)
memory() {
    echo 3 >/proc/sys/vm/drop_caches
    cat /proc/meminfo | probe data memory-$1
}
now() {
    cut -d. -f1 /proc/uptime
}
until [ $(now) -ge $traffic ]; do sleep 0.1; done
"""

_DISKS = """
use_disk() {
    until [ -e /run/stop ]; do
        dd if=/run/sample of=/dev/dm-$1 bs=65536 oflag=direct || echo error >>/run/disk-errors
        dd if=/dev/dm-$1 bs=65536 count=4 iflag=direct | md5sum >>/run/read-back
    done 2>/dev/null
}
use_disk 0 &
use_disk 1 &
"""

_WAIT = f"""
until [ $(($(now) * 1000)) -ge $until ]; do sleep 0.1; done
probe mark fault.end
cat /run/digest /run/read-back | probe data read-back
{stop_exchange()}
tries=300
until grep -q 'in-service 1' /sys/kernel/debug/firesteel/queues; do
    tries=$((tries - 1))
    [ $tries != 0 ]
    sleep 0.1
done
cat /sys/kernel/debug/firesteel/requests | probe data requests
cat /sys/kernel/debug/firesteel/queues | probe data queues
probe mark told
"""

_CLOSE = """
for disk in 0 1; do dmsetup remove --noudevrules --noudevsync disk$disk; done
ip xfrm policy flush
ip xfrm state flush
tries=100
until rmmod firesteel; do
    tries=$((tries - 1))
    [ $tries != 0 ]
    sleep 0.1
done
rmmod brd
memory after
[ ! -e /run/disk-errors ] || probe data disk-errors /run/disk-errors
dmesg | probe data dmesg
"""


def _measure() -> str:
    """Shell lines of the board: each transfer and each disk between two marks."""
    lines = []
    for lane, (suite, base) in enumerate(CONNECTIONS.items()):
        port = _MEASURE_PORT + lane
        lines.append(f"probe mark {suite}.begin\n")
        lines.append(f"[ $(nc {base}.2 {port} <&4 | wc -c) = {MEASURED} ]\n")
        lines.append(f"probe mark {suite}.end\n")
    for disk, cipher in enumerate(("xts", "essiv")):
        lines.append(f"probe mark {cipher}.begin\n")
        for way in (
            f"if=/dev/zero of=/dev/dm-{disk} oflag",
            f"if=/dev/dm-{disk} of=/dev/null iflag",
        ):
            lines.append(f"dd {way}=direct bs=65536 count={MEASURED // 65536} 2>/dev/null\n")
        lines.append(f"probe mark {cipher}.end\n")
    return "".join(lines)


MEASURES = (*CONNECTIONS, "xts", "essiv")
"""What throughput is measured of after the fault; a disk is written and read."""


def _peer() -> str:
    serve = "".join(
        f"head -c {MEASURED} /dev/zero | nc -l -p {_MEASURE_PORT + lane} >/dev/null &\n"
        for lane in range(len(CONNECTIONS))
    )
    return connections(2, 1) + serve + serve_files(len(CONNECTIONS))


@dataclass(frozen=True)
class Outcome:
    """What came of a cell."""

    run: KeptRun
    fault: Fault | None
    kernel: Kernel

    @cached_property
    def files(self) -> tuple[int, int]:
        """Files that came over IPsec, and as many that were spoilt."""
        counts = [count_files(self.run.text(node, "digests")) for node in ("board", "peer")]
        return sum(whole for whole, _ in counts), sum(spoilt for _, spoilt in counts)

    @cached_property
    def disks(self) -> tuple[int, int]:
        """Files that came back from the disks, and as many that were spoilt or not written."""
        whole, spoilt = count_files(self.run.text("board", "read-back"))
        errors = self.run.run.nodes["board"].data.get("disk-errors", b"").count(b"error")
        return whole, spoilt + errors

    @property
    def struck(self) -> int:
        """How often the fault struck, as the device counts it."""
        if self.fault is None:
            return 0
        return Told(self.run).cores(f"fault_{self.fault.kind.replace('-', '_')}")

    @property
    def struck_later(self) -> int:
        """How often it struck after its time."""
        if self.fault is None:
            return 0
        counter = f"fault_{self.fault.kind.replace('-', '_')}"
        marks = self.run.run.nodes["board"]
        (window,) = marks.mark("power-off").cores.values()
        return window[counter] - self.struck

    @property
    def served(self) -> dict[str, int]:
        """Requests to each algorithm in use that went to the core."""
        served = Told(self.run).requests("hardware")
        return {algorithm: served[algorithm] for algorithm in ALGORITHMS}

    def ways(self, way: str) -> int:
        """Requests that went one way."""
        return sum(Told(self.run).requests(way).values())

    @property
    def queues(self) -> dict[str, int]:
        """The driver's counters."""
        return Told(self.run).queues()

    @property
    def reports(self) -> list[str]:
        """What the kernel's log says that it should not."""
        return Told(self.run).reports()

    @property
    def warnings(self) -> int:
        """How often the log says that a core is faulty."""
        return self.run.text("board", "dmesg").count("in software until it has recovered")

    def memory(self, name: str) -> int:
        """A line of /proc/meminfo after the driver was unloaded, in KiB."""
        text = self.run.text("board", "memory-after")
        (value,) = re.findall(rf"^{name}: +(\d+) kB$", text, re.MULTILINE)
        return int(value)

    def throughput(self, measure: str) -> float:
        """After the fault, in MB/s of virtual time."""
        node = self.run.run.nodes["board"]
        took = node.mark(f"{measure}.end").time_ns - node.mark(f"{measure}.begin").time_ns
        return MEASURED * (1 if measure in CONNECTIONS else 2) * 1000 / took

    def during(self) -> tuple[float, float]:
        """MB/s over IPsec and to and from the disks while the fault could strike."""
        seconds = self.kernel.fault_ms[1] / 1000 - self.kernel.traffic_s
        sizes = (self.files[0] * SAMPLE_SIZE, 2 * self.disks[0] * SAMPLE_SIZE)
        over_ipsec, on_disks = (size / seconds / 1e6 for size in sizes)
        return over_ipsec, on_disks


def run_cell(
    bench: Bench,
    driver: JobFile,
    fault: Fault | None,
    verify: bool = False,
    kernel: Kernel = IMAGE_KERNEL,
) -> Outcome:
    """Run one cell; without a fault: what others are compared with.

    `verify`: the driver compares every result with software's.
    """
    begin, end = kernel.fault_ms
    time = {"from_ms": begin, "until_ms": end}
    planted = fault and fault.model_copy(update=time)
    load = _LOAD % {"verify": verify, "hung": kernel.hung_after_s}
    board = f"traffic={kernel.traffic_s}\nuntil={end}\n{kernel.prepare}{load}"
    board += connections(1, 2) + await_node(PEER) + _SETUP
    board += exchange_files(*(f"{base}.2" for base in CONNECTIONS.values())) + _DISKS + _WAIT
    board += _measure() + release(PEER) + _CLOSE + kernel.collect
    run = bench.run(
        load_topology("host-host"),
        {"board": board, "peer": _peer()},
        {"board": {"/job/firesteel.ko": driver}},
        {
            "board": with_fault(on_flat("socrates-hash"), planted),
            "peer": load_profile("peer"),
        },
    )
    return Outcome(run, fault, kernel)
