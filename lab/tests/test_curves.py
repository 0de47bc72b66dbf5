# SPDX-License-Identifier: Apache-2.0
"""Curves of time by size: drawn where software and cores were both measured."""

import polars as pl
import pytest

from firesteel.report.curves import break_even_panels

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
            }
            for implementation in implementations
            for size in sizes
        ]
    )


def test_a_suite_that_was_measured_both_ways_has_a_picture() -> None:
    (panel,) = break_even_panels(figures("software", "hardware"))
    assert panel.title == "OpenSSL AES-256-CBC: µs by bytes"
    assert panel.svg.startswith("<svg viewBox=")
    assert "var(--ours)" in panel.svg
    assert "var(--published)" in panel.svg
    assert ">1024<" in panel.svg
    assert ">128<" not in panel.svg, "there is no room for every size"


def test_the_way_through_the_kernel_is_dashed() -> None:
    (panel,) = break_even_panels(figures("software", "hardware", "hardware-kernel"))
    assert panel.title == "OpenSSL AES-256-CBC: µs by bytes; dashed: through the kernel's driver"
    assert panel.svg.count('stroke-dasharray="4,3"') == 1


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
    assert break_even_panels(part) == []
