# SPDX-License-Identifier: Apache-2.0
"""Bytes that look random and follow from a label: the seeds of all test keys.

They protect nothing: anyone can compute them.  They are for virtual boards only.
"""

import hashlib

_SEED = b"Firesteel test keys, of no secrecy\0"


def derive(label: str, length: int) -> bytes:
    """`length` bytes that follow from `label` alone."""
    return hashlib.shake_256(_SEED + label.encode()).digest(length)
