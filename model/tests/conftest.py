# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the model's tests: the programs, built with sanitizers."""

from collections.abc import Iterator

import pytest
from workshop import Workshop, open_workshop


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    """Where the model is compiled; ours alone until the tests are over."""
    with open_workshop("model-tests", "model", "silex", "lib", "docs") as opened:
        yield opened


@pytest.fixture(scope="session")
def model(workshop: Workshop) -> Workshop:
    """The same, with the tests' programs built in /firesteel/work/checked."""
    workshop.run("Building the model", "sh", "/firesteel/checkout/model/tests/build.sh")
    return workshop
