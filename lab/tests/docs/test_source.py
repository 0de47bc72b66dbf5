# SPDX-License-Identifier: Apache-2.0
"""The site's source: links, navigation, the tables made from models."""

import re
import textwrap
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.base.toml import Many, Table
from firesteel.boards.profile import Profile
from firesteel.run.experiment.experiment import load_experiment
from tools.reference import JSON, TOML, sections
from tools.site import (
    DOCS,
    check_navigation,
    for_the_builder,
    with_links_of_the_site,
)


class Inner(Table):
    """A table."""

    rate: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Rate of it."""
    on: bool = False
    """CPU is on."""


class Outer(Table):
    """A file."""

    name: str
    """A name."""
    kinds: Many[Literal["a", "b"]] = ("a",)
    """Kinds; the first
    is the usual one.
    """
    count: Annotated[int, Field(ge=1)] | None = None
    """Of things."""
    inner: tuple[Inner, ...] = ()
    """`inner` ones."""


def test_a_model_is_told_key_by_key() -> None:
    top, inner = sections(Outer, TOML)
    assert top.splitlines()[0] == "## The file"
    assert top.splitlines()[4:] == [
        "| `name` | text; required | a name |",
        '| `kinds` | one or several: `a`, `b`; default `"a"` | kinds; the first is the usual one |',
        "| `count` | integer, at least 1 | of things |",
        "| `inner` | tables, [below](#inner) | `inner` ones |",
    ]
    assert inner.splitlines()[0] == "## `[[inner]]` { #inner }"
    assert inner.splitlines()[4:] == [
        "| `rate` | number, above 0, at most 1; default `0.5` | rate of it |",
        "| `on` | `true`, `false`; default `false` | CPU is on |",
    ]


class Repeating(Table):
    """A file that says the same several times."""

    one: Literal["a", "b", "c", "d", "e", "f"]
    """A letter."""
    two: Literal["a", "b", "c", "d", "e", "f"]
    """A letter."""
    others: tuple[Literal["a", "b", "c", "d", "e", "f"], ...]
    """Letters."""
    first: Inner
    """`first`."""
    second: Inner
    """`second`."""


def test_a_reference_says_long_things_once() -> None:
    top, _, second = sections(Repeating, TOML)
    assert top.splitlines()[4:6] == [
        "| `one`, `two` | `a`, `b`, `c`, `d`, `e`, `f`; required | a letter |",
        "| `others` | list: as `one`; required | letters |",
    ]
    assert second.splitlines()[2:] == ["This table uses the same keys as [`first`](#first)."]


class Silent(Table):
    """A file with a key that nothing is said of."""

    loud: int


def test_a_key_without_a_meaning_is_an_error() -> None:
    with pytest.raises(FiresteelError, match=r"`loud` of .*Silent"):
        list(sections(Silent, JSON))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("README.md", "[a](docs/cores.md#faults)", "[a](cores.md#faults)"),
        ("ARCHITECTURE.md", "[a](docs/cores.md#faults)", "[a](../cores.md#faults)"),
        ("docs/index.md", "[a](../ARCHITECTURE.md)", "[a](project/architecture.md)"),
        ("docs/index.md", "[a](cores.md), [b](#here)", "[a](cores.md), [b](#here)"),
        ("docs/programs.md", "[a](../board/jobs/README.md)", "a"),
        ("docs/index.md", "[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("docs/gallery.md", "![a](gallery/a.svg)", "![a](gallery/a.svg)"),
    ],
)
def test_links_lead_to_pages_of_the_site(path: str, text: str, expected: str) -> None:
    assert with_links_of_the_site(text, path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n- b\n- c", "a\n\n- b\n- c"),
        ("a\n1. b\n2. c", "a\n\n1. b\n2. c"),
        ("in\n2015. That", "in\n2015. That"),
        ("a\n\n- b\n  c\n- d", "a\n\n- b\n  c\n- d"),
        ("a\n| b |\n|---|\n| c |", "a\n\n| b |\n|---|\n| c |"),
        ("```\na\n- b\n```\nc\n- d", "```\na\n- b\n```\nc\n\n- d"),
    ],
)
def test_lists_and_tables_get_the_line_that_the_builder_wants(text: str, expected: str) -> None:
    assert for_the_builder(text) == expected


@pytest.mark.parametrize(
    ("navigation", "told"),
    [
        ([{"A": "a.md"}], "names the page b.md 0 times"),
        ([{"A": "a.md"}, {"B": [{"C": "b.md"}, "c.md"]}], "names c.md, and there is no such page"),
        ([{"A": "a.md"}, {"B": ["b.md", "a.md"]}], "names the page a.md 2 times"),
    ],
)
def test_navigation_and_pages_must_fit(navigation: list[object], told: str) -> None:
    with pytest.raises(FiresteelError, match=told):
        check_navigation(navigation, {"a.md", "b.md"})


def test_examples_of_experiment_limits_and_profile_are_whole(tmp_path: Path) -> None:
    page, path = "experiments.md", tmp_path / "small-packets.toml"
    path.write_text(_example(page, "title") + "\n" + _example(page, "limits.ratios"))
    found = load_experiment(str(path))
    assert [cell.implementation for cell in found.cells()] == ["software", "hardware"]
    assert {limit.metric for limit in found.limits()} == {"throughput", "cpu_seconds_per_mb"}
    path.write_text(_example("model-my-soc.md", "[cpu]"))
    assert toml.read_model(path, Profile).cores[0].timing.clock_hz == 200_000_000


def test_the_pages_that_the_lab_names_exist() -> None:
    named = {
        page
        for module in (CHECKOUT / "lab/src").rglob("*.py")
        for page in re.findall(r"\bdocs/[\w./-]+\.md\b", module.read_text(encoding="utf-8"))
    }
    assert named
    assert not [page for page in named if not (CHECKOUT / page).is_file()]


def _example(page: str, word: str) -> str:
    """The block of TOML of the page that has the word."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^ *```toml\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if word in block]
    return textwrap.dedent(found)
