# SPDX-License-Identifier: Apache-2.0
"""The script that looks for the highest rate without loss, on a made-up gateway."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from firesteel.board.profile import BOARD_FILES

_SCRIPT = BOARD_FILES / "jobs" / "measure-forwarding.sh"

_GATEWAY = """
set -e
. {script}
size=64
wire={wire}
FORWARDING_FRAMES={frames}
trials=0
# What it cannot forward waits in its queue, and is lost when that is full.  Some that have more
# to do forward less, by COLLAPSE percent.
trial() {{
	trials=$((trials + $2))
	waiting=$(($2 - {capacity} * $2 / $1))
	[ $waiting -gt 0 ] || waiting=0
	lost=$((waiting - {queue}))
	[ $lost -gt 0 ] || lost=0
	lost=$((lost + (lost > 0) * ($2 - lost) * {collapse} / 100))
	reached=$(({capacity} * 1000 * (100 - (lost > 0) * {collapse}) / 100))
	[ $reached -lt $(($1 * 1000)) ] || reached=$(($1 * 1000))
	[ {held} -eq 0 ] || [ $waiting -eq 0 ] || reached=$(({wire} * 1000))
}}
find_rate
find_burst
echo $(cat {directory}/rate-64) $(cat {directory}/burst-64) $trials
"""


@dataclass(frozen=True)
class _Found:
    rate: int
    burst: int
    frames: int


def _find(
    directory: Path,
    capacity: int,
    *,
    frames: int = 50_000,
    queue: int = 256,
    wire: int = 1_488_095,
    collapse: int = 0,
    held: bool = False,
) -> _Found:
    script = directory / "script"
    script.write_text(_SCRIPT.read_text().replace("/run/", f"{directory}/"))
    text = _GATEWAY.format(
        script=script,
        wire=wire,
        frames=frames,
        capacity=capacity,
        queue=queue,
        collapse=collapse,
        held=int(held),
        directory=directory,
    )
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True)
    return _Found(*map(int, done.stdout.split()))


_RESOLUTION = 0.003


@pytest.mark.parametrize("capacity", [900, 9_700, 43_800, 133_000, 1_200_000])
@pytest.mark.parametrize("collapse", [0, 40, 100])
def test_the_highest_rate_is_found_to_its_resolution(
    tmp_path: Path, capacity: int, collapse: int
) -> None:
    found = _find(tmp_path, capacity, collapse=collapse)
    assert found.rate == pytest.approx(capacity, rel=_RESOLUTION)


def test_a_trial_four_times_as_long_finds_the_same_rate(tmp_path: Path) -> None:
    short = _find(tmp_path, 43_800, frames=1600)
    long = _find(tmp_path, 43_800, frames=6400)
    assert long.rate == pytest.approx(short.rate, rel=_RESOLUTION)


@pytest.mark.parametrize("queue", [1256, 20_000])
def test_a_long_queue_does_not_flatter(tmp_path: Path, queue: int) -> None:
    found = _find(tmp_path, 5200, queue=queue)
    assert found.rate == pytest.approx(5200, rel=_RESOLUTION)


def test_frames_that_are_held_back_until_no_more_come_do_not_flatter(tmp_path: Path) -> None:
    found = _find(tmp_path, 18_500, queue=1000, collapse=80, held=True)
    assert found.rate == pytest.approx(18_500, rel=_RESOLUTION)
    assert found.frames < 10 * 50_000


def test_a_gateway_that_is_faster_than_the_wire_forwards_at_its_rate(tmp_path: Path) -> None:
    found = _find(tmp_path, 200_000, wire=119_731)
    assert (found.rate, found.burst) == (119_731, 50_000)
    assert found.frames < 60_000


def test_long_trials_are_few(tmp_path: Path) -> None:
    assert _find(tmp_path, 43_800).frames < 7 * 50_000


@pytest.mark.parametrize(("queue", "wire"), [(50, 119_731), (256, 119_731), (256, 1_488_095)])
def test_the_longest_burst_is_what_the_queue_holds_and_what_leaves_it_meanwhile(
    tmp_path: Path, queue: int, wire: int
) -> None:
    found = _find(tmp_path, 43_800, queue=queue, wire=wire)
    assert found.burst == pytest.approx(queue / (1 - 43_800 / wire), abs=2)
