# SPDX-License-Identifier: Apache-2.0
"""The profile of the cores that tests of driver, library, provider and wolfSSL run on: one a run.

FIRESTEEL_TEST_PROFILE names it. Without that it follows from the commit, so that a run can be
repeated and each profile has its turn. `make test-profiles` takes all, one after the other.
"""

import os
import subprocess

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError

PROFILES = ("firesteel", "nrf54l15", "nrf54lm20a", "efr32mg22", "lan969x")

NEEDED = "hash=on,pk_multipliers=16,aes_caps=0x070101ff,pk_microcode=0"
"""What these tests need of every part: a hash core (`firesteel` has none), 16 multipliers, AES-XTS
and ciphertext stealing (`efr32mg22` has neither), and no microcode, as they load none."""


def profile() -> str:
    """The run's."""
    named = os.environ.get("FIRESTEEL_TEST_PROFILE", "")
    if named and named not in PROFILES:
        raise FiresteelError(f"FIRESTEEL_TEST_PROFILE = {named!r}: must be one of {PROFILES}")
    return named or PROFILES[_number_of_the_commit() % len(PROFILES)]


def options() -> str:
    """For FIRESTEEL_MODEL, which every model of the library reads."""
    return f"profile={profile()},{NEEDED}"


def properties() -> dict[str, str]:
    """For a board's cores, as properties of QEMU's device."""
    return dict(option.split("=", 1) for option in options().split(","))


def _number_of_the_commit() -> int:
    """How many commits led to it; 0 outside of a repository."""
    command = ["git", "-C", str(CHECKOUT), "rev-list", "--count", "HEAD"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    return int(found.stdout) if found.returncode == 0 else 0
