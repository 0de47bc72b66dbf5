# SPDX-License-Identifier: Apache-2.0
"""The driver passes what the kernel's developers check with: W=1, sparse, checkpatch --strict.

sparse and checkpatch are no part of the build root, whose packages decide the key of all that is
built in it.
"""

import shutil
from pathlib import Path

import kernel_source
import pytest

from firesteel.base.checkout import DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import module_room, module_script
from firesteel.build.cache import key_of, remove_tree
from firesteel.build.debian import SUITE, apt_within, extract
from firesteel.build.products import Products
from firesteel.build.recipes import lay_out_driver

_SCRIPTS = ("scripts/checkpatch.pl", "scripts/const_structs.checkpatch", "scripts/spelling.txt")


@pytest.fixture(scope="module")
def products() -> Products:
    return Products()


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """A copy of the driver, to be spoilt."""
    return shutil.copytree(DRIVER, tmp_path / "driver")


def checkers(products: Products) -> Path:
    """A directory with `sparse`, a program of the build root's release, and the files of
    checkpatch, which is that of the image's kernel; fetched if need be.
    """
    source, version = kernel_source.package(products)

    def build(partial: Path) -> None:
        work = partial / "work"
        work.mkdir()
        kernel_source.take_files(source, _SCRIPTS, partial)
        with apt_within(partial, products.runner) as apt:
            apt.download("sparse", ["sparse"], work)
        extract(work, work / "sparse")
        (work / "sparse/usr/bin/sparse").rename(partial / "sparse")
        remove_tree(work)

    key = key_of({"suite": SUITE, "source": version})
    return products.cache.product("checkers", key, build)


def check(products: Products, directory: Path, source: Path = DRIVER) -> list[str]:
    """What the checkers say of the driver in `source`, a line each; `directory` is empty."""
    places = [f"/firesteel/{name}" for name in ("module.sh", "headers", "checkers", "work")]
    command = ["/firesteel/work/driver/check.sh", *places]
    with module_script(products.architecture) as script:
        readable = {"/firesteel/checkers": checkers(products), "/firesteel/module.sh": script}
        with module_room(directory, products.packages().headers, readable) as (work, room):
            lay_out_driver(work, source)
            products.build_root().run(products.runner, "Checking the driver", command, room)
            return (work / "messages").read_text().splitlines()


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_the_checkers_say_nothing(products: Products, tmp_path: Path) -> None:
    assert check(products, tmp_path) == []


@pytest.mark.thorough
def test_what_is_wrong_is_said(products: Products, spoilt: Path, tmp_path: Path) -> None:
    """A plain read of registers and a wrong byte order, for sparse; style, for checkpatch."""
    append(
        spoilt / "cost.c",
        "\nu32 firesteel_wrong(void __iomem *window);\n"
        "u32 firesteel_wrong(void __iomem *window)\n"
        "{\n\t__le32 word = 1;\n\n\tif(word)\n\t\treturn 0;\n\treturn *(u32 *)window;\n}\n",
    )
    work = tmp_path / "work"
    work.mkdir()
    messages = "\n".join(check(products, work, spoilt))
    assert "driver/cost.c" in messages
    assert "different base types" in messages
    assert "address space" in messages
    assert "SPACING" in messages


@pytest.mark.thorough
def test_the_compiler_s_warnings_end_the_build(
    products: Products, spoilt: Path, tmp_path: Path
) -> None:
    append(spoilt / "cost.c", "\nint firesteel_undeclared(void)\n{\n\treturn 0;\n}\n")
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(FiresteelError, match="no previous prototype"):
        check(products, work, spoilt)
