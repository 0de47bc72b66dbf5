# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the library's tests: the programs, built plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from library_workshop import LibraryWorkshop

from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products


@pytest.fixture(scope="session")
def library_workshop() -> Iterator[LibraryWorkshop]:
    """Where the library is compiled; ours alone until the tests are over.

    Fixtures of all parts are in one space, so its name is not that of the model's.
    """
    root = Products().build_root()
    with Cache(cache_directory()).work_directory("library", root.key) as work:
        yield LibraryWorkshop(root, work)


@pytest.fixture(scope="session")
def library(library_workshop: LibraryWorkshop) -> LibraryWorkshop:
    """The same, with all that build.sh builds."""
    library_workshop.run("Building the library", "sh", "/firesteel/checkout/lib/tests/build.sh")
    return library_workshop
