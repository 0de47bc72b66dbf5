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

from firesteel.architectures import DEFAULT
from firesteel.base.errors import FiresteelError
from firesteel.build import bundle
from firesteel.build.artifacts import ALL, gather
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from firesteel.build.progress import Runner

pytestmark = pytest.mark.thorough

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


class Machine:
    """A machine with Python, a bundle and a user without rights."""

    def __init__(self, made: Path, directory: Path) -> None:
        self._made = made
        self._user = os.getuid() or NOBODY
        self._logs = directory / "logs"
        self.store, self._cache = directory / "store", directory / "cache"
        self.files = directory / "files"
        for place in (self.store, self._cache, self.files):
            place.mkdir()
            os.chown(place, self._user, -1)
        made.parent.chmod(0o755)

    def firesteel(self, *words: str) -> None:
        """Run a command; `FiresteelError` with its last lines when it fails."""
        room = Room(
            readable={"/firesteel/bundle": self._made.parent, "/firesteel/files": self.files},
            writable={"/firesteel/store": self.store, "/firesteel/cache": self._cache},
        )
        ids = [f"--reuid={self._user}", f"--regid={self._user}", "--clear-groups"]
        alone = ["/usr/bin/env", "PATH=/none", "FIRESTEEL_CACHE=/firesteel/cache"]
        command = ["unshare", "--net", "setpriv", *ids, *alone, "/usr/bin/python3"]
        command += [f"/firesteel/bundle/{self._made.name}", *words]
        runner = Runner(self._logs, Console())
        suite, _ = bare_root.other_release()
        root = bare_root.make(suite, runner)
        root.run(runner, f"Running the bundle on {suite}", command, room, "0:0")


@pytest.fixture(scope="module")
def machine(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(made, tmp_path_factory.mktemp("machine"))


def test_records_are_those_of_a_checkout(machine: Machine, tmp_path: Path) -> None:
    experiment = machine.files / "bundled.toml"
    experiment.write_text(EXPERIMENT)
    words = ["run", f"/firesteel/files/{experiment.name}", "--clock", "flat"]
    machine.firesteel(*words, "--store", "/firesteel/store")
    run(experiment, tmp_path / "ours")
    ours = stored(tmp_path / "ours")
    assert ours
    assert stored(machine.store) == ours


def test_it_works_for_other_machines(machine: Machine) -> None:
    """As far as that goes without a network: only the scheduler is missing."""
    with pytest.raises(FiresteelError, match="No Dask scheduler answers"):
        machine.firesteel("machines", "tcp://127.0.0.1:1", "--wait", "1")
