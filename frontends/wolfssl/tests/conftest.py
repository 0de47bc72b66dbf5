# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of wolfSSL's front end: library and programs, plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from wolfssl_workshop import TESTS, WolfsslWorkshop
from workshop import open_workshop

from firesteel.build.products import Products

_PARTS = ("model", "silex", "lib", "docs", "frontends/common", "frontends/wolfssl")


@pytest.fixture(scope="session")
def wolfssl() -> Iterator[WolfsslWorkshop]:
    """Where library and front end are compiled, with all that build.sh builds; ours alone."""
    with open_workshop("wolfssl-tests", *_PARTS) as workshop:
        opened = WolfsslWorkshop(workshop, Products().wolfssl())
        opened.run("Building the front end of wolfSSL", "sh", f"{TESTS}/build.sh")
        yield opened
