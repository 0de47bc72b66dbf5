# SPDX-License-Identifier: Apache-2.0
"""Where the model is compiled and its programs run: inside the build root.

The checkout is at /firesteel/checkout, read-only; what is built is kept at /firesteel/work from
one run of the tests to the next.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.places import CHECKOUT
from firesteel.build.progress import Runner
from firesteel.errors import FiresteelError

_SOURCES = ("model", "silex")


class Workshop:
    """The build root, a directory that is kept, and the sources."""

    def __init__(self, root: BuildRoot, work: Path) -> None:
        self._root = root
        self._logs = work / "logs"
        self.work = work

    def run(
        self,
        what: str,
        *command: str,
        readable: Mapping[str, Path] | None = None,
        user: str = "",
    ) -> None:
        """Runs `command` inside; the test fails with all that it wrote when it fails.

        `readable` are more files that it sees: path inside, below /firesteel → path here.
        `user` (`UID:GID`) runs it; without it, the user who runs the tests.
        """
        sources = {f"/firesteel/checkout/{name}": CHECKOUT / name for name in _SOURCES}
        room = Room(
            writable={"/firesteel/work": self.work},
            readable={**sources, **(readable or {})},
        )
        try:
            self._root.run(Runner(self._logs), what, list(command), room, user)
        except FiresteelError as error:
            logs = sorted(self._logs.glob("*.log"), key=lambda log: log.stat().st_mtime)
            pytest.fail(f"{error}\n{logs[-1].read_text()[-20000:]}", pytrace=False)
