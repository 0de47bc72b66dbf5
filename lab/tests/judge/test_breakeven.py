# SPDX-License-Identifier: Apache-2.0
"""The break-even is where software comes to cost more, as it does at every larger size."""

import polars as pl
import pytest
from made_results import results_in

from firesteel.judge.intervals import spreads
from firesteel.judge.thresholds import break_even
from firesteel.model.figure import Figure, Parameter
from firesteel.table import CELL_COLUMNS, CPUS, KEY_COLUMNS, UNCERTAINTY, figures_frame

BELOW = "at every measured size; it breaks even below the smallest one (16 B)."

SIZES = (16, 64, 1400, 16384)


def figures(implementation: str, values: tuple[float, ...]) -> list[Figure]:
    return [
        Figure(
            workload="kernel-crypto",
            protocol="crypto-api",
            cipher="aes-256-cbc",
            mac="none",
            implementation=implementation,
            parameter=Parameter(size_bytes=size, in_flight=1, direction="encrypt"),
            metric="time_per_request_p50",
            value=value,
        )
        for size, value in zip(SIZES, values, strict=True)
    ]


@pytest.mark.parametrize(
    ("hardware", "says"),
    [
        # 5 - 0.98 above zero at the one, 9.8 - 5 below it at the other: 46 % of the way
        ((5, 5, 5, 5), "from about 38 B on (interpolated between 16 B and 64 B)."),
        ((0.5, 5, 200, 5), "from about 2800 B on (interpolated between 1400 B and 16384 B)."),
        # A ratio within the slack at 64 B: between it and 1400 B
        ((9, 9.9, 50, 5), "from about 67 B on (interpolated between 64 B and 1400 B)."),
        ((0.5, 5, 5, 5), BELOW),
        ((0.5, 0.5, 0.5, 0.5), BELOW),
        ((0.5, 5, 50, 5000), "at no measured size."),
        ((1, 10, 100, 1000), "at no measured size."),
    ],
)
def test_all_larger_sizes_count(hardware: tuple[float, ...], says: str) -> None:
    rows = figures("software", (1, 10, 100, 1000)) + figures("hardware", hardware)
    (found,) = break_even(results_in(figures_frame(rows)))
    assert found.sentence.startswith("Kernel crypto: kernel AES-256-CBC, hardware ")
    assert found.sentence.endswith(f" {says}")


def test_between_a_size_that_software_did_and_the_next_nothing_is_interpolated() -> None:
    done = [
        each.model_copy(update={"metric": "offloaded"})
        for each in figures("hardware", (0, 0, 100, 100))
    ]
    rows = figures("software", (1, 10, 100, 1000)) + figures("hardware", (2, 11, 5, 5))
    (found,) = break_even(results_in(figures_frame(rows + done)))
    assert found.size == "64 B to 1400 B"
    assert found.sentence.endswith(" from 1400 B on (software did the work at 64 B).")


def test_costs_of_a_request_and_of_its_bytes_cross_where_they_are_equal_but_for_the_slack() -> None:
    """Whatever the sizes that happened to be measured."""
    software = [1 + 0.05 * size for size in SIZES]
    hardware = [8 + 0.01 * size for size in SIZES]
    rows = figures("software", tuple(software)) + figures("hardware", tuple(hardware))
    (found,) = break_even(results_in(figures_frame(rows)))
    assert (found.above, found.least) == (64, 1400)
    assert found.crossing == pytest.approx((8 - 0.98) / (0.98 * 0.05 - 0.01))
    assert found.size == "180 B"


def seeds(implementation: str, small: tuple[float, ...], large: float) -> list[pl.DataFrame]:
    """A frame a seed; the size of 64 B varies."""
    return [
        figures_frame(figures(implementation, (100, value, large, large))).with_columns(
            pl.lit(1).alias(CPUS),
            pl.lit(seed).alias("seed"),
            pl.lit(None, pl.Float64).alias(UNCERTAINTY),
        )
        for seed, value in enumerate(small, 1)
    ]


def test_a_size_at_which_the_gain_may_be_chance_is_not_above_the_break_even() -> None:
    """Three seeds at 64 B: 5 % less in the mean, and more in one of them."""
    frames = [*seeds("software", (100, 100, 100), 100), *seeds("hardware", (80, 85, 120), 50)]
    keys = [*KEY_COLUMNS, *CELL_COLUMNS]
    spread = spreads(pl.concat(frames), keys)
    (told,) = break_even(results_in(spread))
    assert (told.above, told.least) == (64, 1400)
    (means,) = break_even(results_in(spread.select(*keys, "value")))
    assert (means.above, means.least) == (16, 64), "the same without what the seeds tell"


def test_software_as_installed_breaks_even_with_nothing() -> None:
    installed = figures("software-as-installed", (1, 1, 1, 1))
    frame = figures_frame(figures("software", (2, 2, 2, 2)) + installed)
    assert list(break_even(results_in(frame))) == []
