# SPDX-License-Identifier: Apache-2.0
"""Cells of the matrix: each ends with the proof that cores did the work, and on which side."""

import contextlib
import time
from collections.abc import Iterator

from scenes import offered
from scenes.errors import SceneError
from scenes.side import Side, Work

_AMID = 40
"""So many requests are more than those of a handshake: a file is under way."""


class Cells:
    """The cells of a scene, told as they end."""

    def __init__(self) -> None:
        self.count = 0
        self.failed: list[str] = []

    @contextlib.contextmanager
    def cell(
        self, name: str, ours: Side, theirs: Side | None, *kinds: str, later: str = ""
    ) -> Iterator[None]:
        """One cell: the `with` block is the conversation.

        Of each of `kinds` (names of work in the statistics) cores must have done something for
        `ours`, and amid a file failed at some if that has faults; `theirs` must not have loaded the
        provider.  `later` are kinds of work with keys, with blanks between them, that count as soon
        as the provider offers them.
        """
        start = time.monotonic()
        before = ours.work()
        self.count += 1
        try:
            yield
            done, known = ours.work().since(before), offered.keys()
            _prove(done, [*kinds, *(kind for kind in later.split() if kind in known)])
            if ours.faults:
                _prove_failures(done, kinds)
            if theirs is not None and theirs.loaded():
                raise SceneError(f"the provider was loaded on the side without it: {theirs.work()}")
        except SceneError as error:
            self.failed.append(name)
            print(f"FAILED {name}: {error}", flush=True)
        else:
            print(f"passed {name} ({time.monotonic() - start:.1f} s): {done}", flush=True)


def _prove(done: Work, kinds: list[str]) -> None:
    missing = [kind for kind in kinds if not done.hardware[kind]]
    if missing:
        raise SceneError(f"no core did anything of {', '.join(missing)}; done was: {done}")


def _prove_failures(done: Work, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        if done.hardware[kind] < _AMID or not done.failed[kind]:
            raise SceneError(f"no core failed at {kind} amid a file; done was: {done}")
