# SPDX-License-Identifier: Apache-2.0
"""A tunnel fails on generic code, unless a kernel has no other code for it."""

import re

import pytest

from firesteel.architectures.architecture import Architecture
from firesteel.architectures.arm64 import ARM64
from firesteel.architectures.armhf import ARMHF
from firesteel.boards.job import script
from firesteel.protocols.kernel import KERNEL_SOFTWARE, checking


@pytest.mark.parametrize(("architecture", "refused"), [(ARMHF, True), (ARM64, False)])
def test_generic_sha1_passes_where_the_kernel_has_no_other(
    architecture: Architecture, refused: bool
) -> None:
    told = checking(script(KERNEL_SOFTWARE), architecture.kernel).content.decode()
    found = re.search(r'grep -E "(.*)" /proc/crypto', told)
    assert found
    driver = "driver       : authenc(hmac(sha1-generic),cbc-aes-neonbs)"
    assert bool(re.search(found[1], driver)) == refused
    assert re.search(found[1], driver.replace("sha1", "sha256"))
