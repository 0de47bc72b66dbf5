# SPDX-License-Identifier: Apache-2.0
"""Pages have the intervals that the recorded spread gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from firesteel.base import toml
from firesteel.judge import spread

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def recorded_spread(no_spread: None) -> Iterator[None]:
    """Figures of one seed differ as much as recorded ones do."""
    del no_spread
    with pytest.MonkeyPatch.context() as context:
        file = toml.read_model(spread.SPREAD_FILE, spread.Spread)
        context.setattr(spread, "load_spread", lambda: file)
        yield
