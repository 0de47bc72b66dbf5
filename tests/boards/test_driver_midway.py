# SPDX-License-Identifier: Apache-2.0
"""A core ends in the middle of files that go over IPsec at 1 Gbit/s, through two gateways.

    host-a ──── gateway-a ════ gateway-b ──── host-b

Both hosts send at once, by a connection each; gateway-a has the core.  Software takes over: files
arrive whole, by the same connections, in order, and nothing is sent again.
"""

import pytest
from bench import SERVE, Bench, await_node, on_flat, release, with_fault
from driver_run import LOAD, TELL, UNPLUG, Told, await_requests, ends_at
from ipsec_traffic import SUITES
from tcp_counters import counters, disorder, tell_counters

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import Topology, load_profiles, load_topology
from firesteel.build.products import Products

_MEGABYTES = 3
"""Of a file."""

_A, _GATEWAY_A, _GATEWAY_B, _B = "10.0.0.1", "10.0.2.2", "10.0.2.3", "10.0.1.4"
_LAN_A, _LAN_B = "10.0.0.0/24", "10.0.1.0/24"

_MIDWAY = 2_000
"""Messages that the core has had by then, of some 7,000 packets."""


def _unplug(algorithm: str) -> str:
    """Shell lines that take the cores from the driver when they have had `_MIDWAY` packets."""
    tell = "cat /sys/kernel/debug/firesteel/queues | probe data queues-before\n"
    return await_requests(algorithm, _MIDWAY) + tell + UNPLUG


def _topology() -> Topology:
    links = ("lan-a", "lan-b", "wan")
    return load_topology("host-gateway-gateway-host").override(
        links={name: {"rate_bit_s": 1_000_000_000} for name in links}
    )


def _gateway(suite: str, own: str, other: str, lans: tuple[str, str]) -> str:
    """Shell lines of a gateway: a tunnel between the networks behind it and behind the other."""
    states = "".join(
        f"ip xfrm state add src {source} dst {target} proto esp spi {spi} mode tunnel "
        f"{SUITES[suite]}\n"
        for spi, (source, target) in enumerate(sorted([(own, other), (other, own)]), 1)
    )
    ways = (("out", lans, (own, other)), ("fwd", lans[::-1], (other, own)))
    return states + "".join(
        f"ip xfrm policy add src {networks[0]} dst {networks[1]} dir {way} "
        f"tmpl src {ends[0]} dst {ends[1]} proto esp mode tunnel\n"
        for way, networks, ends in ways
    )


# The window is less than what a gateway's network interface holds while its CPU does the cipher:
# so nothing is dropped.  A segment that does not fit into the tunnel would be sent again, and so
# would one that probes for the last one's loss.
_HOST = f"""
ip link set eth0 mtu 1400
echo "4096 131072 262144" >/proc/sys/net/ipv4/tcp_rmem
echo 0 >/proc/sys/net/ipv4/tcp_early_retrans
mkfifo /run/open
exec 4<>/run/open
head -c {_MEGABYTES * 1_000_000} /dev/zero |
    openssl enc -chacha20 -nosalt -K 01 -iv 00 >/run/sample 2>/dev/null
sha256sum </run/sample | probe data right
"""

_HOST_A = f"""
{_HOST}
{await_node(_B)}
until echo | nc {_B} 7; do sleep 0.01; done
nc {_B} 5001 </run/sample >/dev/null &
nc {_B} 5000 <&4 | sha256sum | probe data came
wait %1
{release(_B)}
{tell_counters("end")}
{release(_GATEWAY_A)}
{release(_GATEWAY_B)}
"""

_HOST_B = f"""
{_HOST}
nc -l -p 5000 </run/sample >/dev/null &
nc -l -p 5001 <&4 | sha256sum >/run/came &
nc -l -p 7 >/dev/null &
nc -l -p 9 >/dev/null
sleep 0.5
probe data came /run/came
{tell_counters("end")}
"""


def _profile(fault: Fault | None) -> Profile:
    """The board of `socrates-1600`, with a hash core."""
    cores = with_fault(on_flat("socrates-hash"), fault).cores
    return on_flat("socrates-1600").model_copy(update={"cores": cores})


ALGORITHMS = {"gcm": "rfc4106-gcm-aes", "cbc-sha256": "authenc-hmac-sha256-cbc-aes"}

ENDS = ends_at(_MIDWAY)


@pytest.mark.matrix
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("suite", ALGORITHMS)
def test_files_arrive_whole_and_in_order(patient: Bench, suite: str, end: str) -> None:
    fault = ENDS[end]
    unplug = "" if fault else _unplug(ALGORITHMS[suite])
    gateway_a = (
        f"mount -t debugfs none /sys/kernel/debug\n{LOAD}"
        + _gateway(suite, _GATEWAY_A, _GATEWAY_B, (_LAN_A, _LAN_B))
        + f"{unplug}{SERVE}{TELL}cat /proc/net/xfrm_stat | probe data xfrm\n"
        + "dmesg | probe data dmesg\n"
    )
    run = patient.run(
        _topology(),
        {
            "host-a": _HOST_A,
            "gateway-a": gateway_a,
            "gateway-b": _gateway(suite, _GATEWAY_B, _GATEWAY_A, (_LAN_B, _LAN_A)) + SERVE,
            "host-b": _HOST_B,
        },
        {"gateway-a": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {**load_profiles(_topology()), "gateway-a": _profile(fault)},
    )
    for host in ("host-a", "host-b"):
        assert run.text(host, "came") == run.text(host, "right")
        assert disorder(run, host, "end") == {}
        assert counters(run, host, "end")["EstabResets"] == 0
    refused = [line.split() for line in run.text("gateway-a", "xfrm").splitlines()]
    assert {name: count for name, count in refused if count != "0"} == {}
    told = Told(run, "gateway-a")
    algorithm = ALGORITHMS[suite]
    # of CBC with its hash a packet is two messages
    assert told.requests("hardware")[algorithm] > _MIDWAY // 3
    assert told.requests("software-out-of-service")[algorithm] > 0
    if fault:  # a core may be unplugged while it rests, but fails only at work
        assert told.requests("failed")[algorithm] > 0
    # the queue was full, else there was nothing in the backlog that could have overtaken
    assert told.queues("queues" if fault else "queues-before")["backlogged"] > 0
    told.assert_quiet()
