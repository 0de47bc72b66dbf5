# SPDX-License-Identifier: Apache-2.0
"""The driver is built for a kernel of Debian's that is older than the boards', without a warning.

`make test-kernels` builds it for all in the table of docs/driver.md.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernels import KERNELS, Archives, Headers, NoKernel, build_driver, table

from firesteel.base.checkout import CHECKOUT, DRIVER
from firesteel.build.products import Products

(KERNEL,) = (kernel for kernel in KERNELS if str(kernel) == "bookworm-armhf")


@pytest.fixture(scope="module")
def products() -> Products:
    return Products()


@pytest.fixture(scope="module")
def headers(products: Products, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headers]:
    archives = Archives(products, lambda: tmp_path_factory.mktemp("indexes"))
    try:
        yield archives.headers(KERNEL)
    except NoKernel as error:
        pytest.skip(str(error))
    finally:
        archives.close()


def test_the_page_has_the_table() -> None:
    page = (CHECKOUT / "docs/driver.md").read_text()
    assert table() in page, f"docs/driver.md should have:\n{table()}"


def test_it_builds(products: Products, headers: Headers, tmp_path: Path) -> None:
    assert KERNEL.release.has(headers.release)
    assert build_driver(products, KERNEL, headers, tmp_path) == []


@pytest.mark.thorough
def test_warnings_are_said(products: Products, headers: Headers, tmp_path: Path) -> None:
    """The compiler's, and those of sparse."""
    spoilt = shutil.copytree(DRIVER, tmp_path / "driver")
    wrong = (
        "\nu32 firesteel_wrong(void __iomem *window)\n{\n\treturn *(__force __le32 *)window;\n}\n"
    )
    with (spoilt / "cost.c").open("a") as file:
        file.write(wrong)
    work = tmp_path / "work"
    work.mkdir()
    said = "\n".join(build_driver(products, KERNEL, headers, work, spoilt))
    assert "driver/cost.c" in said
    assert "no previous prototype" in said
    assert "incorrect type in return expression" in said
