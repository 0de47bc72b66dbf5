# SPDX-License-Identifier: Apache-2.0
"""What the studies of a store say of a run's verdicts."""

from collections.abc import Collection

from firesteel.analysis.clocks import offloads_of, other_clock
from firesteel.analysis.offload import answering
from firesteel.analysis.results import Results
from firesteel.model.identity import Identity
from firesteel.sensitivity.firm import Studied, firm_sentence
from firesteel.sensitivity.study import Row, Study, studies
from firesteel.sensitivity.summary import Sensitivity
from firesteel.store.store import Store


def sensitivity_of(store: Store, results: Results) -> Sensitivity | None:
    """What is known of a run's rows, of each from the study that varies most; None if nothing is.

    Raises `FiresteelError` when a study of the store is damaged.
    """
    found = list(_found(store, _keys(results)).values())
    if not found:
        return None
    used = {study.run: study for study, _ in found}.values()
    assumptions = {each.name: each for study in used for each in study.assumptions}
    left_out = dict.fromkeys(name for study in used for name in study.left_out)
    return Sensitivity(tuple(row for _, row in found), tuple(assumptions.values()), tuple(left_out))


def studied(store: Store, results: Results) -> dict[Identity, Studied]:
    """The same of each row, for `firm.firmness`."""
    return studied_of(store, _keys(results))


def studied_of(store: Store, keys: Collection[str]) -> dict[Identity, Studied]:
    """What is known of the rows that are made of the records at these addresses, likewise."""
    return {
        identity: Studied(row, study.left_out, study.assumptions)
        for identity, (study, row) in _found(store, keys).items()
    }


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


def _found(store: Store, keys: Collection[str]) -> dict[Identity, tuple[Study, Row]]:
    """The rows of studies that are made of these records; the newer of two that say as much.

    Other records would be of other boards or programs, whatever they are called.
    """
    found: dict[Identity, tuple[Study, Row]] = {}
    for study in studies(store):
        for row in study.rows:
            known = found.get(row.identity)
            more = known is None or len(row.swings) > len(known[1].swings)
            if more and set(row.records) <= set(keys):
                found[row.identity] = (study, row)
    return found
