# SPDX-License-Identifier: Apache-2.0
"""How near the boards come to published studies: pages of the runs in `recorded/`."""

from pathlib import Path

from firesteel.analysis.compare import compare
from firesteel.analysis.published import published_in
from firesteel.analysis.results import load_results
from firesteel.analysis.study import Study, load_studies
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.replication.fidelity import page
from firesteel.replication.fidelity_file import FILE, Runs, load_fidelity
from firesteel.store.store import Store

PAGES = CHECKOUT / "docs"


def fidelity_pages(store: Store) -> dict[Path, str]:
    """The pages of all studies that have one, by their paths; none while one of its runs is not
    recorded, as it then stays what `firesteel fidelity` made of others.
    """
    found: dict[Path, str] = {}
    for study in load_studies():
        file = load_fidelity(study)
        if not file or not set(file.runs.all) <= set(store.run_names()):
            continue
        path = PAGES / file.page
        if path in found:
            raise FiresteelError(
                f"{study.folder / FILE}: another study has the page `{file.page}` too."
            )
        found[path] = _page(store, study, file.runs)
    return found


def _page(store: Store, study: Study, runs: Runs) -> str:
    figures = load_results(store, runs.figures)
    longer = load_results(store, runs.longer) if runs.longer else None
    variants = [load_results(store, name) for name in runs.variants or ()]
    comparison = compare(figures.means, published_in(figures.means, study))
    return page(study, figures, comparison, longer, variants)
