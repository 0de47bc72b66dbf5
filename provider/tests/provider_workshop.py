# SPDX-License-Identifier: Apache-2.0
"""Where the provider is compiled and its programs run: the library's workshop with more to see."""

from collections.abc import Mapping
from pathlib import Path

from library_workshop import LibraryWorkshop

from firesteel.build.places import CHECKOUT


class ProviderWorkshop(LibraryWorkshop):
    """The build root, a directory that is kept, and the sources of model, library and provider."""

    def run(
        self,
        what: str,
        *command: str,
        readable: Mapping[str, Path] | None = None,
        user: str = "",
    ) -> None:
        """As the library's; see there."""
        parts = ("provider", "lab/src")
        sources = {f"/firesteel/checkout/{part}": CHECKOUT / part for part in parts}
        super().run(what, *command, readable={**sources, **(readable or {})}, user=user)
