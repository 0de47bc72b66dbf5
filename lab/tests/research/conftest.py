# SPDX-License-Identifier: Apache-2.0
"""The made-up study beside those of the checkout."""

import shutil
from pathlib import Path

import pytest

from firesteel.analysis import study as studies
from firesteel.base.checkout import CHECKOUT

MADE = Path(__file__).parents[1] / "made_studies" / "somebody2001"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The study's folder, beside those of the checkout."""
    published = tmp_path / "published"
    shutil.copytree(CHECKOUT / "published", published)
    shutil.copytree(MADE, published / MADE.name)
    monkeypatch.setattr(studies, "STUDIES", published)
    return published / MADE.name
