# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the provider's tests: the module and its programs, plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from workshop import Workshop, open_workshop

_PARTS = ("model", "silex", "lib", "docs", "provider", "frontends/common", "lab/src")


@pytest.fixture(scope="session")
def provider() -> Iterator[Workshop]:
    """Where library and provider are compiled, with all that build.sh builds; ours alone."""
    with open_workshop("provider-tests", *_PARTS) as workshop:
        script = "/firesteel/checkout/provider/tests/build.sh"
        workshop.run("Building the provider", "sh", script)
        yield workshop
