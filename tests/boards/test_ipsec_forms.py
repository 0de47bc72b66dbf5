# SPDX-License-Identifier: Apache-2.0
"""IPsec in its less usual forms: files arrive whole both ways, and replayed packets are refused.

    board (driver) ----------------- peer (software)

The wire of the peer repeats or reorders packets where a test says so.
"""

import re

import pytest
from bench import Bench, KeptRun, await_node, on_flat, release, two_hosts
from driver_run import LOAD, TELL, Told
from ipsec_traffic import (
    BOARD,
    PEER,
    SUITES,
    associations,
    exchange_files,
    serve_files,
    stop_exchange,
    whole_files,
)

from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.build.products import Products

_INSIDE = {BOARD: "10.1.0.1", PEER: "10.1.0.2"}
"""Of each node's address on the wire, the one of its xfrm interface."""

# A packet from before the window counts as one of the next 2^32, so that its check value is wrong.
# A wire that reorders makes some packets later than 128 others.
_ESN = "flag esn replay-window 1024"

# 200 packets before the lower half of a number of 64 bits begins anew.
_WRAPS = f"{_ESN} replay-oseq 0xffffff38 replay-seq 0xffffff38"


def _interface(here: str) -> str:
    """Shell lines with which a node reaches the other one's inner address by an xfrm interface.

    With a replay window of 32 packets, software refuses some here even without the driver.
    """
    lines = "ip link add tunnel0 type xfrm dev eth0 if_id 7\n"
    lines += f"ip address add {_INSIDE[here]}/24 dev tunnel0\nip link set tunnel0 up\n"
    for spi, (source, target) in enumerate(((BOARD, PEER), (PEER, BOARD)), 1):
        ends = f"src {source} dst {target}"
        inner = f"src {_INSIDE[source]} dst {_INSIDE[target]}"
        ways = ("out",) if source == here else ("in", "fwd")
        lines += (
            f"ip xfrm state add {ends} proto esp spi {spi} mode tunnel {_ESN} if_id 7 "
            f"{SUITES['gcm']}\n"
        )
        for way in ways:
            lines += (
                f"ip xfrm policy add {inner} dir {way} if_id 7 tmpl {ends} proto esp mode tunnel\n"
            )
    return lines


def _by_hand(suite: str, options: str = "") -> dict[str, str]:
    return {
        here: associations(here, there, suite, options=options)
        for here, there in ((BOARD, PEER), (PEER, BOARD))
    }


_GCM = ("rfc4106-gcm-aes",)
_PARTS = ("cbc-aes", "hmac-sha256")
"""Of authencesn(), which the kernel composes of the driver's algorithms."""

FORMS = {
    "ah": (_by_hand("ah-sha256", "replay-window 32"), ("hmac-sha256",)),
    "ah-esn": (_by_hand("ah-sha256", _ESN), ("hmac-sha256",)),
    "esn-gcm": (_by_hand("gcm", _ESN), _GCM),
    "esn-cbc": (_by_hand("cbc-sha256", _ESN), _PARTS),
    "esn-gcm-wraps": (_by_hand("gcm", _WRAPS), _GCM),
    "esn-cbc-wraps": (_by_hand("cbc-sha256", _WRAPS), _PARTS),
    "interface": ({here: _interface(here) for here in _INSIDE}, _GCM),
}
"""Shell lines of each node, and the driver's algorithms that serve them."""

_TELL = f"""
ip -s xfrm state | probe data states
cat /proc/net/xfrm_stat | probe data errors
{TELL}
dmesg | probe data dmesg
"""


def _run(bench: Bench, form: str, wire: str = "") -> KeptRun:
    lines, _ = FORMS[form]
    there = _INSIDE[PEER] if form == "interface" else PEER
    board = f"mount -t debugfs none /sys/kernel/debug\n{LOAD}"
    board += "echo 0 >/sys/module/firesteel/parameters/minimum\n"
    board += f"{lines[BOARD]}{await_node(there)}{exchange_files(there)}sleep 1\n{stop_exchange()}"
    board += _TELL + release(there)
    return bench.run(
        two_hosts(),
        {"board": board, "peer": lines[PEER] + wire + serve_files()},
        {"board": {"/job/firesteel.ko": JobFile(Products().driver().read_bytes())}},
        {"board": on_flat("socrates-hash"), "peer": load_profile("peer")},
    )


def _errors(run: KeptRun) -> dict[str, int]:
    """What the board's IPsec has refused."""
    lines = (line.split() for line in run.text("board", "errors").splitlines())
    return {name: int(count) for name, count in lines if int(count)}


def _assert_whole(run: KeptRun, form: str) -> None:
    assert whole_files(run.text("board", "digests")) > 2
    assert whole_files(run.text("peer", "digests")) > 2
    told = Told(run)
    for algorithm in FORMS[form][1]:
        assert told.requests("hardware")[algorithm] > 500
    assert told.requests("failed") == {}
    told.assert_quiet()


@pytest.mark.matrix
@pytest.mark.parametrize("form", FORMS)
def test_files_arrive_whole(bench: Bench, form: str) -> None:
    run = _run(bench, form)
    _assert_whole(run, form)
    assert _errors(run) == {}
    if form.endswith("wraps"):
        high = re.findall(r"seq-hi 0x([0-9a-f]+), seq", run.text("board", "states"))
        assert {int(each, 16) for each in high} >= {1}


_REPEATS = "tc qdisc add dev eth0 root netem duplicate 10%\n"
_REORDERS = "tc qdisc add dev eth0 root netem delay 1ms reorder 90% limit 10000\n"


@pytest.mark.matrix
@pytest.mark.parametrize("form", ["ah", "esn-gcm", "esn-cbc-wraps", "interface"])
def test_a_repeated_packet_is_refused(bench: Bench, form: str) -> None:
    run = _run(bench, form, _REPEATS)
    _assert_whole(run, form)
    errors = _errors(run)
    assert errors.keys() == {"XfrmInStateSeqError"}
    assert errors["XfrmInStateSeqError"] > 50


@pytest.mark.matrix
@pytest.mark.parametrize("form", ["esn-gcm", "esn-cbc"])
def test_packets_within_the_window_may_overtake(bench: Bench, form: str) -> None:
    run = _run(bench, form, _REORDERS)
    _assert_whole(run, form)
    assert _errors(run) == {}
