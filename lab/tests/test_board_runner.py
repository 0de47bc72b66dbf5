# SPDX-License-Identifier: Apache-2.0
"""A cell in hardware is refused before anything runs, as long as the image has no driver."""

from pathlib import Path

import pytest
from jobs import recorded_crypto as recorded

from firesteel.board.cpio import job_archive
from firesteel.board.job import Job, JobFile
from firesteel.board_runner import check_driver
from firesteel.errors import FiresteelError

MODULES = "/usr/lib/modules/6.12/extra"


def image(path: Path, *modules: str) -> Path:
    """An archive with these modules."""
    files = {f"{MODULES}/{name}": JobFile(b"module") for name in modules}
    path.write_bytes(job_archive(Job(files)))
    return path


def test_hardware_needs_a_driver_in_the_image(tmp_path: Path) -> None:
    cells = [recorded.cell("software"), recorded.cell("hardware")]
    without = image(tmp_path / "without", "cputime.ko", "firesteel.ko.xz")
    with pytest.raises(FiresteelError, match="has no Linux driver for the cores") as caught:
        check_driver(cells, without)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("Cell crypto-api aes-256-cbc:none hardware: ")
    check_driver(cells[:1], without)
    check_driver(cells, image(tmp_path / "with", "cputime.ko", "firesteel.ko"))
