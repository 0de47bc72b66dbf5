# SPDX-License-Identifier: Apache-2.0
"""In no row of the studies is a board slower, or its CPU busier, on the cores than in software."""

import pytest

from firesteel.analysis.results import load_results
from firesteel.analysis.verdict import offloads
from firesteel.base.checkout import RECORDED
from firesteel.store.store import Store

STORE = Store(RECORDED)

RUNS = ("thesis", "relative-costs", "forwarding", "gigabit", "several-cores")


@pytest.mark.parametrize("run", RUNS)
def test_no_row_loses(run: str) -> None:
    """Of rows with the cores as a user gets them: variants show what other ways cost."""
    judged = [each for each in offloads(load_results(STORE, run).means) if each.counts]
    assert judged
    assert [each.what for each in judged if each.verdict == "loses"] == []
