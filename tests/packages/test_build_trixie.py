# SPDX-License-Identifier: Apache-2.0
"""How packages are built for trixie: see packages_life.py."""

from packages_life import Build


class TestTrixie(Build):
    suite = "trixie"
