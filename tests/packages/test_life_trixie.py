# SPDX-License-Identifier: Apache-2.0
"""Packages on a machine of trixie: see packages_life.py."""

from packages_life import Life


class TestTrixie(Life):
    suite = "trixie"
