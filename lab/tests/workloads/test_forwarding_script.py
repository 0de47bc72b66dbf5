# SPDX-License-Identifier: Apache-2.0
"""The script that looks for the highest rate without loss, on a made-up gateway, and its trials."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from firesteel.boards.profile import BOARD_FILES

_SCRIPT = BOARD_FILES / "jobs" / "measure-forwarding.sh"
_RESOLUTION = 0.003

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


def _play(text: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    """Runs a shell with the measuring script of the directory and its own text."""
    directory = more["directory"]
    script = directory / "script"
    content = _SCRIPT.read_text().replace("/run/", f"{directory}/")
    script.write_text(content.replace("/proc/net/pktgen", f"{directory}/pktgen"))
    return subprocess.run(
        ["bash", "-c", text.format(script=script, **more), "shell", "transit-64"],
        capture_output=True,
        text=True,
        check=False,
    )


def _find(
    directory: Path,
    capacity: int,
    *,
    frames: int = 50_000,
    queue: int = 256,
    wire: int = 1_488_095,
    collapse: int = 0,
    held: bool = False,
) -> tuple[int, int, int]:
    """The rate and the burst that were found, and how many frames that took."""
    numbers = {"capacity": capacity, "frames": frames, "queue": queue, "wire": wire}
    done = _play(_GATEWAY, directory=directory, collapse=collapse, held=int(held), **numbers)
    rate, burst, sent = map(int, done.stdout.split())
    return rate, burst, sent


@pytest.mark.parametrize("capacity", [900, 9_700, 43_800, 133_000, 1_200_000])
@pytest.mark.parametrize("collapse", [0, 40, 100])
def test_the_highest_rate_is_found_to_its_resolution(
    tmp_path: Path, capacity: int, collapse: int
) -> None:
    rate, _, _ = _find(tmp_path, capacity, collapse=collapse)
    assert rate == pytest.approx(capacity, rel=_RESOLUTION)


@pytest.mark.parametrize(
    ("capacity", "gateway", "most"),
    [
        pytest.param(43_800, {}, 6 * 50_000, id="long trials are few"),
        pytest.param(43_800, {"frames": 1600}, 50_000, id="short trials"),
        pytest.param(43_800, {"frames": 6400}, 100_000, id="longer trials"),
        pytest.param(5200, {"queue": 1256}, 1e6, id="a long queue"),
        pytest.param(5200, {"queue": 20_000}, 1e6, id="a longer queue"),
        pytest.param(
            *(18_500, {"queue": 1000, "collapse": 80, "held": True}, 10 * 50_000),
            id="frames that are held back until no more come",
        ),
    ],
)
def test_nothing_flatters_a_gateway(
    tmp_path: Path, capacity: int, gateway: dict[str, int], most: float
) -> None:
    rate, _, sent = _find(tmp_path, capacity, **gateway)  # type: ignore[arg-type]
    assert rate == pytest.approx(capacity, rel=_RESOLUTION)
    assert sent < most


def test_a_gateway_that_is_faster_than_the_wire_forwards_at_its_rate(tmp_path: Path) -> None:
    rate, burst, sent = _find(tmp_path, 200_000, wire=119_731)
    assert (rate, burst) == (119_731, 50_000)
    assert sent < 60_000


@pytest.mark.parametrize(("queue", "wire"), [(50, 119_731), (256, 119_731), (256, 1_488_095)])
def test_the_longest_burst_is_what_the_queue_holds_and_what_leaves_it_meanwhile(
    tmp_path: Path, queue: int, wire: int
) -> None:
    _, burst, _ = _find(tmp_path, 43_800, queue=queue, wire=wire)
    assert burst == pytest.approx(queue / (1 - 43_800 / wire), abs=2)


_TRIAL = """
set -e
. {script}
size=64
device=eth0
serial=0
tc() {{ {tc}; }}
sleep() {{ :; }}
window() {{ echo "$1" >>{directory}/windows; }}
: >{directory}/trials-64
echo "{made}" >{directory}/pktgen/eth0.sent
generate() {{
	[ "$2" != start ] || cp {directory}/pktgen/eth0.sent {directory}/pktgen/eth0
}}
exec 8>{directory}/asked 9<{directory}/counted
if overloads 1000 400 3 "$1"; then
	echo overloaded
