# SPDX-License-Identifier: Apache-2.0
"""Hardware beside the best software of another suite or protocol: a sentence for the answer, and a
table.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.analysis.alternatives import Alternative, counted
from firesteel.analysis.sheet import Mark, Sheet, Text, ratio
from firesteel.model import names
from firesteel.report.offload import TONES
from firesteel.workloads import titles

_DO = {
    "helps": ("gains", "gain"),
    "makes no difference": ("shows no difference", "show no difference"),
    "left to software": ("was left to software", "were left to software"),
    "mixed": ("is mixed", "are mixed"),
    "loses": ("loses", "lose"),
}

_NAMED = 2
"""How many alternatives that hardware loses to are named."""

ABOUT = (
    "Software of another suite or protocol may cost less than hardware does with this one. Each "
    "row in hardware stands beside the software that it compares worst with, of all in this run "
    "that serve the same purpose (tunnels, web servers, remote shells) with a suite that encrypts "
    "and authenticates. The rule is that of software of the same suite."
)


@dataclass(frozen=True)
class AlternativesPart:
    """What the answer says, and the table."""

    sentence: str
    about: str
    rows: Sheet


def alternatives_part(found: Sequence[Alternative]) -> AlternativesPart | None:
    """None where nothing else was measured."""
    sheet = alternatives_sheet(found)
    return AlternativesPart(alternatives_sentence(found), ABOUT, sheet) if sheet else None


def alternatives_sentence(found: Sequence[Alternative]) -> str:
    """How hardware stands beside the best other software."""
    counts = counted(found)
    parts = [f"{count} {_DO[name][count > 1]}" for name, count in counts.items()]
    rows = f"{len(found)} row{'s' if len(found) > 1 else ''} in hardware"
    lost = Counter(each.software.label for each in found if each.judged.verdict == "loses")
    most = names.all_of([name for name, _ in lost.most_common(_NAMED)])
    to = f" ({'most ' if len(lost) > _NAMED else ''}to {most})" if most else ""
    told = f"of {rows}, {names.all_of(parts)}{to}."
    return f"Compared with the best software of any other suite or protocol: {told}"


def alternatives_sheet(found: Sequence[Alternative]) -> Sheet | None:
    """A row for each in hardware."""
    rows: list[list[Text]] = [
        [
            each.offload.label,
            names.listed(titles.experiment(each.offload.identity.workload), each.offload.at),
            each.software.label,
            each.judged.speed_mark + ratio(each.judged.speed),
            each.judged.work_mark + ratio(each.judged.work),
            Mark(each.judged.said, TONES.get(each.judged.verdict, "plain")),
        ]
        for each in found
    ]
    columns = ("of", "best other software", "speed", "CPU work", "offload")
    caption = (
        "Hardware beside the best software of another suite or protocol: ratios, × that software"
    )
    return Sheet(caption, columns, rows, wordy=frozenset({0, 1, 4})) if rows else None
