# SPDX-License-Identifier: Apache-2.0
"""What is read from the lockstep's trace."""

from pathlib import Path

from firesteel.board.trace import large_frames

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
