# SPDX-License-Identifier: Apache-2.0
"""Running experiments as a user does, in a process and a store of their own."""

import os
import subprocess
import sys
from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.store.record import Record
from firesteel.store.store import Store

_TIMEOUT = 900
"""Wall seconds for one command; far more than any here needs, also on a loaded machine."""


def firesteel(store: Path, *words: str) -> list[str]:
    """The words of a command on a store."""
    return [sys.executable, "-P", "-m", "firesteel", *words, "--store", str(store)]


def command(experiment: Path, store: Path, *more: str) -> list[str]:
    """The words of `firesteel run`, on the clock that tests have."""
    return firesteel(store, *_words(experiment, "flat", *more))


def _words(experiment: Path, clock: str, *more: str) -> tuple[str, ...]:
    return ("run", str(experiment), "--clock", clock, *more)


def environment() -> dict[str, str]:
    """In which the command is that of this checkout."""
    return os.environ | {"PYTHONPATH": str(CHECKOUT / "lab" / "src")}


def try_command(store: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command on a store, however it ends."""
    return subprocess.run(
        firesteel(store, *words),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=False,
    )


def run(experiment: Path, store: Path, *more: str, clock: str = "flat") -> None:
    """Run it; every cell must succeed.

    What tests expect may not move with each calibration of a processor's costs, so boards count
    instructions unless a test asks for the other clock.
    """
    done = try_command(store, *_words(experiment, clock, *more))
    assert done.returncode == 0, done.stderr + done.stdout


def measure(directory: Path, experiment: str, *, clock: str = "flat") -> list[Record]:
    """The records of all cells, in order, of an experiment with that text; it and its store are
    put into `directory`.
    """
    directory.mkdir(exist_ok=True)
    file = directory / "experiment.toml"
    file.write_text(experiment)
    run(file, directory / "store", clock=clock)
    store = Store(directory / "store")
    return list(store.records(store.journal()))
