# SPDX-License-Identifier: Apache-2.0
"""Whether a worker is of the same version: what it offers is named by its own."""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_PARTS = ("base", "model", "architectures", "board", "machines")
"""What runs on workers.  What makes figures of observations does not."""

CELLS = "firesteel cells"
"""A worker's resource: how many cells it runs at a time, with `lab_version()` behind the name."""

MEMORY = "firesteel memory"
"""Likewise, bytes of memory for cells."""


@cache
def lab_version() -> str:
    """Twelve hex digits for all that decides what a worker does with a task."""
    digest = hashlib.sha256(f"distributed {version('distributed')}\n".encode())
    for part in _PARTS:
        for path in sorted((_PACKAGE / part).glob("*.py")):
            digest.update(f"{part}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
