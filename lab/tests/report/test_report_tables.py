# SPDX-License-Identifier: Apache-2.0
"""The published tables with ours beside them, and what became of the published losses."""

from pathlib import Path

import polars as pl
import pytest
from made_pairs import published_of, result_of
from made_results import results_in
from made_runs import results_of

from firesteel.analysis.compare import compare, load_published
from firesteel.analysis.intervals import Comparison, Sample
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import Result
from firesteel.analysis.verdict import offloads
from firesteel.replication.causes import Cause, Reasons
from firesteel.replication.counterparts import Ours
from firesteel.replication.regressions import Regression, regressions
from firesteel.report.published import (
    Table,
    large_deviations,
    published_tables,
    regressions_grid,
)
from firesteel.store.journal import Journal
from firesteel.terminal.grid import Mark

EMPTY = Journal(
    name="a-1", experiment="a", title="A", quick=True, started="2026-01-01T00:00:00Z", entries=[]
)


def ours_of(results: Results) -> Ours:
    places = Places.of(results.means)
    return Ours(places.labelled(compare(results.means)), results.journal, places)


def lost(results: list[Result], journal: Journal) -> list[Regression]:
    """Published losses beside these figures."""
    places = Places.of(results)
    ours = Ours(places.labelled(compare(results)), journal, places)
    return regressions(load_published(), ours, offloads(places.labelled(results)))


def tables_of(results: Results) -> dict[str, Table]:
    found = published_tables(load_published(), ours_of(results))
    return {table.layout.number: table for table in found}


