# SPDX-License-Identifier: Apache-2.0
"""What is said of the method wherever figures are shown."""

from firesteel.flat_time import flat_time

_COUNTED = (
    "Virtual time counts instructions, not cycles: caches, branch prediction and memory latency "
    "cost nothing, so compare these figures with each other, not with those of a chip."
)


def method() -> str:
    """What figures in virtual time are worth."""
    return f"{_COUNTED} {flat_time()}"
