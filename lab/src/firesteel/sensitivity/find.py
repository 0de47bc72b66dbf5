# SPDX-License-Identifier: Apache-2.0
"""What studies say of a run's verdicts: those of the user's store, and those of the checkout.

A study is of records, by their addresses.  So one that comes with the checkout (`recorded/`) says
the same of a run elsewhere, as long as that has these very records.
"""

from collections.abc import Collection, Iterator

from firesteel.analysis.clocks import offloads_of, other_clock
from firesteel.analysis.offload import answering
from firesteel.analysis.results import Results
from firesteel.base.checkout import RECORDED
from firesteel.model.identity import Identity
from firesteel.sensitivity.firm import Firm, Studied
from firesteel.sensitivity.study import Study, studies
from firesteel.sensitivity.summary import Sensitivity
from firesteel.store.store import Store


def sensitivity_of(store: Store, results: Results) -> Sensitivity | None:
    """What all studies say of a run's rows; None if nothing is known of any.

    Raises `FiresteelError` when a study is damaged.
    """
    return Sensitivity.of_all(studied(store, results).values())


def studied(
    store: Store, results: Results, recorded: Store | None = None
) -> dict[Identity, Studied]:
    """The same of each row, for `firm.firmness`."""
    return studied_of(store, _keys(results), recorded)


def studied_of(
    store: Store, keys: Collection[str], recorded: Store | None = None
) -> dict[Identity, Studied]:
    """What all studies together say of the rows that are made of the records at these addresses: of
    an assumption that varied in several, the newest of the store, or else of the `recorded` ones
    (default: those of the checkout).

    Other records would be of other boards or programs, whatever they are called.
    """
    known = set(keys)
    found: dict[Identity, Studied] = {}
    for study, names in _studies(store, recorded or Store(RECORDED)):
        for row in study.rows:
            if known.issuperset(row.records):
                here = Studied(row, study.left_out, study.assumptions, names)
                newer = found.get(row.identity)
                found[row.identity] = _together(newer, here) if newer else here
    return found


def firm_of(store: Store, results: Results, recorded: Store | None = None) -> Firm:
    """What is known of a run's verdicts: from the store, or else from the `recorded` runs and
    studies (default: those of the checkout).

    Raises `FiresteelError` when a study is damaged.
    """
    recorded = recorded or Store(RECORDED)
    other = other_clock(store, results, recorded)
    return Firm(answering(offloads_of(results)), other, studied(store, results, recorded))


def _studies(store: Store, recorded: Store) -> Iterator[tuple[Study, tuple[str, ...]]]:
    """All studies, those of the store first; the name of each that is recorded besides."""
    yield from ((study, ()) for study in studies(store))
    if recorded.root != store.root:
        yield from ((study, (study.run,)) for study in studies(recorded))


def _keys(results: Results) -> set[str]:
    return {record.key for record in results.records}


def _together(newer: Studied, older: Studied) -> Studied:
    """Both of a row; where they have other records, as with more seeds, what varies more."""
    if newer.row.records == older.row.records:
        return newer.beside(older)
    return max(newer, older, key=lambda studied: len(studied.row.swings))
