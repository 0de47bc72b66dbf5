# SPDX-License-Identifier: Apache-2.0
"""How often the making of one figure of a page crosses packages: a measure of how the lab hangs
together.

A crossing is a call of a function of Python from another package of `firesteel` than its own, where
`tools` counts as one.  Calls while modules are imported do not count.
"""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from firesteel.base.checkout import RECORDED
from firesteel.store.store import Store
from tools.figures import rendered

Crossing = tuple[str, str, str]
"""From which package to which, and the function."""


def crossings(expression: str, store: Path) -> Counter[Crossing]:
    """Those of the making of the figure that the expression asks for."""
    text = f"<!-- {{{{ {expression} }}}} --><!--/-->"
    found: Counter[Crossing] = Counter()

    def look(frame: FrameType, event: str, _: Any) -> None:
        before = frame.f_back
        if event != "call" or before is None:
            return
        caller, called = _package(before), _package(frame)
        if caller and called and caller != called:
            found[caller, called, frame.f_code.co_qualname] += 1

    sys.setprofile(look)
    try:
        rendered(text, Store(store))
    finally:
        sys.setprofile(None)
    return found


def say(expression: str) -> None:
    """Prints them, the most frequent first, and their number; and that of a store without an index,
    where the run's rows are made from what was observed.
    """
    crossings(expression, RECORDED)  # All is imported by this, and rows are kept.
    found = crossings(expression, RECORDED)
    for (caller, called, function), count in found.most_common():
        print(f"{count:6,}  {caller} -> {called}.{function}")
    with TemporaryDirectory() as directory:
        for part in ("records", "observations", "runs"):
            (Path(directory) / part).symlink_to(RECORDED / part)
        first = crossings(expression, Path(directory))
    print(f"{found.total():6,}  in all; {first.total():,} the first time, when rows are made")


def _package(frame: FrameType) -> str:
    """The package of the lab that a function is of; nothing if it is of none."""
    top, _, rest = frame.f_globals.get("__name__", "").partition(".")
    return rest.partition(".")[0] if top == "firesteel" else top if top == "tools" else ""
