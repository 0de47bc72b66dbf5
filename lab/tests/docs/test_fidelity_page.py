# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md comes from the recorded runs, once all of them are there."""

from pathlib import Path

import pytest
from made_runs import results_of

from firesteel.analysis.study import load_studies
from firesteel.base.checkout import RECORDED
from firesteel.store.store import Store
from research.fidelity import load_fidelity
from tools import fidelity_page as module
from tools.fidelity_page import PAGES, fidelity_pages
from tools.runs import load_runs


def test_the_page_is_that_of_the_recorded_runs() -> None:
    for path, text in fidelity_pages(Store(RECORDED)).items():
        assert path.read_text(encoding="utf-8") == text, "scripts/figures.sh write"


def test_all_runs_of_the_page_are_among_those_to_record() -> None:
    named = {run.name for run in load_runs()}
    for study in load_studies():
        file = load_fidelity(study)
        assert not file or set(file.runs.all) <= named, study.name


def test_the_page_is_made_once_its_last_run_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module, "page", lambda *parts: f"{len(parts[-1].variants)} runs of variants"
    )
    results = results_of(tmp_path, lambda cell: cell.protocol == "none")
    store = Store(tmp_path)
    (file,) = (load_fidelity(study) for study in load_studies() if study.name == "delhaye2015")
    assert file
    for name in file.runs.all:
        assert PAGES / file.page not in fidelity_pages(store)
        store.save(results.journal.model_copy(update={"name": name}))
    assert fidelity_pages(store)[PAGES / file.page] == "4 runs of variants"
