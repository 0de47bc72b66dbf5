# SPDX-License-Identifier: Apache-2.0
"""What limited a row, and that nobody judges one that the peer limited."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from made_pairs import both, found, judged, row
from made_results import results_in
from made_runs import page_of, results_of, with_figures
from rich.console import Console

from firesteel.base.checkout import CHECKOUT
from firesteel.judge.bound import PEER_LIMITED, Bound, bound, counters, peer_share
from firesteel.judge.changes import changes, condition
from firesteel.judge.compare import compare, frame
from firesteel.judge.export import export_frame
from firesteel.judge.intervals import Sample
from firesteel.judge.pairing import pair
from firesteel.judge.results import Results, load_results
from firesteel.judge.rows import Rows
from firesteel.judge.thresholds import conclusion, outcomes
from firesteel.model.identity import Limit, Side
from firesteel.show.run import show_remarks
from firesteel.store.store import Store


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"cpu": 100.0, "peer_cpu": 17.0, "link_use": 40.0}, "CPU"),
        ({"cpu": 100.0, "peer_cpu": 97.0}, "CPU"),
        ({"cpu": 97.5, "peer_cpu": 97.0}, "peer"),
        ({"cpu": 100.0, "core_busy": 99.0}, "CPU"),
        ({"cpu": 60.0, "core_busy": 99.0, "peer_cpu": 0.5}, "core"),
        ({"cpu": 60.0, "core_busy": 40.0, "link_use": 99.0, "peer_cpu": 90.0}, "link"),
        ({"cpu": 60.0, "link_use": 94.0, "peer_cpu": 98.0}, "peer"),
        ({"cpu": 20.0, "link_use": 3.0, "peer_cpu": 2.1}, "peer"),
        ({"cpu": 20.0, "link_use": 3.0, "peer_cpu": 1.9}, "latency"),
        ({"cpu_in_handshake": 98.0, "peer_cpu": 1.0}, "CPU"),
        ({"cpu": 60.0, "core_busy": 40.0, "storage_busy": 97.0}, "disk"),
        ({"cpu": 60.0, "storage_busy": 50.0}, "latency"),
        ({"cpu": 95.0}, "CPU"),
        ({"cpu": 94.9}, "latency"),
        ({"cpu": 150.0, "cpu_busiest": 80.0}, "latency"),
        ({"cpu": 110.0, "cpu_busiest": 99.0}, "CPU"),
        ({"throughput": 3.0}, None),
    ],
)
def test_the_limit_follows_from_how_busy_everything_was(
    shares: dict[str, float], expected: Bound | None
) -> None:
    assert bound(shares) == expected


def test_nothing_is_called_latency_while_something_was_not_counted() -> None:
    of_tunnel, on_cores = (counters("ping", name) for name in ("software", "hardware"))
    assert on_cores - of_tunnel == {"core_busy"}
    shares = {"cpu": 20.0, "link_use": 3.0, "peer_cpu": 1.0}
    assert bound(shares, of_tunnel) == "latency"
    assert bound(shares, on_cores) is None
    assert bound(shares | {"core_busy": 1.0}, on_cores) == "latency"
    for missing in shares:
        less = {metric: share for metric, share in shares.items() if metric != missing}
        assert bound(less, of_tunnel) is None
    for name in ("kernel-crypto-decrypt", "disk-random-read", "openssl-speed"):
        assert bound({"cpu": 20.0}, counters(name, "software")) == "latency"


def test_rows_without_counters_have_no_limit() -> None:
    slow = [row("cpu", 20.0), row("peer_cpu", 1.0)]
    for rows, expected in ((slow, None), ([*slow, row("link_use", 3.0)], "latency")):
        (one,) = Rows(results_in(pl.DataFrame(rows)))
        assert one.bound == expected
    (paired,) = found(
        *both("throughput", 10.0, 30.0), row("cpu", 50.0), row("cpu", 99.0, "hardware")
    )
    assert (paired.pair.one.bound, paired.pair.other.bound) == (None, "CPU")


def test_the_peer_cost_no_more_than_its_work_and_than_what_others_left() -> None:
    assert peer_share({"cpu": 60.0, "peer_cpu": 30.0}) == 30.0
    assert peer_share({"cpu": 90.0, "peer_cpu": 30.0}) == pytest.approx(10.0)
    assert peer_share({"cpu": 20.0, "link_use": 99.0, "peer_cpu": 150.0}) == pytest.approx(1.0)
    assert peer_share({"cpu": 20.0}) == 0.0


def sides(peer_of_hardware: float) -> tuple[dict[str, Sample], dict[str, Sample]]:
    software = {"throughput": 10.0, "cpu": 100.0, "peer_cpu": 20.0}
    hardware = {"throughput": 30.0, "cpu": 50.0, "peer_cpu": peer_of_hardware}
    first, second = (
        {metric: Sample.exact(value) for metric, value in side.items()}
        for side in (software, hardware)
    )
    return first, second


def test_what_one_peer_limited_is_not_judged() -> None:
    free, limited = judged(*sides(1.0)), judged(*sides(60.0))
    assert free
    assert limited
    assert free.verdict == "helps"
    assert limited.verdict == PEER_LIMITED


def with_peer(tmp_path: Path, share: float) -> pl.DataFrame:
    """Figures of a run of which the transfers' peers were busy for that share of the time."""
    results = results_of(tmp_path, lambda cell: cell.protocol in ("none", "ipsec"))
    rates = results.figures.filter(metric="throughput")
    shares = [
        rates.with_columns(
            metric=pl.lit(metric), unit=pl.lit("percent of the loaded core"), value=pl.lit(value)
        )
        for metric, value in (("peer_cpu", share), ("cpu", 50.0))
    ]
    others = results.figures.filter(~pl.col("metric").is_in(["cpu"]))
    return pl.concat([others, *shares])


