# SPDX-License-Identifier: Apache-2.0
"""Recipes below `board/`, with the words of an architecture filled in.

A recipe says `@TRIPLET@` for what differs.  A product's key is made of the filled-in recipe: so it
is another for each architecture, and no architecture is in the key of another one's products.
"""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from firesteel.architectures.architecture import Target
from firesteel.base.checkout import MODULE_SCRIPT
from firesteel.build.cache import snapshot


@contextlib.contextmanager
def filled_in(parts: Mapping[str, Path], architecture: Target) -> Iterator[Path]:
    """A `snapshot` of a recipe's `parts` for an architecture."""
    with snapshot(parts) as recipe:
        for path in recipe.rglob("*"):
            if path.is_file() and not path.is_symlink():
                _fill_in(path, architecture)
        yield recipe


@contextlib.contextmanager
def module_script(architecture: Target) -> Iterator[Path]:
    """The script that builds kernel modules for an architecture, inside its build root."""
    with filled_in({MODULE_SCRIPT.name: MODULE_SCRIPT}, architecture) as recipe:
        yield recipe / MODULE_SCRIPT.name


def _fill_in(path: Path, architecture: Target) -> None:
    recipe = path.read_bytes().decode("latin-1")  # Any byte is a letter of it.
    if (text := architecture.fill_in(recipe)) != recipe:
        path.write_bytes(text.encode("latin-1"))


def read_list(path: Path, architecture: Target | None = None) -> list[str]:
    """The items of a plain list file: one a line, `#` starts a comment."""
    text = path.read_text(encoding="utf-8")
    filled = architecture.fill_in(text) if architecture else text
    items = (line.split("#", 1)[0].strip() for line in filled.splitlines())
    return [item for item in items if item]
