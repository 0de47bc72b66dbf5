# SPDX-License-Identifier: Apache-2.0
"""What configurations must reach beside others: read, refused, and held against figures."""

import csv
import datetime
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from commands import call
from made_results import results_in

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.intervals import BY_SEED, Comparison, Sample
from firesteel.judge.results import load_results
from firesteel.judge.thresholds import (
    Outcome,
    conclusion,
    frame,
    origins,
    outcomes,
    summary,
    texts,
)
from firesteel.model.figure import Figure, Parameter
from firesteel.model.identity import Bounds, Limit, Side
from firesteel.run.experiment.experiment import load_experiment
from firesteel.show.report.offload import limits_grids
from firesteel.show.report.write import render
from firesteel.store.store import Store
from firesteel.table import figures_frame
from firesteel.workloads.openssl_speed import SpeedPlan

EXPERIMENT = """
title = "Tunnels"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = ["openvpn", "ipsec"]
suite = ["none:none", "aes-256-gcm:gcm"]

[ping]
sizes = [56, 1000]
count = 10

[transfer]
size = "1 MiB"
"""

RATIO = """
[[limits.ratios]]
protocol = "ipsec"
suite = "aes-256-gcm:gcm"
implementation = "software"
versus = {beside}
{metrics}
"""

SET = """date = 2026-11-21
reason = "as the moon stood"
"""

OTHER_SUITE = '{ suite = "none:none" }'


def written(tmp_path: Path, *ratios: str) -> str:
    path = tmp_path / "x.toml"
    path.write_text(EXPERIMENT + "".join(ratios))
    return str(path)


def test_limits_inherit_date_and_reason_unless_they_have_their_own(tmp_path: Path) -> None:
    moved = "first = { least = { rtt_mean = 2 }, date = 2026-11-20 }"
    path = written(
        tmp_path,
        f"[limits]\n{SET}",
        RATIO.format(beside=OTHER_SUITE, metrics=f"least = {{ rtt_mean = 1 }}\n{moved}"),
        RATIO.format(beside=OTHER_SUITE, metrics="most = { rtt_mean = 3 }\nreason = 'so'"),
        RATIO.format(beside=OTHER_SUITE, metrics="show = 'cpu'"),
    )
    inherits, own, shown = load_experiment(path).limits()
    day, why = datetime.date(2026, 11, 21), "as the moon stood"
    assert (inherits.date, inherits.reason) == (day, why)
    assert inherits.first is not None
    assert (inherits.first.date, inherits.first.reason) == (datetime.date(2026, 11, 20), why)
    assert (own.date, own.reason) == (day, "so")
    assert (shown.date, shown.reason) == (None, "")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("date = 20261121\nreason = 'so'", "`limits.date` is 20261121; allowed is a date, as "),
        ("date = 2026-11-21\nreason = ' so'", "`limits.reason` is "),
        ("date = 2026-11-21", "ratio 1: `reason` is missing: the reason for the limits"),
    ],
)
def test_a_mistake_in_what_limits_inherit_is_one_sentence(
    tmp_path: Path, given: str, says: str
) -> None:
    ratio = RATIO.format(beside=OTHER_SUITE, metrics="least = { cpu = 1 }")
    with pytest.raises(FiresteelError) as caught:
        load_experiment(written(tmp_path, f"[limits]\n{given}\n", ratio))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_ratio_of_boards_names_both(tmp_path: Path) -> None:
    ratio = RATIO.format(beside='{ board = "peer" }', metrics="show = 'cpu'")
    with pytest.raises(FiresteelError, match="`versus.board` belong together; allowed are both"):
        load_experiment(written(tmp_path, ratio))
    (limit,) = load_experiment(written(tmp_path, ratio, 'board = "socrates"\n')).limits()
    assert (limit.board, limit.beside_board, limit.of) == ("socrates", "peer", limit.beside)


def side(suite: str, implementation: str = "software", completion: str | None = None) -> Side:
    cipher, mac = suite.split(":")
    return Side.model_validate(
        {
            "protocol": "ipsec",
            "cipher": cipher,
            "mac": mac,
            "implementation": implementation,
            "completion": completion,
        }
    )


