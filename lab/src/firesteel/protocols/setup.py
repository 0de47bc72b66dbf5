# SPDX-License-Identifier: Apache-2.0
"""How a program is given the cores: the ready-made files of the checkout, and the lines to write.

Each way is a template in `setups/`.  What it prints are pages, steps (`*`) and their lines, which
are indented.  It names files of `provider/configurations/` and pages of `docs/`, and reads their
content from them, so that both always agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import Profile
from firesteel.build.artifacts import PRELOAD
from firesteel.model.cell import USUAL_COMPLETION, Cell

if TYPE_CHECKING:
    from jinja2 import Environment

FILES = "provider/configurations"
"""Where ready-made configurations are, below the checkout."""

_INDENT = "    "


@dataclass(frozen=True)
class Step:
    """Something to do: in words, and the lines to type or to write."""

    what: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setup:
    """All steps in order, and the pages that explain them."""

    pages: tuple[str, ...]
    steps: tuple[Step, ...]


def lines_of(file: str) -> tuple[str, ...]:
    """The lines of a ready-made file that are neither comment nor empty.

    Raises `FiresteelError` when it is not there.
    """
    path = CHECKOUT / FILES / file
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    return tuple(line for line in text.splitlines() if line and not line.lstrip().startswith("#"))


def setup_by(template: str, cell: Cell, board: Profile | None, values: Mapping[str, str]) -> Setup:
    """What a template with these values says to do for a cell in hardware on a board."""
    # The driver keeps all CryptoMasters for the kernel unless it is told otherwise.
    several = board is not None and sum(cores.aes or cores.hash for cores in board.windows) > 1
    text = (
        _templates()
        .get_template(f"{template}.j2")
        .render(
            cell=cell,
            suite=f"{cell.cipher}:{cell.mac}",
            completion="" if cell.completion == USUAL_COMPLETION else cell.completion or "",
            user="last" if several else "all",
            **values,
        )
    )
    pages: tuple[str, ...] = ()
    steps: list[Step] = []
    for line in text.splitlines():
        if line.startswith("PAGES"):
            pages = tuple(line.split()[1:])
        elif line.startswith("* "):
            steps.append(Step(line[2:]))
        elif line.startswith(_INDENT):
            steps[-1] = Step(steps[-1].what, (*steps[-1].lines, line.removeprefix(_INDENT)))
        elif line:
            steps[-1] = Step(f"{steps[-1].what} {line}")
    return Setup(pages, tuple(steps))


@cache
def _templates() -> "Environment":
    # It takes longer to load than most commands need.
    import jinja2

    def lines(file: str, but: str = "#") -> str:
        """Those of a ready-made file, without those that begin so."""
        return "\n".join(_INDENT + line for line in lines_of(file) if not line.startswith(but))

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("setups")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"FILES": FILES, "lines": lines, "preload": PRELOAD}
    return made
