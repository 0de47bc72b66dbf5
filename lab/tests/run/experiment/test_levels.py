# SPDX-License-Identifier: Apache-2.0
"""Values of a number that varies, as people write them."""

import pytest

from firesteel.base.quantity import Levels, read_levels


@pytest.mark.parametrize(
    ("said", "unit", "values"),
    [
        ("50e6,100e6", "Hz", (50e6, 100e6)),
        ("50 MHz, 100 MHz", "Hz", (50e6, 100e6)),
        ("50,100 MHz", "Hz", (50e6, 100e6)),
        ("800 MHz, 1.6 GHz", "Hz", (800e6, 1.6e9)),
        (["50 MHz", 100_000_000], "Hz", (50e6, 100e6)),
        (120, "ns", (120,)),
        ("0", "ns", (0,)),
        ("1.5 µs", "ns", (1500,)),
        ("1.5us", "ns", (1500,)),
        ("554 MIPS", "1/s", (554e6,)),
        ("1 Gbit/s", "bit/s", (1e9,)),
        ("2 GiB", "MiB", (2048,)),
        ("1,4,16", "", (1, 4, 16)),
        ("50e6..400e6x8", "Hz", tuple(50e6 * n for n in range(1, 9))),
        ("50..400 MHz x4 log", "Hz", (50e6, 100e6, 200e6, 400e6)),
        ("50..400MHzx4log", "Hz", (50e6, 100e6, 200e6, 400e6)),
        ("1..256 x5 log", "", (1, 4, 16, 64, 256)),
        ("10, 20..40 x3", "ns", (10, 20, 30, 40)),
        ("100..1000 ns x4 log", "ns", (100, 215, 464, 1000)),
    ],
)
def test_lists_and_ranges_are_read(said: object, unit: str, values: tuple[float, ...]) -> None:
    assert read_levels(said, unit) == Levels(values)  # type: ignore[arg-type]


def test_a_range_without_a_number_of_values_is_a_whole_one() -> None:
    found = read_levels("50..400 MHz log", "Hz")
    assert found == Levels(low=50e6, high=400e6, log=True)
    assert [found.at(share) for share in (0, 1 / 3, 1)] == [50e6, 100e6, 400e6]
    assert read_levels("0..10", "cycles").at(0.5) == 5


def test_a_share_of_a_list_is_one_of_its_values() -> None:
    found = read_levels("1,4,16", "")
    assert [found.at(share) for share in (0, 0.34, 0.99, 1)] == [1, 4, 16, 16]


@pytest.mark.parametrize(
    ("said", "unit", "why"),
    [
        ("", "Hz", '"" is not a number'),
        ([], "Hz", "there is no value"),
        ("fast", "Hz", '"fast" is not a number'),
        ("1e999", "Hz", "is not a number"),
        ("50 MB", "Hz", '"MB" is not a unit for this key; allowed: Hz, kHz, MHz, GHz'),
        ("5 Hz", "", "allowed: a number without a unit"),
        ("1.5", "ns", "1.5 is not a whole number"),
        ("5,5", "ns", "5 appears more than once"),
        ("9..5x3", "ns", "the range goes from 9 to 5"),
        ("5..9x1", "ns", "allowed are 2 to"),
        ("5..9x99999", "ns", "allowed are 2 to"),
        ("0..9 x3 log", "ns", "begins above 0"),
        ("1, 5..9", "ns", "allows no other value"),
        ("1..2 x3", "", "more than once"),
    ],
)
def test_what_cannot_be_meant_is_told(said: object, unit: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        read_levels(said, unit)  # type: ignore[arg-type]
