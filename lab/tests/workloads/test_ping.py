# SPDX-License-Identifier: Apache-2.0
"""What ping printed is read strictly."""

import pytest

from firesteel.protocols.window import CellFailure
from firesteel.workloads.ping import parse_ping


def _output(*times: str, sent: int | None = None) -> bytes:
    sent = len(times) if sent is None else sent
    lines = ["PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data."]
    lines += [
        f"64 bytes from 10.0.0.2: icmp_seq={n} ttl=64 time={time} ms"
        for n, time in enumerate(times, 1)
    ]
    lines += ["", "--- 10.0.0.2 ping statistics ---"]
    lines.append(f"{sent} packets transmitted, {len(times)} received, 0% packet loss, time 9ms")
    lines.append("rtt min/avg/max/mdev = 0.100/0.200/12.345/0.010 ms, ipg/ewma 0.2/0.1 ms")
    return "\n".join(lines).encode()


def test_mean_and_extremes_come_from_the_summary() -> None:
    result = parse_ping(_output("0.100", "12.3"), 56, 2)
    assert (result.minimum, result.mean, result.maximum) == (0.1, 0.2, 12.345)


def test_percentiles_are_times_that_were_measured() -> None:
    result = parse_ping(_output(*(f"{n}.0" for n in range(1, 11))), 56, 10)
    assert [result.percentile(p) for p in (50, 90, 99)] == [5, 9, 10]


def test_loss_is_a_share_of_the_requests() -> None:
    assert parse_ping(_output("1.0", "2.0", "3.0", sent=4), 56, 4).loss == 25


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (_output("1.0", "2.0"), "does not say that it sent 3"),
        (_output("1.0", "2.0", "3.0").replace(b"64 bytes", b"65 bytes"), "another size"),
        (_output("1.0", "2.0", "3.0").replace(b"3 received", b"4 received"), "3 replies listed"),
        (_output(sent=3), "none of 3 requests"),
    ],
)
def test_other_output_is_refused(output: bytes, says: str) -> None:
    with pytest.raises(CellFailure, match=says):
        parse_ping(output, 56, 3)