else
	echo clean
fi
"""


_MADE = "     pkts-sofar: 400  errors: 0"


def _try(
    directory: Path, counted: str, *, tc: str = ":", made: str = _MADE
) -> "subprocess.CompletedProcess[str]":
    """One trial, in the place where errors are easily missed: a condition."""
    (directory / "pktgen").mkdir()
    (directory / "counted").write_text(counted)
    return _play(_TRIAL, directory=directory, tc=tc, made=made)


def test_a_trial_asks_for_its_own_frames_and_is_marked(tmp_path: Path) -> None:
    tried = _try(tmp_path, "ready\n400 1000000\n")
    assert (tried.returncode, tried.stdout) == (0, "clean\n")
    assert (tmp_path / "asked").read_text() == "1025 400\n"
    assert (tmp_path / "windows").read_text() == "transit-64.begin\ntransit-64.end\n"
    assert (tmp_path / "trials-64").read_text() == "1000 400 0 1000000\n"


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        ("400 1000000", "clean"),
        ("400 998500", "clean"),
        ("400 997000", "overloaded"),
        ("399 1000000", "overloaded"),
        ("400 1200000", "overloaded"),
    ],
)
def test_a_trial_is_clean_if_all_frames_came_as_fast_as_they_were_sent(
    tmp_path: Path, counted: str, said: str
) -> None:
    assert _try(tmp_path, f"ready\n{counted}\n").stdout == f"{said}\n"


@pytest.mark.parametrize(
    ("counted", "options", "said"),
    [
        ("ready\n400 1000000\n", {"tc": "false"}, "no queue for 1000 frames a second"),
        ("", {}, "the server does not count frames"),
        ("count-frames: 400: no number\n", {}, "the server does not count frames"),
        ("ready\n", {}, "no count of 400 frames"),
        ("ready\n400 1000000\n", {"made": "pkts-sofar: 399  errors: 0"}, "not all 400 frames"),
        ("ready\n400 1000000\n", {"made": "pkts-sofar: 400  errors: 1"}, "not all 400 frames"),
    ],
)
def test_a_step_that_fails_ends_the_search(
    tmp_path: Path, counted: str, options: dict[str, str], said: str
) -> None:
    tried = _try(tmp_path, counted, **options)
    assert tried.returncode == 1
    assert said in tried.stdout
    assert "clean" not in tried.stdout
    assert "overloaded" not in tried.stdout


_STREAMS = """
set -e
. {script}
size=64
FORWARDING_FRAMES=6400
echo 10000 >{directory}/rate-64
tried=""
overloads() {{
	tried="$tried $1:$4"
	{overloaded} || return 1
	top=$1
	came={came}
}}
probe() {{ :; }}
measure_rate
echo $tried
cat {directory}/transit-64
"""


def _measure(directory: Path, came: int, overloaded: str) -> "subprocess.CompletedProcess[str]":
    return _play(_STREAMS, directory=directory, came=came, overloaded=overloaded)


@pytest.mark.parametrize(
    ("clean", "said"),
    [
        (10_000, "10000:transit-64\n10000 6400 1\n"),
        (9_920, "10000:transit-64 9950: 9906: 9928: 9906:transit-64-2\n9906 6400 2\n"),
    ],
)
def test_the_stream_that_is_measured_is_clean(tmp_path: Path, clean: int, said: str) -> None:
    assert _measure(tmp_path, clean, f'[ "$1" -gt {clean} ]').stdout == said


def test_a_stream_far_above_what_is_forwarded_has_the_search_go_on(tmp_path: Path) -> None:
    """As with WireGuard, whose queues may hold what is too much of a whole trial."""
    measured = _measure(tmp_path, 8_100, '[ "$1" -gt 8100 ]')
    rate, _, attempt = measured.stdout.splitlines()[-1].split()
    assert 8_070 < int(rate) <= 8_100
    assert attempt == "2"


def test_streams_none_of_which_is_clean_fail(tmp_path: Path) -> None:
    done = _measure(tmp_path, 9000, '[ -n "$4" ]')
    assert done.returncode == 1
    assert "of frames of 64 bytes no stream is clean, from 10000 a second to" in done.stdout