@pytest.fixture(scope="module")
def openvpn(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return results_of(tmp_path_factory.mktemp("openvpn"), experiment="openvpn")


def test_every_published_table_is_there_and_every_row_of_it(openvpn: Results) -> None:
    tables = tables_of(openvpn)
    assert list(tables) == [f"5.{number}" for number in range(1, 9)]
    rows = [each for each in load_published() if each.table == "5.6"]
    sheet = tables["5.6"].grid
    assert sheet
    # Throughput and CPU use stand in one row, and the one without a tunnel is that of all three.
    assert len(sheet.rows) == len(rows) / 2 + 1
    names = [str(row[0]) for row in sheet.rows]
    assert "OpenVPN AES-256-CBC:SHA-256, software" in names
    assert "OpenVPN AES-256-CBC:SHA-256, hardware" in names


def test_a_study_of_which_nothing_was_measured_has_no_tables() -> None:
    results = [result_of("retransmissions", 8.0)]
    places = Places.of(results)
    ours = Ours(compare(results), EMPTY, places)
    assert published_tables(load_published(), ours) == []


def test_ours_and_the_ratio_stand_beside(openvpn: Results) -> None:
    sheet = tables_of(openvpn)["5.6"].grid
    assert sheet
    row = next(row for row in sheet.rows if row[0] == "OpenVPN AES-256-CBC:none, hardware")
    ours = openvpn.figures.filter(
        (pl.col("implementation") == "hardware")
        & (pl.col("cipher") == "aes-256-cbc")
        & (pl.col("mac") == "none")
        & (pl.col("metric") == "throughput")
    )["value"][0]
    assert row[1:4] == ["3.35", f"{ours:.2f}", f"{ours / 3.35:.2f}"]
    assert sheet.groups[0] == ("throughput, MB/s", 3)


def test_a_row_that_was_not_measured_says_so(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.implementation == "software", (), "openvpn")
    sheet = tables_of(results)["5.6"].grid
    assert sheet
    by_name = {str(row[0]): row for row in sheet.rows}
    missing = by_name["OpenVPN AES-256-CBC:none, hardware"]
    assert missing[1:4] == ["3.35", "–", "–"]
    assert str(missing[-1]).startswith("not measured")
    assert by_name["OpenVPN AES-256-CBC:none, software"][-1] == ""


def test_a_row_whose_cell_failed_or_waits_says_so(tmp_path: Path) -> None:
    results = results_of(tmp_path, fail=["openvpn aes-256-cbc:none hardware"], experiment="openvpn")
    entry = results.failed[0]

    def remark() -> object:
        sheet = tables_of(results)["5.6"].grid
        assert sheet
        rows = {str(row[0]): row for row in sheet.rows}
        return rows["OpenVPN AES-256-CBC:none, hardware"][-1]

    assert "failed" in str(remark())
    entry.state = "waiting"
    assert "stopped" in str(remark())


def test_a_table_of_which_nothing_was_measured_has_no_table(openvpn: Results) -> None:
    tables = tables_of(openvpn)
    assert tables["5.4"].grid is None
    assert tables["5.4"].rows == 5
    assert tables["5.1"].title.startswith("Table 5.1: ")


def test_the_source_may_lack_what_is_measured_here(tmp_path: Path) -> None:
    results = results_of(tmp_path, experiment="ipsec")
    sheet = tables_of(results)["5.4"].grid
    assert sheet
    row = next(row for row in sheet.rows if row[0] == "IPsec AES-256-GCM, hardware")
    assert row[7:10] == ["–", "–", "–"], "the source has no pings of 8000 bytes of this one"


def test_published_losses_are_found_and_held_beside_ours(openvpn: Results) -> None:
    found = lost(list(openvpn.means), openvpn.journal)
    told = {
        (of.protocol, of.mac, loss.metric, of.parameter.text)
        for loss, of in ((loss, loss.of.result.identity) for loss in found)
    }
    assert ("openvpn", "none", "throughput", "128 MiB") in told
    assert ("openvpn", "sha256", "throughput", "128 MiB") in told
    assert ("ipsec", "sha256", "throughput", "128 MiB") in told
    assert ("openvpn", "sha256", "rtt_mean", "56 B") in told
    assert ("openvpn", "sha256", "rtt_mean", "8000 B") not in told, "there hardware was faster"
    here = [loss for loss in found if loss.ours]
    assert {loss.of.result.identity.protocol for loss in here} == {"openvpn"}
    away = next(loss for loss in found if loss.of.result.identity.protocol == "ipsec")
    assert away.state == "missing"
    assert away.reason.startswith("not measured")
    sheet = regressions_grid(found)
    assert sheet
    row = next(row for row in sheet.rows if row[2] == "throughput, 128 MiB, MB/s")
    assert row[5] in ("−30 %", "−2.0 %")


@pytest.mark.parametrize(
    ("metric", "ours", "state"),
    [
        ("throughput", (5.0, 6.0), "better"),
        ("throughput", (5.0, 5.05), "equal"),
        ("throughput", (5.0, 4.0), "worse"),
        ("rtt_mean", (5.0, 4.0), "better"),
        ("rtt_mean", (5.0, 6.0), "worse"),
        ("cpu", (50.0, 0.0), "better"),
        ("cpu", (0.0, 50.0), "missing"),
        ("cpu", None, "missing"),
    ],
)
def test_what_became_of_a_loss(metric: str, ours: tuple[float, float] | None, state: str) -> None:
    def compared(both: tuple[float, float]) -> Comparison:
        return Comparison(metric, Sample.of(both[:1]), Sample.of(both[1:]))

    found = Regression(published_of(metric), "x", compared((2.0, 1.0)), ours and compared(ours))
    assert found.state == state


def test_a_cpu_use_is_held_beside_software_by_the_work_for_the_same_payload(
    openvpn: Results,
) -> None:
    values = {"throughput": (5.0, 6.75), "cpu": (97.6, 98.0), "cpu_seconds_per_mb": (0.195, 0.145)}
    column = pl.lit(None, pl.Float64)
    for metric, (software, hardware) in values.items():
        how = pl.when(pl.col("implementation") == "hardware").then(hardware).otherwise(software)
        column = pl.when(pl.col("metric") == metric).then(how).otherwise(column)
    made = openvpn.figures.filter(
        (pl.col("experiment") == "file-transfer") & pl.col("metric").is_in(list(values))
    ).with_columns(column.alias("value"))
    assert set(made["metric"]) == set(values)
    found = lost(results_in(made), openvpn.journal)
    uses = [loss for loss in found if loss.ours and loss.metric == "cpu"]
    assert uses
    assert {loss.state for loss in uses} == {"better"}
    sheet = regressions_grid(uses)
    assert sheet
    said = sheet.rows[0][1]
    assert isinstance(said, Mark)
    assert said.text.startswith("better ")
    assert "0.74\N{MULTIPLICATION SIGN}" in said.text
    alone = lost(results_in(made.filter(pl.col("metric") == "cpu")), openvpn.journal)
    states = {loss.state for loss in alone if loss.ours and loss.metric == "cpu"}
    assert states == {"equal"}, "nothing but the use is known"


@pytest.mark.parametrize(("link", "state"), [(10.0, "equal"), (11.0, "worse")])
def test_at_the_link_s_bound_nothing_is_worse(openvpn: Results, link: float, state: str) -> None:
    how = pl.when(pl.col("implementation") == "hardware").then(9.6).otherwise(10.0)
    value = pl.when(pl.col("protocol") == "none").then(link).otherwise(how)
    made = openvpn.figures.filter(
        (pl.col("experiment") == "file-transfer") & (pl.col("metric") == "throughput")
    ).with_columns(value.alias("value"))
    found = [loss for loss in lost(results_in(made), openvpn.journal) if loss.ours]
    assert {(loss.state, "link" in loss.remark) for loss in found} == {(state, state == "equal")}


def test_nothing_published_gives_no_table(openvpn: Results) -> None:
    empty = Ours([], EMPTY, Places(()))
    assert published_tables([], empty) == []
    assert regressions([], empty, offloads(openvpn.means)) == []


def test_large_deviations_have_their_causes() -> None:
    causes = [
        Cause(
            why="The wire.",
            tested_by="another wire",
            evidence="variants",
            variant=("peer",),
            metric=("rtt_mean",),
        ),
        Cause(why="The CPU.", metric=("cpu", "rtt_mean")),
    ]
    rows = [("rtt_mean", -50.0), ("rtt_mean", 41.0), ("cpu", 90.0), ("throughput", 70.0)]
    near = [("cpu", 39.0), ("throughput", None)]
    found = [
        result_of(metric, 100 + (percent or 0), None if percent is None else 100.0)
        for metric, percent in rows + near
    ]
    reasons = Reasons("study", tuple(causes), page="docs/fidelity-study.md")
    tested, supposed, unknown = large_deviations(found, [reasons])
    assert tested.startswith("2 figures: The wire. ")
    assert "another wire; docs/fidelity-study.md" in tested
    assert supposed == "1 figure: The CPU. Supposed."
    assert unknown.startswith("1 figure: ")
    (unknown,) = large_deviations(found, [Reasons("another", tuple(causes))])
    assert unknown.startswith("4 figures: "), "causes are of their own study's figures"


def test_links_in_causes_are_told_by_their_words() -> None:
    cause = Cause(why="[model](model.md) and `run`.", metric=("cpu",))
    assert large_deviations([result_of("cpu", 2.0, 1.0)], [Reasons("study", (cause,))]) == [
        "1 figure: model and run. Supposed."
    ]


@pytest.mark.parametrize("measured", ["all", "software"])
def test_handshakes_are_named_by_program_and_key_exchange(measured: str) -> None:
    figures = [
        each.result
        for each in load_published()
        if each.result.identity.workload.startswith("tls-")
        and measured in ("all", each.result.identity.implementation)
    ]
    places = Places(())
    ours = Ours(places.labelled(compare(figures)), EMPTY, places)
    one, many = (
        table.grid
        for table in published_tables(load_published(), ours)
        if table.layout.topic == "handshakes"
    )
    assert one
    assert many
    names = ["OpenVPN, DHE-RSA, software", "OpenVPN, DHE-RSA, hardware"]
    assert [row[0] for row in one.rows] == names
    assert [row[0] for row in many.rows] == [
        f"{name}, {key}" for key in ("rsa-1024", "rsa-2048", "rsa-4096") for name in names
    ]