SOFTWARE = side("aes-256-gcm:gcm")
HARDWARE = side("aes-256-gcm:gcm", "hardware", "adaptive")
POLLING = side("aes-256-gcm:gcm", "hardware", "poll")
PLAIN = side("none:none")


def figures(of: Side, metric: str, *values: float, experiment: str = "ping") -> pl.DataFrame:
    """Figures at 1 B, 2 B and so on."""
    rows = [
        Figure(
            **of.model_dump(exclude={"completion", "as_in_2015", "affinity"}),
            workload=experiment,
            parameter=Parameter(size_bytes=size),
            metric=metric,
            value=value,
        )
        for size, value in enumerate(values, 1)
    ]
    return figures_frame(rows).with_columns(
        completion=pl.lit(of.completion or ""), as_in_2015=pl.lit(of.as_in_2015)
    )


def test_a_limit_is_there_once_however_many_ways_bring_files(tmp_path: Path) -> None:
    ratio = RATIO.format(beside=OTHER_SUITE, metrics=f"least = {{ throughput = 1 }}\n{SET}")
    by = 'by = ["ftp", "http"]\n'
    path = Path(written(tmp_path, by, ratio))
    experiment = load_experiment(str(path))
    assert len(experiment.cells()) == 8
    (limit,) = experiment.limits()
    assert limit.of == SOFTWARE


@pytest.mark.parametrize(
    ("beside", "metrics", "says"),
    [
        (OTHER_SUITE, "", "a ratio needs a metric in `least`, `most` or `show`"),
        ("{}", "show = 'cpu'", "a ratio needs two configurations; name what differs: protocol,"),
        (OTHER_SUITE, "least = { cpu = 0 }", "`limits.ratios[1].least.cpu` is 0; allowed is gr"),
        (OTHER_SUITE, "most = { CPU = 1 }", "`limits.ratios[1].most.CPU` is"),
        (
            '{ implementation = "hardware" }',
            "show = 'cpu'",
            "ipsec aes-256-gcm:gcm hardware, which is not measured here.",
        ),
        (
            '{ implementation = "software-as-installed" }',
            "most = { cpu = 1 }",
            'implementation "software-as-installed" ',
        ),
        (OTHER_SUITE, "tell = 'cpu'", "ratios[1].tell` is unknown (it is now `show`)"),
        (
            OTHER_SUITE,
            f"beside = {OTHER_SUITE}",
            "ratios[1].beside` is unknown (it is now `versus`)",
        ),
        (OTHER_SUITE, "completed = 'cpu'", "`limits.ratios[1].completed` is unknown"),
        (OTHER_SUITE, "least = { cpu = 1 }\nreason = 'so'", "`date` is missing: the day on which"),
        (OTHER_SUITE, "least = { cpu = 1 }\ndate = 2026-11-21", "`reason` is missing: the reason"),
        (
            OTHER_SUITE,
            "least = { cpu = 1 }\nreason = 'so'\ndate = 20261121",
            "`limits.ratios[1].date` is 20261121; allowed is a date, as 2026-11-24",
        ),
        (
            OTHER_SUITE,
            f"show = 'cpu'\n{SET}",
            "`date` describes limits; it needs `least` or `most`",
        ),
        *(
            (OTHER_SUITE, f"least = {{ cpu = 1 }}\n{SET}first = {{ {first} }}", says)
            for first, says in (
                ("date = 2026-11-20, reason = 'so'", "`first` needs `least` or `most`"),
                ("least = { cpu = 2 }, reason = 'so'", "`limits.ratios[1].first.date` is missing"),
                (
                    "least = { rtt = 2 }, date = 2026-11-20, reason = 'so'",
                    "`first.least.rtt` has no limit now",
                ),
                (
                    "least = { cpu = 1 }, date = 2026-11-20, reason = 'so'",
                    "`first.least.cpu` is the present limit, 1; allowed is only",
                ),
                (
                    "least = { cpu = 2 }, date = 2026-11-22, reason = 'so'",
                    "`first.date` is 2026-11-22; allowed is no day after `date`, 2026-11-21",
                ),
            )
        ),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, beside: str, metrics: str, says: str) -> None:
    with pytest.raises(FiresteelError) as caught:
        load_experiment(written(tmp_path, RATIO.format(beside=beside, metrics=metrics)))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("least", "most", "ratio", "verdict"),
    [
        (1, None, 1.0, "met"),
        (1, None, 0.99, "missed"),
        (None, 1.01, 1.01, "met"),
        (None, 1.01, 1.02, "missed"),
        (0.9, 1.1, 1.0, "met"),
        (0.9, 1.1, 1.2, "missed"),
        (0.9, 1.1, 0.8, "missed"),
        (None, None, 0.1, ""),
    ],
)
def test_a_ratio_is_held_against_both_bounds(
    least: float | None, most: float | None, ratio: float, verdict: str
) -> None:
    limit = Limit(of=HARDWARE, beside=SOFTWARE, metric="rtt_mean", least=least, most=most)
    both = [figures(HARDWARE, "rtt_mean", ratio), figures(SOFTWARE, "rtt_mean", 1)]
    (found,) = outcomes(results_in(pl.concat(both)), [limit])
    assert (found.ratio, found.verdict) == (ratio, verdict)


