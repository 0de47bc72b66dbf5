# SPDX-License-Identifier: Apache-2.0
"""Files that are sent, and whether they came."""

import hashlib
import os
from pathlib import Path

from scenes.errors import SceneError


def make(path: Path, size: int) -> str:
    """Fill `path` with `size` random bytes; their digest."""
    data = os.urandom(size)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def check(data: bytes, digest: str, what: str) -> None:
    """`SceneError` unless `data` has `digest`."""
    if hashlib.sha256(data).hexdigest() != digest:
        raise SceneError(f"{what}: {len(data)} bytes came, which are not what was sent")
