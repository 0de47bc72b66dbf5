# SPDX-License-Identifier: Apache-2.0
"""A cache of what follows from a store's files: STORE/index/cache.sqlite.

An entry says what it was made of; it counts while that is the same.  Nothing in it is the truth:
what is missing, damaged or of something else is made again, and the file may be removed at any
time.  A store that others may only read has its index in the cache directory, or in memory.
"""

import contextlib
import sqlite3
import threading
import weakref
from pathlib import Path
from typing import Literal

from firesteel.base.files import digest_of
from firesteel.build.cache import cache_directory

Kind = Literal["figures", "record", "rows"]
"""Figures of a record, that a record is whole, and the tidy rows of a run."""

_SECONDS = 5.0
"""How long to wait for another process that writes."""

_TABLE = """
CREATE TABLE IF NOT EXISTS kept (
    kind TEXT, name TEXT, made_of TEXT, digest TEXT, content BLOB, PRIMARY KEY (kind, name)
)
"""


class Index:
    """The index of the store in the directory `root`; all methods may be called from any thread."""

    def __init__(self, root: Path) -> None:
        """Nothing is opened or made before it is needed."""
        self._root = root
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, kind: Kind, name: str, made_of: str) -> bytes | None:
        """What was kept by that name and made of that; None where it is not there or damaged."""
        if not self._root.exists():
            return None  # What is only read is not made.
        asked = "SELECT digest, content FROM kept WHERE kind = ? AND name = ? AND made_of = ?"
        found = self._execute(asked, (kind, name, made_of))
        if found is None or not isinstance(found[1], bytes) or digest_of(found[1]) != found[0]:
            return None
        return found[1]

    def put(self, kind: Kind, name: str, made_of: str, content: bytes) -> None:
        """Keeps it, in place of what was made of something else."""
        row = (kind, name, made_of, digest_of(content), content)
        self._execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", row)

    def _execute(self, statement: str, values: tuple[object, ...]) -> tuple[object, ...] | None:
        """The first row of what was asked; none while there is no working with the file."""
        with self._lock:
            try:
                self._connection = self._connection or self._open()
                row: tuple[object, ...] | None
                row = self._connection.execute(statement, values).fetchone()
                return row
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):  # Full, or no longer to be written.
                    self._connection = _connected(self, ":memory:")
            except sqlite3.DatabaseError:  # It is damaged, and made anew.
                for path in self._paths():
                    for each in path.parent.glob(f"{path.name}*"):
                        with contextlib.suppress(OSError):
                            each.unlink()
                self._connection = _connected(self, ":memory:")
            return None

    def _open(self) -> sqlite3.Connection:
        for path in self._paths():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                return _connected(self, path)
            except (sqlite3.OperationalError, OSError):
                continue
        return _connected(self, ":memory:")

    def _paths(self) -> tuple[Path, ...]:
        """Where it may be; the second for a store that cannot be written."""
        of_root = digest_of(bytes(self._root.resolve()))[:16]
        return (
            self._root / "index" / "cache.sqlite",
            cache_directory() / "indices" / f"{of_root}.sqlite",
        )


def _connected(owner: Index, path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_SECONDS, isolation_level=None, check_same_thread=False
    )
    weakref.finalize(owner, connection.close)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(_TABLE)
    # A file that may be read alone is found out here.
    connection.execute("DELETE FROM kept WHERE kind = ''")
    return connection
