# SPDX-License-Identifier: Apache-2.0
"""Priors of a processor's costs: the file of the checkout, and mistakes in such files."""

import re
from pathlib import Path

import pytest
from made_calibration import processor

from firesteel.analysis import study
from firesteel.base.errors import FiresteelError
from firesteel.board.processor import EVENTS, INSTRUCTIONS
from research.processor import FILE, Priors, load_priors

TEXT = (study.STUDIES / "cortex-a9" / FILE).read_text()


def made(tmp_path: Path, text: str) -> Priors:
    folder = tmp_path / "cortex-a9"
    folder.mkdir()
    (folder / FILE).write_text(text)
    return load_priors(processor(), tmp_path)


def table(name: str) -> str:
    (found,) = re.findall(rf"^\[\w+\.{name}\]\n(?:.+\n)+", TEXT, re.MULTILINE)
    return str(found)


def test_every_class_and_event_has_a_prior_in_the_emulators_order() -> None:
    assert tuple(load_priors(processor()).each) == INSTRUCTIONS + EVENTS


def test_what_is_memorys_has_nanoseconds_and_may_not_lose_its_cycles() -> None:
    each = load_priors(processor()).each
    in_part = {name for name, prior in each.items() if prior.is_of_memory}
    assert in_part == {name for name in EVENTS if "memory" in name or "uncached" in name}
    load = each["load-memory"]
    assert load.at(1e9) == load.cycles + load.nanoseconds
    assert load.at(2e8) == pytest.approx(load.cycles + load.nanoseconds / 5)
    assert load.least_total == load.cycles
    assert each["integer"].least_total == each["integer"].least == 0.5


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (table("branch"), "", r"`branch` is missing in \[instructions\]"),
        (table("branch"), table("branch") + table("call").replace(".call", ".jump"), "`jump` in "),
        ("cycles = 15\n", "cycles = 15.1\n", "multiple of 0.125"),
        ("cycles = 15\n", "cycles = 0\n", "greater than 0"),
        ("cycles = 15\n", "cycles = 0.375\n", "least is 0.5; allowed is at most 0.375, the prior"),
        (
            'source = "7-cpu"',
            'source = "8-cpu"',
            "`load-level-2`: `source` is `8-cpu`",
        ),
        ('why = "one a cycle"\n', "", "`instructions.neon-double.why` is missing"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in TEXT
    with pytest.raises(FiresteelError, match=told) as caught:
        made(tmp_path, TEXT.replace(old, new, 1))
    assert FILE in str(caught.value)


def test_a_processor_without_priors_is_told(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match="cortex-a9/priors.toml: is missing; a fit begins"):
        load_priors(processor(), tmp_path)
