# SPDX-License-Identifier: Apache-2.0
"""Suites as people write them: `CIPHER:MAC`, or the cipher alone where no other suite has it."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BeforeValidator

from firesteel.protocols.registry import PROTOCOLS

_ALL = tuple(dict.fromkeys(suite for protocol in PROTOCOLS for suite in protocol.suites))


def whole(text: str, suites: Iterable[str] = _ALL) -> str:
    """The suite of `suites` that a text names; the text where it is none of them, or several."""
    if ":" in text:
        return text
    found = [suite for suite in suites if f"none:{text}" == suite or suite.startswith(f"{text}:")]
    return found[0] if len(found) == 1 else text


def _whole(value: object) -> object:
    return whole(value) if isinstance(value, str) else value


Suite = Annotated[str, BeforeValidator(_whole)]
"""In a file."""
