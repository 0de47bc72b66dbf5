# SPDX-License-Identifier: Apache-2.0
"""All that is known of a metric is in one table, and figures have no other."""

import pytest
from pydantic import ValidationError
from workloads import recorded_runs as recorded

from firesteel.judge.compare import rows_of
from firesteel.judge.study import load_studies
from firesteel.model.figure import Parameter
from firesteel.model.metrics import METRICS, UNITS, better
from firesteel.workloads.workload import rows


def test_a_metric_without_a_meaning_cannot_be_measured() -> None:
    with pytest.raises(ValidationError, match="no metric `speed`"):
        rows(recorded.cell("ipsec"), "ping", Parameter(size_bytes=56), [("speed", 1.0)])


def test_published_figures_have_the_same_units() -> None:
    for row in (row for study in load_studies() for row in rows_of(study)):
        # Statements may be of what only others measure.
        if row["metric"] in METRICS:
            assert METRICS[row["metric"]].unit == row["unit"]


def test_every_unit_is_known() -> None:
    assert {metric.unit for metric in METRICS.values()} == set(UNITS)


def test_which_way_is_better() -> None:
    assert better("throughput") == "higher"
    assert {better(f"rtt_p{p}") for p in (50, 90, 99)} == {"lower"}
    assert better("cpu_user") is None


@pytest.mark.parametrize(("value", "half", "small"), [(100.0, 1.9, True), (0.1, 0.019, False)])
def test_an_interval_is_small_by_its_share_of_the_figure(
    value: float, half: float, small: bool
) -> None:
    made = rows(recorded.cell("ipsec"), "ping", Parameter(size_bytes=56), [("rtt_mean", value)])
    (figure,) = made
    assert figure.model_copy(update={"uncertainty": half}).converged is small
