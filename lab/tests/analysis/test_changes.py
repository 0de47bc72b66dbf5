# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: what changed beyond the noise, and runs that cannot be compared."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import invoke, measure
from fake_runner import FakeRunner
from scipy.stats import ttest_ind

from firesteel.analysis.changes import COLUMNS, Condition, change_of, condition, percentage
from firesteel.base.envelope import digest
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.cli import bench
from firesteel.store.store import Store

OTHER = "0" * 64


ONE = ("--only", "protocol=none")
IPSEC = ("--only", "protocol=ipsec", "--only", "mac=sha256")


def test_a_difference_within_welchs_interval_is_noise() -> None:
    # By hand: means 10 and 10.5, variances 1 and 1, 5 seeds each: standard error sqrt(0.4),
    # 8 degrees of freedom, for which the table has 2.306
    before, after = [9, 9.5, 10, 10.5, 11], [9.5, 10, 10.5, 11, 11.5]
    judged = change_of("throughput", before, after, None)
    assert judged.noise_percent == pytest.approx(10 * 2.306 * (2 * 0.625 / 5) ** 0.5, rel=1e-3)
    assert (judged.verdict, judged.noise) == ("within noise", "measured")
    assert judged.change_percent == pytest.approx(5)


@pytest.mark.parametrize(
    ("before", "after"),
    [([1, 2, 3, 4], [10, 30, 20]), ([5, 5.01, 5], [5.1, 4.8]), ([7, 9, 8, 9, 7], [8, 8.001])],
)
def test_the_interval_is_that_of_scipys_welch_test(before: list[float], after: list[float]) -> None:
    interval = ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    judged = change_of("rtt_mean", before, after, None)
    assert judged.noise_percent is not None
    half = judged.noise_percent * judged.before / 100
    assert half == pytest.approx((interval.high - interval.low) / 2)
    beyond = not interval.low <= 0 <= interval.high
    assert (judged.verdict == "within noise") is not beyond


@pytest.mark.parametrize(
    ("metric", "after", "verdict"),
    [
        ("throughput", [12.0, 12.1, 11.9], "better"),
        ("throughput", [8.0, 8.1, 7.9], "worse"),
        ("rtt_mean", [12.0, 12.1, 11.9], "worse"),
        ("cpu", [8.0, 8.1, 7.9], "better"),
        ("interrupts", [8.0, 8.1, 7.9], "changed"),
        ("nobody_knows", [8.0, 8.1, 7.9], "changed"),
        ("rtt_mean", [10.0, 10.1, 9.9], "same"),
    ],
)
def test_which_way_is_better_is_the_metrics(metric: str, after: list[float], verdict: str) -> None:
    assert change_of(metric, [10.0, 10.1, 9.9], after, None).verdict == verdict


def test_one_seed_on_both_sides_has_no_noise_that_is_known() -> None:
    judged = change_of("throughput", [10.0], [9.999], None)
    assert (judged.verdict, judged.noise, judged.noise_percent) == ("worse", "unknown", None)
    judged = change_of("throughput", [10.0], [10.0], None)
    assert (judged.verdict, judged.noise) == ("same", "unknown")


def test_a_change_that_is_not_seen_is_none() -> None:
    assert change_of("cpu", [100.0], [100.004], None).verdict == "same"
    assert change_of("cpu", [100.0], [100.006], None).verdict == "worse"
    assert change_of("cpu", [0.0], [0.001], None).verdict == "worse"


def test_one_seed_on_both_sides_may_have_an_assumed_noise() -> None:
    assert change_of("throughput", [10.0], [9.96], 0.5).verdict == "within noise"
    judged = change_of("throughput", [10.0], [9.94], 0.5)
    assert (judged.verdict, judged.noise, judged.noise_percent) == ("worse", "assumed", 0.5)


