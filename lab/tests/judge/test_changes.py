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
from made_pairs import pair_of

from firesteel.base.envelope import digest
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.cli import bench
from firesteel.judge.changes import Change, change_of, condition, percentage
from firesteel.judge.intervals import Sample
from firesteel.judge.pairing import Boards
from firesteel.model.cell import Place
from firesteel.store.store import Store

OTHER = "0" * 64


ONE = ("--only", "protocol=none")
IPSEC = ("--only", "protocol=ipsec", "--only", "mac=sha256")
HERE = Place("socrates", "host-host", "client", "")


def changed(metric: str, before: list[float], after: list[float], assumed: float | None) -> Change:
    """How a metric with these values by seed stands in two runs on the same board."""
    pair = pair_of({metric: Sample.of(before)}, {metric: Sample.of(after)})
    return change_of(pair, metric, Boards(HERE, HERE), assumed)


@pytest.mark.parametrize(
    ("metric", "before", "after", "assumed", "verdict", "noise"),
    [
        # Means 10 and 10.5, variances 1 and 1: 2.306 (8 degrees of freedom) times sqrt(0.25)
        (
            "throughput",
            [9, 9.5, 10, 10.5, 11],
            [9.5, 10, 10.5, 11, 11.5],
            None,
            "inconclusive",
            11.53,
        ),
        ("throughput", [10.0, 10.1, 9.9], [12.0, 12.1, 11.9], None, "better", 2.27),
        ("throughput", [10.0, 10.1, 9.9], [8.0, 8.1, 7.9], None, "worse", 2.27),
        ("rtt_mean", [10.0, 10.1, 9.9], [12.0, 12.1, 11.9], None, "worse", 2.27),
        ("interrupts", [10.0, 10.1, 9.9], [8.0, 8.1, 7.9], None, "changed", 2.27),
        ("rtt_mean", [10.0, 10.1, 9.9], [10.0, 10.1, 9.9], None, "same", 2.27),
        # One seed beside several: 4.303 times 0.1 times sqrt(1 + 1/3)
        ("throughput", [10.0, 10.1, 9.9], [10.45], None, "inconclusive", 4.97),
        ("throughput", [10.55], [10.0, 10.1, 9.9], 0.5, "worse", 4.71),
        # The same difference, which may be none, and one that is small for certain
        ("throughput", [10.0, 10.2, 9.8], [10.0, 10.15, 9.95], None, "inconclusive", 4.13),
        ("throughput", [10.0, 10.02, 9.98], [10.01, 10.02, 10.0], None, "equal", 0.415),
        # One seed on both sides
        ("throughput", [10.0], [9.999], None, "inconclusive", None),
        ("throughput", [10.0], [10.0], None, "same", None),
        ("cpu", [100.0], [100.004], None, "same", None),
        ("cpu", [0.0], [0.001], None, "inconclusive", None),
        ("throughput", [10.0], [9.96], 0.5, "equal", 0.5),
        ("cpu", [0.0], [0.001], 0.5, "worse", None),
        ("cpu", [0.0, 0.0], [0.0, 0.001], None, "inconclusive", None),
        # A difference for certain that is too small to matter, one that may be, one that is not
        ("throughput", [10.0], [9.94], 0.5, "equal", 0.5),
        ("throughput", [10.0], [9.84], 0.5, "inconclusive", 0.5),
        ("throughput", [10.0], [9.76], 0.5, "worse", 0.5),
        ("interrupts", [10.0], [10.06], 0.23, "equal", 0.23),
        # A step of what ping rounds
        ("rtt_mean", [0.706] * 3, [0.707] * 3, None, "equal", 0.14),
        ("rtt_mean", [0.706] * 3, [0.708] * 3, None, "equal", 0.14),
        ("rtt_mean", [0.706] * 3, [0.722] * 3, None, "worse", 0.14),
        ("rtt_p99", [12.3] * 3, [12.5] * 3, None, "inconclusive", 0.81),
        ("throughput", [0.706] * 3, [0.707] * 3, None, "equal", 0.0),
    ],
)
def test_a_change_is_what_noise_does_not_explain(
    metric: str,
    before: list[float],
    after: list[float],
    assumed: float | None,
    verdict: str,
    noise: float | None,
) -> None:
    judged = changed(metric, before, after, assumed)
    assert judged.verdict == verdict
    if judged.change_percent is not None:
        assert judged.noise_percent == (None if noise is None else pytest.approx(noise, abs=6e-3))


def test_a_condition_is_of_more_than_its_percentage_and_of_any_growth_from_nothing() -> None:
    worse, better, grown = (
        changed("loss" if not one else "throughput", [one], [other], 0.5)
        for one, other in ((100.0, 95.0), (100.0, 110.0), (0.0, 0.5))
    )
    assert not condition("worse:5%").holds(worse)
    assert condition("worse:4.9%").holds(worse)
    assert not condition("worse:5%").holds(better)
    assert condition("changed:5%").holds(better)
    assert grown.change_percent is None
    assert condition("worse:5%").holds(grown)


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
    assert "+10.00 % ±0" in told
    assert "The runs differ in: emulator (QEMU, build " in told
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
    assert {row["verdict"] for row in rows if row["metric"] == "rtt_mean"} == {"equal"}
    assert {(row["seeds_before"], row["seeds_after"]) for row in rows} == {("5", "4")}
    rows = table(first, third, tmp_path)
    assert {row["verdict"] for row in rows if row["metric"] == "rtt_mean"} == {"worse"}
    assert {row["verdict"] for row in rows if row["metric"] == "throughput"} == {"better"}
    told = " ".join(invoke("compare", first, third, "--store", str(tmp_path)).stdout.split())
    assert "5 and of 5 seeds" in told


def table(first: str, second: str, store: Path) -> list[dict[str, str]]:
    text = invoke("compare", first, second, "--format", "csv", "--store", str(store)).stdout
    return list(csv.DictReader(io.StringIO(text)))


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
    monkeypatch.setattr("firesteel.show.report.write.write_report", lambda *_: tmp_path)
    invoke("run", str(tmp_path / "x.toml"), "--store", str(tmp_path))
    full = Store(tmp_path).journal().name
    with pytest.raises(RequestError, match="quick sizes .*full sizes"):
        invoke("compare", quick, full, "--store", str(tmp_path))
    (tmp_path / "x.toml").write_text(EXPERIMENT.format(**(USUAL | {"count": 11})))
    invoke("run", str(tmp_path / "x.toml"), "--store", str(tmp_path))
    other = Store(tmp_path).journal().name
    with pytest.raises(RequestError, match=r"with other settings: ping: count 10 and 11\.$"):
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
