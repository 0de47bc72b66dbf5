# SPDX-License-Identifier: Apache-2.0
"""What brings files: a cell for each way that a protocol leaves the choice of."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.experiment.experiment import load_experiment
from firesteel.model.cell import Cell
from firesteel.model.figure import Parameter
from firesteel.protocols.https import HTTPS
from firesteel.workloads import titles
from firesteel.workloads.read import parameter_of
from firesteel.workloads.transfer import Transfer

EXPERIMENT = """
title = "Files"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "none"
suite = "none:none"

[[configurations]]
protocol = ["ipsec", "ssh", "https"]
suite = "aes-256-gcm:gcm"

[transfer]
size = "1 MiB"
"""


def _cells(directory: Path, by: str = "") -> tuple[Cell, ...]:
    path = directory / "files.toml"
    path.write_text(EXPERIMENT + by)
    return load_experiment(str(path)).cells()


def test_each_way_that_a_protocol_has_is_a_cell(tmp_path: Path) -> None:
    cells = _cells(tmp_path, 'by = ["http", "ftp", "sftp", "scp"]')
    assert [cell.label for cell in cells] == [
        "no tunnel software by http",
        "no tunnel software",
        "ipsec aes-256-gcm:gcm software by http",
        "ipsec aes-256-gcm:gcm software",
        "ssh aes-256-gcm:gcm software by sftp",
        "ssh aes-256-gcm:gcm software",
        "https aes-256-gcm:gcm software",
    ]
    assert len({titles.of_cell(cell) for cell in cells}) == len(cells)


def test_uploads_are_cells_of_their_own_where_there_are_any(tmp_path: Path) -> None:
    cells = _cells(tmp_path, 'by = ["http", "upload", "scp"]')
    assert [cell.label for cell in cells] == [
        "no tunnel software by http",
        "no tunnel software by upload",
        "ipsec aes-256-gcm:gcm software by http",
        "ssh aes-256-gcm:gcm software",
        "https aes-256-gcm:gcm software",
        "https aes-256-gcm:gcm software by upload",
    ]
    (alone,) = Transfer.model_validate({"size": "1 MiB", "by": "upload"}).plans(HTTPS, quick=False)
    assert alone.by == "upload"


def test_what_has_no_uploads_refuses_them(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match=r'"ssh" brings files by .* or "sftp"\.$'):
        _cells(tmp_path, 'by = ["http", "upload"]')


def test_the_usual_way_is_the_cell_that_says_nothing_of_it(tmp_path: Path) -> None:
    silent = _cells(tmp_path)
    asked = _cells(tmp_path, 'by = ["ftp", "scp"]')
    assert asked == silent
    assert all("by" not in cell.model_dump_json() for cell in silent)


def test_a_way_that_a_protocol_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match='protocol "none" brings files by "ftp" or "http"'):
        _cells(tmp_path, 'by = "sftp"')


def test_a_published_file_may_say_what_brought_it() -> None:
    assert parameter_of("file-transfer", "8 MiB, by http") == Parameter(
        file_bytes=8 << 20, by="http"
    )
    for text in ("8 MiB, by http", "8 MiB"):
        assert parameter_of("file-transfer", text).text == text


def test_files_of_any_size_are_compared_but_of_one_way() -> None:
    small, large = (Parameter(file_bytes=size, by="sftp") for size in (1 << 20, 1 << 24))
    assert small.comparable == large.comparable
    assert small.comparable != Parameter(file_bytes=1 << 20).comparable
