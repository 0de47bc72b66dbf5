# SPDX-License-Identifier: Apache-2.0
"""How hardware stands beside the best other software (`analysis.alternatives`), in words; and
of the records that advice rests on.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from firesteel.advice.answer import by_verdict
from firesteel.analysis.alternatives import Alternative, alternatives
from firesteel.analysis.drawn import MOST
from firesteel.analysis.offload import offloads
from firesteel.analysis.places import Places
from firesteel.analysis.results import load_results
from firesteel.analysis.rows import Rows
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.store.store import Store

_NAMED = 2
"""How many alternatives that hardware loses to are named, and rows that lose."""


def unneeded_sentence(found: Sequence[Alternative]) -> str:
    """Which rows need no accelerator, as other software does better; empty where none does."""
    lost = [each for each in found if each.judged.verdict == "loses"]
    named = [f"{each.hardware_name} (than {each.software_name})" for each in lost]
    each_once = names.first_of(list(dict.fromkeys(named)), _NAMED)
    return f"{unneeded_in_short(found)} Worse on the cores: {each_once}." if lost else ""


def unneeded_in_short(found: Sequence[Alternative]) -> str:
    """How many these are."""
    lost = sum(each.judged.verdict == "loses" for each in found)
    rows = f"{lost} of {len(found)} row{'s' if len(found) > 1 else ''}"
    return f"No accelerator is needed in {rows}: other software does better." if lost else ""


def alternatives_sentence(found: Sequence[Alternative]) -> str:
    """How many rows in hardware gain and lose, and to what software."""
    parts = _counted(found)
    rows = f"{len(found)} row{'s' if len(found) > 1 else ''} in hardware"
    lost = Counter(each.software_name for each in found if each.judged.verdict == "loses")
    most = names.all_of([name for name, _ in lost.most_common(_NAMED)])
    to = f" ({'most ' if len(lost) > _NAMED else ''}to {most})" if most else ""
    told = f"of {rows}, {names.all_of(parts)}{to}."
    return f"Compared with the best other software: {told}"


def alternatives_in_short(found: Sequence[Alternative]) -> str:
    """The verdicts alone, in a line; the report has the rest."""
    return f"Against the best other software: {', '.join(_counted(found))}."


def _counted(found: Sequence[Alternative]) -> list[str]:
    return by_verdict([each.judged.verdict for each in found])


def alternatives_in(
    store: Store, run: str, identities: Collection[Identity]
) -> tuple[Alternative, ...]:
    """Those of rows in hardware, among all software of one run; of a very large one, of the part
    that is drawn from it.
    """
    means = load_results(store, run, MOST).means
    figures = Places.of(means).labelled(means)
    wanted = [pair for pair in offloads(figures) if pair.identity in identities]
    return tuple(alternatives(wanted, Rows(figures)))
