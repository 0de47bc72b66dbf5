# SPDX-License-Identifier: Apache-2.0
"""The provider's tests on OpenSSL 3.6, of Debian sid."""

import pytest
from other_openssl import OtherOpenssl

pytestmark = pytest.mark.thorough


class TestOnSid(OtherOpenssl):
    suite = "sid"
