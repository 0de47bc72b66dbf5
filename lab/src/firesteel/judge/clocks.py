# SPDX-License-Identifier: Apache-2.0
"""Whether the clocks of real machines were the same while they were measured."""

import re
from collections.abc import Sequence

from firesteel.model import names
from firesteel.store.record import Record

_GOVERNOR = re.compile(r"governor\.(?P<node>.+)\.(?P<cpu>\d+)\.changed")
_CLOCK = re.compile(r"(clock\.(?P<node>.+)\.(?P<cpu>\d+))\.before")

_STEADY = 0.05
"""By which part a machine's clock may be another at the end of a measurement."""

_MOST_NAMED = 3
"""How many changes a sentence names."""


def unsteady(records: Sequence[Record]) -> str:
    """A sentence where a machine's clock or governor changed, by the proof of each record
    (`workloads.cells.governors`); empty where none did.
    """
    found: dict[str, None] = {}
    for record in records:
        proof = record.proof
        for name in proof:
            if named := _GOVERNOR.fullmatch(name):
                found[f"the governor of CPU {named['cpu']} of {named['node']} was changed"] = None
            elif named := _CLOCK.fullmatch(name):
                before, after = proof[name], proof[f"{named[1]}.after"]
                rates = f"{before / 1000:.0f} to {after / 1000:.0f} MHz"
                if abs(after / before - 1) > _STEADY:
                    found[f"CPU {named['cpu']} of {named['node']} went from {rates}"] = None
    if not found:
        return ""
    said = names.first_of(list(found), _MOST_NAMED, "; ")
    return f"During these measurements, {said}. Figures may be from before or after the change."
