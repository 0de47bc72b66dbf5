# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the model's tests: the programs, built with sanitizers."""

from collections.abc import Iterator

import pytest
from workshop import Workshop

from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    """Where the model is compiled; ours alone until the tests are over."""
    root = Products().build_root()
    with Cache(cache_directory()).work_directory("model", root.key) as work:
        yield Workshop(root, work)


@pytest.fixture(scope="session")
def model(workshop: Workshop) -> Workshop:
    """The same, with the tests' programs built in /firesteel/work/checked."""
    workshop.run("Building the model", "sh", "/firesteel/checkout/model/tests/build.sh")
    return workshop
