# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the library's tests: the programs, built plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from library_workshop import LibraryWorkshop

from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products


@pytest.fixture(scope="session")
def workshop() -> Iterator[LibraryWorkshop]:
    """Where the library is compiled; ours alone until the tests are over."""
    root = Products().build_root()
    with Cache(cache_directory()).work_directory("library", root.key) as work:
        yield LibraryWorkshop(root, work)


@pytest.fixture(scope="session")
def library(workshop: LibraryWorkshop) -> LibraryWorkshop:
    """The same, with all that build.sh builds."""
    workshop.run("Building the library", "sh", "/firesteel/checkout/lib/tests/build.sh")
    return workshop