def test_one_seed_beside_several_is_held_against_their_spread() -> None:
    several = [10.0, 10.1, 9.9]
    # 4.303 (two degrees of freedom) times 0.1 times sqrt(1 + 1/3) is 0.497
    assert change_of("throughput", several, [10.45], None).verdict == "within noise"
    judged = change_of("throughput", [10.55], several, 0.5)
    assert (judged.verdict, judged.noise) == ("worse", "measured")


def test_means_of_equal_values_are_equal() -> None:
    judged = change_of("throughput", [0.708], [0.708] * 3, None)
    assert (judged.after, judged.change_percent, judged.verdict) == (0.708, 0, "within noise")


@pytest.mark.parametrize(
    ("metric", "before", "after", "verdict"),
    [
        ("rtt_mean", 0.706, 0.707, "within noise"),
        ("rtt_mean", 0.706, 0.708, "worse"),
        ("rtt_p99", 1.23, 1.24, "within noise"),
        ("rtt_p99", 12.3, 12.5, "worse"),
        ("throughput", 0.706, 0.707, "better"),
    ],
)
def test_a_step_of_what_ping_rounds_is_noise(
    metric: str, before: float, after: float, verdict: str
) -> None:
    assert change_of(metric, [before] * 3, [after] * 3, None).verdict == verdict


def test_what_was_nothing_has_no_percentage() -> None:
    judged = change_of("loss", [0.0], [0.5], None)
    assert (judged.change_percent, judged.verdict) == (None, "worse")
    assert Condition("worse", 5).holds(judged)
    same = change_of("loss", [0.0, 0.0], [0.0, 0.0], None)
    assert (same.change_percent, same.verdict) == (0, "same")


@pytest.mark.parametrize("text", ["worse:5%", "changed:0.5%"])
def test_conditions_are_read(text: str) -> None:
    kind, percent = text.rstrip("%").split(":")
    assert condition(text) == Condition(kind, float(percent))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["worse", "worse:5", "better:5%", "worse:-5%", "worse:%", "WORSE:5%", "worse:1e3%", ""]
)
def test_a_malformed_condition_says_what_is_allowed(text: str) -> None:
    with pytest.raises(RequestError, match="KIND:PERCENT% .*worse, changed"):
        condition(text)


@pytest.mark.parametrize("text", ["0.5", "-1%", "101%", "x", "%"])
def test_a_malformed_noise_says_what_is_allowed(text: str) -> None:
    with pytest.raises(RequestError, match="from 0% to 100%"):
        percentage("--noise", text)


def test_a_condition_is_of_more_than_its_percentage() -> None:
    row = change_of("throughput", [100.0], [95.0], None)
    assert not Condition("worse", 5).holds(row)
    assert Condition("worse", 4.9).holds(row)
    better = change_of("throughput", [100.0], [110.0], None)
    assert not Condition("worse", 5).holds(better)
    assert Condition("changed", 5).holds(better)


def test_a_slower_run_fails_and_the_figures_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = measure(monkeypatch, tmp_path, *IPSEC)
    second = measure(monkeypatch, tmp_path, *IPSEC, qemu=OTHER, factor=1.1)
    store = ("--store", str(tmp_path))
    result = invoke("compare", first, second, "--all", *store)
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert told.index("Worse, the largest change") < told.index("Better, the largest change")
    assert "+10.00 % unknown" in told
    assert "between the runs: qemu." in told
    assert "noise is unknown" in told
    result = invoke("compare", first, second, "--fail-if", "worse:5%", *store)
    assert result.exit_code == 1
    assert re.search(
        r"^firesteel: worse .*5 %: IPsec AES-256-CBC:SHA-256, .*56 B, mean RTT: ",
        result.stderr,
        re.MULTILINE,
    )
    assert "throughput" not in result.stderr
    for passing in (["worse:15%"], ["worse:15%", "changed:10.5%"]):
        more = [word for text in passing for word in ("--fail-if", text)]
        assert invoke("compare", first, second, *more, *store).exit_code == 0
    more = ["--fail-if", "worse:15%", "--fail-if", "changed:5%"]
    result = invoke("compare", first, second, *more, *store)
    assert result.exit_code == 1
    offences = result.stderr.splitlines()
    assert any(re.search("changed .*5 %.*throughput", line) for line in offences)
    result = invoke("compare", first, second, "--noise", "20%", "--fail-if", "changed:0%", *store)
    assert result.exit_code == 0
    assert "(--noise)" in result.stdout


