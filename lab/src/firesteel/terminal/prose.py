# SPDX-License-Identifier: Apache-2.0
"""Sentences on a terminal: lines as long as it is wide, and no number apart from its unit."""

import re
import textwrap

from rich.console import Console
from rich.text import Text

_TIGHT = "\N{NO-BREAK SPACE}"

_UNIT = re.compile(r"(?<=\d) (?=\S{1,7}(?:\s|$))")
"""Between a number and a short word, as units are; a short word that is none does no harm there."""


def show(console: Console, text: str, style: str = "") -> None:
    """Prints sentences, which may be of several lines."""
    console.print(Text(wrapped(text, console.width), style=style), highlight=False, soft_wrap=True)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines; further ones have the indent."""
    filled = textwrap.fill(
        _UNIT.sub(_TIGHT, text),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace(_TIGHT, " ")
