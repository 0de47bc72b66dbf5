# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md as the runs of `recorded/` have it."""

from pathlib import Path

from firesteel.analysis.compare import compare
from firesteel.analysis.results import load_results
from firesteel.base.checkout import CHECKOUT
from firesteel.replication.fidelity import page
from firesteel.store.store import Store

FIDELITY = CHECKOUT / "docs" / "fidelity.md"

FIGURES = "thesis"
LONGER = "transfer-length"
VARIANTS = ("causes", "causes-hardware", "causes-ssh", "causes-waiting")
"""The runs that the page is made of, by their names in `recorded/`."""


def fidelity_page(store: Store) -> dict[Path, str]:
    """The page by its path; nothing while one of its runs is not recorded, as it then stays what
    `firesteel fidelity` made of others.
    """
    if not {FIGURES, LONGER, *VARIANTS} <= set(store.run_names()):
        return {}
    figures = load_results(store, FIGURES)
    variants = [load_results(store, name) for name in VARIANTS]
    return {FIDELITY: page(figures, compare(figures.means), load_results(store, LONGER), variants)}
