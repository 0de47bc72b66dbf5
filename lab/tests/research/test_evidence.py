# SPDX-License-Identifier: Apache-2.0
"""What tests a cause of deviations, and whether it shows it."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from made_results import results_in
from made_runs import results_of

from firesteel.base.errors import FiresteelError
from firesteel.judge.compare import compare
from firesteel.judge.replication.causes import Cause, Named
from firesteel.judge.results import Results, of_records
from firesteel.judge.rows import Result, read_results
from firesteel.judge.study import load_studies
from firesteel.model.cell import Affinity, Cell
from firesteel.model.figure import Figure, Parameter
from firesteel.table import figures_frame
from research.evidence import Deviations, changes, finding, findings, two_cores, variants
from research.fidelity import check_outcomes, in_both


def _transfer(metric: str, value: float) -> Figure:
    return Figure(
        workload="file-transfer",
        protocol="none",
        cipher="none",
        mac="none",
        implementation="software",
        parameter=Parameter(file_bytes=8 << 20),
        metric=metric,
        value=value,
    )


def test_two_cores_part_interrupts_from_programs() -> None:
    figures = [_transfer("cpu", 14), _transfer("cpu_softirq", 5), _transfer("cpu_irq", 1)]
    (row,) = two_cores(compare(read_results(figures_frame(figures))))
    assert (row.result.value, row.interrupts, row.rest) == (14, 6, 8)
    assert row.result.published == 7.16
    assert row.deviation == pytest.approx(11.7, abs=0.1)

    assert two_cores(compare(read_results(figures_frame(figures[:1])))) == []


def test_boards_are_compared_by_what_both_have_and_by_the_busier_cpu() -> None:
    one, both = (
        compare(read_results(figures_frame([_transfer(metric, value) for metric, value in those])))
        for those in (
            [("cpu", 14.0), ("throughput", 5.0)],
            [("cpu0", 5.0), ("cpu1", 9.0), ("cpu", 14.0), ("cpu_seconds_per_mb", 1.0)],
        )
    )
    assert [(each.metric, each.value) for each in in_both(one, both)] == [("cpu", 14)]
    assert [(each.metric, each.value) for each in in_both(both, one)] == [("cpu1", 9)]


@pytest.mark.parametrize(
    ("claimed", "others", "outcome"),
    [
        ([(100, 40), (50, -20)], [(5, 8)], "shown"),
        ([(100, 60)], [], "shown in part"),
        ([(200, 0), (100, -10), (20, 30), (10, 20)], [], "shown in part"),
        ([(100, -80)], [], "not shown"),
        ([(100, 10)], [(5, 60)], "shown in part"),
        ([], [(5, 60)], "supposed"),
    ],
)
def test_a_test_shows_a_cause_by_what_is_left_of_the_deviation(
    claimed: list[tuple[float, float]], others: list[tuple[float, float]], outcome: str
) -> None:
    rows = [Deviations(*pair) for pair in claimed] + [Deviations(*pair, False) for pair in others]
    cause = Cause(why="then", evidence="variants", tested_by="x", variant=("no-neon",))
    found = finding(cause, rows)
    assert found.outcome == outcome
    assert found.is_shown == (outcome == "shown")
    assert found.outside == sum(row.is_claimed and abs(row.after) > 20 for row in rows)
    said = cause.model_copy(update={"outcome": "not shown"})
    if outcome in ("not shown", "supposed"):
        check_outcomes(STUDY, [(said, found)])
    else:
        with pytest.raises(FiresteelError, match=rf"\[1\]\.outcome.*; its test says \"{outcome}\""):
            check_outcomes(STUDY, [(said, found)])


@pytest.mark.parametrize(
    ("found", "started", "confirmed"),
    [
        (Named(experiment="causes", committed=date(2026, 11, 22)), "2026-11-23T08:00:00", True),
        (Named(experiment="causes", committed=date(2026, 11, 22)), "2026-11-22T23:00:00", False),
        (Named(experiment="causes-ssh", committed=date(2026, 1, 1)), "2026-11-23T08:00:00", False),
        ("after", "2026-11-23T08:00:00", False),
    ],
)
def test_only_an_experiment_that_was_named_before_it_was_run_confirms_a_cause(
    tmp_path: Path, found: Literal["after"] | Named, started: str, confirmed: bool
) -> None:
    then = results_of(tmp_path, _is_gcm, experiment="causes")
    changed = [
        each._replace(deviation_with=0.0) for each in changes(whole(then), variants([then], STUDY))
    ]
    cause = Cause(why="then", evidence="variants", tested_by="x", variant=("no-neon",), found=found)
    run = then.journal.model_copy(update={"started": started})
    ((_, of),) = findings([cause], changed, [], [run])
    assert of.outcome == "shown"
    assert of.confirmed is confirmed


(STUDY,) = (study for study in load_studies() if study.name == "delhaye2015")


def _is_gcm(cell: Cell) -> bool:
    return cell.cipher == "aes-256-gcm"


def whole(results: Results) -> list[Result]:
    """What whole files would have, with twice the figures."""
    figures = results.figures.with_columns(
        pl.col("value") * 2,
        parameter=pl.col("parameter").str.replace("8 MiB", "128 MiB"),
        as_in_2015=pl.lit(""),
    )
    return compare(results_in(figures))


def test_a_figure_is_called_by_the_size_that_it_is_of(tmp_path: Path) -> None:
    then = results_of(tmp_path, _is_gcm, experiment="causes")
    without = whole(then)
    (row,) = (
        each
        for each in changes(without, variants([then], STUDY))
        if each.without.metric == "throughput"
    )
    assert (row.name, row.variant.words) == ("IPsec AES-256-GCM, 128 MiB", ("no-neon",))
    value, size = row.changed.split(" ", 1)
    assert size == "(8 MiB)"
    assert float(row.without.value_text) == pytest.approx(2 * float(value), abs=0.01)
    assert row.deviation == pytest.approx(2 * row.deviation_with + 100)


def test_another_board_and_how_the_driver_waits_are_named(tmp_path: Path) -> None:
    waiting = results_of(
        tmp_path,
        lambda cell: (cell.protocol, cell.mac) == ("ipsec", "sha256"),
        experiment="causes-waiting",
    )
    (variant,) = variants([waiting], STUDY)
    assert variant.words == ("core-only", "socrates-waiting", "irq")
    assert variants([results_of(tmp_path, _is_gcm, experiment="ipsec")], STUDY) == []


def test_each_of_several_cpus_stands_for_the_one_that_is_published(tmp_path: Path) -> None:
    one = results_of(tmp_path, lambda cell: cell.protocol == "none", experiment="openvpn")
    record = one.records[0]
    affinity = Affinity(irq="0", taskset="1")
    board = {"profiles": record.cell.profiles | {"board": "socrates-dual"}, "affinity": affinity}
    used = next(each for each in record.figures if each.metric == "cpu" and each.value)
    each_cpu = tuple(
        used.model_copy(update={"metric": metric, "value": value})
        for metric, value in (("cpu0", 7.16), ("cpu1", 14.32))
    )
    update = {"cell": record.cell.model_copy(update=board), "figures": record.figures + each_cpu}
    entry = one.journal.entries[0].model_copy(update={"cell": update["cell"]})
    journal = one.journal.model_copy(update={"entries": [entry]})
    both = variants([of_records(journal, [record.model_copy(update=update)])], STUDY)
    pinned = ("socrates-dual", "irq 0", "taskset 1")
    assert [each.words for each in both] == [(*pinned, "CPU 0"), (*pinned, "CPU 1")]
    usual = whole(one)
    # Later rows, of a link that nobody published.
    faster = [
        replace(each, identity=replace(each.identity, link="1 Gbit/s"), beside=None)
        for each in usual
    ]
    rows = [each for each in changes(usual + faster, both) if each.without.metric == "cpu"]
    assert [each.deviation_with for each in rows] == pytest.approx([0, 100])

    causes = [
        Cause(why="", evidence="variants", tested_by="x", variant=each.words, metric=("cpu",))
        for each in both
    ]
    shown = [each._replace(deviation=1000.0, deviation_with=10.0) for each in rows]
    told = [of.outcome for _, of in findings(causes, shown, [])]
    assert told == ["undecided", "undecided"]
    told = [of.outcome for _, of in findings(causes, [shown[0], rows[1]], [])]
    assert told == ["shown", "not shown"]


def test_rows_that_an_amount_was_chosen_by_are_fitted(tmp_path: Path) -> None:
    then = results_of(tmp_path, lambda cell: cell.protocol == "openvpn", experiment="causes")
    rows = changes(whole(then), variants([then], STUDY))
    fitted = {(row.without.identity.cipher, row.without.metric) for row in rows if row.is_fitted}
    assert fitted == {("none", "throughput")}
