# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the library's tests: the programs, built plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from workshop import Workshop, open_workshop


@pytest.fixture(scope="session")
def library_workshop() -> Iterator[Workshop]:
    """Where the library is compiled; ours alone until the tests are over.

    Fixtures of all parts are in one space, so its name is not that of the model's.
    """
    with open_workshop("lib-tests", "model", "silex", "lib", "docs") as opened:
        yield opened


@pytest.fixture(scope="session")
def library(library_workshop: Workshop) -> Workshop:
    """The same, with all that build.sh builds."""
    library_workshop.run("Building the library", "sh", "/firesteel/checkout/lib/tests/build.sh")
    return library_workshop
