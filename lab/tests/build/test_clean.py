# SPDX-License-Identifier: Apache-2.0
"""`make clean` knows every folder that the code makes in the cache directory."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from firesteel.base.checkout import CHECKOUT

SCRIPT = CHECKOUT / "scripts" / "clean.sh"
KEPT = {"store"}

AFTER_ITS_NAME = re.compile(r"\bcache_directory\(\) / \"([a-z-]+)\"")
OF_THE_CACHE = re.compile(r"\.product\(\s*\"([a-z-]+)\"")
INSIDE_THE_CACHE = re.compile(r"self\.directory / \"([a-z-]+)\"")
IN_A_SCRIPT = re.compile(r"\.cache/firesteel\}\"?/([a-z-]+)")

OTHER_USES = {
    "lab/src/firesteel/build/cache.py": 1,  # where it is defined
    "lab/src/firesteel/build/launcher.py": 1,  # the same for a bundle
    "lab/src/firesteel/build/doctor.py": 1,  # asks how full its disk is
    "lab/src/firesteel/build/products.py": 1,  # `Cache` and `logs`
    "tests/bundle/bare_root.py": 1,  # `Cache`
    "model/tests/workshop.py": 1,  # `Cache`
    "model/bench/run.py": 1,  # `Cache`
}
"""How often a file takes the directory without the name of a folder behind it."""


def sources() -> Iterator[tuple[str, str]]:
    """All Python of the checkout that may run with the usual cache."""
    for top in (
        "lab/src",
        "tests",
        "model",
        "lib",
        "provider",
        "frontends",
        "scripts",
        "tools",
        "deploy",
    ):
        for path in sorted((CHECKOUT / top).rglob("*.py")):
            yield path.relative_to(CHECKOUT).as_posix(), path.read_text()


def made() -> set[str]:
    """The folders that the code makes, by their names in it."""
    found = {name for _, text in sources() for name in AFTER_ITS_NAME.findall(text)}
    found |= {name for _, text in sources() for name in OF_THE_CACHE.findall(text)}
    cache = (CHECKOUT / "lab/src/firesteel/build/cache.py").read_text()
    found |= set(INSIDE_THE_CACHE.findall(cache))
    products = (CHECKOUT / "lab/src/firesteel/build/products.py").read_text()
    found |= set(re.findall(r"[( ]directory / \"([a-z-]+)\"", products))
    for script in (CHECKOUT / "scripts").glob("*.sh"):
        found |= set(IN_A_SCRIPT.findall(script.read_text()))
    return found


def named() -> list[str]:
    """The folders that the script removes."""
    words = SCRIPT.read_text().partition("for kind in ")[2].partition(";")[0]
    return words.replace("\\\n", " ").split()


def test_it_names_what_the_code_makes_and_nothing_else() -> None:
    assert {"venv", "qemu", "work", "locks", "logs", "snapshots", "worker", "store"} <= made()
    assert named() == sorted(made() - KEPT)


def test_no_folder_is_made_in_another_way() -> None:
    others = {
        name: count
        for name, text in sources()
        if (count := text.count("cache_directory()") - len(AFTER_ITS_NAME.findall(text)))
    }
    assert others == OTHER_USES, "a folder's name stands behind `cache_directory()`"


def test_measured_records_and_what_is_not_ours_stay(tmp_path: Path) -> None:
    (tmp_path / "checkout" / "scripts").mkdir(parents=True)
    (tmp_path / "checkout" / "dist").mkdir()
    shutil.copy(SCRIPT, tmp_path / "checkout" / "scripts")
    cache = tmp_path / "cache"
    for name in (*made(), "photographs"):
        (cache / name / "something").mkdir(parents=True)
    script = tmp_path / "checkout" / "scripts" / "clean.sh"
    subprocess.run([script], env=os.environ | {"FIRESTEEL_CACHE": str(cache)}, check=True)
    assert {path.name for path in cache.iterdir()} == {"store", "photographs"}
    assert not (tmp_path / "checkout" / "dist").exists()
