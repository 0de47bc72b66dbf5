# SPDX-License-Identifier: Apache-2.0
"""wolfSSL with its front end on a board, by UIO.

    board: crypto0 AES, hash, public key    the public-key engine is programs'
           crypto1 AES, hash                a program's

A program (guest/wolfssl/) does all works with the cores and in software, and compares.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import Bench, on_flat
from guest_module import MODULES
from uio_scenes import AWAIT, FIRST, LOAD, SECOND, TELL, Played, status

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from firesteel.build.progress import Runner

SCENARIOS = ("all", "faster", "away")

_BUILD = """
set -e
cd /firesteel/source
tests=frontends/wolfssl/tests
library=$(ls lib/*.c | grep -v '^lib/model.c$')
# preload.c takes the place of functions of wolfSSL, and only a shared library can
front=$(ls frontends/common/*.c frontends/wolfssl/*.c | grep -v '/preload.c$')
{triplet}-gcc -std=c17 -O2 -D_GNU_SOURCE -DRSA_BYTES=128u -Wall -Wextra -Werror -static \\
    -pthread -I. -Ilib/include -Ifrontends/wolfssl/include -Ifrontends/wolfssl -I$tests \\
    -isystem /firesteel/wolfssl/usr/include \\
    -o /firesteel/work/wolfssl $library $front \\
    $tests/check.c $tests/unit.c $tests/works.c $tests/works-keys.c guest/*.c \\
    /firesteel/wolfssl/usr/lib/{triplet}/libwolfssl.a -lm
{triplet}-strip /firesteel/work/wolfssl
"""

_DRIVER = "/sys/bus/pci/drivers/firesteel"

_PLAY = "".join(
    f"{{ /job/wolfssl {name} || echo not ok: status $?; }} 2>&1 | probe data {name}\n"
    for name in SCENARIOS[:-1]
)

_AWAY = f"""
/job/wolfssl away >/run/away 2>&1 &
{AWAIT}
{status("unbind", f"echo {FIRST} >{_DRIVER}/unbind && echo {SECOND} >{_DRIVER}/unbind")}
wait
probe data away /run/away
"""


def _program(products: Products, directory: Path) -> bytes:
    """The static program for the guest, with wolfSSL, library and front end in it."""
    work = directory / "work"
    work.mkdir()
    parts = {f"/firesteel/source/{part}": CHECKOUT / part for part in ("lib", "silex", "frontends")}
    guest = {"/firesteel/source/guest": MODULES / "wolfssl"}
    wolfssl = {"/firesteel/wolfssl": products.guest_wolfssl()}
    room = Room(writable={"/firesteel/work": work}, readable=parts | guest | wolfssl)
    build = _BUILD.format(triplet=products.architecture.toolchain.triplet)
    command = ["sh", "-c", build]
    products.build_root().run(Runner(directory / "logs"), "Building wolfssl", command, room)
    return (work / "wolfssl").read_bytes()


@pytest.fixture(scope="module")
def played(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Played:
    products, directory = Products(), tmp_path_factory.mktemp("wolfssl")
    files: Mapping[str, JobFile] = {
        "/job/firesteel.ko": JobFile(products.driver().read_bytes()),
        "/job/wolfssl": JobFile(_program(products, directory), 0o755),
    }
    begin = "mount -t debugfs none /sys/kernel/debug\n" + LOAD.format(options="user=last")
    whole = begin + _PLAY + _AWAY + TELL + "dmesg | probe data dmesg\n"
    profiles = {"board": on_flat("socrates-hash")}
    run = bench.run(load_topology("one-board"), {"board": whole}, {"board": files}, profiles)
    return Played(run)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(played: Played, scenario: str) -> None:
    lines = played.lines(scenario)
    print("\n".join(lines))
    assert lines[-1] == f"ok {scenario} has ended"


def test_the_kernel_has_reported_nothing(played: Played) -> None:
    assert played.lines("unbind") == ["status 0"]
    played.assert_quiet()
