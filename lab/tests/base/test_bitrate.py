# SPDX-License-Identifier: Apache-2.0
"""Bit rates are read and told in the same words."""

import pytest
from pydantic import TypeAdapter, ValidationError

from firesteel.base.quantity import BitRate, bits_of, rate_text, read_rate

RATE = TypeAdapter(BitRate)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("1 Mbit/s", 1_000_000),
        ("100 Mbit/s", 100_000_000),
        ("1 Gbit/s", 1_000_000_000),
        ("2.5 Gbit/s", 2_500_000_000),
        ("100 Gbit/s", 100_000_000_000),
    ],
)
def test_a_rate_is_told_as_it_was_written(text: str, bits: int) -> None:
    assert bits_of(RATE.validate_python(text)) == bits
    assert rate_text(bits) == text


def test_a_rate_has_one_name() -> None:
    assert rate_text(bits_of("1.0 Gbit/s")) == "1 Gbit/s"


@pytest.mark.parametrize(
    "text",
    ["1Gbit/s", "1 gbit/s", "0 Gbit/s", "0.5 Gbit/s", "01 Gbit/s", "1000 Mbit/s", "101 Gbit/s"],
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        RATE.validate_python(text)


@pytest.mark.parametrize(
    ("typed", "rate"),
    [
        ("1Gbit/s", "1 Gbit/s"),
        ("1000 Mbit/s", "1 Gbit/s"),
        ("1500 Mbit/s", "1.5 Gbit/s"),
        ("0.5 Gbit/s", "500 Mbit/s"),
    ],
)
def test_a_rate_that_is_typed_becomes_the_one_that_files_have(typed: str, rate: str) -> None:
    assert read_rate(typed) == rate


@pytest.mark.parametrize("typed", ["", "fast", "1 GB/s", "999 kbit/s", "1250 Mbit/s", "101 Gbit/s"])
def test_what_is_no_rate_is_told_what_is_allowed(typed: str) -> None:
    with pytest.raises(ValueError, match="^allowed is a rate from 1 Mbit/s to 100 Gbit/s with at"):
        read_rate(typed)
