# SPDX-License-Identifier: Apache-2.0
"""Where there is Python alone, a bundle measures what a checkout measures, to the last byte.

The root is of another release than this machine's, or at least its Python is of another version;
the lab runs there as an ordinary user, without a network, and finds no program but Python.
"""

import os
from pathlib import Path

import bare_root
import pytest
from lab_run import run
from rich.console import Console

from firesteel.architectures.registry import DEFAULT
from firesteel.build import bundle
from firesteel.build.buildroot import Room
from firesteel.build.portable import ALL, gather
from firesteel.build.products import Products
from firesteel.build.progress import Runner

EXPERIMENT = """\
title = "A ping over the cores"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "openvpn"
suite = "aes-256-cbc:sha256"
implementation = "hardware"

[ping]
sizes = [1000]
count = 3
"""

NOBODY = 65534

WITHOUT = "libcrypto"
"""What takes minutes to build, and this cell does not need."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle for the Python of the other release."""
    _, python = bare_root.other_release()
    directory = tmp_path_factory.mktemp("bundle")
    path = directory / bundle.file_name([python])
    products = Products()
    gathered = gather(products, [kind for kind in ALL if kind != WITHOUT])
    bundle.write(path, {DEFAULT.name: gathered}, {python: products.wheels(python)})
    return path


def stored(store: Path) -> dict[str, bytes]:
    """What was observed: all files of records, by their names."""
    return {
        str(path.relative_to(store)): path.read_bytes()
        for kind in ("records", "observations")
        for path in (store / kind).rglob("*")
        if path.is_file()
    }


def measure_in_bare_root(made: Path, experiment: Path, store: Path, directory: Path) -> None:
    """Run the experiment as a user who has Python and the bundle."""
    user, cache = os.getuid() or NOBODY, directory / "cache"
    for place in (store, cache):
        place.mkdir()
        os.chown(place, user, -1)
    for place in (made.parent, experiment.parent):
        place.chmod(0o755)
    room = Room(
        readable={"/firesteel/bundle": made.parent, "/firesteel/experiment": experiment.parent},
        writable={"/firesteel/store": store, "/firesteel/cache": cache},
    )
    apart = ["unshare", "--net", "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    alone = ["/usr/bin/env", "PATH=/none", "FIRESTEEL_CACHE=/firesteel/cache", "/usr/bin/python3"]
    words = ["run", f"/firesteel/experiment/{experiment.name}", "--clock", "flat"]
    command = [*apart, *alone, f"/firesteel/bundle/{made.name}", *words]
    runner = Runner(directory / "logs", Console())
    suite, _ = bare_root.other_release()
    root = bare_root.make(suite, runner)
    command += ["--store", "/firesteel/store"]
    root.run(runner, f"Measuring in a bare root of {suite}", command, room, "0:0")


def test_records_are_those_of_a_checkout(made: Path, tmp_path: Path) -> None:
    (tmp_path / "experiment").mkdir()
    experiment = tmp_path / "experiment" / "bundled.toml"
    experiment.write_text(EXPERIMENT)
    measure_in_bare_root(made, experiment, tmp_path / "theirs", tmp_path)
    run(experiment, tmp_path / "ours")
    ours = stored(tmp_path / "ours")
    assert ours
    assert stored(tmp_path / "theirs") == ours
