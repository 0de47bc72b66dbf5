# SPDX-License-Identifier: Apache-2.0
"""Where scenes with the programs of a Debian release are played."""

from pathlib import Path

from workshop import log_shown

from firesteel.base.checkout import CHECKOUT, PROGRAMS
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.progress import Runner

_TESTS = "/firesteel/checkout/tests/programs"
_LAB = "/firesteel/checkout/lab/src"
_CONFIGURATIONS = "/firesteel/checkout/provider/configurations"


class ProgramsWorkshop:
    """A program root, with library and provider for its OpenSSL."""

    def __init__(self, suite: str, root: BuildRoot, provider: Path, logs: Path) -> None:
        self._suite = suite
        self._root = root
        self._provider = provider
        self._logs = logs

    def play(self, scene: str) -> None:
        """Play a scene as root with a network of its own; the test fails with what it told.

        Nothing of it remains: processes and mounts go with their namespaces, and what it writes is
        in memory.
        """
        configurations = CHECKOUT / "provider/configurations"
        room = Room(
            readable={
                "/firesteel/output": self._provider,
                _CONFIGURATIONS: configurations,
                _TESTS: PROGRAMS,
                _LAB: CHECKOUT / "lab/src",
            }
        )
        command = [
            "unshare",
            "--net",
            "env",
            f"PYTHONPATH={_TESTS}:{_LAB}",
            "python3",
            "-m",
            "scenes",
        ]
        self._run(f"Playing {scene} on {self._suite}", [*command, scene], room, "0:0")

    def _run(self, what: str, command: list[str], room: Room, user: str = "") -> None:
        with log_shown(self._logs, hidden="passed "):
            self._root.run(Runner(self._logs), what, command, room, user=user)
