# SPDX-License-Identifier: Apache-2.0
"""What is exported says where every figure comes from, and reads back as it was written."""

import csv
from pathlib import Path

import polars as pl
import pytest
from commands import invoke, measure

from firesteel.base.errors import FiresteelError
from firesteel.judge.export import COLUMNS, export_frame
from firesteel.judge.results import Results, load_results
from firesteel.model.figure import PARAMETER_COLUMNS
from firesteel.store.store import Store


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Results:
    measure(monkeypatch, tmp_path, "--only", "protocol=none", "--seeds", "2")
    return load_results(Store(tmp_path))


def exported(store: Path, form: str) -> Path:
    path = store / f"mine.{form}"
    result = invoke(
        "show", "--part", "samples", "--format", form, "--output", str(path), "--store", str(store)
    )
    assert result.exit_code == 0
    assert result.stdout == f"{path}\n"
    return path


def test_every_figure_of_every_seed_is_there_with_its_record(results: Results) -> None:
    frame = export_frame(results)
    assert tuple(frame.columns) == COLUMNS
    assert frame.height == sum(len(record.figures) for record in results.records)
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    assert (first["seed"], last["seed"]) == (1, 2)
    assert (first["record"], last["record"]) == tuple(r.key for r in results.records)
    assert first["run"] == results.journal.name
    assert (first["topology"], first["node"]) == ("host-host", "board")
    assert first["profile"] == "socrates"
    assert first["peer_profiles"] == "peer=peer"
    assert first["quick"] is True
    sizes = frame.filter(pl.col("experiment") == "ping").select("parameter", "size_bytes").unique()
    assert {f"{size} B" == text for text, size in sizes.iter_rows()} == {True}
    assert frame.schema["size_bytes"] == frame.schema["in_flight"] == pl.Int64
    assert frame["converged"].all()
    versions = results.records[0].versions.model_dump()
    assert {name: first[name] for name in versions} == versions


IDENTITY = (
    *("experiment", "protocol", "cipher", "mac", "implementation", "completion", "as_in_2015"),
    *("topology", "node", "link", "profile", "peer_profiles"),
    *PARAMETER_COLUMNS,
)
"""The columns that say what a figure is of; none of them is prose."""


def test_rows_of_several_seeds_are_told_apart_by_their_columns(results: Results) -> None:
    frame = export_frame(results)
    assert results.seeds == [1, 2]
    assert not frame.select(*IDENTITY, "metric", "seed").is_duplicated().any()
    assert frame.select(*IDENTITY, "metric").is_duplicated().all()


def test_parquet_reads_back_the_same(results: Results, tmp_path: Path) -> None:
    back = pl.read_parquet(exported(tmp_path, "parquet"))
    assert back.equals(export_frame(results))
    assert back.schema == export_frame(results).schema


def _text(value: object) -> str:
    return "" if value is None else str(value)


def test_csv_reads_back_the_same(results: Results, tmp_path: Path) -> None:
    with exported(tmp_path, "csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = export_frame(results).to_dicts()
    assert [float(row["value"]) for row in rows] == [row["value"] for row in wanted]
    assert rows == [
        {key: row[key] if key == "value" else _text(value) for key, value in each.items()}
        for row, each in zip(rows, wanted, strict=True)
    ]


def test_a_run_without_figures_exports_a_header(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    only = ("--only", "protocol=none")
    measure(monkeypatch, tmp_path, *only, fail=("no tunnel software",))
    path = tmp_path / "x.csv"
    result = invoke("show", "--part", "samples", "--output", str(path), "--store", str(tmp_path))
    assert path.read_text() == ",".join(COLUMNS) + "\n"
    assert "1 of 1 cells" in result.stderr


def test_what_cannot_be_written_leaves_what_was_there(results: Results, tmp_path: Path) -> None:
    assert results.records
    (tmp_path / "file").write_text("was here")
    for target, message in (
        (tmp_path / "file" / "x.csv", r"x\.csv: cannot be written: "),
        (tmp_path, r": cannot be written: Is a directory\.$"),
    ):
        with pytest.raises(FiresteelError, match=message):
            invoke("show", "--part", "samples", "--output", str(target), "--store", str(tmp_path))
    assert (tmp_path / "file").read_text() == "was here"
    new = str(tmp_path / "new")
    with pytest.raises(FiresteelError, match="no run `x`"):
        invoke("show", "x", "--part", "samples", "--output", new, "--store", str(tmp_path))
    assert not (tmp_path / "new").exists()
