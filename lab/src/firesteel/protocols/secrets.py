# SPDX-License-Identifier: Apache-2.0
"""Bytes that look random and follow from a label and a seed: what all test keys are made of.

They protect nothing: anyone can compute them.  They are for virtual boards only.
"""

import hashlib

_SEED = b"Firesteel test keys, of no secrecy\0"


def derive(label: str, length: int) -> bytes:
    """`length` bytes that follow from `label` alone."""
    return hashlib.shake_256(_SEED + label.encode()).digest(length)


def seeded(label: str, seed: int) -> str:
    """The label of a key that each of a cell's seeds has for itself; seed 1 has the plain one."""
    return label if seed == 1 else f"{label} of seed {seed}"
