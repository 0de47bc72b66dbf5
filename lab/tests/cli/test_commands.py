# SPDX-License-Identifier: Apache-2.0
"""The commands on runs, in this process, with made-up figures."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from commands import call, invoke
from made_results import having
from rich.console import Console

from firesteel.analysis.compare import compare
from firesteel.analysis.results import load_results
from firesteel.base.checkout import RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.model import names as called
from firesteel.report import write
from firesteel.store.store import Store
from firesteel.terminal.compare import show_comparison
from firesteel.terminal.run import show_figures

FAILING = "ipsec none:none software"


def make_run(monkeypatch: pytest.MonkeyPatch, store: Path, *more: str, fail: str = "") -> str:
    """A run of the quick sizes without its report, which takes longest."""
    arguments = ["run", "quickstart", "--quick", "--store", str(store), *more]
    with monkeypatch.context() as context:
        context.setattr(write, "write_report", lambda *_: store / "report.html")
        call(context, *arguments, fail=[fail])
    return Store(store).journal().name


def test_run_ends_with_the_answer_in_25_lines_and_the_report_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = call(monkeypatch, "run", "quickstart", "--quick", "--store", str(tmp_path))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    name = Store(tmp_path).journal().name
    assert lines[-1] == str(tmp_path / "runs" / name / "report.html")
    assert Path(lines[-1]).is_file()
    for text in ("file transfer", "OpenVPN none:none", "Virtual time approximates cycles"):
        assert text in result.stdout
    assert all(len(line) <= 80 for line in lines[:-1])
    assert len(lines) <= 25
    assert "[9/9] " in result.stderr
    assert "] IPsec AES-256-GCM: " in result.stderr
    assert "measured in" in result.stderr


def test_run_tells_what_comes_from_the_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_run(monkeypatch, tmp_path, "--only", "protocol=none")
    result = call(
        monkeypatch, "run", "quickstart", "--quick", "--store", str(tmp_path), "--jobs", "2"
    )
    (known,) = [line for line in result.stderr.splitlines() if "from the store" in line]
    assert known.startswith("[1/9] no tunnel: ")
    (first, *_) = result.stderr.splitlines()
    assert re.search("9 cells, .* 2 at a time", first)


def test_a_failed_cell_makes_status_1_after_all_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = call(
        monkeypatch, "run", "quickstart", "--quick", "--store", str(tmp_path), fail=[FAILING]
    )
    assert result.exit_code == 1
    logs = Store(tmp_path).logs(Store(tmp_path).journal().name)
    assert "1 of 9 cells" in result.stdout
    assert str(logs) in result.stdout
    assert "failed: IPsec none:none: " in result.stdout
    assert result.stdout.splitlines()[-1].endswith("report.html")


def test_a_run_removes_what_a_killed_one_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    left = tmp_path / "runs/2026-11-20-quickstart-1/logs/no-tunnel-software/run-abc/board/job"
    left.parent.mkdir(parents=True)
    left.write_text("large")
    make_run(monkeypatch, tmp_path, "--only", "protocol=none")
    assert not left.parents[1].exists()


def test_csv_is_tidy_and_exact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_run(monkeypatch, tmp_path, "--only", "protocol=none")
    result = call(monkeypatch, "show", "--format", "csv", "--store", str(tmp_path))
    lines = result.stdout.splitlines()
    columns = "experiment,protocol,cipher,mac,implementation,parameter,metric,unit,value"
    assert lines[0] == f"{columns},completion,as_in_2015"
    assert lines[1] == "ping,none,none,none,software,56 B,rtt_mean,ms,1.4202,,"
    assert "file-transfer,none,none,none,software,8 MiB,packets_sent,packets,5912,," in lines
    (record,) = load_results(Store(tmp_path)).records
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    told = [float(row["value"]) for row in rows]
    assert told == [figure.value for figure in record.measurement.figures]


def test_json_has_the_same_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = make_run(monkeypatch, tmp_path, fail=FAILING)
    result = call(monkeypatch, "show", name, "--format", "json", "--store", str(tmp_path))
    rows = json.loads(result.stdout)
    assert rows == load_results(Store(tmp_path)).figures.to_dicts()
    assert "1 of 9 cells" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal_and_hold_every_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    make_run(monkeypatch, tmp_path, fail=FAILING)
    out = io.StringIO()
    show_figures(Console(file=out, width=width), load_results(Store(tmp_path)))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for word in ("RTT p99", "throughput", "switches", "1280-2559 B", "OpenVPN AES-256-CBC:SHA-256"):
        assert word in text


@pytest.mark.parametrize("width", [80, 100])
def test_the_comparison_has_both_ratios_in_the_row_they_are_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    make_run(monkeypatch, tmp_path)
    results = load_results(Store(tmp_path))
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


def test_compare_prints_ratio_and_deviation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_run(monkeypatch, tmp_path)
    result = call(monkeypatch, "compare", "--all", "--store", str(tmp_path))
    assert "ratio" in result.stdout
    assert "deviation" in result.stdout
    alone = sum(not each.beside for each in compare(load_results(Store(tmp_path)).means))
    assert f"{alone} figures" in result.stdout
    table = call(monkeypatch, "compare", "--format", "csv", "--store", str(tmp_path)).stdout
    (row, *_) = csv.DictReader(io.StringIO(table))
    assert row["published"] == "1.444"
    assert float(row["ratio"]) == pytest.approx(1.4202 / 1.444)
    assert row["note"] == "delhaye2015 5.3"


def test_list_names_experiments_and_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = call(monkeypatch, "list", "--store", str(tmp_path))
    assert re.search(r"^quickstart +9 ", empty.stdout, re.MULTILINE)
    assert "No runs in" in empty.stdout
    name = make_run(monkeypatch, tmp_path, fail=FAILING)
    result = call(monkeypatch, "list", "--store", str(tmp_path))
    row = next(line for line in result.stdout.splitlines() if line.startswith(name))
    assert row.split() == [name, "quick", "8", "of", "9", "1", "latest"]


@pytest.mark.parametrize("damaged", [0, 1])
def test_list_goes_on_past_a_damaged_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damaged: int
) -> None:
    names = [make_run(monkeypatch, tmp_path) for _ in range(2)]
    (tmp_path / "runs" / names[damaged] / "run.json").write_text("{")
    result = call(monkeypatch, "list", "--store", str(tmp_path))
    assert result.exit_code == 0
    assert "damaged" in result.stdout
    intact = next(
        line for line in result.stdout.splitlines() if line.startswith(names[1 - damaged])
    )
    assert "9 of 9" in intact


def test_a_store_that_is_a_file_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for command in ("list", "show"):
        with pytest.raises(FiresteelError, match="file is a file"):
            call(monkeypatch, command, "--store", str(tmp_path / "file"))


def test_report_is_written_where_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_run(monkeypatch, tmp_path)
    path = tmp_path / "mine.html"
    result = call(monkeypatch, "report", "--output", str(path), "--store", str(tmp_path))
    assert result.stdout.strip() == str(path)
    assert path.read_text().startswith("<!DOCTYPE html>")


def test_the_default_store_is_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path))
    call(monkeypatch, "run", "quickstart", "--quick", "--only", "protocol=none")
    assert (tmp_path / "store" / "runs" / "latest" / "run.json").is_file()


def test_an_unknown_run_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_run(monkeypatch, tmp_path)
    for command in ("show", "compare", "report"):
        with pytest.raises(FiresteelError, match="`x`"):
            call(monkeypatch, command, "x", "--store", str(tmp_path))


@pytest.mark.parametrize("part", ["figures", "ratios", "statements"])
def test_a_comparison_has_40_lines_unless_all_is_asked_for(part: str) -> None:
    words = ("compare", "relative-costs", "--part", part, "--store", str(RECORDED))
    brief, whole = (invoke(*words, *more).stdout.splitlines() for more in ((), ("--all",)))
    assert len(brief) <= 40
    if len(whole) > 40:
        assert brief[-1] == "This is a part of it; `--all` shows everything."
    else:
        assert brief == whole


def test_changes_in_brief_are_the_largest_of_each_verdict() -> None:
    words = ("compare", "gigabit", "gigabit", "--pair", "board=socrates:socrates-1600")
    brief = invoke(*words, "--store", str(RECORDED)).stdout
    assert len(brief.splitlines()) <= 40
    better = brief.partition("Better, the largest")[2].partition("Changed, the")[0]
    told = [float(each) for each in re.findall(r"([+-][\d.]+) % ", better)]
    assert len(told) > 4
    assert [abs(each) for each in told] == sorted(map(abs, told), reverse=True)
    assert len(invoke(*words, "--all", "--store", str(RECORDED)).stdout.splitlines()) > 40


def test_the_answer_has_rates_and_the_share_of_the_link() -> None:
    told = invoke("show", "ipsec", "--part", "answer", "--store", str(RECORDED)).stdout
    rows = json.loads(invoke("show", "ipsec", "--format", "json", "--store", str(RECORDED)).stdout)

    def of(implementation: str, metric: str) -> float:
        where = {"experiment": "file-transfer", "cipher": "aes-256-cbc", "mac": "sha256"}
        where |= {"implementation": implementation, "metric": metric}
        usual = ("adaptive", "", None)
        (value,) = (
            row["value"]
            for row in rows
            if where.items() <= row.items() and row["completion"] in usual
        )
        return float(value)

    rates = " → ".join(f"{of(each, 'throughput'):.2f}" for each in ("software", "hardware"))
    shares = " → ".join(f"{of(each, 'link_use'):.0f}" for each in ("software", "hardware"))
    files = f"Fastest files: IPsec AES-256-CBC:SHA-256, {rates} MB/s ({shares} % of the link)."
    assert files in " ".join(told.split())
