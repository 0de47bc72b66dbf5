# SPDX-License-Identifier: Apache-2.0
"""The provider's tests on OpenSSL 4.0, of Debian experimental."""

import pytest
from other_openssl import OtherOpenssl

pytestmark = pytest.mark.thorough


class TestOnExperimental(OtherOpenssl):
    suite = "experimental"
