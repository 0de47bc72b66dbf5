# SPDX-License-Identifier: Apache-2.0
"""The driver passes what the kernel's developers check with: W=1, sparse, checkpatch --strict."""

import shutil
from pathlib import Path

import pytest

from firesteel.base.checkout import DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build.products import Products


@pytest.fixture(scope="module")
def products() -> Products:
    return Products()


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """A copy of the driver, to be spoilt."""
    return shutil.copytree(DRIVER, tmp_path / "driver")


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_the_checkers_say_nothing(products: Products, tmp_path: Path) -> None:
    assert products.check_driver(tmp_path) == []


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
    messages = "\n".join(products.check_driver(work, spoilt))
    assert "driver/cost.c" in messages
    assert "different base types" in messages
    assert "address space" in messages
    assert "SPACING" in messages


def test_the_compiler_s_warnings_end_the_build(
    products: Products, spoilt: Path, tmp_path: Path
) -> None:
    append(spoilt / "cost.c", "\nint firesteel_undeclared(void)\n{\n\treturn 0;\n}\n")
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(FiresteelError, match="no previous prototype"):
        products.check_driver(work, spoilt)
