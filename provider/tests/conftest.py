# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the provider's tests: the module and its programs, plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from provider_workshop import open_provider
from workshop import Workshop


@pytest.fixture(scope="session")
def provider() -> Iterator[Workshop]:
    """Where library and provider are compiled, with all that build.sh builds; ours alone."""
    with open_provider() as opened:
        yield opened
