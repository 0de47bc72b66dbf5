# SPDX-License-Identifier: Apache-2.0
"""Curves of time by size: drawn where software and cores were both measured."""

import polars as pl
import pytest
from made_results import results_in

from firesteel.analysis.places import Places
from firesteel.report.charts import Chart
from firesteel.report.curves import break_even_chart
from firesteel.report.panels import by_suite

SIZES = (16, 64, 128, 1024)


def figures(*implementations: str, sizes: tuple[int, ...] = SIZES) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "experiment": "openssl-speed",
                "protocol": "openssl",
                "cipher": "aes-256-cbc",
                "mac": "none",
                "implementation": implementation,
                "parameter": f"{size} B",
                "metric": "time_per_request",
                "unit": "µs",
                "value": 1.0 + size if implementation == "software" else 9.0,
                "completion": "",
                "as_in_2015": "",
            }
            for implementation in implementations
            for size in sizes
        ]
    )


def chart(part: pl.DataFrame) -> Chart | None:
    results = results_in(part)
    places = Places.of(results)
    return break_even_chart(by_suite(places.labelled(results), places))


def test_a_suite_that_was_measured_both_ways_has_a_picture() -> None:
    drawn = chart(figures("software", "hardware"))
    assert drawn
    (panel,) = drawn.panels
    assert panel.title == "OpenSSL AES-256-CBC: µs by bytes"
    assert panel.svg.startswith("<svg viewBox=")
    assert "var(--hardware)" in panel.svg
    assert "var(--software)" in panel.svg
    assert "software: 17 µs at 16 B" in panel.svg, "it says what it shows"
    assert ">1024<" in panel.svg
    assert ">128<" not in panel.svg, "there is no room for every size"


def test_the_way_through_the_kernel_is_dashed() -> None:
    drawn = chart(figures("software", "hardware", "hardware-kernel"))
    assert drawn
    assert drawn.panels[0].svg.count('stroke-dasharray="4,3"') == 1
    (told,) = [told for name, told in drawn.legend if name == "hardware dashed"]
    assert "kernel's driver" in told


@pytest.mark.parametrize(
    "part",
    [
        figures("software"),
        figures("hardware"),
        figures("software", "virtio-crypto"),
        figures("software", "hardware-kernel"),
        figures("software", "hardware", sizes=(64,)),
    ],
)
def test_one_way_or_one_size_has_none(part: pl.DataFrame) -> None:
    assert chart(part) is None


def test_the_driver_s_own_choice_of_completion_is_drawn() -> None:
    usual = figures("software", "hardware")
    others = usual.with_columns(
        pl.lit("poll").alias("completion"), pl.lit(1e6).alias("value")
    ).filter(pl.col("implementation") == "hardware")
    assert chart(pl.concat([usual, others])) == chart(usual)


def test_large_numbers_have_no_exponent() -> None:
    drawn = chart(figures("software", "hardware", sizes=(1, 4, 8, 1050)))
    assert drawn
    assert "1050 µs at 1050 B" in drawn.panels[0].svg
    assert "e+" not in drawn.panels[0].svg
