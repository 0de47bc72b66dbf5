# SPDX-License-Identifier: Apache-2.0
"""Several seeds of a figure: the mean and its interval, and one value where one is shown."""

from pathlib import Path

import polars as pl
import pytest
from commands import call

from firesteel.judge.intervals import spreads
from firesteel.judge.results import load_results
from firesteel.store.store import Store
from firesteel.table import UNCERTAINTY


def spread_of(*values: float, uncertainty: float | None = None) -> dict[str, float | None]:
    samples = pl.DataFrame(
        {
            "name": ["x"] * len(values),
            "seed": list(range(1, len(values) + 1)),
            "value": list(map(float, values)),
            UNCERTAINTY: [uncertainty] * len(values),
        },
        schema_overrides={UNCERTAINTY: pl.Float64},
    )
    (row,) = spreads(samples, ["name"]).to_dicts()
    return row


def test_an_interval_of_five_seeds() -> None:
    row = spread_of(10, 11, 12, 13, 19)
    # What is shown is what the interval is of: the mean, and not the median, which is 12.
    assert (row["value"], row["min"], row["max"]) == (13, 10, 19)
    assert row["seeds"] == 5
    # Standard deviation sqrt(50/4), by hand
    half = 2.7764451 * (12.5 / 5) ** 0.5
    assert (row["ci95_low"], row["ci95_high"]) == pytest.approx((13 - half, 13 + half))


def test_one_seed_has_no_interval_and_its_value_is_kept_to_the_bit() -> None:
    row = spread_of(0.1 + 0.2)
    assert (row["seeds"], row["ci95_low"], row["ci95_high"]) == (1, None, None)
    assert row["value"] == row["min"] == row["max"] == 0.1 + 0.2


@pytest.mark.parametrize(
    ("values", "uncertainty", "half", "converged"),
    [
        ((100,), None, None, True),
        ((100,), 2.0, 2.0, True),
        ((100,), 2.1, 2.1, False),
        ((0,), 0.1, 0.1, False),
        # Two seeds whose own intervals are wide: theirs, of one degree of freedom, counts
        ((100, 100.1), 5.0, 12.706 * 0.05, True),
        ((100, 101), 5.0, 12.706 * 0.5, False),
        ((100, 101), 1.0, 12.706 * 0.5, True),
        ((100, 150), None, 12.706 * 25, True),
    ],
)
def test_a_figure_has_converged_when_its_interval_is_small(
    values: tuple[float, ...], uncertainty: float | None, half: float | None, converged: bool
) -> None:
    row = spread_of(*values, uncertainty=uncertainty)
    assert bool(row["converged"]) == converged
    value, high = row["value"], row["ci95_high"]
    assert value is not None
    assert high == (half and pytest.approx(value + half, rel=1e-4))


def test_figures_keep_the_order_of_their_first_seed() -> None:
    samples = pl.DataFrame(
        {"name": ["b", "a", "b", "c"], "seed": [1, 1, 2, 1], "value": [1.0, 2.0, 3.0, 4.0]}
    ).with_columns(pl.lit(None, pl.Float64).alias(UNCERTAINTY))
    assert spreads(samples, ["name"])["name"].to_list() == ["b", "a", "c"]
    assert spreads(samples, ["name"])["seeds"].to_list() == [2, 1, 1]


def test_the_mean_of_equal_values_is_their_value_to_the_bit() -> None:
    assert spread_of(0.1, 0.1, 0.1)["value"] == 0.1


def test_a_seed_that_failed_is_missing_in_the_number_behind_the_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = ["--quick", "--seeds", "3", "--only", "protocol=none", "--store", str(tmp_path)]
    result = call(monkeypatch, "run", "quickstart", *arguments, fail=["no tunnel software 2"])
    assert result.exit_code == 1
    shown = call(monkeypatch, "show", "--store", str(tmp_path)).stdout
    assert "(3 seeds)" in shown
    assert "(2)" in shown
    assert "no tunnel, seed 2: " in shown
    (entry,) = load_results(Store(tmp_path)).failed
    assert entry.slug == "no-tunnel-software-seed-2"
