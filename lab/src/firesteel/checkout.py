# SPDX-License-Identifier: Apache-2.0
"""Where the lab finds the parts of the checkout that it runs from."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The checkout: the directory that holds `lab/`, `board/`, `experiments/` and `published/`."""

EXPERIMENTS = ROOT / "experiments"
PUBLISHED = ROOT / "published" / "published.csv"
