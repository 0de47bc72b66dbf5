# SPDX-License-Identifier: Apache-2.0
"""A machine of each of Debian's releases that have packages."""

import pytest
from packages_machine import Machine, machine

from tools.packages import SUITES


@pytest.fixture(scope="module", params=SUITES)
def debian(request: pytest.FixtureRequest) -> Machine:
    return machine(request.param)
