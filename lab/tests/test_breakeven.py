# SPDX-License-Identifier: Apache-2.0
"""The break-even is the smallest size from which on software costs more, at every larger one."""

import pytest

from firesteel.breakeven import break_even
from firesteel.figure import Figure
from firesteel.results import figures_frame

SIZES = (16, 64, 1400, 16384)


def figures(implementation: str, values: tuple[float, ...]) -> list[Figure]:
    return [
        Figure(
            experiment="kernel-crypto",
            protocol="crypto-api",
            cipher="aes-256-cbc",
            mac="none",
            implementation=implementation,
            parameter=f"{size} B",
            metric="time_per_request_p50",
            unit="µs",
            value=value,
        )
        for size, value in zip(SIZES, values, strict=True)
    ]


@pytest.mark.parametrize(
    ("hardware", "says"),
    [
        ((5, 5, 5, 5), "less time than software from 64 B on."),
        ((0.5, 5, 5, 5), "less time than software from 16 B on."),
        ((0.5, 5, 200, 5), "less time than software from 16384 B on."),
        ((0.5, 0.5, 0.5, 0.5), "less time than software from 16 B on."),
        ((0.5, 5, 50, 5000), "less time than software at no size up to the largest."),
        ((1, 10, 100, 1000), "less time than software at no size up to the largest."),
    ],
)
def test_all_larger_sizes_count(hardware: tuple[float, ...], says: str) -> None:
    rows = figures("software", (1, 10, 100, 1000)) + figures("hardware", hardware)
    (found,) = break_even(figures_frame(rows))
    assert found.sentence == f"Kernel crypto: kernel AES-256-CBC, hardware takes {says}"


def test_without_software_there_is_nothing_to_say() -> None:
    assert list(break_even(figures_frame(figures("hardware", (1, 2, 3, 4))))) == []
