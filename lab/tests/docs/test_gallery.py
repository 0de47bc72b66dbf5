# SPDX-License-Identifier: Apache-2.0
"""docs/gallery.md and its pictures come from recorded runs; its conclusions follow from them."""

import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_pairs import both, found

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.advice.answer import answer_of_pairs
from firesteel.judge.advice.sweep import sweep_answer
from firesteel.judge.intervals import Sample
from firesteel.judge.results import load_results
from firesteel.judge.rows import Result
from firesteel.judge.verdict import offloads
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.store.store import Store
from tools import tables
from tools.figures import rendered
from tools.pictures import PICTURES, picture_named, pictures
from tools.runs import load_runs

PAGE = (CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8")
STORE = Store(RECORDED)
NAMES = ("router", "gateway", "concentrator", "core", "prototype")


def test_the_page_has_every_question_with_the_command_that_was_recorded() -> None:
    told = re.findall(r"```\n\./firesteel run (.*)\n```\n\n<!-- {{ picture\(\"(\w+)\"\)", PAGE)
    assert [name for _, name in told] == list(NAMES)
    commands = {run.name: shlex.join((run.experiment, *run.options)) for run in load_runs()}
    for command, name in told:
        assert command == commands[picture_named(name).run]


def test_pictures_are_those_of_the_recorded_runs() -> None:
    wanted = pictures(STORE)
    assert set(PICTURES.glob("*")) == set(wanted), "no picture is left of a run that is gone"
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, "scripts/figures.sh write"
        label = ElementTree.fromstring(text).get("aria-label", "")
        label = label.replace("[", "(").replace("]", ")")
        assert f"![{label}](gallery/{path.name})" in PAGE, "the page says what the picture says"


def test_a_picture_whose_run_is_not_recorded_yet_says_which(tmp_path: Path) -> None:
    page = rendered('<!-- {{ picture("core") }} -->\nstale\n<!--/-->', Store(tmp_path))
    assert page.splitlines()[1:-1] == [
        "*Not recorded yet: `scripts/figures.sh measure core-clock`.*"
    ]
    assert pictures(Store(tmp_path)) == {}


def test_a_picture_that_is_none_is_an_error() -> None:
    with pytest.raises(FiresteelError, match=r"allowed is one of router, gateway"):
        rendered('<!-- {{ picture("boat") }} -->\n<!--/-->')


@pytest.mark.parametrize("name", ["router", "gateway"])
def test_offload_helps_as_the_page_says(name: str) -> None:
    found = answer_of_pairs(offloads(load_results(STORE, picture_named(name).run).means))
    assert found.word == "Yes"


def test_the_core_helps_from_end_to_end_as_the_page_says() -> None:
    told = sweep_answer(load_results(STORE, picture_named("core").run))
    assert told
    where = told.where(told.kinds[0], 0)
    assert where == "helps from 25 MHz to 400 MHz"
    assert f"at every clock {where.removeprefix('helps ')}" in PAGE


def result(value: float, *, converged: bool = True) -> Result:
    identity = Identity(
        "tls-connections", Parameter(key="rsa-2048"), "haproxy", "x", "y", "hardware"
    )
    return Result(identity, "connections", value, Sample(((1, value),), converged=converged))


def test_amounts_have_no_more_digits_than_they_are_good_for() -> None:
    assert tables.amounts([result(719.84)]) == "719.8"
    assert tables.amounts([result(13855.7)]) == "13,856"
    assert tables.amounts([result(13855.7, converged=False)]) == "about 13,900"
    unsure = [result(value, converged=False) for value in (2639.2, 719.8)]
    assert tables.amounts(unsure) == "about 2,640 and 720"
    assert tables.amounts([*unsure, result(10.0)]) == "about 2,640, about 720 and 10.0"


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        ((2,), "the 1 row gains"),
        ((2, 2), "all 2 rows gain"),
        ((2, 1), "1 of 2 rows gains and none loses"),
        ((2, 2, 0.5), "2 of 3 rows gain and 1 loses"),
        ((0.5, 0.5), "none of 2 rows gains and 2 lose"),
    ],
)
def test_rows_that_gain_and_lose_are_counted(speeds: tuple[float, ...], said: str) -> None:
    made = [
        row
        for number, speed in enumerate(speeds)
        for row in both("throughput", 10, 10 * speed, parameter=f"{number + 1} MiB")
    ]
    assert tables.gains(found(*made)) == said


@pytest.mark.parametrize(
    "run", ["thesis", "relative-costs", "forwarding", "gigabit", "several-cores"]
)
def test_no_row_of_the_studies_loses(run: str) -> None:
    """With the cores as a user gets them: variants show what other ways cost."""
    judged = [each for each in offloads(load_results(STORE, run).means) if each.counts]
    assert judged
    assert [each.label for each in judged if each.verdict == "loses"] == []
