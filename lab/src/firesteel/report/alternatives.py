# SPDX-License-Identifier: Apache-2.0
"""Hardware beside the best other software: a sentence for the answer, and a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.advice.answer import alternatives_sentence, unneeded_sentence
from firesteel.analysis.sheet import Mark, Sheet, Text, ratio
from firesteel.analysis.verdict import Alternative
from firesteel.model import names
from firesteel.report.offload import TONES
from firesteel.workloads import titles

ABOUT = (
    "Software of another suite, protocol or key may cost less than hardware does with this one. "
    "Each row in hardware stands beside the software that it compares worst with, of all in this "
    "run that serve the same purpose (tunnels, web servers, remote shells, disks) and protect as "
    "much: files and streams by a suite that encrypts and authenticates; connections by a key of "
    "the server that is as strong, hybrid key exchanges beside hybrid ones; disks with tags beside "
    "disks with tags. The rule is that of software of the same suite."
)


@dataclass(frozen=True)
class AlternativesPart:
    """What the answer says, first of all `unneeded` where software does better; and the table."""

    unneeded: str
    sentence: str
    about: str
    rows: Sheet


def alternatives_part(found: Sequence[Alternative]) -> AlternativesPart | None:
    """None where nothing else was measured."""
    if not found:
        return None
    return AlternativesPart(
        unneeded_sentence(found), alternatives_sentence(found), ABOUT, _sheet(found)
    )


def _sheet(found: Sequence[Alternative]) -> Sheet:
    """A row for each in hardware."""
    rows: list[list[Text]] = [
        [
            each.offload.label,
            names.listed(titles.experiment(each.offload.identity.workload), each.offload.at),
            each.software_name,
            each.judged.speed_mark + ratio(each.judged.speed),
            each.judged.work_mark + ratio(each.judged.work),
            Mark(each.judged.said, TONES.get(each.judged.verdict, "plain")),
        ]
        for each in found
    ]
    columns = ("of", "best other software", "speed", "CPU work", "offload")
    caption = "Hardware beside the best other software: ratios, × that software"
    return Sheet(caption, columns, rows, wordy=frozenset({0, 1, 4}))
