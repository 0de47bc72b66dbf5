# SPDX-License-Identifier: Apache-2.0
"""libfiresteel on boards, by UIO: what no model in the same process can show.

    board: crypto0 AES, hash, public key    the public-key engine is programs'
           crypto1 AES, hash                a program's

A program (guest/library/) plays scenarios and looks at what comes of them; each test names one.
"""

from collections.abc import Mapping

import pytest
from bench import Bench, on_flat
from library_program import build_library_program
from uio_scenes import AWAIT, FIRST, LOAD, SECOND, TELL, Played, status

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

SCENARIOS = ("answers", "quiet", "sandbox", "children", "killed", "times", "away")

_BEGIN = "mount -t debugfs none /sys/kernel/debug\n"
_END = "dmesg | probe data dmesg\n"

_PLAY = "".join(
    f"{{ /job/library {name} || echo not ok: status $?; }} 2>&1 | probe data {name}\n"
    for name in SCENARIOS[:-1]
)

_DRIVER = "/sys/bus/pci/drivers/firesteel"

_AWAY = f"""
/job/library away >/run/away 2>&1 &
{AWAIT}
{status("unbind", f"echo {FIRST} >{_DRIVER}/unbind && echo {SECOND} >{_DRIVER}/unbind")}
wait
probe data away /run/away
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    products, directory = Products(), tmp_path_factory.mktemp("library")
    return {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/library": JobFile(build_library_program(products, "library", directory), 0o755),
    }


@pytest.fixture(scope="module")
def played(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    whole = _BEGIN + LOAD.format(options="user=last") + _PLAY + _AWAY + TELL + _END
    profiles = {"board": on_flat("socrates-hash")}
    run = bench.run(load_topology("one-board"), {"board": whole}, {"board": files}, profiles)
    return Played(run)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(played: Played, scenario: str) -> None:
    print("\n".join(played.lines(scenario)))
    played.assert_well(scenario)


def test_the_kernel_has_reported_nothing(played: Played) -> None:
    assert played.lines("unbind") == ["status 0"]
    played.assert_quiet()


def test_the_work_was_the_cores(played: Played) -> None:
    """A round is five operations of the public-key engine, a message of AES and one of SHA."""
    engine, master = played.cores("crypto0"), played.cores("crypto1")
    assert engine["pk_points"] > 500
    assert master["aes_jobs"] > 200
    assert master["hash_jobs"] > 100
