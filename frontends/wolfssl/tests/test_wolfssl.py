# SPDX-License-Identifier: Apache-2.0
"""The front end of wolfSSL: its own tests, written in C, as it is used and with sanitizers."""

import pytest
from wolfssl_workshop import WolfsslWorkshop


@pytest.mark.parametrize("build", ["plain", "checked"])
def test_the_front_end_does_what_it_says(wolfssl: WolfsslWorkshop, build: str) -> None:
    directory = f"/firesteel/work/{build}/frontends/wolfssl"
    command = ("nice", "meson", "test", "-C", directory, "--no-rebuild", "--num-processes", "1")
    wolfssl.run(f"Testing the front end, {build}", *command, "--print-errorlogs", "-t", "8")
