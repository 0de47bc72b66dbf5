# SPDX-License-Identifier: Apache-2.0
"""A machine with Python, the C++ library and nothing else: a Debian tree of another release.

It has no network.
"""

import sys

from firesteel.build.buildroot import BuildRoot, Root
from firesteel.build.cache import Cache, cache_directory
from firesteel.build.progress import Runner

PACKAGES = ["libstdc++6", "python3"]
"""Every Debian with apt has the first of them; this tree has no apt."""

_PYTHONS = {"trixie": "3.13", "bookworm": "3.11"}
"""Python's version in Debian's releases."""


def other_release() -> tuple[str, str]:
    """A release whose Python is not the one that we run on, and the version of its Python."""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return next((suite, python) for suite, python in _PYTHONS.items() if python != here)


def make(suite: str, runner: Runner) -> BuildRoot:
    """Such a tree of a release, made if need be."""
    root = Root(
        "bare-root", f"bare root of {suite}", PACKAGES, suites=(suite,), variant="essential"
    )
    return root.make(Cache(cache_directory()), runner)
