# SPDX-License-Identifier: Apache-2.0
"""The commands on runs, in this process, with made-up figures."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from commands import Lab, call, invoke
from made_results import having
from rich.console import Console

from firesteel.base.checkout import RECORDED
from firesteel.build.products import Products
from firesteel.cli import build
from firesteel.judge.compare import compare
from firesteel.judge.results import load_results
from firesteel.model import names as called
from firesteel.show.compare import show_comparison
from firesteel.show.report import write
from firesteel.show.run import show_figures
from firesteel.store.store import Store

FAILING = "ipsec none:none software"


def make_run(lab: Lab, *more: str, fail: str = "") -> str:
    """A run of the quick sizes without its report, which takes longest."""
    with lab.patch.context() as context:
        context.setattr(write, "write_report", lambda *_: lab.store / "report.html")
        lab("run", "quickstart", "--quick", *more, fail=[fail])
    return Store(lab.store).journal().name


def test_run_ends_with_the_answer_in_25_lines_and_the_report_last(lab: Lab) -> None:
    result = lab("run", "quickstart", "--quick")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    name = Store(lab.store).journal().name
    assert lines[-1] == str(lab.store / "runs" / name / "report.html")
    assert Path(lines[-1]).is_file()
    for text in ("file transfer", "OpenVPN none:none", "Virtual time approximates cycles"):
        assert text in result.stdout
    assert all(len(line) <= 80 for line in lines[:-1])
    assert len(lines) <= 25
    assert "[9/9] " in result.stderr
    assert "] IPsec AES-256-GCM: " in result.stderr
    assert "measured in" in result.stderr


def test_a_failed_cell_makes_status_1_after_all_the_others(lab: Lab) -> None:
    result = lab("run", "quickstart", "--quick", fail=[FAILING])
    assert result.exit_code == 1
    logs = Store(lab.store).logs(Store(lab.store).journal().name)
    assert "1 of 9 cells" in result.stdout
    assert str(logs) in result.stdout
    assert "failed: IPsec none:none: " in result.stdout
    assert result.stdout.splitlines()[-1].endswith("report.html")


def test_a_run_removes_what_a_killed_one_left_and_measures_nothing_twice(lab: Lab) -> None:
    left = lab.store / "runs/2026-11-20-quickstart-1/logs/no-tunnel-software/run-abc/board/job"
    left.parent.mkdir(parents=True)
    left.write_text("large")
    make_run(lab, "--only", "protocol=none")
    assert not left.parents[1].exists()
    again = lab("run", "quickstart", "--quick", "--jobs", "2")
    (known,) = [line for line in again.stderr.splitlines() if "from the store" in line]
    assert known.startswith("[1/9] no tunnel: ")
    assert re.search("9 cells, .* 2 at a time", again.stderr.splitlines()[0])


def test_rows_for_programs_are_tidy_and_exact(lab: Lab) -> None:
    name = make_run(lab, fail=FAILING)
    told = lab("show", "--format", "csv")
    lines = told.stdout.splitlines()
    columns = "experiment,protocol,cipher,mac,implementation,parameter,metric,unit,value"
    assert lines[0] == f"{columns},completion,as_in_2015,affinity"
    assert lines[1] == "ping,none,none,none,software,56 B,rtt_mean,ms,1.4202,,,"
    assert "file-transfer,none,none,none,software,8 MiB,packets_sent,packets,5912,,," in lines
    figures = load_results(Store(lab.store)).figures.to_dicts()
    rows = csv.DictReader(io.StringIO(told.stdout))
    assert [float(row["value"]) for row in rows] == [figure["value"] for figure in figures]
    told = lab("show", name, "--format", "json")
    assert json.loads(told.stdout) == figures
    assert "1 of 9 cells" in told.stderr
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal_and_hold_every_figure(lab: Lab, width: int) -> None:
    make_run(lab, fail=FAILING)
    out = io.StringIO()
    show_figures(Console(file=out, width=width), load_results(Store(lab.store)))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for word in ("RTT p99", "throughput", "switches", "1280-2559 B", "OpenVPN AES-256-CBC:SHA-256"):
        assert word in text


@pytest.mark.parametrize("width", [80, 100])
def test_the_comparison_has_both_ratios_in_the_row_they_are_of(lab: Lab, width: int) -> None:
    make_run(lab)
    results = load_results(Store(lab.store))
    comparison = compare(results.means)
    show_comparison(Console(file=(out := io.StringIO()), width=width), results, comparison)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    label = "OpenVPN AES-256-CBC:SHA-256"
    suite = {"protocol": "openvpn", "cipher": "aes-256-cbc", "mac": "sha256"}
    told = having(comparison, experiment="file-transfer", **suite)
    for each in (each for each in told if each.ratio):
        heading = f"File transfer: {called.quantity(each.metric)}"
        title = next(n for n, line in enumerate(lines) if line == heading)
        row = next(line for line in lines[title:] if line.startswith(label))
        cells = row.removeprefix(label).split()
        assert cells[:2] == ["8", "MiB"]
        assert cells[2:5] == [each.text, each.published_text, f"{each.ratio:.2f}"]


def test_compare_prints_ratio_and_deviation(lab: Lab) -> None:
    make_run(lab)
    result = lab("compare", "--all")
    assert "ratio" in result.stdout
    assert "deviation" in result.stdout
    alone = sum(not each.beside for each in compare(load_results(Store(lab.store)).means))
    assert f"{alone} figures" in result.stdout
    table = lab("compare", "--format", "csv").stdout
    (row, *_) = csv.DictReader(io.StringIO(table))
    assert row["published"] == "1.444"
    assert float(row["ratio"]) == pytest.approx(1.4202 / 1.444)
    assert row["note"] == "delhaye2015 5.3"


def test_list_names_experiments_and_runs(lab: Lab) -> None:
    empty = lab("list")
    assert re.search(r"^quickstart +9 ", empty.stdout, re.MULTILINE)
    assert "No runs in" in empty.stdout
    name = make_run(lab, fail=FAILING)
    result = lab("list")
    row = next(line for line in result.stdout.splitlines() if line.startswith(name))
    assert row.split() == [name, "quick", "8", "of", "9", "1", "latest"]


def test_a_report_goes_where_it_is_wanted(lab: Lab) -> None:
    make_run(lab)
    path = lab.store / "mine.html"
    result = lab("report", "--output", str(path))
    assert result.stdout.strip() == str(path)
    assert path.read_text().startswith("<!DOCTYPE html>")


def test_the_default_store_is_in_the_cache(lab: Lab) -> None:
    lab.patch.setenv("FIRESTEEL_CACHE", str(lab.store))
    call(lab.patch, "run", "quickstart", "--quick", "--only", "protocol=none")
    assert (lab.store / "store" / "runs" / "latest" / "run.json").is_file()


@pytest.mark.parametrize("part", ["figures", "ratios", "statements"])
def test_a_comparison_has_40_lines_unless_all_is_asked_for(part: str) -> None:
    words = ("compare", "relative-costs", "--part", part, "--store", str(RECORDED))
    brief, whole = (invoke(*words, *more).stdout.splitlines() for more in ((), ("--all",)))
    assert len(brief) <= 40
    if len(whole) > 40:
        assert brief[-1] == "This is a part of it; `--all` shows everything."
    else:
        assert brief == whole


@pytest.mark.parametrize("part", ["ratios", "statements"])
def test_a_comparison_without_rows_is_an_empty_list(part: str) -> None:
    words = ("compare", "cpus", "--part", part, "--store", str(RECORDED))
    assert json.loads(invoke(*words, "--format", "json").stdout) == []
    assert invoke(*words).stdout.startswith("No ")


def test_changes_in_brief_are_the_largest_of_each_verdict() -> None:
    words = ("compare", "gigabit", "gigabit", "--pair", "board=socrates:socrates-1600")
    brief = invoke(*words, "--store", str(RECORDED)).stdout
    assert len(brief.splitlines()) <= 40
    better = brief.partition("Better, the largest")[2].partition("Changed, the")[0]
    told = [float(each) for each in re.findall(r"([+-][\d.]+) % ", better)]
    assert len(told) > 4
    assert [abs(each) for each in told] == sorted(map(abs, told), reverse=True)
    assert len(invoke(*words, "--all", "--store", str(RECORDED)).stdout.splitlines()) > 40


def test_a_new_lock_names_the_recorded_runs_of_its_architecture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Products, "relock", lambda _: ["curl 1 is now 2"])
    monkeypatch.setattr(build, "_made", lambda *_: ())
    words = ("build", "image", "--relock")
    ours, theirs = (invoke(*words, *more).stderr for more in ((), ("--board", "gateway-a53")))
    assert "thesis, " in ours
    assert "calibration-a53" not in ours
    assert "calibration-a53, " in theirs
    assert "thesis" not in theirs
    assert all("curl 1 is now 2.\n" in said and " cpus, " in said for said in (ours, theirs))