def test_seeds_tell_noise_from_change(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = measure(monkeypatch, tmp_path, *ONE, "--seeds", "5")
    second = measure(monkeypatch, tmp_path, *ONE, "--seeds", "4", qemu=OTHER, factor=1.001)
    third = measure(monkeypatch, tmp_path, *ONE, "--seeds", "5", qemu="1" * 64, factor=1.03)
    rows = table(first, second, tmp_path)
    assert {row["verdict"] for row in rows if row["metric"] == "rtt_mean"} == {"within noise"}
    assert {(row["seeds_before"], row["seeds_after"]) for row in rows} == {("5", "4")}
    rows = table(first, third, tmp_path)
    assert {row["verdict"] for row in rows if row["metric"] == "rtt_mean"} == {"worse"}
    assert {row["verdict"] for row in rows if row["metric"] == "throughput"} == {"better"}
    told = " ".join(invoke("compare", first, third, "--store", str(tmp_path)).stdout.split())
    assert "5 and of 5 seeds" in told


def table(first: str, second: str, store: Path) -> list[dict[str, str]]:
    text = invoke("compare", first, second, "--format", "csv", "--store", str(store)).stdout
    return list(csv.DictReader(io.StringIO(text)))


def test_json_and_csv_have_the_same_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = measure(monkeypatch, tmp_path, *ONE)
    second = measure(monkeypatch, tmp_path, *ONE, qemu=OTHER, factor=1.5)
    rows = table(first, second, tmp_path)
    assert tuple(rows[0]) == COLUMNS
    text = invoke("compare", first, second, "--format", "json", "--store", str(tmp_path)).stdout
    assert [row["verdict"] for row in json.loads(text)] == [row["verdict"] for row in rows]
    (row,) = [row for row in json.loads(text) if row["metric"] == "throughput"]
    assert row["change_percent"] == pytest.approx(50, abs=0.01)
    assert (row["noise"], row["noise_percent"]) == ("unknown", None)


def test_the_first_run_may_be_in_another_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measure(monkeypatch, tmp_path / "a", *ONE)
    measure(monkeypatch, tmp_path / "b", *ONE, qemu=OTHER, factor=2.0)
    stores = ["--baseline", str(tmp_path / "a"), "--store", str(tmp_path / "b")]
    result = invoke("compare", "latest", "latest", "--fail-if", "worse:50%", *stores)
    assert result.exit_code == 1
    assert "+100.00 %" in result.stderr


def test_cells_that_fail_now_fail_the_comparison_and_others_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = measure(monkeypatch, tmp_path, *ONE, *IPSEC[:2])
    second = measure(monkeypatch, tmp_path, *ONE, qemu=OTHER, fail=("no tunnel software",))
    store = ("--store", str(tmp_path))
    result = invoke("compare", first, second, *store)
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    only = f"{first}: IPsec none:none; IPsec AES-256-CBC:none"
    assert only in told
    assert f"{second}, 1 of 1 cells" in told
    result = invoke("compare", first, second, "--fail-if", "worse:50%", *store)
    assert result.exit_code == 1
    assert re.fullmatch("firesteel: .*: no tunnel\n", result.stderr)


EXPERIMENT = """
title = "t"
topology = "{topology}"
measured = "{measured}"
{profiles}
[[configurations]]
protocol = "{protocol}"
suite = "none:none"
[ping]
sizes = [56]
count = {count}
quick = {{ count = 5 }}
"""

USUAL = {
    "topology": "host-host",
    "measured": "board",
    "profiles": "",
    "protocol": "none",
    "count": 10,
}


def of_file(monkeypatch: pytest.MonkeyPatch, store: Path, *more: str, **changes: Any) -> str:
    """A run of an experiment of one cell."""
    path = store / "x.toml"
    path.write_text(EXPERIMENT.format(**(USUAL | changes)))
    return measure(monkeypatch, store, *more, experiment=str(path))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"topology": "host-gateway-gateway-host", "measured": "gateway-a"},
            "topology `host-host` .*`host-gateway-gateway-host`",
        ),
        ({"measured": "peer"}, "node `board` .*`peer`"),
        ({"protocol": "ipsec"}, "no cell in common: .*no tunnel.*IPsec none:none"),
    ],
)
def test_runs_at_other_nodes_or_of_other_traffic_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    first = of_file(monkeypatch, tmp_path)
    second = of_file(monkeypatch, tmp_path, **changes)
    with pytest.raises(RequestError) as caught:
        invoke("compare", first, second, "--store", str(tmp_path))
    text = str(caught.value)
    assert re.match(f"The runs {first} and {second} .*: .*{reason}", text)
    assert "\n" not in text


