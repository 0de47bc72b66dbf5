# SPDX-License-Identifier: Apache-2.0
"""docs/gallery.md and its pictures come from recorded runs; its conclusions follow from them."""

import re
import shlex
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_pairs import both, found

from firesteel.advice.answer import Answer, answer_of_pairs
from firesteel.advice.sweep import sweep_answer
from firesteel.analysis.intervals import Sample
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.rows import Pair, Result, Row, Rows
from firesteel.analysis.verdict import offloads, transfers
from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.store.store import Store
from tools import words
from tools.figures import rendered
from tools.pictures import PICTURES, picture_named, pictures
from tools.runs import load_runs

PAGE = (CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8")
STORE = Store(RECORDED)
NAMES = ("router", "gateway", "concentrator", "core", "prototype")


def results(name: str) -> Results:
    return load_results(STORE, picture_named(name).run)


def answer(name: str) -> Answer:
    return answer_of_pairs(offloads(results(name).means))


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


def test_files_through_both_tunnels_of_the_router_are_helped() -> None:
    files = transfers((told := answer("router")).pairs)
    assert told.word == "Yes"
    assert {pair.identity.protocol: pair.verdict for pair in files} == {
        "openvpn": "helps",
        "ipsec": "helps",
    }
    limits = {
        pair.identity.protocol: (pair.pair.other.bound, pair.judged.at_link) for pair in files
    }
    assert limits["openvpn"] == ("CPU", False)
    assert limits["ipsec"][0] == "link" or limits["ipsec"][1]


def test_the_gateway_forwards_more_frames_of_both_sizes() -> None:
    told = answer("gateway")
    rates = [pair for pair in told.pairs if pair.metric == "packet_rate"]
    of_suite = [pair for pair in rates if pair.identity.cipher == "aes-256-gcm"]
    assert told.word == "Yes"
    assert {pair.identity.parameter.size_bytes for pair in of_suite} == {64, 1024}
    assert all(pair.speed and pair.speed > 1.02 for pair in of_suite)
    assert {pair.pair.other.bound for pair in of_suite} == {"CPU"}
    bare = {
        row.identity.parameter: row.results["packet_rate"].value
        for row in rows("gateway")
        if (row.identity.protocol, row.identity.cipher) == ("ipsec", "none")
        and row.identity.board == "socrates"
        and "packet_rate" in row.results
    }
    for pair in of_suite:
        assert pair.hardware.value < bare[pair.identity.parameter], "no core can outdo it"


def rows(name: str) -> list[Row]:
    return list(Rows(results(name).means))


@pytest.mark.parametrize(
    ("key", "enough", "bounds"),
    [("rsa-2048", 0, ["CPU", "CPU", "CPU"]), ("rsa-4096", 2, ["core", "core", "core"])],
)
def test_engines_are_worth_it_as_far_as_the_page_says(
    key: str, enough: int, bounds: list[str]
) -> None:
    boards = ("socrates-1600", "socrates-1600-2pk", "socrates-1600-4pk")
    of_key = {
        row.identity.board: row
        for row in rows("concentrator")
        if row.identity.parameter.key == key and row.identity.implementation == "hardware"
    }
    by_engines = [of_key[board] for board in boards]
    steps = [Pair(*step).compared("connections").standing for step in pairwise(by_engines)]
    assert [step == "better" for step in steps] == [number < enough for number in range(2)]
    assert [row.bound for row in by_engines] == bounds


def test_the_core_breaks_even_where_the_page_says() -> None:
    told = sweep_answer(results("core"))
    assert told
    assert told.where(told.kinds[0], 0) == "helps from 25 MHz to 400 MHz"
    where = {row.pair.identity.parameter.size_bytes: told.where(row, 0) for row in told.rows}
    assert where[256].endswith("from 25 MHz to 50 MHz, helps from 100 MHz to 400 MHz")
    assert where[16384] == "helps from 25 MHz to 400 MHz"


def test_verdicts_of_the_prototype_do_not_depend_on_the_bus() -> None:
    by_board = {
        board: {
            pair.identity.anywhere: pair.verdict
            for pair in answer("prototype").pairs
            if pair.identity.board == board
        }
        for board in ("socrates", "socrates-noncoherent")
    }
    here = by_board["socrates-noncoherent"]
    assert f"all {len(here)} rows keep the verdict" in PAGE
    assert here == {of: by_board["socrates"][of] for of in here}
    without = {of.parameter.size_bytes for of, verdict in here.items() if verdict != "helps"}
    assert without == {64}


def result(value: float, *, converged: bool = True) -> Result:
    identity = Identity(
        "tls-connections", Parameter(key="rsa-2048"), "haproxy", "x", "y", "hardware"
    )
    return Result(identity, "connections", value, Sample(((1, value),), converged=converged))


def test_amounts_have_no_more_digits_than_they_are_good_for() -> None:
    assert words.amounts([result(719.84)]) == "719.8"
    assert words.amounts([result(13855.7)]) == "13,856"
    assert words.amounts([result(13855.7, converged=False)]) == "about 13,900"
    unsure = [result(value, converged=False) for value in (2639.2, 719.8)]
    assert words.amounts(unsure) == "about 2,640 and 720"
    assert words.amounts([*unsure, result(10.0)]) == "about 2,640, about 720 and 10.0"


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
    assert words.gains(found(*made)) == said
