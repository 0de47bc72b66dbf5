# SPDX-License-Identifier: Apache-2.0
"""Where the parts of the checkout are."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[4]
"""The root of the checkout."""

BOARD = CHECKOUT / "board"
"""Recipes, profiles and topologies of boards."""
