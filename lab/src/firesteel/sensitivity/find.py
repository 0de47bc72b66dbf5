# SPDX-License-Identifier: Apache-2.0
"""What the studies of a store say of a run's verdicts."""

from collections.abc import Collection

from firesteel.analysis.clocks import offloads_of, other_clock
from firesteel.analysis.offload import answering
from firesteel.analysis.results import Results
from firesteel.model.identity import Identity
from firesteel.sensitivity.firm import Studied, firm_sentence
from firesteel.sensitivity.study import studies
from firesteel.sensitivity.summary import Sensitivity
from firesteel.store.store import Store


def sensitivity_of(store: Store, results: Results) -> Sensitivity | None:
    """What all studies say of a run's rows; None if nothing is known of any.

    Raises `FiresteelError` when a study of the store is damaged.
    """
    found = list(studied(store, results).values())
    if not found:
        return None
    assumptions = {each.name: each for known in found for each in known.assumptions}
    left_out = dict.fromkeys(name for known in found for name in known.left_out)
    rows = tuple(known.row for known in found)
    return Sensitivity(rows, tuple(assumptions.values()), tuple(left_out))


def studied(store: Store, results: Results) -> dict[Identity, Studied]:
    """The same of each row, for `firm.firmness`."""
    return studied_of(store, _keys(results))


def studied_of(store: Store, keys: Collection[str]) -> dict[Identity, Studied]:
    """What all studies together say of the rows that are made of the records at these addresses; of
    an assumption that varied in several, the newest.

    Other records would be of other boards or programs, whatever they are called.
    """
    known = set(keys)
    found: dict[Identity, Studied] = {}
    for study in studies(store):
        for row in study.rows:
            if known.issuperset(row.records):
                here = Studied(row, study.left_out, study.assumptions)
                newer = found.get(row.identity)
                found[row.identity] = _together(newer, here) if newer else here
    return found


def sureness(store: Store, results: Results) -> str:
    """How sure a run's verdicts are, in a sentence: how many are firm, where a study is of them;
    else what the other clock says of them, if it was measured.

    Raises `FiresteelError` when a study of the store is damaged.
    """
    other, known = other_clock(store, results), studied(store, results)
    if known:
        return firm_sentence(answering(offloads_of(results)), other, known)
    return other.sentence if other else ""


def _keys(results: Results) -> set[str]:
    return {record.key for record in results.records}


def _together(newer: Studied, older: Studied) -> Studied:
    """Both of a row; where they have other records, as with more seeds, what varies more."""
    if newer.row.records == older.row.records:
        return newer.beside(older)
    return max(newer, older, key=lambda studied: len(studied.row.swings))
