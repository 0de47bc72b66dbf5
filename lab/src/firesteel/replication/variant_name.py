# SPDX-License-Identifier: Apache-2.0
"""What a variant is called in the files of a study."""

from collections.abc import Iterator
from typing import Annotated, get_args

from firesteel.analysis.statement import one_of
from firesteel.base import toml
from firesteel.board.profile import PROFILES
from firesteel.model.cell import USUAL_COMPLETION, Completion
from firesteel.protocols.habits import HABITS


def _names() -> Iterator[str]:
    yield from HABITS
    yield from (each for each in get_args(Completion) if each != USUAL_COMPLETION)
    yield from toml.names_in(PROFILES)


VariantName = Annotated[str, one_of(_names)]
"""A habit, how a driver waits, or the profile of another board."""
