# SPDX-License-Identifier: Apache-2.0
"""Which commit is tested.  What takes turns goes by its number, so that runs repeat."""

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


def number() -> int:
    """How many commits led to it; 0 outside of a repository."""
    command = ["git", "-C", str(CHECKOUT), "rev-list", "--count", "HEAD"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    return int(found.stdout) if found.returncode == 0 else 0
