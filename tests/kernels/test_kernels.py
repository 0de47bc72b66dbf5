# SPDX-License-Identifier: Apache-2.0
"""The driver is built for every kernel of the list, and neither compiler nor sparse objects."""

from collections.abc import Iterator

import pytest
from kernels import KERNELS, Archives, Kernel, NoKernel, built_driver

from firesteel.build.products import Products


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archives]:
    archives = Archives(Products(), lambda: tmp_path_factory.mktemp("indexes"))
    yield archives
    archives.close()


# By suite, so that each suite's indexes are read once.
_CASES = [
    pytest.param(kernel, id=str(kernel), marks=pytest.mark.xdist_group(kernel.release.suite))
    for kernel in KERNELS
]


@pytest.mark.parametrize("kernel", _CASES)
def test_it_builds(archives: Archives, kernel: Kernel) -> None:
    try:
        headers = archives.headers(kernel)
    except NoKernel as error:
        pytest.skip(str(error))
    assert kernel.release.has(headers.release)
    messages = built_driver(archives.products, kernel, headers) / "messages"
    assert messages.read_text() == ""
