# SPDX-License-Identifier: Apache-2.0
"""The published tables with ours beside them, and what became of the published losses."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from made_pairs import result_of
from made_runs import results_of

from firesteel.judge.compare import compare, load_published
from firesteel.judge.places import Places
from firesteel.judge.replication.causes import Cause
from firesteel.judge.replication.statements import Ours
from firesteel.judge.results import Results
from firesteel.show.report.published import (
    Table,
    notes,
    published_tables,
)
from firesteel.store.journal import Journal

EMPTY = Journal(
    name="a-1", experiment="a", title="A", quick=True, started="2026-01-01T00:00:00Z", entries=[]
)


def ours_of(results: Results) -> Ours:
    places = Places.of(results.means)
    return Ours(places.labelled(compare(results.means)), results.journal, places)


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


def test_each_of_several_cpus_has_a_row_with_the_other_figures(openvpn: Results) -> None:
    means = list(openvpn.means)
    used = next(
        each for each in means if each.metric == "cpu" and each.identity.workload == "file-transfer"
    )
    means += [replace(used, metric=f"cpu{number}", value=40.0 + number) for number in (0, 1)]
    places = Places.of(means)
    ours = Ours(places.labelled(compare(means)), openvpn.journal, places)
    (sheet,) = (
        each.grid
        for each in published_tables(load_published(), ours)
        if each.grid and each.layout.number == "5.6"
    )
    rows = {str(row[0]): row for row in sheet.rows if ", CPU " in str(row[0])}
    assert [name.rpartition(", ")[2] for name in rows] == ["CPU 0", "CPU 1"]
    one, other = rows.values()
    assert one[1:4] == other[1:4], "the same throughput"
    assert (one[5], other[5]) == ("40.0", "41.0")
    assert sum(str(row[0]) in next(iter(rows)) for row in sheet.rows) == 1, "no row of the sum"


def test_a_row_that_was_not_measured_says_so(tmp_path: Path) -> None:
    results = results_of(tmp_path, lambda cell: cell.implementation == "software", (), "openvpn")
    sheet = tables_of(results)["5.6"].grid
    assert sheet
    by_name = {str(row[0]): row for row in sheet.rows}
    missing = by_name["OpenVPN AES-256-CBC:none, hardware"]
    assert missing[1:4] == ["3.35", "–", "–"]
    assert str(missing[-1]).startswith("not measured")
    assert by_name["OpenVPN AES-256-CBC:none, software"][-1] == "–"


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
    assert "Table 5.1: " in tables["5.1"].title


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


def test_large_deviations_have_their_causes() -> None:
    causes = (
        Cause(why="[The wire](wire.md) and `run`.", metric=("rtt_mean",)),
        Cause(why="The CPU.", metric=("cpu", "rtt_mean")),
    )
    rows = [("rtt_mean", -50.0), ("rtt_mean", 41.0), ("cpu", 90.0), ("throughput", 70.0)]
    near = [("cpu", 39.0), ("throughput", None)]
    found = [
        result_of(metric, 100 + (percent or 0), None if percent is None else 100.0)
        for metric, percent in rows + near
    ]
    _, wire, cpu, unknown = notes(found, [], {"study": causes}, [])
    after = " (supposed, without a test; exploratory: found after the figures were seen)"
    assert wire == f"2 figures more than 40 % off: The wire and run.{after}"
    assert cpu == f"1 figure more than 40 % off: The CPU.{after}"
    assert unknown == "1 figure more than 40 % off: cause unknown."
    (_, unknown) = notes(found, [], {"another": causes}, [])
    assert unknown.startswith("4 figures "), "causes are of their own study's figures"