def test_what_has_not_converged_is_neither_met_nor_missed() -> None:
    limit = Limit(of=HARDWARE, beside=SOFTWARE, metric="rtt_mean", least=1)
    both = pl.concat([figures(HARDWARE, "rtt_mean", 1.88), figures(SOFTWARE, "rtt_mean", 1)])
    for converged, verdict in ((True, "met"), (False, "not converged")):
        told = pl.when(pl.col("implementation") == "software").then(True).otherwise(converged)
        (found,) = outcomes(results_in(both.with_columns(told.alias("converged"))), [limit])
        assert (found.verdict, found.ratio) == (verdict, 1.88)
    assert "1 not converged" in conclusion([found])
    assert texts(found)[-1] == "not converged"


def test_a_limit_that_was_moved_is_judged_twice_and_counts_as_it_was_first_set() -> None:
    first, moved = (datetime.date(2026, 11, day) for day in (21, 24))
    limit = Limit(
        of=HARDWARE,
        beside=SOFTWARE,
        metric="rtt_mean",
        least=1.2,
        date=moved,
        reason="so much was reached",
        first=Bounds(least=1.7, date=first, reason="a guess"),
    )
    both = pl.concat([figures(HARDWARE, "rtt_mean", 1.3), figures(SOFTWARE, "rtt_mean", 1)])
    found = outcomes(results_in(both), [limit, limit.model_copy(update={"first": None})])
    told = [texts(each) for each in found]
    assert [each[-2:] for each in told] == [["≥ 1.7", "missed"], ["≥ 1.2", "met"], ["≥ 1.2", "met"]]
    assert told[1][0] == "  as moved on 2026-11-24"
    ((grid, _),), ((once, _),) = limits_grids(found), limits_grids(found[:2])
    assert [str(row[0]).rpartition(", ")[2] for row in grid.rows] == [
        "set 2026-11-21",
        "  as moved on 2026-11-24",
        "set 2026-11-24",
    ]
    assert once.title.endswith(", limits of 2026-11-21")
    assert re.match("Of 2 limits, 1 met, 1 missed.* as moved, 1 met", conclusion(found))
    assert summary(found) == "Limits: 1 of 2 met, 1 missed; as moved, 1 met."
    assert frame(found)["reason"].to_list() == ["a guess", limit.reason, limit.reason]
    assert origins(found[:2]) == [
        "Limits of 2026-11-21: a guess.",
        "Limits that were moved on 2026-11-24, from those of 2026-11-21: so much was reached.",
    ]


def test_limits_from_a_block_size_on_are_of_every_size_from_it() -> None:
    experiment = load_experiment("openssl-speed")
    sizes = experiment.cells()[0].needed(SpeedPlan).sizes
    measured = tuple(f"{size} B" for size in sizes)
    for limit in experiment.limits():
        assert limit.parameters == measured[measured.index(limit.parameters[0]) :]


