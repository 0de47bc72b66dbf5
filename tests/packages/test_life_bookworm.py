# SPDX-License-Identifier: Apache-2.0
"""Packages on a machine of bookworm: see packages_life.py."""

from packages_life import Life


class TestBookworm(Life):
    suite = "bookworm"
