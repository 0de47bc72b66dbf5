# SPDX-License-Identifier: Apache-2.0
"""Values are changed in a file that people wrote, and all else stays."""

import tomllib
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from research.toml_edit import with_values

TEXT = """\
# Of a car.

[wheels]
# In front.
left = { inches = 16, tyre = "slick" }  # worn
right = { inches = 16, tyre = "slick" }

[doors]
front = { locked = true }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "car.toml"
    path.write_text(TEXT)
    return path


def test_values_change_in_their_place(file: Path) -> None:
    text = with_values(file, {"wheels.left": {"inches": 17.5, "tyre": "winter"}})
    assert text == TEXT.replace(
        'left = { inches = 16, tyre = "slick" }', 'left = { inches = 17.5, tyre = "winter" }'
    )


def test_a_number_that_is_whole_is_written_as_one(file: Path) -> None:
    assert "left = { inches = 20, " in with_values(file, {"wheels.left": {"inches": 20.0}})


def test_the_same_values_change_nothing(file: Path) -> None:
    assert with_values(file, {"wheels.left": {"inches": 16.0, "tyre": "slick"}}) == TEXT


def test_what_is_not_there_is_made(file: Path) -> None:
    text = with_values(file, {"wheels.left": {"spokes": 5.0}, "wheels.spare": {"inches": 14.0}})
    found = tomllib.loads(text)
    assert found["wheels"]["left"] == {"inches": 16, "tyre": "slick", "spokes": 5}
    assert found["wheels"]["spare"] == {"inches": 14}
    assert found["doors"] == {"front": {"locked": True}}


def test_a_file_that_is_not_toml_is_told(file: Path) -> None:
    file.write_text("wheels = {")
    with pytest.raises(FiresteelError, match=r"car\.toml: is not valid TOML"):
        with_values(file, {"wheels": {"count": 4.0}})
