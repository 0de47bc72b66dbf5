# SPDX-License-Identifier: Apache-2.0
"""`make clean` knows every folder that is made in the cache directory."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest
from architectures.made_up_architecture import products_in

from firesteel.base.checkout import CHECKOUT
from firesteel.build.artifacts import What
from firesteel.build.bundle import PYTHONS
from firesteel.build.cache import Cache
from firesteel.build.products import Products

SCRIPT = CHECKOUT / "scripts" / "clean.sh"

OTHERS = {
    *("bundle", "locks", "logs", "snapshots", "venv", "verify", "work", "worker"),
    *("bare-root", "checkers", "fault-matrix", "program-provider", "program-root"),
    *("debian-packages", "debian-source", "dtschema", "machine-root", "package-root"),
    *("kernel-compiler", "kernel-driver", "kernel-headers", "kernel-root", "kernel-sparse"),
    *("kernel-to-run", "lighttpd-openssl", "newest-kernel-source", "reports", "series-root"),
}
"""Folders that are no products of the lab, and those that tests build."""


def named() -> list[str]:
    """The folders that the script removes."""
    words = SCRIPT.read_text().partition("for kind in ")[2].partition(";")[0]
    return words.replace("\\\n", " ").split()


def test_it_names_what_is_made_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path))
    monkeypatch.setattr(Cache, "product", products_in(tmp_path))
    products = Products()
    for what in get_args(What):
        products.artifact(what)
    products.debug_image()
    products.race_board()
    products.machine_probes()
    products.wheels(PYTHONS[0])
    products.debian_packages("cryptsetup", ["cryptsetup-bin"])
    made = {path.name for path in tmp_path.iterdir()}
    assert named() == sorted(made | OTHERS | {"lighttpd-source", "sources"})


def test_measured_records_and_what_is_not_ours_stay(tmp_path: Path) -> None:
    (tmp_path / "checkout" / "scripts").mkdir(parents=True)
    (tmp_path / "checkout" / "dist").mkdir()
    shutil.copy(SCRIPT, tmp_path / "checkout" / "scripts")
    cache = tmp_path / "cache"
    for name in (*named(), "store", "photographs"):
        (cache / name / "something").mkdir(parents=True)
    script = tmp_path / "checkout" / "scripts" / "clean.sh"
    subprocess.run([script], env=os.environ | {"FIRESTEEL_CACHE": str(cache)}, check=True)
    assert {path.name for path in cache.iterdir()} == {"store", "photographs"}
    assert not (tmp_path / "checkout" / "dist").exists()