@pytest.mark.parametrize("bound", ["least", "most"])
def test_near_is_as_far_on_either_side_of_a_limit(bound: str) -> None:
    limit = Limit.model_validate(
        {"of": HARDWARE, "beside": SOFTWARE, "metric": "rtt_mean", bound: 1}
    )
    for ratio, near in ((0.975, False), (0.985, True), (1.0, True), (1.015, True), (1.025, False)):
        both = [figures(HARDWARE, "rtt_mean", ratio), figures(SOFTWARE, "rtt_mean", 1)]
        (found,) = outcomes(results_in(pl.concat(both)), [limit])
        met = ratio >= 1 if bound == "least" else ratio <= 1
        verdict = "met" if met else "missed"
        assert texts(found)[-1] == (f"{verdict}, near" if near else verdict)
        same = Comparison("throughput", Sample.exact(1.0), Sample.exact(ratio)).standing == "equal"
        assert same == near, "the rule of verdicts is the same"
        assert ("One seed cannot decide a near verdict; 1" in conclusion([found])) == near


@pytest.mark.parametrize(("least", "verdict"), [(1, "missed, near"), (0.9, "met, near")])
def test_near_is_also_what_seeds_cannot_tell_from_the_limit(least: float, verdict: str) -> None:
    limit = Limit(of=HARDWARE, beside=SOFTWARE, metric="rtt_mean", least=least)
    rows = []
    for side, seeds in ((HARDWARE, (0.9, 0.97, 1.0)), (SOFTWARE, (1.0, 1.0, 1.0))):
        values = [{"seed": seed, "value": value} for seed, value in enumerate(seeds, 1)]
        rows.append(figures(side, "rtt_mean", 1).with_columns(pl.Series(BY_SEED, [values])))
    (found,) = outcomes(results_in(pl.concat(rows)), [limit])
    assert found.ratio == pytest.approx(2.87 / 3)
    assert found.margin == pytest.approx(4.303 * 0.0513 / 3**0.5, rel=0.05)
    assert texts(found)[-1] == verdict
    assert texts(found)[3] == f"0.957 ±{found.margin:.3f}"
    assert f"1 {verdict.partition(',')[0]} (1 near)" in conclusion([found])
    assert "One seed" not in conclusion([found])


def test_each_figure_has_its_counterpart_beside_and_completions_are_apart() -> None:
    limit = Limit(of=HARDWARE, beside=SOFTWARE, metric="rtt_mean", most=1)
    there = pl.concat(
        [
            figures(POLLING, "rtt_mean", 7, 7),
            figures(HARDWARE, "rtt_mean", 1, 3, 5),
            figures(SOFTWARE, "rtt_mean", 2, 2),
            figures(SOFTWARE, "cpu", 9, 9),
        ]
    )
    found = outcomes(results_in(there), [limit])
    assert [(one.parameter, one.ratio, one.verdict) for one in found] == [
        ("1 B", 0.5, "met"),
        ("2 B", 1.5, "missed"),
        ("3 B", None, "not measured"),
    ]
    assert re.match("Of 3 limits, 1 met, 1 missed, 1 not measured", conclusion(found))
    (one,) = outcomes(results_in(there), [limit.model_copy(update={"parameters": ("2 B",)})])
    assert one.parameter == "2 B"
    (none,) = outcomes(results_in(there), [limit.model_copy(update={"experiments": ("disk",)})])
    assert (none.parameter, none.verdict) == ("", "not measured")


def test_a_full_link_explains_a_miss_and_makes_no_hit_of_it() -> None:
    limit = Limit(
        of=HARDWARE, beside=SOFTWARE, metric="throughput", least=1.7, link=PLAIN, share=0.95
    )

    def outcome(hardware: float, cpu: float = 90) -> Outcome:
        values = {HARDWARE: hardware, SOFTWARE: 8, PLAIN: 10}
        rows = [figures(side, "throughput", value) for side, value in values.items()]
        rows.append(figures(PLAIN, "cpu", cpu))
        (found,) = outcomes(results_in(pl.concat(rows)), [limit])
        return found

    assert (outcome(9.5).verdict, outcome(9.5).at_link) == ("missed", True)
    both = [outcome(9.5), outcome(13.6)]
    assert [each.link_full for each in both] == [True, False]
    assert [each.verdict for each in both] == ["missed", "met"]
    assert ["link is full" in each.note for each in both] == [True, False]
    assert "1 of 3 met (1 near), 2 missed (1 link full)" in summary([*both, outcome(9.4)])
    fast = replace(both[1], at_link=True)
    assert not fast.link_full, "the link did not decide"
    assert not outcome(9.5, cpu=99).link_full, "the link's one was slowed by the CPU"
    assert (outcome(9.4).verdict, outcome(9.4).link_full) == ("missed", False)
    assert (outcome(13.6).verdict, outcome(13.6).bounds) == ("met", "≥ 1.7")


