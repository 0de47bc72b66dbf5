# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from firesteel.build.cache import cache_directory
from firesteel.errors import FiresteelError
from firesteel.store import Store

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Where records and runs are kept [default: store in the cache directory].",
        show_default=False,
    ),
]

RunArgument = Annotated[
    str, typer.Argument(metavar="[RUN]", help="A run's name; see `firesteel list`.")
]


def open_store(directory: Path | None) -> Store:
    """The store in that directory, or the default one; `FiresteelError` when it is a file."""
    root = directory.absolute() if directory else cache_directory() / "store"
    if root.exists() and not root.is_dir():
        raise FiresteelError(f"The store {root} is a file; allowed is a directory.")
    return Store(root)
