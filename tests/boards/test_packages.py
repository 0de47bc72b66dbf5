# SPDX-License-Identifier: Apache-2.0
"""The files of Debian's packages for armhf, on a board with cores."""

from pathlib import Path

import pytest
from bench import Bench, KeptRun, on_flat
from uio_scenes import LOAD, status

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.build.debian import extract
from firesteel.build.products import Products
from tools import packages

pytestmark = pytest.mark.thorough

_SUITE = "trixie"
"""That of the boards' image."""

_PLACES = ("etc", "usr/bin", "usr/libexec", "usr/lib/arm-linux-gnueabihf", "usr/share/firesteel")

_SCRIPT = (
    LOAD.format(options="user=all")
    + "head -c 1000000 /dev/zero >/tmp/sent\n"
    + status("selftest", "firesteel-selftest")
    + status("off", "openssl list -providers")
    + "export OPENSSL_CONF=/etc/ssl/firesteel.cnf\n"
    + status("on", "openssl list -providers")
    + status("check", "firesteel-provider check openssl dgst -sha256 /tmp/sent")
)


@pytest.fixture(scope="module")
def played(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> KeptRun:
    products, tree = Products(), tmp_path_factory.mktemp("installed")
    extract(packages.packages(products, _SUITE, "armhf"), tree)
    files = {
        f"/{path.relative_to(tree)}": JobFile(path.read_bytes(), path.stat().st_mode & 0o777)
        for place in _PLACES
        for path in (tree / place).rglob("*")
        if path.is_file()
    }
    files["/job/firesteel.ko"] = JobFile(products.driver().read_bytes())
    profiles = {"board": on_flat("socrates-hash")}
    topology = load_topology("one-board")
    return bench.run(topology, {"board": _SCRIPT}, {"board": files}, profiles)


def test_the_self_test_passes(played: KeptRun) -> None:
    said = played.text("board", "selftest")
    assert said.endswith("status 0\n"), said


def test_the_provider_is_off_until_it_is_named(played: KeptRun) -> None:
    assert "firesteel" not in played.text("board", "off")
    assert f"version: {__version__}" in played.text("board", "on")


def test_a_program_uses_the_cores(played: KeptRun) -> None:
    said = played.text("board", "check")
    (digest,) = (line.split() for line in said.splitlines() if line.startswith("digest "))
    assert int(digest[1]) > 0, said


def test_the_drivers_package_has_the_drivers_files(tmp_path: Path) -> None:
    # The module of the board is compiled from these
    extract(packages.packages(Products(), _SUITE, packages.ARCHITECTURES[0]), tmp_path)
    source = tmp_path / f"usr/src/firesteel-{__version__}"
    wanted = [
        path
        for part, names in (("driver", ("*.c", "*.h", "Kbuild")), ("silex", ("*.h",)))
        for name in names
        for path in (CHECKOUT / part).glob(name)
    ]
    assert {str(path.relative_to(CHECKOUT)): path.read_bytes() for path in wanted} == {
        str(path.relative_to(source)): path.read_bytes()
        for part in ("driver", "silex")
        for path in (source / part).rglob("*")
    }