@pytest.mark.parametrize(("most", "status"), [(1000, 0), (0.001, 1)])
def test_the_command_says_by_its_status_whether_limits_are_met(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, most: float, status: int
) -> None:
    metrics = f"most = {{ rtt_mean = {most} }}\nshow = 'throughput'\n{SET}"
    path = written(tmp_path, RATIO.format(beside=OTHER_SUITE, metrics=metrics))
    store = ("--store", str(tmp_path / "store"))
    run = call(monkeypatch, "run", path, *store)
    assert run.exit_code == 0, "a limit that is missed is a result"
    found = load_results(Store(tmp_path / "store"))
    told = conclusion(outcomes(found.means, found.journal.limits))
    assert ("2 of 2 met" if status == 0 else "0 of 2 met, 2 missed") in run.stdout
    result = call(monkeypatch, "show", "--part", "limits", *store)
    assert result.exit_code == status
    assert told in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    text = call(monkeypatch, "show", "--part", "limits", "--format", "csv", *store).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["parameter"] for row in rows] == ["56 B", "1000 B", "1 MiB"]
    assert float(rows[0]["ratio"]) == float(rows[0]["value"]) / float(rows[0]["value_beside"])
    assert {row["verdict"] for row in rows} == {"met" if status == 0 else "missed", ""}
    text = call(monkeypatch, "show", "--part", "limits", "--format", "json", *store).stdout
    assert [row["date"] for row in json.loads(text)] == [row["date"] or None for row in rows]


def test_what_was_not_measured_is_not_met(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    metrics = f"least = {{ throughput = 0.1 }}\n{SET}"
    path = written(tmp_path, RATIO.format(beside=OTHER_SUITE, metrics=metrics))
    store = ("--store", str(tmp_path / "store"))
    call(monkeypatch, "run", path, "--only", "cipher=none", *store)
    result = call(monkeypatch, "show", "--part", "limits", *store)
    assert result.exit_code == 1
    assert "1 not measured" in result.stdout


def test_a_note_stands_beside_a_missed_limit_alone_also_in_the_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = "the moon is in the way: docs/moon.md"
    metrics = f"""most = {{ rtt_mean = 0.001 }}
least = {{ throughput = 0.001 }}
note = "{note}"
{SET}"""
    path = written(tmp_path, RATIO.format(beside=OTHER_SUITE, metrics=metrics))
    store = ("--store", str(tmp_path / "store"))
    assert " missed" in call(monkeypatch, "run", path, *store).stdout.replace("\n", " ")
    for command in (("show", "--part", "limits"), ("show",)):
        assert call(monkeypatch, *command, *store).stdout.count(f"mean RTT: {note}") == 1
    text = call(monkeypatch, "show", "--part", "limits", "--format", "csv", *store).stdout
    told = [(row["verdict"], row["note"]) for row in csv.DictReader(io.StringIO(text))]
    assert set(told) == {("missed", note), ("met", "")}
    results = load_results(Store(tmp_path / "store"))
    page, held = render(results), outcomes(results.means, results.journal.limits)
    assert "<h2>Limits</h2>" in page
    assert [each.verdict for each in held].count("missed") == 2
    assert conclusion(held) in page
    assert frame(held).height == len(held)
    assert page.count(f"mean RTT: {note}</p>") == 1


@pytest.mark.parametrize("name", Store(RECORDED).run_names())
def test_a_recorded_limit_that_is_missed_says_why(name: str) -> None:
    """And on which page there is more of it."""
    results = load_results(Store(RECORDED), name)
    pages = {
        (outcome.limit.of.suite, outcome.limit.metric, outcome.parameter): re.findall(
            r"\((docs/\S+\.md)\)", outcome.limit.note
        )
        for outcome in outcomes(results.means, results.journal.limits)
        if outcome.verdict == "missed" and not outcome.near and not outcome.link_full
    }
    without = [where for where, named in pages.items() if not named]
    assert without == []
    assert all((CHECKOUT / page).exists() for named in pages.values() for page in named)
