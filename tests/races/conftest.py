# SPDX-License-Identifier: Apache-2.0
"""What the tests of orders need, made once."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from bench import Bench
from debug_board import TIMEOUT, debug_module
from guest_module import MODULES
from orders import CPUS, LOADS, Order, build_threads, order_boards, seeds_of
from uio_scenes import job_files

from firesteel.base.checkout import DRIVER
from firesteel.boards.job import JobFile
from firesteel.build.products import Products
from firesteel.protocols.user_space import provider_files


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which orders are played."""
    seeds = "seeds of each load at each number of CPUs, as FIRST-LAST or one"
    parser.addoption("--seeds", default="1-10", help=seeds)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every load under every seed."""
    if "order" in metafunc.fixturenames:
        try:
            seeds = seeds_of(metafunc.config.getoption("--seeds"))
        except ValueError as error:
            raise pytest.UsageError(f"--seeds: {error}") from None
        orders = [Order(load, cpus, seed) for load in LOADS for cpus in CPUS for seed in seeds]
        metafunc.parametrize("order", orders, ids=str)


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Where boards are run."""
    boards = order_boards(tmp_path_factory.mktemp("boards"))
    bench = Bench(boards, lambda: tmp_path_factory.mktemp("run"), TIMEOUT)
    yield bench
    bench.clean()


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], JobFile]:
    """Builds the module of a name, from the sources in a directory."""
    return lambda name, source: JobFile(debug_module(name, source, tmp_path_factory.mktemp(name)))


@pytest.fixture(scope="session")
def files(
    build: Callable[[str, Path], JobFile], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, JobFile]:
    """All that any load needs, by guest path."""
    products = Products()
    driver = build("firesteel", DRIVER).content
    return {
        **job_files(driver, tmp_path_factory.mktemp("uio")),
        **{f"/job/{name}.ko": build(name, MODULES / name) for name in ("order", "arenas")},
        "/job/threads": JobFile(build_threads(products, tmp_path_factory.mktemp("threads")), 0o755),
        **provider_files(products.artifact("provider")),
    }
