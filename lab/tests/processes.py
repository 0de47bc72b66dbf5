# SPDX-License-Identifier: Apache-2.0
"""The command line in a process of its own, with a fake runner."""

import os
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent


FAKE = """
import sys, time
from firesteel.cli import bench, main
import made_up
from fake_runner import FakeRunner
from firesteel.store.record import use
from firesteel.run.loop import Cancelled

class Slow(FakeRunner):
    def prepare(self, cells):
        if "--fresh" in sys.argv:
            print("building", flush=True)
            time.sleep(20)

    def measure(self, cell, logs, cancel):
        if len(self.measured) == 2:
            print("third cell", flush=True)
            if not cancel.wait(20):
                raise SystemExit("was not stopped")
            raise Cancelled
        return super().measure(cell, logs, cancel)

use(made_up.MadeUp())
made = Slow if sys.argv.pop(1) == "slow" else FakeRunner
bench.make_runner = lambda *_: made()
main()
"""


def environment(store: Path) -> dict[str, str]:
    path = os.pathsep.join([*sys.path, str(TESTS)])
    return os.environ | {"PYTHONPATH": path, "FIRESTEEL_CACHE": str(store), "COLUMNS": "80"}


def firesteel(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "firesteel", *arguments],
        env=environment(cache),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def signalled(cache: Path, told: str, number: int, *arguments: str) -> str:
    """The last words of a slow run that was sent a signal when it had told that line."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", FAKE, "slow", *arguments],
        env=environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == f"{told}\n"
        began = time.monotonic()
        running.send_signal(number)
        _, errors = running.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert running.returncode == 130
    return errors
