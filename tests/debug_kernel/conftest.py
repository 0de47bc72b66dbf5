# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests on the debug kernel.  What is missing is built first."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench import Bench
from debug_board import TIMEOUT, debug_boards, debug_module

from firesteel.boards.command import BoardProducts


@pytest.fixture(scope="session")
def boards() -> BoardProducts:
    """QEMU, and the image with the debug kernel."""
    return debug_boards()


@pytest.fixture(scope="session")
def bench(boards: BoardProducts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Where boards are run."""
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], bytes]:
    """Builds the module of a name, from the sources in a directory, for the debug kernel."""
    return lambda name, source: debug_module(name, source, tmp_path_factory.mktemp(name))
