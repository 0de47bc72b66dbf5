# SPDX-License-Identifier: Apache-2.0
"""Four public-key engines on a board: programs have all of them, and work spreads over them.

    board: crypto0…crypto3    a public-key engine each; two of them fail in the third round

A program (guest/engines/) has 16 exponentiations under way by libfiresteel: with all engines; while
one is unbound from the driver; and while one hangs and another one goes.
"""

from collections.abc import Mapping

import pytest
from bench import Bench, on_flat
from library_program import build_library_program
from uio_scenes import AWAIT, LOAD, Played, numbers, status

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

NAMES = ("crypto0", "crypto1", "crypto2", "crypto3")

_DRIVER = "/sys/bus/pci/drivers/firesteel"
_SECOND = "0000:00:03.0"

_COUNT = 160
"""Exponentiations of a round; each engine does 40 of them, and three more when it is timed."""


def _play(name: str, count: int) -> str:
    play = f"/job/engines {count} >/run/{name} 2>&1"
    return f"rm -f /run/ready\nprobe mark {name}.begin\n{play} || true\n{_end(name)}"


def _end(name: str) -> str:
    return f"probe mark {name}.end\nprobe data {name} /run/{name}\n"


_SCRIPT = f"""
mount -t debugfs none /sys/kernel/debug
{LOAD.format(options="user=last")}
grep -c firesteel-pk /sys/class/uio/uio*/name | grep -c ':1$' | probe data devices
{_play("spread", _COUNT)}
rm -f /run/ready
probe mark unplug.begin
/job/engines {4 * _COUNT} >/run/unplug 2>&1 &
{AWAIT}
{status("unbind", f"echo {_SECOND} >{_DRIVER}/unbind")}
wait
{_end("unplug")}
{status("bind", f"echo {_SECOND} >{_DRIVER}/bind")}
{_play("faults", 4 * _COUNT)}
cat /sys/kernel/debug/firesteel/user | probe data user
dmesg | probe data dmesg
"""


def _board() -> Profile:
    """Two engines fail at an operation of the third round: earlier rounds have about 250 each."""
    board = on_flat("socrates-4pk")
    faults = {
        "crypto2": (Fault(kind="stuck-busy", nth=300),),
        "crypto3": (Fault(kind="gone", nth=320),),
    }
    cores = tuple(
        window.model_copy(update={"faults": faults.get(window.name, ())}) for window in board.cores
    )
    return board.model_copy(update={"cores": cores})


@pytest.fixture(scope="module")
def played(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Played:
    products, directory = Products(), tmp_path_factory.mktemp("engines")
    program = build_library_program(products, "engines", directory)
    files = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/engines": JobFile(program, 0o755),
        "/job/modexp": JobFile(numbers()),
    }
    run = bench.run(
        load_topology("one-board"), {"board": _SCRIPT}, {"board": files}, {"board": _board()}
    )
    return Played(run)


def grown(played: Played, name: str, counter: str = "pk_operations") -> Mapping[str, int]:
    """By how much a counter of each engine grew in a round."""
    node = played.run.run.nodes["board"]
    begin, end = (node.mark(f"{name}.{which}").cores for which in ("begin", "end"))
    return {each: end[each][counter] - begin[each][counter] for each in NAMES}


def told(played: Played, name: str, what: str) -> int:
    """What the program counted in a round."""
    (line,) = (line for line in played.lines(name) if line.startswith(f"# {what} "))
    return int(line.split()[-1])


def assert_well(played: Played, name: str) -> None:
    """No request failed, and each answer was right."""
    lines = [line for line in played.lines(name) if not line.startswith("#")]
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert lines[-1] == "ok engines has ended"


def test_programs_have_all_engines(played: Played) -> None:
    assert played.lines("devices") == ["4"]
    assert told(played, "spread", "engines") == 4


def test_work_spreads_evenly(played: Played) -> None:
    """An engine is free when its operation is over, and gets the next one."""
    assert_well(played, "spread")
    done = grown(played, "spread")
    print(done)
    assert sum(done.values()) == _COUNT + 4 * 3
    assert max(done.values()) - min(done.values()) <= 4


def test_four_work_at_the_same_time(played: Played) -> None:
    """The time includes the first and the last operations, when not all have one."""
    busy = grown(played, "spread", "pk_busy_ns")
    node = played.run.run.nodes["board"]
    elapsed = node.mark("spread.end").time_ns - node.mark("spread.begin").time_ns
    print(busy, elapsed)
    assert sum(busy.values()) > 2.5 * elapsed


def test_one_that_is_unplugged_takes_nothing_with_it(played: Played) -> None:
    assert_well(played, "unplug")
    assert played.lines("unbind") == ["status 0"]
    done = grown(played, "unplug")
    print(done)
    others = [count for name, count in done.items() if name != "crypto1"]
    assert 0 < done["crypto1"] < min(others)
    assert max(others) - min(others) <= 4


def test_those_that_fail_take_nothing_with_them(played: Played) -> None:
    assert_well(played, "faults")
    assert played.lines("bind") == ["status 0"]
    assert grown(played, "faults", "fault_gone")["crypto3"] == 1
    assert grown(played, "faults", "fault_stuck_busy")["crypto2"] == 1
    done = grown(played, "faults")
    print(done)
    assert told(played, "faults", "engines") == 4
    assert min(done["crypto0"], done["crypto1"]) > max(done["crypto2"], done["crypto3"]) > 0


def test_the_kernel_has_reported_nothing_else(played: Played) -> None:
    reports = [line for line in played.lines("dmesg") if "firesteel" not in line]
    assert [line for line in reports if "BUG" in line or "WARN" in line or "Oops" in line] == []
