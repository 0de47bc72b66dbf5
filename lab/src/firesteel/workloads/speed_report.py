# SPDX-License-Identifier: Apache-2.0
"""What `openssl speed` reports of one algorithm and one block size."""

import re

from firesteel.board.result import NodeResult
from firesteel.protocols.failure import CellFailure
from firesteel.protocols.window import data_of

_RESULT = re.compile(r"^\+R:(\d+):[^:]+:([\d.]+)$", re.MULTILINE)
"""With -mr: blocks, the algorithm, and seconds."""


def blocks_and_seconds(node: NodeResult, name: str, what: str) -> tuple[int, float]:
    """How many blocks there were in the run of that name, and in how many seconds.

    Raises `CellFailure`, which says `what` was measured, when the report has neither.
    """
    text = data_of(node, name).decode(errors="replace")
    found = _RESULT.search(text)
    if not found or int(found[1]) == 0 or float(found[2]) == 0:
        raise CellFailure(f"openssl speed of {what} gave no result: {text.strip()[:200]}")
    return int(found[1]), float(found[2])
