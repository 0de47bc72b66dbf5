# SPDX-License-Identifier: Apache-2.0
"""A cell with a habit of 2015 stands beside the plain one everywhere, and never for it."""

import csv
import io
from pathlib import Path

import pytest
from commands import invoke
from fake_runner import FakeRunner
from made_pairs import both, found, row

from firesteel.cli import bench
from firesteel.judge.advice.answer import answer_of
from firesteel.judge.results import Results, load_results
from firesteel.store.store import Store

EXPERIMENT = """
title = "With habits and without"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "openvpn"
suite = "aes-256-cbc:sha256"
implementation = ["software", "hardware"]

[[configurations]]
protocol = "openvpn"
suite = "aes-256-cbc:sha256"
implementation = ["software", "hardware"]
as_in_2015 = ["openvpn-buffers", "slow-tun"]

[[limits.ratios]]
suite = "aes-256-cbc:sha256"
versus = { implementation = "software" }
least = { throughput = 1 }
date = 2026-11-21
reason = "as the moon stood"

[transfer]
size = "128 MiB"
"""

HABITS = "openvpn-buffers+slow-tun"
NAME = "OpenVPN AES-256-CBC:SHA-256 with openvpn-buffers and slow-tun"


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Results:
    (tmp_path / "x.toml").write_text(EXPERIMENT)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("firesteel.show.report.write.write_report", lambda *_: tmp_path)
    monkeypatch.setattr(bench, "make_runner", lambda *_: FakeRunner())
    invoke("run", str(tmp_path / "x.toml"), "--store", str(tmp_path))
    return load_results(Store(tmp_path))


def rows(store: Path, *command: str) -> list[dict[str, str]]:
    """What a command prints as CSV, of one metric in software."""
    told = invoke(*command, "--format", "csv", "--store", str(store)).stdout
    return [
        row
        for row in csv.DictReader(io.StringIO(told))
        if (row["metric"], row["implementation"]) == ("throughput", "software")
    ]


def test_both_are_shown_under_names_of_their_own(results: Results, tmp_path: Path) -> None:
    assert [(row["as_in_2015"]) for row in rows(tmp_path, "show")] == ["", HABITS]
    told = " ".join(invoke("show", "--store", str(tmp_path)).stdout.split())
    assert NAME.split(" and ")[0] in told, "a long name goes on in the next line"
    values = [row["value"] for row in rows(tmp_path, "show")]
    assert len(set(values)) == 2
    assert not results.figures.drop("value").is_duplicated().any()


def test_the_published_figure_stands_beside_the_plain_one_alone(
    results: Results, tmp_path: Path
) -> None:
    plain, variant = rows(tmp_path, "compare")
    assert plain["as_in_2015"] == ""
    assert float(plain["published"]) > 0
    assert (variant["as_in_2015"], variant["published"], variant["ratio"]) == (HABITS, "", "")
    assert results.seeds == [1]


def test_limits_and_pairs_are_of_one_kind_with_itself(results: Results, tmp_path: Path) -> None:
    sides = {(limit.of.as_in_2015, limit.beside.as_in_2015) for limit in results.journal.limits}
    assert sides == {("", ""), (HABITS, HABITS)}
    told = invoke("show", "--part", "limits", "--format", "csv", "--store", str(tmp_path)).stdout
    found = list(csv.DictReader(io.StringIO(told)))
    assert [row["as_in_2015"] for row in found] == ["", HABITS]
    by_habit = {row["as_in_2015"]: float(row["value"]) for row in rows(tmp_path, "show")}
    assert {row["as_in_2015"]: float(row["value_beside"]) for row in found} == by_habit
    (pair,) = answer_of(results).pairs
    assert "slow-tun" not in pair.label, "the answer counts what is offered, not habits"
    assert pair.software.value == by_habit[""]


def test_an_export_has_the_column(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    output = ("--output", str(path), "--store", str(tmp_path))
    invoke("show", "--part", "samples", "--format", "csv", *output)
    with path.open(newline="") as file:
        told = {row["as_in_2015"] for row in csv.DictReader(file)}
    assert told == {"", HABITS}
    assert results.seeds == [1]


def test_a_habit_fills_the_link_that_is_full_without_a_tunnel() -> None:
    of = {"protocol": "none", "cipher": "none", "mac": "none"}
    bare = (row("throughput", 11.75, **of), row("cpu", 20.0, **of))
    (pair,) = found(*both("throughput", 11.65, 11.7, as_in_2015="slow-tun"), *bare)
    assert pair.judged.at_link
