# SPDX-License-Identifier: Apache-2.0
"""What cannot be built is refused in one sentence, and nothing is left of the attempt."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from firesteel.base.errors import FiresteelError
from firesteel.build import doctor
from firesteel.build.products import Products
from firesteel.build.progress import Runner


@pytest.fixture
def products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Products:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    return Products(Runner(tmp_path / "logs", Console(file=io.StringIO())))


def test_a_mirror_out_of_reach(
    products: Products, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTEEL_MIRROR", "http://127.0.0.1:1/debian")
    monkeypatch.setattr(doctor, "BEFORE_BUILDING", (doctor.check_architecture,))
    for make, kind in ((products.build_root, "build-root"), (products.qemu, "qemu-source")):
        with pytest.raises(FiresteelError, match="^No Debian archive"):
            make()
        assert list((tmp_path / "cache" / kind).iterdir()) == []


def test_a_machine_that_lacks_something(
    products: Products, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = replace(doctor.this_machine(), free_space=lambda _: 2**20)
    monkeypatch.setattr(doctor, "this_machine", lambda: full)
    monkeypatch.setattr(doctor, "BEFORE_BUILDING", (doctor.check_space,))
    with pytest.raises(FiresteelError, match=r"5\.0 GiB"):
        products.image()
    assert not (tmp_path / "cache" / "packages").exists()
