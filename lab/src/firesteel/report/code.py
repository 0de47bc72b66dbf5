# SPDX-License-Identifier: Apache-2.0
"""Which code for cryptography really ran, in software and in hardware, from profiles.

A program or the kernel may have several implementations of an algorithm.  A profile counts what was
executed, so it tells which one was taken.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firesteel.analysis.sheet import Sheet, Text
from firesteel.profiling.document import Profile
from firesteel.profiling.layers import Layer
from firesteel.workloads import titles

_LAYERS: tuple[Layer, ...] = ("libcrypto", "kernel crypto", "driver", "provider", "libfiresteel")

_LEAST = 0.01
"""The share of a cell's instructions from which on code is named."""


@dataclass(frozen=True)
class Code:
    """A function that ran: the file that has it, and its share of the cell's instructions; what the
    cell is called, and what it is called without its implementation.
    """

    cell: str
    configuration: str
    implementation: str
    window: str
    object: str
    function: str
    share: float


def code_that_ran(profiles: Iterable[Profile]) -> Iterator[Code]:
    """The functions of cryptography that took a hundredth of a profile or more, largest first."""
    for profile in profiles:
        for (layer, place, function), count in profile.totals(1, 2, 3).most_common():
            share = count / (profile.instructions or 1)
            if layer in _LAYERS and share >= _LEAST and not _is_nameless(function):
                yield Code(
                    profile.cell,
                    profile.configuration,
                    profile.implementation,
                    profile.window,
                    place,
                    function,
                    share,
                )


def _is_nameless(function: str) -> bool:
    """Whether nothing but an address is known of it."""
    return function.startswith("@") and not function.endswith(")")


def code_sheet(profiles: Iterable[Profile]) -> Sheet | None:
    """A row a function; nothing without profiles."""
    rows: list[list[Text]] = [
        [
            code.configuration,
            titles.implementation(code.implementation),
            code.object,
            code.function,
            f"{100 * code.share:.1f} %",
        ]
        for code in code_that_ran(profiles)
    ]
    columns = ("implementation", "object", "code", "share of instructions")
    caption = "Cryptographic code that ran"
    return Sheet(caption, columns, rows, head="cell", wordy=frozenset({0, 1, 2})) if rows else None
