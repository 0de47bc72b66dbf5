# SPDX-License-Identifier: Apache-2.0
"""Where kernel modules for the guest are built: beside their sources, with a kernel's headers."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from firesteel.build.buildroot import Room
from firesteel.build.cache import remove_tree
from firesteel.build.image import untar


@contextlib.contextmanager
def module_room(
    product: Path, headers: Path, readable: Mapping[str, Path]
) -> Iterator[tuple[Path, Room]]:
    """An empty directory for the sources, which a build sees as /firesteel/work, and its room.

    The archive `headers` is unpacked as /firesteel/headers; `readable` is what the build may read
    besides.  Both directories are in the product's, and are removed when it has its module.
    """
    work, unpacked = product / "work", product / "headers"
    for directory in (work, unpacked):
        directory.mkdir()
    untar(headers, unpacked)
    room = Room(
        writable={"/firesteel/work": work},
        readable={"/firesteel/headers": unpacked, **readable},
    )
    yield work, room
    for directory in (work, unpacked):
        remove_tree(directory)
