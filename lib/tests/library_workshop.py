# SPDX-License-Identifier: Apache-2.0
"""Where the library is compiled and its programs run: the model's workshop with more to see."""

from collections.abc import Mapping
from pathlib import Path

from workshop import Workshop

from firesteel.build.places import CHECKOUT


class LibraryWorkshop(Workshop):
    """The build root, a directory that is kept, and the sources of library and model."""

    def run(
        self,
        what: str,
        *command: str,
        readable: Mapping[str, Path] | None = None,
        user: str = "",
    ) -> None:
        """As the model's; see there."""
        sources = {f"/firesteel/checkout/{name}": CHECKOUT / name for name in ("lib", "docs")}
        super().run(what, *command, readable={**sources, **(readable or {})}, user=user)
