# SPDX-License-Identifier: Apache-2.0
"""The provider's tests on OpenSSL 3.0, of Debian bookworm."""

import pytest
from other_openssl import OtherOpenssl

pytestmark = pytest.mark.thorough


class TestOnBookworm(OtherOpenssl):
    suite = "bookworm"