def test_commands_and_report_name_it(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.protocol in ("none", "ipsec"))
    marked = with_figures(results, with_peer(tmp_path, 80.0))
    console = Console(record=True, width=400)
    show_remarks(console, marked)
    assert PEER_LIMITED in console.export_text()
    comparison = frame(compare(marked.means))
    limited = comparison.filter(pl.col("note").str.contains(PEER_LIMITED))
    assert set(limited["experiment"]) == {"file-transfer"}
    assert limited.height == comparison.filter(experiment="file-transfer").height
    assert "limited by" in page_of(marked)
    free = compare(results_in(with_peer(tmp_path, 1.0)))
    assert not any(PEER_LIMITED in each.note for each in free)


def test_a_limit_is_neither_met_nor_missed(tmp_path: Path) -> None:
    figures = with_peer(tmp_path, 80.0)
    limit = Limit(
        of=Side(protocol="ipsec", cipher="aes-256-gcm", mac="gcm", implementation="software"),
        beside=Side(protocol="none", cipher="none", mac="none", implementation="software"),
        metric="throughput",
        least=0.01,
    )
    (outcome,) = outcomes(results_in(figures), [limit])
    assert outcome.verdict == PEER_LIMITED
    assert f"1 {PEER_LIMITED}" in conclusion([outcome])


def with_samples(results: Results, samples: pl.DataFrame) -> Results:
    return replace(results, samples=samples)


def test_a_change_between_runs_is_no_change_of_the_board(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.protocol == "none")
    slow = results.samples.filter(metric="cpu").with_columns(
        metric=pl.lit("peer_cpu"), value=pl.lit(80.0)
    )
    before = with_samples(results, pl.concat([results.samples, slow]))
    worse = results.samples.with_columns(
        value=pl.when(pl.col("metric") == "throughput").then(pl.col("value") / 2).otherwise("value")
    )
    after = with_samples(results, worse)
    found = changes(before, after, pair(before, after))
    (changed,) = (each for each in found if each.metric == "throughput")
    assert changed.verdict == PEER_LIMITED
    assert not condition("worse:5%").holds(changed)


def test_a_transfer_at_the_rate_of_the_link_is_limited_by_it() -> None:
    store = Store(CHECKOUT / "recorded")
    results = load_results(store, "thesis")
    transfers = export_frame(results).filter(
        pl.col("experiment") == "file-transfer", pl.col("metric") == "throughput"
    )
    fast = transfers.filter(pl.col("value") > 11.23, pl.col("link").fill_null("") == "")
    # With GCM in software IPsec comes to the rate of the link with all of its CPU.
    in_software = (pl.col("mac") == "gcm") & (pl.col("implementation") == "software")
    assert fast.filter(in_software)["bound"].to_list() == ["CPU"] * 3, "one a seed"
    fast = fast.filter(~in_software)
    assert set(fast["bound"]) == {"link"}
    assert set(fast.filter(protocol="ssh")["bound"]) == {"link"}
