# SPDX-License-Identifier: Apache-2.0
"""Where a part of the checkout is compiled and its programs run: inside the build root, mostly.

Parts of the checkout are below /firesteel/checkout, read-only; what is built is kept at
/firesteel/work from one run of the tests to the next.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import core_profile
import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import BuildRoot, Room
from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products
from firesteel.build.progress import Runner
from firesteel.build.recipes import PROJECT


class Workshop:
    """The build root, a directory that is kept, and the parts of the checkout that it sees."""

    def __init__(self, root: BuildRoot, work: Path, parts: tuple[str, ...]) -> None:
        self._root = root
        self._logs = work / "logs"
        seen = (*parts, *PROJECT)
        self._parts = {f"/firesteel/checkout/{part}": CHECKOUT / part for part in seen}
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
        room = Room(
            writable={"/firesteel/work": self.work},
            readable={**self._parts, **(readable or {})},
        )
        environment = ["env", f"FIRESTEEL_MODEL={core_profile.options()}"]
        with log_shown(self._logs):
            self._root.run(Runner(self._logs), what, [*environment, *command], room, user)


@contextmanager
def open_workshop(kind: str, *parts: str, root: BuildRoot | None = None) -> Iterator[Workshop]:
    """A workshop that is ours alone in the `with` block, in the build root or another `root`;
    `kind` names its directory.
    """
    root = root or Products().build_root()
    with Cache(cache_directory()).work_directory(kind, root.key) as work:
        yield Workshop(root, work, parts)


@contextmanager
def log_shown(logs: Path, hidden: str | None = None) -> Iterator[None]:
    """A failed command in the `with` block fails the test, with the end of the newest log.

    Lines of the log that begin with `hidden` are left out.
    """
    try:
        yield
    except FiresteelError as error:
        log = max(logs.glob("*.log"), key=lambda log: log.stat().st_mtime)
        lines = log.read_text().splitlines()
        shown = [line for line in lines if hidden is None or not line.startswith(hidden)]
        end = "\n".join(shown)[-20000:]
        pytest.fail(f"{error}\n{end}", pytrace=False)
