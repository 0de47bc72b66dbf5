# SPDX-License-Identifier: Apache-2.0
"""Colours of the report: text can be read on every background, in light, dark and print."""

import re
from itertools import product
from pathlib import Path

import pytest

from firesteel.report import write
from firesteel.report.pictures import HEATS

STYLE = (Path(write.__file__).parent / "style.css").read_text()

TEXT, PICTURE = 4.5, 3.0
"""Contrast that WCAG 2.2 asks for: of text (1.4.3), of parts of pictures (1.4.11)."""


def colours(part: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): *(#[0-9a-f]+);", part))


def schemes() -> dict[str, dict[str, str]]:
    """Variables of the light, the dark and the printed page."""
    light, dark, printed = (colours(part) for part in re.findall(r":root \{(.*?)\}", STYLE, re.S))
    return {"light": light, "dark": light | dark, "print": light | printed}


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def texts() -> set[str]:
    return set(re.findall(r"(?<![-a-z])color: *var\(--([a-z0-9-]+)\)", STYLE))


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_numbers_can_be_read_in_maps(scheme: str) -> None:
    found = schemes()[scheme]
    heats = [colour for name, colour in found.items() if name.startswith("heat-")]
    assert len(heats) == len(HEATS) + 1
    assert all(contrast(found["ink"], heat) >= TEXT for heat in heats)


def backgrounds() -> set[str]:
    """What text stands on; the colours of legends stand beside it."""
    return {"paper", "tint"}


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_text_has_contrast(scheme: str) -> None:
    found = schemes()[scheme]
    assert {"ink", "soft", "link", "good", "mixed", "bad"} <= texts()
    for text, ground in product(texts(), backgrounds()):
        assert contrast(found[text], found[ground]) >= TEXT, f"{text} on {ground}"


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_pictures_have_contrast(scheme: str) -> None:
    found = schemes()[scheme]
    drawn = ("software", "hardware", "published", *(f"class-{number}" for number in range(5)))
    for name in drawn:
        assert contrast(found[name], found["paper"]) >= PICTURE, name
    for front in ("software", "hardware"):
        assert contrast(found[front], found["band"]) >= PICTURE, f"{front} before the CPU use"


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


def test_every_colour_that_is_used_is_defined_in_each_scheme() -> None:
    # What is said of another colour (`--ground: var(--paper)`) is as good as that one.
    others = set(re.findall(r"--([a-z]+): var\(--[a-z]+\);", STYLE))
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", STYLE)) - others
    for name, found in schemes().items():
        assert used <= found.keys(), name
