# SPDX-License-Identifier: Apache-2.0
"""Pages are written in CommonMark, where a list or a table may follow a paragraph at once.

The site's builder reads another dialect of Markdown, which wants an empty line between them.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^(```|~~~)")
_LIST = re.compile(r"^(?:[-*+]|1[.)]) ")


def for_the_builder(text: str) -> str:
    """The same page with an empty line before each list and table that has none."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    in_code = in_list = False
    before = ""
    for line in lines:
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            begins_list = bool(_LIST.match(line)) and not in_list
            begins_table = line.startswith("|") and not before.startswith("|")
            if before and (begins_list or begins_table):
                yield ""
            in_list = bool(line) and (in_list or begins_list)
        yield line
        before = line
