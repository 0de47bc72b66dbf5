# SPDX-License-Identifier: Apache-2.0
"""The run of two boards that most board tests look at, since booting is what costs.

    board 10.0.0.1 ──── 100 Mbit/s, 20 µs ──── 10.0.0.2 peer

The board pings with small and large packets, sends and fetches a TCP stream, and exercises the
probe; then it lets the peer go.
"""

import random
import struct

from bench import SERVE, Bench, KeptRun, await_node, on_flat, release, two_hosts

from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile

BOARD = on_flat("socrates")
"""Its clock counts instructions, so that times follow from counts; test_cycles.py has the other."""

PEER = "10.0.0.2"
PINGS = 5
PING_SIZES = (56, 1000)

DATA = {
    f"data-{size}": random.Random(size).randbytes(size) for size in (0, 1, 2, 3, 5, 1023, 65537)
}
"""Items that the guest sends back through the probe, by name."""

STALL_NS = 123_456_789

LOOPS = 30_000_000
"""Turns of the busy program; each is two instructions."""

_CODE = (
    0xE59F0010,  # ldr r0, count
    0xE2500001,  # loop: subs r0, r0, #1
    0x1AFFFFFD,  # bne loop
    0xE3A07001,  # mov r7, #1 (exit)
    0xE3A00000,  # mov r0, #0
    0xEF000000,  # svc 0
    LOOPS,  # count:
)

# A sender of iperf3 that has sent a given number of bytes loops until its second is over. A peer
# that is so fast executes 10^11 instructions meanwhile, so it sends for a given time.
_SCRIPT = f"""
{await_node(PEER)}
probe mark ping.begin
for size in {" ".join(map(str, PING_SIZES))}; do
    ping -n -i 0.01 -c {PINGS} -s $size {PEER} | probe data ping-$size
done
probe mark ping.end

iperf3 -c {PEER} -n 6M -J | probe data tcp-sent
iperf3 -c {PEER} -t 1 -R -J | probe data tcp-fetched

for item in {" ".join(DATA)}; do
    probe data $item /job/$item
done
probe mark stall.begin
probe stall {STALL_NS}
probe mark stall.end
probe run busy /job/busy
{release(PEER)}
"""


def pair_run(bench: Bench) -> KeptRun:
    """Run it once."""
    files = {f"/job/{name}": JobFile(content) for name, content in DATA.items()}
    files["/job/busy"] = JobFile(_busy_program(), 0o755)
    return bench.run(
        two_hosts(),
        {"board": _SCRIPT, "peer": f"iperf3 -s -D\n{SERVE}"},
        {"board": files},
        {"board": BOARD, "peer": load_profile("peer")},
    )


def _busy_program() -> bytes:
    """A static ARM program that counts down and exits: 2 × LOOPS + 4 instructions."""
    base, header = 0x10000, 52 + 32
    code = struct.pack(f"<{len(_CODE)}I", *_CODE)
    size = header + len(code)
    elf = b"\x7fELF\x01\x01\x01" + bytes(9)
    elf += struct.pack(
        "<HHIIIIIHHHHHH", 2, 40, 1, base + header, 52, 0, 0x05000000, 52, 32, 1, 0, 0, 0
    )
    elf += struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5, 0x10000)
    return elf + code
