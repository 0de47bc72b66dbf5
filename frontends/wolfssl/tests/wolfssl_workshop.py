# SPDX-License-Identifier: Apache-2.0
"""Where the front end of wolfSSL is compiled and tried: the build root, with Debian's wolfSSL."""

from pathlib import Path

from workshop import Workshop

TESTS = "/firesteel/checkout/frontends/wolfssl/tests"
_LIBRARIES = "/firesteel/wolfssl/usr/lib/x86_64-linux-gnu"


class WolfsslWorkshop:
    """A workshop that sees wolfSSL in /firesteel/wolfssl."""

    def __init__(self, workshop: Workshop, wolfssl: Path) -> None:
        self._workshop = workshop
        self._wolfssl = wolfssl
        self.work = workshop.work

    def run(self, what: str, *command: str) -> None:
        """Runs `command` inside, with wolfSSL; the test fails with its log when it fails."""
        self._workshop.run(
            what,
            "env",
            f"LD_LIBRARY_PATH={_LIBRARIES}",
            *command,
            readable={"/firesteel/wolfssl": self._wolfssl},
        )
