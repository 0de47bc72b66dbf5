# SPDX-License-Identifier: Apache-2.0
"""Cells with habits of 2015 beside the same cells without them."""

from pathlib import Path

import polars as pl
import pytest
from made_results import results_in
from made_runs import results_of

from firesteel.analysis.compare import compare
from firesteel.analysis.results import Results, of_records
from firesteel.analysis.rows import Result
from firesteel.analysis.study import load_studies
from firesteel.model.cell import Cell
from research.variants import changes, variant_ratios, variants

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


def test_cells_that_differ_in_habits_alone_are_variants_of_their_own(tmp_path: Path) -> None:
    then = results_of(tmp_path, _is_gcm, experiment="causes")
    (record,) = then.records
    cell = record.inputs.cell
    (entry,) = then.journal.entries
    other_cell = cell.model_copy(update={"as_in_2015": ("no-gro",)})
    plain_cell = cell.model_copy(update={"as_in_2015": None})
    records = [
        record.model_copy(update={"inputs": record.inputs.model_copy(update={"cell": each})})
        for each in (cell, other_cell, plain_cell)
    ]
    both = of_records(then.journal.model_copy(update={"entries": [entry] * 3}), records)
    assert [each.words for each in variants([both], STUDY)] == [("no-neon",), ("no-gro",)]


def test_another_board_and_how_the_driver_waits_are_named(tmp_path: Path) -> None:
    waiting = results_of(
        tmp_path,
        lambda cell: (cell.protocol, cell.mac) == ("ipsec", "sha256"),
        experiment="causes-waiting",
    )
    (variant,) = variants([waiting], STUDY)
    assert variant.words == ("core-only", "socrates-waiting", "irq")
    assert variants([results_of(tmp_path, _is_gcm, experiment="ipsec")], STUDY) == []


def test_hardware_stands_over_software_with_the_habits_that_both_can_have(tmp_path: Path) -> None:
    def kept(cell: Cell) -> bool:
        return (cell.protocol, cell.mac) == ("openvpn", "sha256")

    plain = results_of(tmp_path, kept, experiment="openvpn")
    software = results_of(tmp_path, kept, experiment="causes")
    hardware = results_of(tmp_path, kept, experiment="causes-hardware")
    without = compare(plain.means)
    found = variants([software, hardware], STUDY)
    told = {(variant.words, ratio.kind) for variant, ratio in variant_ratios(without, found)}
    for words in (("af-alg", "irq"), ("slow-tun",), ("af-alg", "slow-tun", "irq")):
        assert (words, "throughput") in told
    alone = {variant.words for variant, _ in variant_ratios(without, variants([hardware], STUDY))}
    assert alone == {("af-alg", "irq")}  # the others' software was not measured


def test_rows_that_an_amount_was_chosen_by_are_fitted(tmp_path: Path) -> None:
    then = results_of(tmp_path, lambda cell: cell.protocol == "openvpn", experiment="causes")
    rows = changes(whole(then), variants([then], STUDY))
    fitted = {(row.without.identity.cipher, row.without.metric) for row in rows if row.is_fitted}
    assert fitted == {("none", "throughput")}
    waiting = results_of(
        tmp_path, lambda cell: cell.protocol == "ipsec", experiment="causes-waiting"
    )
    plain = results_of(tmp_path, lambda cell: cell.protocol == "ipsec", experiment="ipsec")
    told = variant_ratios(compare(plain.means), variants([waiting], STUDY))
    chosen = {
        (ratio.columns["mac"], ratio.kind) for variant, ratio in told if variant.is_fitted(ratio)
    }
    assert chosen == {("none", "throughput")}


def test_software_as_installed_stands_for_the_published_one(tmp_path: Path) -> None:
    def kept(cell: Cell) -> bool:
        return cell.protocol == "ipsec" and cell.mac == "sha256"

    then = results_of(tmp_path, kept, experiment="causes")
    assert {each.cell.implementation for each in variants([then], STUDY)} == {
        "software-as-installed"
    }
    rows = changes(whole(results_of(tmp_path, kept, experiment="ipsec")), variants([then], STUDY))
    assert {row.without.identity.implementation for row in rows} == {"software"}
    assert "throughput" in {row.without.metric for row in rows}
