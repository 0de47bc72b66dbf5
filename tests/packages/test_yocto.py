# SPDX-License-Identifier: Apache-2.0
"""The Yocto layer: its recipes are of the version, are clean, and their steps succeed on Debian."""

import fnmatch
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packages_machine import machine
from yocto_recipe import LAYER, PLACES, Recipe, recipes

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from tools.packages import commit, package_root, tarball

_HERE = Path(__file__).parent

_LEFT = ("var.mandatoryvar.HOMEPAGE", "var.suggestedvar.BUGTRACKER", "var.bbclassextend")
"""Rules that the layer breaks: the project has no address, and is no library for hosts."""

_SOURCE = "/firesteel/work/source"


@pytest.mark.parametrize("recipe", recipes().values(), ids=recipes())
def test_a_recipe_is_of_the_version_and_its_licence_is_the_file(recipe: Recipe) -> None:
    assert recipe.version == __version__
    found = re.fullmatch(r"file://(.*);md5=(.*)", recipe.value("LIC_FILES_CHKSUM"))
    assert found
    assert hashlib.md5((CHECKOUT / found[1]).read_bytes()).hexdigest() == found[2]
    assert recipe.value("SRC_URI") == f"file://firesteel-{__version__}.tar.xz"


def test_the_critic_of_recipes_has_nothing_to_say() -> None:
    files = [*LAYER.rglob("*.bb"), *LAYER.rglob("*.conf")]
    left = [f"--suppress=oelint.{rule}" for rule in _LEFT]
    command = [sys.executable, "-m", "oelint_adv", "--mode=all", "--quiet", *left, *map(str, files)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """What SRC_URI names."""
    path = tmp_path / "firesteel.tar.xz"
    path.write_bytes(tarball(commit()))
    return path


@pytest.mark.thorough
def test_programs_are_built_and_each_file_has_a_package(source: Path, tmp_path: Path) -> None:
    recipe = recipes()["firesteel"]
    work = tmp_path / "work"
    work.mkdir()
    append = recipe.function("do_install:append", S=_SOURCE, D="/firesteel/work/installed")
    (work / "append.sh").write_text(append)
    places = [f"--{name}={place}" for name, place in PLACES.items()]
    command = ["sh", "/firesteel/yocto.sh", *places, *recipe.value("EXTRA_OEMESON").split()]
    products = Products()
    room = Room(
        writable={"/firesteel/work": work},
        readable={"/firesteel/source.tar.xz": source, "/firesteel/yocto.sh": _HERE / "yocto.sh"},
    )
    package_root(products, "trixie").run(products.runner, "Running the recipe", command, room)

    installed = work / "installed"
    files = {f"/{path.relative_to(installed)}" for path in installed.rglob("*") if path.is_file()}
    patterns = {
        name: recipe.value(f"FILES:${{PN}}-{name}").split() for name in ("provider", "selftest")
    }
    # What BitBake's own defaults have of the rest
    patterns["main"] = ["/usr/lib/lib*.so.*"]
    patterns["dev"] = ["/usr/include", "/usr/lib/lib*.so", "/usr/lib/pkgconfig"]
    patterns["doc"] = ["/usr/share/man"]
    left = set(files)
    for name, of in patterns.items():
        taken = {file for file in left if any(_fits(file, pattern) for pattern in of)}
        assert taken, name
        left -= taken
    assert left == set()


def _fits(file: str, pattern: str) -> bool:
    """Whether a pattern names a file or a folder above it."""
    return any(fnmatch.fnmatch(str(each), pattern) for each in (Path(file), *Path(file).parents))


@pytest.mark.thorough
def test_the_module_is_built_as_the_class_builds_it(source: Path) -> None:
    recipe = recipes()["firesteel-module"]
    assert recipe.value("S", UNPACKDIR="/") == f"//firesteel-{__version__}"
    known = {"STAGING_KERNEL_DIR": "/firesteel/kernel", "S": _SOURCE}
    debian = machine("trixie")
    arguments = recipe.value("EXTRA_OEMAKE", **known).split()
    debian.play("yocto-module", *arguments, seen={"source.tar.xz": source})
