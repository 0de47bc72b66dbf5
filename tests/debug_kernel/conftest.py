# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests on the debug kernel.  What is missing is built first."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench import Bench
from guest_module import build_module

from firesteel.base.checkout import BOARD
from firesteel.boards.command import BoardProducts
from firesteel.build.products import Products

TIMEOUT = 1800
"""Wall seconds for one run; the kernel is many times slower than the image's own."""


@pytest.fixture(scope="session")
def boards() -> BoardProducts:
    """QEMU, and the image with the debug kernel."""
    products = Products()
    image = products.debug_image()
    return BoardProducts(
        products.emulator(), image.kernel, image.initramfs, BOARD / "debug-kernel/cmdline"
    )


@pytest.fixture(scope="session")
def bench(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Where boards are run."""
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], bytes]:
    """Builds the module of a name, from the sources in a directory, for the debug kernel."""
    products = Products()

    def build(name: str, source: Path) -> bytes:
        directory = tmp_path_factory.mktemp(name)
        return build_module(products, name, source, directory, products.debug_kernel().headers)

    return build
