# SPDX-License-Identifier: Apache-2.0
"""A mistake in a TOML file is told in one sentence: file, key, what was found, what is allowed."""

import os
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from firesteel.base.errors import FiresteelError
from firesteel.base.toml import names_in, read_model, read_named


class Wheel(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inches: int = Field(ge=10, le=30)
    tyre: Literal["slick", "winter"] = "slick"


class Car(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    wheels: tuple[Wheel, ...] = ()
    doors: dict[str, Wheel] = {}
    spare: Wheel | None = None


def read(tmp_path: Path, text: str) -> Car:
    path = tmp_path / "car.toml"
    path.write_text(text)
    return read_model(path, Car)


def complaint(tmp_path: Path, text: str) -> str:
    with pytest.raises(FiresteelError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}/car.toml: ")
    assert "\n" not in message
    return message.removeprefix(f"{tmp_path}/car.toml: ")


DEEP = 3000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\nwheels = ' + "[" * DEEP + "]" * DEEP, "nests tables or arrays too deeply"),
        ('name = "a"\ndoors' + ".a" * DEEP + " = 1", "nests tables or arrays too deeply"),
        (
            'name = "a"\n[[wheels]]\ninches = ' + "9" * 100_000,
            "contains a number with too many digits.",
        ),
        ('name = "a"\n[[wheels]]\ninches = 0x' + "f" * 100_000, "contains a number with too many"),
        ('name = "a"\n[[wheels]]\ninches = ' + "9" * 4000, "key `wheels[1].inches` is 999"),
        ('name = "' + "a" * (1 << 20) + '"', "is longer than 1 MiB, the most that is allowed"),
        ('name = "a\0b"', "is not valid TOML: "),
    ],
    ids=["arrays", "keys", "decimal", "hexadecimal", "long", "large", "nul"],
)
def test_what_nobody_can_mean_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    said = complaint(tmp_path, text)
    assert said.startswith(message)
    assert len(said) < 300


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    long = tmp_path / ("x" * 5000)
    for path, message in (
        (Path("/dev/zero"), "/dev/zero: is a pipe or a device; allowed is a TOML file."),
        (tmp_path / "pipe", "pipe: is a pipe or a device; allowed is a TOML file."),
        (tmp_path, "is a directory; allowed is a TOML file."),
        (long, "xxx…: cannot be read: File name too long."),
        (Path("a\0b"), "cannot be read: it has a character that no path may have."),
        (tmp_path / "none", "none: cannot be read: No such file or directory."),
    ):
        with pytest.raises(FiresteelError) as caught:
            read_model(path, Car)
        assert message in str(caught.value)
        assert len(str(caught.value)) < 300


def test_a_right_file_becomes_the_model(tmp_path: Path) -> None:
    car = read(tmp_path, 'name = "a"\n[[wheels]]\ninches = 15\n[[wheels]]\ninches = 16\n')
    assert [wheel.inches for wheel in car.wheels] == [15, 16]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "key `name` is missing and has no default."),
        ("name = 5", "key `name` is 5; allowed is a valid string."),
        ('name = "a"\nwheels = 3', "key `wheels` is 3; allowed is an array."),
        ('name = "a"\nwheels = [3]', "key `wheels[1]` is 3; allowed is a table."),
        ('name = "a"\ndoors = 3', "key `doors` is 3; allowed is a table."),
        (f"name = {list(range(99))}", "key `name`: allowed is a valid string."),
        (
            'name = "a"\ncolour = "red"',
            "key `colour` is unknown; allowed here: name, wheels, doors, spare.",
        ),
        (
            'name = "a"\n[[wheels]]\ninches = 15\n[[wheels]]\ninches = 9',
            "key `wheels[2].inches` is 9; allowed is greater than or equal to 10.",
        ),
        (
            'name = "a"\n[[wheels]]\ninches = "15"',
            'key `wheels[1].inches` is "15"; allowed is a whole number.',
        ),
        (
            'name = "a"\n[[wheels]]\ninches = true',
            "key `wheels[1].inches` is true; allowed is a whole number.",
        ),
        (
            'name = "a"\n[[wheels]]\ninches = 12\ntyre = "off-road"',
            "key `wheels[1].tyre` is \"off-road\"; allowed is 'slick' or 'winter'.",
        ),
        (
            'name = "a"\n[doors.left]\ninches = 12\nhandle = 1',
            "key `doors.left.handle` is unknown; allowed here: inches, tyre.",
        ),
        (
            'nmae = "a"',
            (
                "key `nmae` is unknown (did you mean `name`?); allowed here: name, wheels, doors, "
                "spare."
            ),
        ),
        (
            'name = "a"\n[[wheels]]\ninchs = 15',
            (
                "key `wheels[1].inchs` is unknown (did you mean `inches`?); allowed here: inches, "
                "tyre."
            ),
        ),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    assert complaint(tmp_path, text) == message


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError) as caught:
        read(tmp_path, "name = 1\n[spare]\nwidth = 12\n[[wheels]]\ninches = 12\ntyre = 3")
    car = f"{tmp_path}/car.toml: key"
    assert str(caught.value).splitlines() == [
        f"{car} `name` is 1; allowed is a valid string.",
        f"{car} `wheels[1].tyre` is 3; allowed is 'slick' or 'winter'.",
        f"{car} `spare.width` is unknown; allowed here: inches, tyre.",
        f"{car} `spare.inches` is missing and has no default.",
    ]


def test_a_long_wrong_value_is_cut(tmp_path: Path) -> None:
    assert len(complaint(tmp_path, f"name = [{', '.join(['1'] * 200)}]")) < 120


def test_broken_toml_names_the_place(tmp_path: Path) -> None:
    assert "not valid TOML" in (message := complaint(tmp_path, 'name = "a"\nb = =\n'))
    assert "line 2" in message


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "car.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(FiresteelError, match="byte 8 .*UTF-8"):
        read_model(tmp_path / "car.toml", Car)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match=r"car\.toml: .*No such file"):
        read_model(tmp_path / "car.toml", Car)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.toml").write_text('name = "x"')
    assert names_in(tmp_path) == ["a", "b"]
    assert read_named("car", "a", tmp_path, Car).name == "x"
    with pytest.raises(FiresteelError, match=r"no car `c` in .*: a, b\."):
        read_named("car", "c", tmp_path, Car)
    with pytest.raises(FiresteelError, match="no car"):
        read_named("car", "../a", tmp_path, Car)
