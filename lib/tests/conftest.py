# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the library's tests: the programs, built plain and with sanitizers."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from workshop import Workshop

from firesteel.build.cache import Cache, cache_directory
from firesteel.build.places import CHECKOUT
from firesteel.build.products import Products


class LibraryWorkshop(Workshop):
    """The model's workshop, which sees the library's sources, too."""

    def run(self, what: str, *command: str, readable: Mapping[str, Path] | None = None) -> None:
        sources = {
            "/firesteel/checkout/lib": CHECKOUT / "lib",
            "/firesteel/checkout/docs": CHECKOUT / "docs",
        }
        super().run(what, *command, readable={**sources, **(readable or {})})


@pytest.fixture(scope="session")
def workshop() -> Iterator[LibraryWorkshop]:
    """Where the library is compiled; ours alone until the tests are over."""
    root = Products().build_root()
    with Cache(cache_directory()).work_directory("library", root.key) as work:
        yield LibraryWorkshop(root, work)


@pytest.fixture(scope="session")
def library(workshop: LibraryWorkshop) -> LibraryWorkshop:
    """The same, with all that build.sh builds."""
    workshop.run("Building the library", "sh", "/firesteel/checkout/lib/tests/build.sh")
    return workshop
