# SPDX-License-Identifier: Apache-2.0
"""What is exported says where every figure comes from, and reads back as it was written."""

import csv
import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from commands import invoke, measure
from jsonschema import Draft7Validator

from firesteel.base.checkout import CHECKOUT
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


def test_json_is_what_its_schema_says_and_a_damaged_row_is_not(
    results: Results, tmp_path: Path
) -> None:
    assert results.records
    schema = json.loads((CHECKOUT / "schemas" / "samples.json").read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    checked = Draft7Validator(schema)
    rows = json.loads(exported(tmp_path, "json").read_text(encoding="utf-8"))
    checked.validate(rows)
    checked.validate([rows[0] | {"peer:cpu.hertz": 1e9, "cores.*.timing.clock_hz": 1e8}])
    for damage in ({"value": "fast"}, {"unit": None}, {"more": 1}):
        assert not checked.is_valid([rows[0] | damage])
    assert not checked.is_valid([{key: rows[0][key] for key in rows[0] if key != "seed"}])


def test_a_data_file_of_flent_has_a_series_for_each_figure_and_a_value_for_each_seed(
    results: Results, tmp_path: Path
) -> None:
    path = exported(tmp_path, "flent")
    told = json.loads(gzip.decompress(path.read_bytes()))
    frame = export_frame(results)
    assert told["version"] == 4
    assert told["x_values"] == [1.0, 2.0]
    series, metadata = told["results"], told["metadata"]
    assert sum(len(values) for values in series.values()) == frame.height
    name = "socrates host-host board none none none software ping 1000 B rtt_mean"
    wanted = frame.filter((pl.col("parameter") == "1000 B") & (pl.col("metric") == "rtt_mean"))
    assert series[name] == wanted["value"].to_list()
    assert metadata["SERIES_META"][name] == {"UNITS": "ms"}
    assert metadata["NOTE"] == "virtual boards, virtual time"
    assert metadata["NAME"] == "quickstart"
    before = path.read_bytes()
    assert exported(tmp_path, "flent").read_bytes() == before


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
