# SPDX-License-Identifier: Apache-2.0
"""docs/gallery.md and its pictures come from the recorded runs, and say what these say."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from made_pairs import both, found
from made_sweep import speed_sweep

from firesteel.analysis.noise import Sample
from firesteel.analysis.results import Results, load_results
from firesteel.analysis.rows import Result
from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.identity import Identity
from firesteel.model.parameter import Parameter
from firesteel.report.findings import findings
from firesteel.store.store import Store
from tools.figures import rendered
from tools.gallery import words
from tools.gallery.exhibit import Sentences
from tools.gallery.page import EXHIBITS, PICTURES, exhibit_named, pictures
from tools.runs import load_runs

PAGE = CHECKOUT / "docs" / "gallery.md"
HARDWARE = pl.col("implementation") == "hardware"


def answer(name: str, results: Results) -> Sentences:
    return exhibit_named(name).sentences(findings(results, []))


def recorded(name: str) -> Results:
    return load_results(Store(RECORDED), EXHIBITS[name].run)


def changed(name: str, which: pl.Expr, **factors: float) -> Results:
    """The recorded run of a question, with exact figures, and those of some metrics changed."""
    results = recorded(name)
    value = pl.col("value")
    for metric, factor in factors.items():
        here = which & (pl.col("metric") == metric)
        value = pl.when(here).then(pl.col("value") * factor).otherwise(value)
    exact = {"by_seed": None, "ci95_low": None, "ci95_high": None, "converged": pl.lit(value=True)}
    return replace(results, spread=results.spread.with_columns(value.alias("value"), **exact))


def by_clock(board: Profile, size: int) -> float:
    """As fast as software at 50 MHz, or with small blocks at 100 MHz."""
    clock = board.cores[0].timing.used_clock_hz or 0
    return clock / (50e6 if size > 256 else 100e6)


def test_all_runs_of_the_gallery_are_among_those_to_record() -> None:
    assert {each.run for each in EXHIBITS.values()} <= {run.name for run in load_runs()}


def test_the_page_asks_every_question_once_and_in_order() -> None:
    asked = re.findall(r"gallery\(\"(\S+)\"\)", PAGE.read_text(encoding="utf-8"))
    assert asked == list(EXHIBITS)


def test_pictures_are_those_of_the_recorded_runs() -> None:
    wanted = pictures(Store(RECORDED))
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, "scripts/figures.sh write"
    assert set(PICTURES.glob("*")) == set(wanted), "no picture is left of a run that is gone"


def test_a_picture_says_in_the_page_what_it_says_itself() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for path in pictures(Store(RECORDED)):
        label = ElementTree.fromstring(path.read_text(encoding="utf-8")).get("aria-label", "")
        label = label.replace("[", "(").replace("]", ")")
        assert f"![{label}](gallery/{path.name})" in page


@pytest.mark.parametrize("name", EXHIBITS)
def test_an_answer_has_three_sentences(name: str) -> None:
    if EXHIBITS[name].run not in Store(RECORDED).run_names():
        pytest.skip("not recorded yet")
    sentences = answer(name, recorded(name))
    assert len(sentences) == 3
    for each in sentences:
        assert each[0].isupper(), each
        assert each.endswith("."), each
        assert ". " not in each, each
        assert "None" not in each, each


def test_a_question_whose_run_is_not_recorded_yet_says_which(tmp_path: Path) -> None:
    store = Store(tmp_path)
    page = rendered('<!-- {{ gallery("core") }} -->\nstale\n<!--/-->', store)
    assert page.splitlines()[1:-1] == [
        "*Not recorded yet: `scripts/figures.sh measure core-clock`.*"
    ]
    assert pictures(store) == {}


def test_a_question_that_is_none_is_an_error() -> None:
    with pytest.raises(FiresteelError, match="`gallery: boat`: allowed is one of router, gateway"):
        rendered('<!-- {{ gallery("boat") }} -->\n<!--/-->')


def test_a_router_whose_files_become_slower_says_so() -> None:
    files = HARDWARE & (pl.col("experiment") == "file-transfer")
    slower = changed("router", files, throughput=0.1, cpu_seconds_per_mb=10)
    verdict, figures, _ = answer("router", slower)
    assert ": offload helps no file; " in verdict
    assert not verdict.startswith("Yes")
    assert "% more CPU time per megabyte" in figures


def test_a_gateway_that_gains_nothing_says_so() -> None:
    slower = changed("gateway", HARDWARE, packet_rate=0.1, busy_per_packet=10)
    verdict, figures, _ = answer("gateway", slower)
    assert verdict.startswith("No: offload raises the packet rate with frames of no size; none of ")
    assert "(0." in figures


def test_engines_that_add_nothing_are_not_worth_it() -> None:
    results = changed("concentrator", HARDWARE)
    same = pl.when((pl.col("metric") == "connections") & HARDWARE).then(6000.0)
    spread = results.spread.with_columns(same.otherwise(pl.col("value")).alias("value"))
    verdict, figures, _ = answer("concentrator", replace(results, spread=spread))
    assert verdict == "With RSA-2048 and RSA-4096 keys one engine is worth it."
    assert "one, two and four engines serve 6,000, 6,000 and 6,000 handshakes" in figures


def test_a_prototype_whose_verdicts_change_says_in_how_many_rows() -> None:
    other = HARDWARE & (pl.col("board") == "socrates-noncoherent")
    dear = changed(
        "prototype", other, throughput=0.01, cpu_seconds_per_mb=100, cpu_time_per_request_p50=100
    )
    verdict, _, decides = answer("prototype", dear)
    assert re.match(r"No: where DMA is not coherent, \d+ of \d+ rows keep the verdict", verdict)
    assert decides.startswith("Size and bus decide: ")


def test_a_sweep_says_from_which_clock_on_offload_helps(tmp_path: Path) -> None:
    verdict, figures, sizes = answer("core", speed_sweep(tmp_path, by_clock))
    assert verdict == (
        "It depends on the clock: offload helps OpenSSL AES-256-CBC from 100 MHz on (not at 50 "
        "MHz)."
    ), "the mean of both sizes"
    assert figures == (
        "OpenSSL encrypts blocks of 16,384 bytes at 10.00 MB/s with a core of 25 MHz and at "
        "160.00 MB/s with one of 400 MHz, where software reaches 20.00 MB/s."
    )
    assert sizes == (
        "Break-even depends on the size of blocks: those of 256 bytes gain from 200 MHz on "
        "(not at 100 MHz), and those of 16,384 bytes from 100 MHz on (not at 50 MHz)."
    )


@pytest.mark.parametrize(
    ("speed", "verdict", "where"),
    [
        (2.0, "Yes: offload helps OpenSSL AES-256-CBC at every clock", "at every clock measured"),
        (0.5, "No: offload helps OpenSSL AES-256-CBC at no clock", "at none"),
    ],
)
def test_a_sweep_without_a_break_even_says_so(
    speed: float, verdict: str, where: str, tmp_path: Path
) -> None:
    told, _, sizes = answer("core", speed_sweep(tmp_path, lambda *_: speed))
    assert told == f"{verdict} from 25 MHz to 400 MHz."
    assert sizes.count(where) == 2


def test_a_run_that_is_no_sweep_has_no_break_even() -> None:
    with pytest.raises(FiresteelError, match="needs a sweep of one number"):
        answer("core", recorded("router"))


def test_a_run_without_what_a_question_is_of_is_an_error() -> None:
    with pytest.raises(FiresteelError, match="needs a request of 1,400 bytes|needs rows with"):
        answer("prototype", recorded("router"))


def result(value: float, *, converged: bool = True) -> Result:
    identity = Identity(
        "tls-connections", Parameter(key="rsa-2048"), "haproxy", "x", "y", "hardware"
    )
    return Result(identity, "connections", value, Sample(((1, value),), converged=converged))


def test_amounts_have_no_more_digits_than_they_are_good_for() -> None:
    assert words.amount(result(719.84)) == "719.8"
    assert words.amount(result(13855.7)) == "13,856"
    assert words.amount(result(13855.7, converged=False)) == "about 13,900"
    unsure = [result(value, converged=False) for value in (2639.2, 719.8)]
    assert words.amounts(unsure) == "about 2,640 and 720"
    assert words.amounts([*unsure, result(10.0)]) == "about 2,640, about 720 and 10.0"


@pytest.mark.parametrize(
    ("ratio", "said"), [(0.553, "45 % less"), (1.12, "12 % more"), (1.004, "as much")]
)
def test_ratios_of_amounts_are_said_in_percent(ratio: float, said: str) -> None:
    assert words.less(ratio) == said


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
