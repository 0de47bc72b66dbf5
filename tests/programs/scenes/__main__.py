# SPDX-License-Identifier: Apache-2.0
"""Plays the scene that is named."""

import importlib
import sys
import time

from scenes import stage
from scenes.cells import Cells


def main() -> int:
    """The status for the shell: 0 when all cells passed."""
    start = time.monotonic()
    stage.prepare()
    cells = Cells()
    importlib.import_module(f"scenes.{sys.argv[1]}").play(cells)
    passed = cells.count - len(cells.failed)
    print(f"{passed} of {cells.count} cells passed in {time.monotonic() - start:.0f} s")
    for name in cells.failed:
        print(f"FAILED {name}")
    return 1 if cells.failed or not cells.count else 0


sys.exit(main())
