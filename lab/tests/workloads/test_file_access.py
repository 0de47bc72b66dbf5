# SPDX-License-Identifier: Apache-2.0
"""What brings files: a cell for each way that a protocol leaves the choice of."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.model.figure import Parameter
from firesteel.protocols.https import HTTPS
from firesteel.run.experiment.experiment import load_experiment
from firesteel.workloads import titles
from firesteel.workloads.transfer import Transfer, TransferPlan

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


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        (
            '["http", "ftp", "sftp", "scp"]',
            [
                *("none by http", "none", "ipsec by http", "ipsec"),
                *("ssh by sftp", "ssh", "https"),
            ],
        ),
        (
            '["http", "upload", "scp"]',
            [
                *("none by http", "none by upload", "ipsec by http"),
                *("ssh", "https", "https by upload"),
            ],
        ),
    ],
)
def test_each_way_that_a_protocol_has_is_a_cell(tmp_path: Path, by: str, labels: list[str]) -> None:
    cells = _cells(tmp_path, f"by = {by}")
    plans = [(cell.protocol, cell.needed(TransferPlan).by) for cell in cells]
    assert [f"{name} by {way}" if way else name for name, way in plans] == labels
    assert len({cell.label for cell in cells}) == len({titles.of_cell(cell) for cell in cells})
    assert len({cell.label for cell in cells}) == len(cells)


def test_the_usual_way_is_the_cell_that_says_nothing_of_it(tmp_path: Path) -> None:
    silent = _cells(tmp_path)
    assert _cells(tmp_path, 'by = ["ftp", "scp"]') == silent
    assert all("by" not in cell.model_dump_json() for cell in silent)
    (alone,) = Transfer.model_validate({"size": "1 MiB", "by": "upload"}).plans(HTTPS, quick=False)
    assert alone.by == "upload"


@pytest.mark.parametrize(
    ("by", "says"),
    [
        ('["http", "upload"]', r'"ssh" brings files by .* or "sftp"\.$'),
        ('"sftp"', 'protocol "none" brings files by "ftp" or "http"'),
    ],
)
def test_a_way_that_a_protocol_has_not_is_refused(tmp_path: Path, by: str, says: str) -> None:
    with pytest.raises(FiresteelError, match=says):
        _cells(tmp_path, f"by = {by}")


def test_files_of_any_size_are_compared_but_of_one_way() -> None:
    small, large = (Parameter(file_bytes=size, by="sftp") for size in (1 << 20, 1 << 24))
    assert small.comparable == large.comparable
    assert small.comparable != Parameter(file_bytes=1 << 20).comparable
