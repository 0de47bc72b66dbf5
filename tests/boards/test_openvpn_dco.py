# SPDX-License-Identifier: Apache-2.0
"""OpenVPN leaves its packets to the kernel, which has AES-GCM from the driver: files arrive whole
both ways, also when the core ends in the middle, and forged packets are refused.
"""

from pathlib import Path

import pytest
from bench import SERVE, Bench, KeptRun, await_node, on_flat, release, two_hosts, with_fault
from driver_run import LOAD, TELL, UNPLUG, Told, await_requests, ends_at
from guest_program import build_program
from tcp_counters import counters, tell_counters

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.build.artifacts import DCO_MODULES
from firesteel.build.products import Products
from firesteel.protocols import pki

_MEGABYTES = 2
"""Of a file."""

_MIDWAY = 1_000
"""Packets that the core has had by then, of some 3,000 of two files."""

_TRIALS = 500
"""Messages that the driver measures with when it is loaded are fewer, but not much."""

_PLACES = 3
"""In which the program forge changes a byte."""

_ENDS = {"board": ("10.0.0.1", "10.1.0.1"), "peer": ("10.0.0.2", "10.1.0.2")}
"""Of each node the address on the wire, and the one in the tunnel."""

_BOARD, _PEER = (inside for _, inside in _ENDS.values())


def _tunnel(here: str, there: str, role: str, over: str) -> str:
    (own, inside), (other, inside_other) = _ENDS[here], _ENDS[there]
    protocol = "udp4" if over == "udp" else f"tcp4-{role}"
    return f"""
modprobe -a tun udp_tunnel ip6_udp_tunnel
mkdir -p /dev/net
[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
insmod /job/ovpn-dco-v2.ko
openvpn --daemon --cd /job --log /run/openvpn.log --verb 3 --dev tun0 --dev-type tun \\
    --proto {protocol} --local {own} --remote {other} \\
    --topology p2p --ifconfig {inside} {inside_other} --tls-{role} --dh none --ca ca.pem \\
    --cert node.pem --key node.key --data-ciphers AES-256-GCM --tun-mtu 1428
{await_node(inside_other)}
ip -details link show dev tun0 | probe data device
grep -o ovpn_aead_decrypt_wait /proc/kallsyms >/run/batches || true
probe data batches /run/batches
"""


# A node's standard input must not end while it receives: file 4 is for that.
_SAMPLE = f"""
mkfifo /run/open
exec 4<>/run/open
head -c {_MEGABYTES * 1_000_000} /dev/zero |
    openssl enc -chacha20 -nosalt -K 01 -iv 00 >/run/sample 2>/dev/null
sha256sum </run/sample | probe data right
"""

_TELL_LOG = "dmesg | probe data dmesg\n"


def _board(more: str = "", over: str = "udp") -> str:
    return f"""
{_SAMPLE}
mount -t debugfs none /sys/kernel/debug
{LOAD}
nc -l -p 5000 </run/sample >/dev/null &
nc -l -p 5001 <&4 | sha256sum >/run/came &
{_tunnel("board", "peer", "client", over)}
{more}{SERVE}
sleep 0.5
probe data came /run/came
{tell_counters("end")}{TELL}{_TELL_LOG}
"""


def _peer(more: str = "", over: str = "udp") -> str:
    return f"""
{_SAMPLE}
{_tunnel("peer", "board", "server", over)}
{more}
nc {_BOARD} 5001 </run/sample >/dev/null &
sending=$!
nc {_BOARD} 5000 <&4 | sha256sum | probe data came
wait $sending
{release(_BOARD)}
{tell_counters("end")}
"""


_FORGE = f"""
/job/forge eth0 1194 >/run/forge 2>&1 &
forging=$!
until ping -q -c 1 -W 1 -s 1000 {_BOARD} >/dev/null && ! kill -0 $forging 2>/dev/null; do
    sleep 0.1
done
wait $forging
"""

_PACKETS_AMID = 8
"""Packets of a file that are forged while it is sent, so that others are in a batch with them."""

_FORGE_AMID = f"""
for each in $(seq {_PACKETS_AMID}); do
    /job/forge eth0 1194
done >/run/forge 2>&1 &
"""

_MESSAGES = 5
"""Of one kind that the kernel writes within seconds, as two tell of each packet: it counts ten."""

FORGERIES = {"alone": (_FORGE, 1), "amid a file": (_FORGE_AMID, _PACKETS_AMID)}
"""What the peer does, and of how many packets it sends forged copies."""


def _run(
    bench: Bench, module: str, board: str, peer: str, fault: Fault | None = None, forge: bytes = b""
) -> KeptRun:
    products = Products()
    built = products.artifact("openvpn-dco").directory / module
    module_files = {"/job/ovpn-dco-v2.ko": JobFile(built.read_bytes())}
    driver = {"/job/firesteel.ko": JobFile(products.driver().read_bytes())}
    return bench.run(
        two_hosts(),
        {"board": board, "peer": peer},
        {
            "board": {**module_files, **driver, **pki.files("board", 1)},
            "peer": {**module_files, "/job/forge": JobFile(forge, 0o755), **pki.files("peer", 1)},
        },
        {"board": with_fault(on_flat("socrates"), fault), "peer": load_profile("peer")},
    )


def _assert_whole(run: KeptRun, module: str) -> None:
    """Both files have come, by connections that lasted, through the kernel's device and that
    module, of whose functions one is the patch's.
    """
    for node in _ENDS:
        assert bool(run.text(node, "batches")) == ("batches" in module)
        assert run.text(node, "came") == run.text(node, "right")
        assert " ovpn-dco " in run.text(node, "device")
        assert counters(run, node, "end")["EstabResets"] == 0


ENDS = {"none": None, **ends_at(_TRIALS + _MIDWAY)}


@pytest.mark.matrix
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("over", ["udp", "tcp"])
@pytest.mark.parametrize("module", DCO_MODULES)
def test_files_arrive_whole_both_ways(bench: Bench, module: str, over: str, end: str) -> None:
    unplug = await_requests("gcm-aes", _MIDWAY) + UNPLUG if end == "unplugged" else ""
    run = _run(bench, module, _board(unplug, over), _peer(over=over), ENDS[end])
    _assert_whole(run, module)
    told = Told(run)
    assert told.requests("hardware")["gcm-aes"] >= _MIDWAY // 2
    stopped = told.requests("software-out-of-service").get("gcm-aes", 0)
    if end == "none":
        assert stopped == told.requests("failed").get("gcm-aes", 0) == 0
    else:
        # After a bus error the core may be back before the next packet comes.
        assert stopped > 0 or end == "bus error"
    told.assert_quiet()


@pytest.mark.matrix
@pytest.mark.parametrize("when", FORGERIES)
@pytest.mark.parametrize("module", DCO_MODULES)
def test_forged_packets_are_refused(bench: Bench, tmp_path: Path, module: str, when: str) -> None:
    source = Path(__file__).parent / "guest" / "forge"
    program = build_program(Products(), source, tmp_path)
    forge, packets = FORGERIES[when]
    run = _run(bench, module, _board(), _peer(forge), forge=program)
    _assert_whole(run, module)
    told = Told(run)
    refused = packets * _PLACES
    assert told.requests("tag-recheck")["gcm-aes"] == refused
    decrypts = run.text("board", "batches").strip() or "ovpn_aead_decrypt"
    told_of = run.text("board", "dmesg").count(f"{decrypts}: decrypt failed: -74")
    assert told_of == min(refused, _MESSAGES)
    told.assert_quiet()
