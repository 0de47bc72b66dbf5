# SPDX-License-Identifier: Apache-2.0
"""How packages are built for bookworm: see packages_life.py."""

from packages_life import Build


class TestBookworm(Build):
    suite = "bookworm"
