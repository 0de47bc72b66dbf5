# SPDX-License-Identifier: Apache-2.0
"""What is said of the method wherever figures are shown."""

from firesteel.flat_time import flat_time, load_cycles

_COUNTED = (
    "Virtual time counts instructions, not cycles: caches, branch prediction and memory latency "
    "cost nothing, so compare these figures with each other, not with those of a chip."
)


def method() -> str:
    """What figures in virtual time are worth."""
    return f"{_COUNTED} {flat_time()}"


def method_in_short() -> str:
    """The same for where there is little room, with the page that says more."""
    return (
        "Virtual time counts instructions, not cycles: gains of cryptography that keeps the CPU "
        f"busy are up to {load_cycles().most:.1f} times too high (docs/virtual-time.md)."
    )
