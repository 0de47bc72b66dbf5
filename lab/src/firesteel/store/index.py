# SPDX-License-Identifier: Apache-2.0
"""What is known of a store's files without reading them again, and the figures of its records.

    STORE/index/known.sqlite    files that were read and found whole, and figures derived lately
    STORE/index/HASH.parquet    figures of a thousand records (`store.parts`)
    STORE/index/rows/RUN/       the tidy rows of a run (`firesteel.table`), in one file, which is
                                called by what they follow from and by its own SHA-256

It is never the truth: whatever is missing, damaged or stale is read and derived again, and the
directory may be removed at any time.  A file counts as known while the system gives it the same
inode, size and times as when it was read, or else while its bytes have the same SHA-256.
"""

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

from firesteel.base.errors import StoreError
from firesteel.store import parts
from firesteel.store.derived import Derived
from firesteel.store.whole import digest_of, write_whole

Found = TypeVar("Found")

Kind = Literal["record", "run"]
"""The kinds of files that are known: records, and the journals of runs."""

_PART = 1000
"""How many records' figures go into one file."""

_LOOKS = 500
"""How many files are looked at before that is written down."""

_SETTLED_NS = 50_000_000
"""How old a file must be for its times to tell it from what it may become in the next moment: the
system's clock for these goes in steps.
"""

_SECONDS = 5.0
"""How long to wait for another process that writes."""

_TABLES = """
CREATE TABLE IF NOT EXISTS file (
    kind TEXT, name TEXT, stamp TEXT, digest TEXT, said TEXT, PRIMARY KEY (kind, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS figures (
    name TEXT PRIMARY KEY, derived TEXT, part TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS lately ON figures (name) WHERE part IS NULL;
"""


class Index:
    """The index of the store in the directory `root`; all methods may be called from any thread.

    A store that cannot be written, or whose index another process holds for long, is one without:
    then nothing is known and nothing kept.
    """

    def __init__(self, root: Path) -> None:
        """Nothing is opened or made before it is needed."""
        self._directory = root / "index"
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._usable = True
        self._looked_at: list[tuple[str, Kind, str]] = []
        self._put = 0
        self._parts = parts.Parts(self._directory)

    def said(self, kind: Kind, name: str, path: Path) -> str | None:
        """What was kept of a file, if that is as it was then; None where that is not known."""
        told = "SELECT stamp, digest, said FROM file WHERE kind = ? AND name = ?"
        row = self._row(told, kind, name)
        if row is None:
            return None
        stamp, digest, said = map(str, row)
        try:
            now = path.stat()
            if _stamp(now) == stamp:
                return said
            if digest_of(path.read_bytes()) != digest:
                return None
        except OSError:
            return None
        if time.time_ns() - now.st_ctime_ns > _SETTLED_NS:
            self._look((_stamp(now), kind, name))
        return said

    def keep(self, kind: Kind, name: str, content: bytes, said: str = "") -> None:
        """Remembers what to say of a file while it has that content."""
        row = (kind, name, digest_of(content), said)
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO file VALUES (?, ?, '', ?, ?)", row))

    def figures(self, name: str) -> Derived | None:
        """Figures that were kept by that name."""
        row = self._row("SELECT derived, part FROM figures WHERE name = ?", name)
        if row is None:
            return None
        text, part = row
        if part is None:
            return Derived.from_text(str(text))
        with self._lock:
            return self._parts.get(str(part), name)

    def keep_figures(self, name: str, found: Derived) -> None:
        """Remembers figures."""
        row = (name, found.to_text())
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO figures VALUES (?, ?, NULL)", row))
        self._put += 1
        if self._put % _PART == 0:
            self._do(self._pack)

    def rows(self, run: str, version: str) -> bytes | None:
        """The rows of a run that were kept by that version, if the file is as it was written."""
        for path in (self._directory / "rows" / run).glob(f"{version}-*.parquet"):
            with contextlib.suppress(OSError):
                content = path.read_bytes()
                if path.stem == f"{version}-{digest_of(content)}":
                    return content
        return None

    def keep_rows(self, run: str, version: str, content: bytes) -> None:
        """Keeps them, in place of others of the run."""
        directory = self._directory / "rows" / run
        path = directory / f"{version}-{digest_of(content)}.parquet"
        with contextlib.suppress(StoreError, OSError):
            write_whole(path, content)
            for other in directory.glob("*.parquet"):
                if other != path:
                    other.unlink(missing_ok=True)

    def _look(self, stamped: tuple[str, Kind, str]) -> None:
        """Remembers what a file is like now, in time; if that gets lost it is read once more."""
        with self._lock:
            self._looked_at.append(stamped)
            if len(self._looked_at) >= _LOOKS:
                rows, self._looked_at = self._looked_at, []
                self._do(lambda db: _at_once(db, rows))

    def _pack(self, found: sqlite3.Connection) -> None:
        """Puts figures of a thousand records into a file, as often as there are as many."""
        found.execute("BEGIN IMMEDIATE")  # So that another process does not do the same.
        rows = found.execute("SELECT name, derived FROM figures WHERE part IS NULL").fetchall()
        for some in _chunks(rows, _PART):
            known = [(name, each) for name, text in some if (each := Derived.from_text(text))]
            part = parts.write(self._directory, known)
            found.executemany(
                "UPDATE figures SET derived = NULL, part = ? WHERE name = ?",
                [(part, name) for name, _ in some],
            )
        found.commit()

    def _row(self, told: str, *of: str) -> tuple[object, ...] | None:
        def ask(found: sqlite3.Connection) -> tuple[object, ...] | None:
            row: tuple[object, ...] | None = found.execute(told, of).fetchone()
            return row

        if self._connection is None and not (self._directory / "known.sqlite").exists():
            return None  # A store that is only read gets no directory.
        return self._do(ask)

    def _do(self, work: Callable[[sqlite3.Connection], Found]) -> Found | None:
        """The result of some work on the database; None where there is no working with it."""
        with self._lock:
            try:
                return work(self._open()) if self._usable else None
            except (sqlite3.OperationalError, StoreError, OSError):
                self._give_up()  # Busy, full, or not to be written.
            except sqlite3.DatabaseError:
                self._give_up()
                with contextlib.suppress(OSError):
                    for path in self._directory.glob("known.sqlite*"):
                        path.unlink()
            return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._directory / "known.sqlite",
                timeout=_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            weakref.finalize(self, connection.close)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_TABLES)
            (self._put,) = connection.execute(
                "SELECT count(*) FROM figures WHERE part IS NULL"
            ).fetchone()
            self._connection = connection
        return self._connection

    def _give_up(self) -> None:
        """Does without, from now on; the next process tries again."""
        self._usable = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _stamp(found: os.stat_result) -> str:
    """What the system says of a file, by which a change shows."""
    return f"{found.st_ino}-{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}"


def _at_once(db: sqlite3.Connection, rows: list[tuple[str, Kind, str]]) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.executemany("UPDATE file SET stamp = ? WHERE kind = ? AND name = ?", rows)
    db.commit()


def _chunks(rows: list[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    """As many whole ones as there are."""
    return (rows[start : start + size] for start in range(0, len(rows) - size + 1, size))
