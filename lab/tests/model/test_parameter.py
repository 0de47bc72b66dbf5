# SPDX-License-Identifier: Apache-2.0
"""What a parameter says, for people and in the columns of a table."""

import pytest

from firesteel.model.figure import PARAMETER_COLUMNS, Parameter


def test_sizes_are_in_the_greatest_unit_that_divides_them() -> None:
    texts = [Parameter(file_bytes=size).text for size in (128 << 20, 1 << 16, 1000)]
    assert texts == ["128 MiB", "64 KiB", "1000 B"]


@pytest.mark.parametrize(
    ("parameter", "columns"),
    [
        (Parameter(file_bytes=1 << 20), {"size_bytes": 1 << 20}),
        (
            Parameter(class_bytes=80, class_bytes_most=159),
            {"size_bytes": 80, "size_bytes_most": 159},
        ),
        (Parameter(key="ecdsa-p256"), {"key": "ecdsa-p256", "key_bits": 256}),
        (
            Parameter(size_bytes=64, in_flight=4, direction="decrypt"),
            {"size_bytes": 64, "in_flight": 4, "direction": "decrypt"},
        ),
    ],
)
def test_columns_have_its_parts(parameter: Parameter, columns: dict[str, object]) -> None:
    assert parameter.columns == dict.fromkeys(PARAMETER_COLUMNS) | columns
