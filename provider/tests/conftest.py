# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the provider's tests: the module and its programs, plain and with sanitizers."""

from collections.abc import Iterator

import pytest
from provider_workshop import ProviderWorkshop

from firesteel.build.cache import Cache, cache_directory
from firesteel.build.products import Products


@pytest.fixture(scope="session")
def provider() -> Iterator[ProviderWorkshop]:
    """Where library and provider are compiled, with all that build.sh builds; ours alone."""
    root = Products().build_root()
    with Cache(cache_directory()).work_directory("provider", root.key) as work:
        workshop = ProviderWorkshop(root, work)
        script = "/firesteel/checkout/provider/tests/build.sh"
        workshop.run("Building the provider", "sh", script)
        yield workshop
