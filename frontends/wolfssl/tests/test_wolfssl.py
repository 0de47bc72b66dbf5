# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL: its own tests, written in C, as it is used and with sanitizers."""

from wolfssl_workshop import WolfsslWorkshop


def test_builds(wolfssl: WolfsslWorkshop) -> None:
    wolfssl.run("x", "true")
