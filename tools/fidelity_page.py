# SPDX-License-Identifier: Apache-2.0
"""How near the boards come to published studies: pages of the runs in `recorded/`."""

from pathlib import Path

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.judge.study import Study, load_studies
from firesteel.store.store import Store
from research.fidelity import FILE, Runs, load_fidelity, page
from tools.runs import RUNS, load_runs

PAGES = CHECKOUT / "docs"


def fidelity_pages(store: Store) -> dict[Path, str]:
    """The pages of all studies that have one, by their paths.  A page is left out while one of its
    runs is not recorded, because `research.fidelity` then made it from other runs.

    Raises `FiresteelError` where all are but that on the other clock, which a study names only once
    it is recorded.
    """
    found: dict[Path, str] = {}
    for study in load_studies():
        file = load_fidelity(study)
        if not file:
            continue
        _check(study, file.runs)
        missing = set(file.runs.all).difference(store.run_names())
        if missing == {file.runs.other}:
            raise FiresteelError(
                f"{study.folder / FILE}: key `runs.other` has `{file.runs.other}`, which is not "
                f"recorded; there are: {', '.join(store.run_names())}."
            )
        if missing:
            continue
        path = PAGES / file.page
        if path in found:
            raise FiresteelError(
                f"{study.folder / FILE}: another study has the page `{file.page}` too."
            )
        found[path] = page(study, store, file.runs)
    return found


def _check(study: Study, runs: Runs) -> None:
    """Raises `FiresteelError` for a run that is not among those to record: it would never come."""
    known = [run.name for run in load_runs()]
    named = [("figures", runs.figures), ("other", runs.other), ("longer", runs.longer)]
    for key, name in (*named, *(("variants", name) for name in runs.variants or ())):
        if name and name not in known:
            raise FiresteelError(
                f"{study.folder / FILE}: key `runs.{key}` has `{name}`; {RUNS} has: "
                f"{', '.join(known)}."
            )
