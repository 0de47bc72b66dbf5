# SPDX-License-Identifier: Apache-2.0
"""libfiresteel on boards, by UIO: what no model in the same process can show.

    board: crypto0 AES, hash, public key    the public-key engine is programs'
           crypto1 AES, hash                a program's

A program (guest/library/) plays scenarios and looks at what comes of them; each test names one.
"""

from collections.abc import Mapping

import pytest
from bench import Bench
from guest_module import MODULES
from uio_scenes import AWAIT, FIRST, LOAD, SECOND, TELL, Played, status

from firesteel.board.job import JobFile
from firesteel.board.profile import load_profile
from firesteel.board.topology import load_topology
from firesteel.build.buildroot import Room
from firesteel.build.places import CHECKOUT
from firesteel.build.products import Products
from firesteel.build.progress import Runner

SCENARIOS = ("answers", "quiet", "sandbox", "children", "killed", "times", "away")

_BUILD = """
set -e
cd /firesteel/source/lib
sources=$(ls *.c | grep -v '^model.c$')
arm-linux-gnueabihf-gcc -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -static -pthread \\
    -Iinclude -o /firesteel/work/library $sources /firesteel/source/library/main.c
arm-linux-gnueabihf-strip /firesteel/work/library
"""

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
    work = directory / "work"
    work.mkdir()
    room = Room(
        writable={"/firesteel/work": work},
        readable={
            "/firesteel/source/lib": CHECKOUT / "lib",
            "/firesteel/source/silex": CHECKOUT / "silex",
            "/firesteel/source/library": MODULES / "library",
        },
    )
    command = ["sh", "-c", _BUILD]
    products.build_root().run(Runner(directory / "logs"), "Building library", command, room)
    return {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/library": JobFile((work / "library").read_bytes(), 0o755),
    }


@pytest.fixture(scope="module")
def played(bench: Bench, files: Mapping[str, JobFile]) -> Played:
    whole = _BEGIN + LOAD.format(options="") + _PLAY + _AWAY + TELL + _END
    profiles = {"board": load_profile("socrates-hash")}
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
