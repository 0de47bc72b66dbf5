# SPDX-License-Identifier: Apache-2.0
"""How far figures on the clock that counts cycles are off, by the recorded calibration."""

from functools import cache

from firesteel.analysis.results import load_results
from firesteel.base.checkout import RECORDED
from firesteel.replication.calibration import calibrate, choose
from firesteel.replication.processor import load_processors
from firesteel.store.store import Store

_RUN = "calibration"
"""In `recorded/`."""

PAGE = "docs/calibration.md"
"""Where every row of it is."""


@cache
def held_out_error() -> str:
    """A sentence: the median deviation of each kind of published figures that the costs were not
    fitted to; where they stand, if this checkout has no record of them.
    """
    store = Store(RECORDED)
    if _RUN not in store.run_names():
        return f"How far figures that were held out of the fit are off stands in {PAGE}."
    results = load_results(store, _RUN)
    found = calibrate(choose(load_processors(), [results], None), [results])
    said = [
        f"{group.kind} {group.median:.1f} %"
        for group in found.groups
        if group.role == "held-out" and group.median is not None
    ]
    return (
        "Published figures that the costs were not fitted to deviate, in the median, by: "
        f"{', '.join(said)} ({PAGE})."
    )