def test_other_sizes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quick = of_file(monkeypatch, tmp_path)
    monkeypatch.setattr(bench, "make_runner", lambda *_: FakeRunner())
    monkeypatch.setattr("firesteel.report.write.write_report", lambda *_: tmp_path)
    invoke("run", str(tmp_path / "x.toml"), "--store", str(tmp_path))
    full = Store(tmp_path).journal().name
    with pytest.raises(RequestError, match="quick sizes .*full ones"):
        invoke("compare", quick, full, "--store", str(tmp_path))
    (tmp_path / "x.toml").write_text(EXPERIMENT.format(**(USUAL | {"count": 11})))
    invoke("run", str(tmp_path / "x.toml"), "--store", str(tmp_path))
    other = Store(tmp_path).journal().name
    with pytest.raises(RequestError, match=r"measured otherwise: ping: count 10 and 11\.$"):
        invoke("compare", full, other, "--store", str(tmp_path))


def test_a_run_without_any_figure_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failed = measure(monkeypatch, tmp_path, *ONE, fail=("no tunnel software",))
    second = measure(monkeypatch, tmp_path, *ONE)
    with pytest.raises(RequestError, match="figures in both"):
        invoke("compare", failed, second, "--store", str(tmp_path))


@pytest.mark.parametrize(
    "arguments",
    [["--fail-if", "worse:5%"], ["--noise", "1%"], ["--baseline", "x"], ["--pair", "board=a:b"]],
)
def test_options_of_two_runs_need_two(tmp_path: Path, arguments: list[str]) -> None:
    with pytest.raises(RequestError, match=f"{arguments[0]} is for two runs"):
        invoke("compare", "latest", *arguments, "--store", str(tmp_path))


def test_an_unknown_run_and_a_damaged_record_are_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = measure(monkeypatch, tmp_path, *ONE)
    second = measure(monkeypatch, tmp_path, *ONE, qemu=OTHER)
    store = ("--store", str(tmp_path))
    for pair in ((first, "x"), ("x", first)):
        with pytest.raises(FiresteelError, match="no run `x`"):
            invoke("compare", *pair, *store)
    path = Store(tmp_path).record_path(Store(tmp_path).journal(second).entries[0].key)
    content = json.loads(path.read_text())
    path.write_text(path.read_text().replace('"openvpn": "2', '"openvpn": "3'))
    for command in (("compare", first, second), ("show", second, "--part", "samples")):
        with pytest.raises(FiresteelError, match=r"damaged \(its digest"):
            invoke(*command, *store)
    del content["digest"]
    content["format"] = 3
    path.write_text(json.dumps(content | {"digest": digest(content)}))
    for command in (("compare", first, second), ("show", second, "--part", "samples")):
        with pytest.raises(FiresteelError, match="format 3, "):
            invoke(*command, *store)
