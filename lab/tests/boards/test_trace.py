# SPDX-License-Identifier: Apache-2.0
"""What is read from the lockstep's trace."""

from pathlib import Path

import pytest

from firesteel.boards.result import Mark, Transit, large_frames, transits

TRACE = """\
tx 100 220 eth0 1514 0badcafe
rx 300 eth0 66 0badcafe taken 0
rx 400 eth0 1514 0badcafe taken 12
rx 500 eth0 1514 0badcafe dropped 0
drop 550 eth0 1514 0badcafe
rx 600 eth1 600 0badcafe taken 0
rx 700 eth0 599 0badcafe taken 0
end 800 123
"""


def test_large_frames_are_those_that_were_taken_and_carry_data(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_text(TRACE)
    assert list(large_frames(path)) == [400, 600]


def _window(name: str, begin: int, end: int) -> list[Mark]:
    return [
        Mark(f"{name}.{which}", time, instructions=0, idle_ns=0, stalled_ns=0, user_ns=0)
        for which, time in (("begin", begin), ("end", end))
    ]


def _of(tmp_path: Path, *lines: str, name: str = "transit-64") -> dict[str, Transit]:
    path = tmp_path / "trace"
    path.write_text("".join(f"{line}\n" for line in lines))
    return transits(path, _window(name, 1000, 2000))


_COME = (
    "rx 1010 eth0 60 0 taken 0",
    "rx 1020 eth0 60 0 taken 0",
    "rx 1100 eth0 60 0 taken 0",
    "rx 1900 eth0 97 0 taken 0",
)
"""A stream of three frames, and an order."""


def test_a_transit_is_from_the_end_of_a_frame_to_the_begin_of_what_was_made_of_it(
    tmp_path: Path,
) -> None:
    gone = ("tx 1030 1031 eth1 118 0", "tx 1045 1046 eth1 118 0", "tx 1101 1102 eth1 118 0")
    assert _of(tmp_path, *_COME, *gone) == {
        "transit-64": Transit(3, 91, 46, least_ns=1, median_ns=20, p99_ns=25, most_ns=25)
    }


def test_a_frame_that_was_cut_is_passed_on_when_its_last_part_is(tmp_path: Path) -> None:
    gone = [
        f"tx {time} {time + 1} eth1 {length} 0"
        for time, length in ((1030, 1514), (1031, 98), (1040, 1514), (1042, 98), (1110, 1514))
    ]
    transit = _of(tmp_path, *_COME, *gone, "tx 1115 1116 eth1 98 0")["transit-64"]
    assert (transit.least_ns, transit.median_ns, transit.most_ns) == (15, 21, 22)


@pytest.mark.parametrize(
    "gone",
    [
        (),
        ("tx 1030 1031 eth1 118 0", "tx 1045 1046 eth1 118 0"),
        ("tx 1030 1031 eth0 60 0", "tx 1045 1046 eth0 60 0", "tx 1101 1102 eth0 60 0"),
        ("tx 1030 1031 eth1 118 0", "tx 1045 1046 eth1 118 0", "tx 2001 2002 eth1 118 0"),
    ],
    ids=["nothing", "fewer", "the way it came", "after the window"],
)
def test_a_stream_that_was_not_passed_on_has_no_transit(
    tmp_path: Path, gone: tuple[str, ...]
) -> None:
    assert _of(tmp_path, *_COME, *gone) == {}


def test_frames_that_were_not_taken_and_other_windows_have_none(tmp_path: Path) -> None:
    gone = ("tx 1030 1031 eth1 118 0", "tx 1045 1046 eth1 118 0", "tx 1101 1102 eth1 118 0")
    lost = "rx 1015 eth0 60 0 dropped 0"
    assert _of(tmp_path, *_COME, lost, *gone)["transit-64"].frames == 3
    assert _of(tmp_path, *_COME, *gone, name="ping-56") == {}
