# SPDX-License-Identifier: Apache-2.0
"""The store: records by the hash of their inputs, and the journals of runs.

    STORE/records/ab/abcdef….json     a record; never changed once written
    STORE/observations/ab/abcdef….json.xz
                                      what its boards handed out
    STORE/disputes/ab/abcdef…-….json  what differed from a record when its cell was measured again,
                                      with its observations beside it; nothing reads it
    STORE/claims/abcdef…              that a process measures that cell (`base.files.Claim`)
    STORE/index/                      a cache of what follows from all that (`store.index`)
    STORE/runs/NAME/run.json          a run's journal: its cells in order, and how each ended
    STORE/runs/NAME/progress.jsonl    what has happened in a run under way (`store.journal`)
    STORE/runs/NAME/report.html       its report
    STORE/runs/NAME/logs/CELL/        logs of a cell that failed
    STORE/runs/latest                 a link to the run that came to its end last
    STORE/design/NAME/answer.json    what was asked of boards, beside the journal of its last run
    STORE/sensitivity/NAME/           a study of how far assumptions may be off: the journal of what
                                      was measured for it, as a run's, and study.json

Every file of a record or a run is written next to its place, flushed to the disk and renamed, so
files are always whole.  Only progress grows line by line.  Who may only read a store reads all of
it: then the index and reports are in the cache directory.
"""

import contextlib
import hashlib
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from firesteel.base.envelope import read_text
from firesteel.base.errors import DisputeError, FiresteelError, StoreError
from firesteel.base.files import Claim, digest_of, write_whole
from firesteel.boards.result import TopologyRun
from firesteel.build.cache import cache_directory
from firesteel.model.cell import Cell
from firesteel.store import observations
from firesteel.store.index import Index
from firesteel.store.journal import (
    PROGRESS,
    Entry,
    Journal,
    Summary,
    apply,
    read_progress,
)
from firesteel.store.record import (
    Derived,
    Inputs,
    Parsers,
    Record,
    RecordFile,
    first_difference,
    used,
)
from firesteel.store.setup import Setup

__all__ = ["LATEST", "Store", "usual_store", "write_whole"]

LATEST = "latest"
"""What a run is called that stands for the one that came to its end last."""


def usual_store() -> Path:
    """Where records and runs are kept if nothing else is said."""
    return cache_directory() / "store"


_BOARDS = 64
"""Boards that are remembered: a sweep has all cells of some boards before those of others."""


class Store:
    """Records and runs below the directory `root`, which is made when something is written."""

    def __init__(self, root: Path, runs: str = "runs", parsers: Parsers | None = None) -> None:
        """`runs` is the directory with the runs, below `root`; figures come from `parsers`, or from
        those that are used everywhere.
        """
        self.root = root
        self.runs = root / runs
        self._parsers = parsers
        self._index = Index(root)

    @property
    def sensitivity(self) -> "Store":
        """The same records, with what was measured for studies of sensitivity as its runs."""
        return Store(self.root, "sensitivity", self._parsers)

    @property
    def design(self) -> "Store":
        """The same records, with what was measured for questions of design as its runs."""
        return Store(self.root, "design", self._parsers)

    @property
    def parsers(self) -> Parsers:
        """What derives figures."""
        return self._parsers or used()

    # Records

    def record_path(self, key: str) -> Path:
        """Where the record of that address is, or would be."""
        return self.root / "records" / key[:2] / f"{key}.json"

    def observations_path(self, key: str) -> Path:
        """Where the observations of the record of that address are, or would be."""
        return self.root / "observations" / key[:2] / f"{key}.json.xz"

    def keys(self) -> set[str]:
        """The addresses of all records."""
        return {path.stem for path in (self.root / "records").glob("*/*.json")}

    def get(self, key: str, cell: Cell | None = None) -> Record | None:
        """The record of that address, with the figures of `cell`, or of the cell that it was first
        measured for; None when it was never written.

        Raises `FiresteelError` when it is damaged, of another format or not to be read, and
        `CellFailure` when its observations show that the measurement went wrong.
        """
        file = self._file(key)
        if file is None:
            return None
        cell = cell or file.cell
        name, made_of = self._figures_key(key, cell, file)
        if kept := self._index.get("figures", name, made_of):
            return file.record(cell, Derived.model_validate_json(kept))
        found = self.parsers.derive(cell, self._observations(key, file))
        self._index.put("figures", name, made_of, found.model_dump_json().encode())
        return file.record(cell, found)

    def has(self, key: str) -> bool:
        """Whether there is a record of that address, as whole as `get` needs it.

        One that was found whole is not looked into again while its bytes are the same.  Raises what
        `get` does.
        """
        made_of = f"{digest_of(_content(self.record_path(key)))} {self.parsers.version}"
        if self._index.get("record", key, made_of) is not None:
            return True
        if self.get(key) is None:
            return False
        self._index.put("record", key, made_of, b"")
        return True

    def outcome(self, key: str) -> str | None:
        """`RecordFile.outcome` of the record of that address; None when it was never written.

        Raises `FiresteelError` when it is damaged, of another format or not to be read.
        """
        file = self._file(key)
        return file.outcome if file else None

    def observations(self, key: str) -> TopologyRun:
        """What the boards of a record handed out.

        Raises `FiresteelError` when it is damaged or gone.
        """
        path = self.record_path(key)
        return self._observations(key, RecordFile.from_json(key, read_text(path) or "", str(path)))

    def _file(self, key: str) -> RecordFile | None:
        path = self.record_path(key)
        text = read_text(path)
        return None if text is None else RecordFile.from_json(key, text, str(path))

    def put(self, inputs: Inputs, run: TopologyRun, packages: Mapping[str, str]) -> Record:
        """Stores the output of a cell's boards permanently, and returns its record.

        Nothing is written if the figures cannot be derived (`CellFailure`).  Records at the same
        address must have equal observations; a damaged one is replaced.  Raises `DisputeError` when
        an intact one says otherwise, in which case both are kept, and `StoreError` when it cannot
        be written, in which case nothing is left behind.  A caller that may have rivals needs a
        claim (`claim`).
        """
        found = self.parsers.derive(inputs.cell, run)
        text = observations.to_text(run)
        file = RecordFile(
            cell=inputs.cell,
            versions=inputs.versions,
            setup=Setup.of(run),
            trace=run.trace_digest,
            observed=observations.digest_of(text),
            packages=dict(packages),
        )
        record, content = file.record(inputs.cell, found), file.to_json().encode()
        before = self._intact(inputs)
        if before is None:
            self._write(inputs.key, content, observations.pack(text))
        if before not in (None, record):
            self._dispute(before, file, text, record)
        self.remember(file, content, inputs.cell, found)
        return record

    def remember(self, file: RecordFile, content: bytes, cell: Cell, found: Derived) -> None:
        """Keeps in the index that a record with that content is whole, and figures of it."""
        key = file.key
        self._index.put("record", key, f"{digest_of(content)} {self.parsers.version}", b"")
        name, made_of = self._figures_key(key, cell, file)
        self._index.put("figures", name, made_of, found.model_dump_json().encode())

    def claim(self, key: str) -> Claim:
        """What keeps other processes from measuring the cell of that record, once it is taken."""
        return Claim(self.root / "claims" / key)

    def adopt(self, other: "Store", key: str) -> None:
        """Copies another store's record of that address without changes."""
        write_whole(self.observations_path(key), other.observations_path(key).read_bytes())
        write_whole(self.record_path(key), other.record_path(key).read_bytes())

    def _figures_key(self, key: str, cell: Cell, file: RecordFile) -> tuple[str, str]:
        """What figures of a cell are called in the index, and what they are made of."""
        of_cell = digest_of(cell.model_dump_json().encode())[:16]
        return f"{key}-{of_cell}", f"{file.observed} {self.parsers.version}"

    def _observations(self, key: str, file: RecordFile) -> TopologyRun:
        path = self.observations_path(key)
        try:
            text = observations.unpack(path.read_bytes())
            if observations.digest_of(text) != file.observed:
                raise observations.DamagedError("not those of the record")
            return observations.from_text(text, file.setup, file.trace, file.cell.seed)
        except observations.DamagedError as error:
            why = f"damaged ({error})"
        except FileNotFoundError:
            why = "missing"
        except OSError as error:
            raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
        raise FiresteelError(
            f"{path}: the observations of a record are {why}; `firesteel run` measures its cell "
            "again and replaces them."
        )

    def _intact(self, inputs: Inputs) -> Record | None:
        """The record of these inputs that is there, if it and its observations are not damaged."""
        try:
            text = read_text(self.record_path(inputs.key)) or ""
            file = RecordFile.from_json(inputs.key, text, "")
            run = self._observations(inputs.key, file)
            return file.record(inputs.cell, self.parsers.derive(inputs.cell, run))
        except FiresteelError:
            return None

    def _write(self, key: str, record: bytes, packed: bytes) -> None:
        """The record last, so that what it speaks of is there."""
        write_whole(self.observations_path(key), packed)
        try:
            write_whole(self.record_path(key), record)
        except StoreError:
            with contextlib.suppress(OSError):
                self.observations_path(key).unlink()
            raise

    def _dispute(self, before: Record, file: RecordFile, text: str, record: Record) -> NoReturn:
        """Keeps what was measured again and came out otherwise beside the record, and raises."""
        key = record.key
        name = f"{key}-{file.observed[:12]}"
        kept = self.root / "disputes" / key[:2] / f"{name}.json"
        write_whole(kept.with_name(f"{name}.observations.json.xz"), observations.pack(text))
        write_whole(kept, file.to_json().encode())
        raise DisputeError(
            f"{self.record_path(key)}: measured again, this record differs "
            f"({first_difference(before, record)}), although all its inputs are the same: a cell "
            f"that is not deterministic is a defect of Firesteel, or a machine is damaged. The "
            f"stored record counts; the other one is kept as {kept}."
        )

    # Runs

    def logs(self, run: str) -> Path:
        """Where the logs of the run's failed cells are, in a directory a cell."""
        return self.runs / run / "logs"

    def all_logs(self) -> list[Path]:
        """The directories of logs of all cells of all runs, as far as they can be read."""
        return sorted(self.runs.glob("*/logs/*"))

    def report_path(self, run: str) -> Path:
        """Where the run's report is; in the cache directory for who may not write to the run's."""
        if os.access(self.runs / run, os.W_OK) or not (self.runs / run).exists():
            return self.runs / run / "report.html"
        return cache_directory() / "reports" / f"{run}.html"

    def check_writable(self) -> None:
        """Raises `StoreError` when no record or run can be written."""
        for directory in (self.root / "records", self.root / "observations", self.runs):
            try:
                directory.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=directory) as file:
                    file.write(b"a byte, which a full disk has no room for")
            except OSError as error:
                raise StoreError.of(directory, error) from None

    def start_run(self, experiment: str, day: date) -> str:
        """Claims the next free name of a run, as `2026-11-20-quickstart-1`."""
        number = 1
        while True:
            name = f"{day.isoformat()}-{experiment}-{number}"
            try:
                (self.runs / name).mkdir(parents=True)
                return name
            except FileExistsError:
                number += 1
            except OSError as error:
                raise StoreError.of(self.runs / name, error) from None

    def save(self, journal: Journal) -> None:
        """Writes a run's journal as it stands now, with all its progress."""
        write_whole(self.journal_path(journal.name), journal.to_json().encode())
        try:
            self.progress_path(journal.name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError.of(self.progress_path(journal.name), error) from None

    def journal_path(self, run: str) -> Path:
        """Where the run's journal is, but for the progress of one that is under way."""
        return self.runs / run / "run.json"

    def progress_path(self, run: str) -> Path:
        """Where a run under way says how it goes (`store.journal`)."""
        return self.runs / run / PROGRESS

    def make_latest(self, name: str) -> None:
        """Makes that run the one meant by `latest`."""
        temporary = self.runs / f".{LATEST}.{os.getpid()}.tmp"
        try:
            temporary.unlink(missing_ok=True)
            temporary.symlink_to(name)
            temporary.replace(self.runs / LATEST)
        except OSError as error:
            raise StoreError.of(self.runs / LATEST, error) from None

    def run_names(self) -> list[str]:
        """All runs that have a journal, sorted by name.

        Raises `FiresteelError` when there is no telling which there are.
        """
        return sorted(name for name in self._directories() if self._has_journal(name))

    def journal(self, name: str = LATEST) -> Journal:
        """The journal of that run.

        Raises `FiresteelError` when there is none, with the runs there are, or it is damaged.
        """
        wanted = self.find(name)
        beside = self.progress_path(wanted)
        since = read_progress(beside)  # First: what is in the journal by then does no harm.
        path, content = self.journal_path(wanted), self._read_journal(wanted)
        try:
            journal = Journal.from_json(content.decode(), str(path))
        except UnicodeDecodeError:
            raise FiresteelError(f"{path}: this run is damaged: it is not text.") from None
        if journal.name != wanted:  # What is written of a run goes where its name says.
            raise FiresteelError(
                f"{path}: this run is damaged: it calls itself `{journal.name}`, not `{wanted}`."
            )
        apply(journal, since[0] if since else (), beside)
        return journal

    def find(self, name: str = LATEST) -> str:
        """The name of that run; `FiresteelError` when there is none, with those there are."""
        known = self.run_names()
        if not known:
            there = "" if self.root == usual_store() else f" --store {self.root}"
            raise FiresteelError(
                f"There are no runs in {self.root} yet; `firesteel run quickstart --quick{there}` "
                "makes one."
            )
        wanted = self.latest(known) if name == LATEST else name
        if wanted not in known and wanted in self._directories():
            raise FiresteelError(
                f"The run `{wanted}` has no journal: {self.journal_path(wanted)} is missing, "
                "so its cells are unknown; their records are still in the store, and `firesteel "
                "run` takes them from there."
            )
        if wanted not in known:
            raise FiresteelError(f"There is no run `{name}`; there are: {', '.join(known)}.")
        return wanted

    def latest(self, known: list[str]) -> str:
        """Which of these runs came to its end last.

        It is the one that the link names.  When that is gone or leads nowhere it is the newest that
        has no cell left to measure, or else the newest.
        """
        with contextlib.suppress(OSError):
            if (name := (self.runs / LATEST).readlink().name) in known:
                return name
        newest = sorted(known, key=lambda name: (self.runs / name).stat().st_mtime_ns, reverse=True)
        for name in newest:
            with contextlib.suppress(FiresteelError):
                if not self.summary(name).count("waiting"):
                    return name
        return newest[0]

    def summary(self, name: str) -> Summary:
        """That run in short, of which no more is read than that needs; raises what `journal`
        does.
        """
        beside = self.progress_path(name)
        since = read_progress(beside)
        try:
            found = Summary.model_validate_json(self._read_journal(name))
        except ValidationError:
            return self.journal(name)  # What is wrong is said of a whole reading.
        apply(found, since[0] if since else (), beside)
        return found if found.is_numbered and found.name == name else self.journal(name)

    def runs_of(self, experiment: str, *, quick: bool) -> list[Summary]:
        """All runs of an experiment that can be read, in short, the newest first."""
        found = []
        for name in self.run_names():
            with contextlib.suppress(FiresteelError):
                found.append(self.summary(name))
        alike = (each for each in found if (each.experiment, each.quick) == (experiment, quick))
        return sorted(alike, key=lambda each: each.started, reverse=True)

    def _read_journal(self, run: str) -> bytes:
        path = self.journal_path(run)
        try:
            return path.read_bytes()
        except OSError as error:
            raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None

    def _directories(self) -> list[str]:
        """The names of all runs, with or without a journal."""
        try:
            with os.scandir(self.runs) as entries:
                return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise FiresteelError(f"{self.runs}: cannot be read: {error.strerror}.") from None

    def _has_journal(self, name: str) -> bool:
        try:
            self.journal_path(name).stat()
        except FileNotFoundError:
            return False
        except OSError:
            return True  # What is wrong with it is said when it is read.
        return True

    # Records of runs

    def records(self, journal: Journal) -> list[Record]:
        """The records of a run's finished cells, in its order, on the boards of these cells."""
        return list(self.each_record(journal, journal.entries))

    def each_record(self, journal: Journal, entries: Iterable[Entry]) -> Iterator[Record]:
        """The same, one after the other, for the run's entries.

        A record that stands for cells on other boards has these boards, if a cell of the run was
        measured on them.
        """
        at_place: defaultdict[object, list[Entry]] = defaultdict(list)

        @lru_cache(maxsize=_BOARDS)
        def setup_at(place: object) -> Setup | None:
            if not at_place:
                for entry in journal.entries:
                    if entry.state == "done":
                        at_place[_boards_of(entry.cell)].append(entry)
            records = (self.record(journal, entry) for entry in at_place[place])
            return next((each.setup for each in records if not each.stands), None)

        for entry in entries:
            if entry.state == "done":
                record = self.record(journal, entry)
                setup = setup_at(_boards_of(entry.cell)) if record.stands else None
                yield record.on(setup) if setup else record

    def record(self, journal: Journal, entry: Entry) -> Record:
        """The record of a finished cell of a run; `FiresteelError` when it is damaged or gone."""
        record = self.get(entry.key, entry.cell)
        if record is None:
            raise FiresteelError(
                f"The record of `{entry.cell.label}` of the run `{journal.name}` is missing: "
                f"{self.record_path(entry.key)}; `firesteel run` measures it again."
            )
        return record

    def as_measured(self, journal: Journal, entry: Entry) -> Record:
        """The same as the record of the cell that was measured, where it stands for others."""
        record = self.record(journal, entry)
        return (self.get(entry.key) or record) if record.stands else record

    def rows(self, run: str, code: bytes, make: Callable[[Journal], bytes]) -> bytes:
        """The tidy rows of a run as `make`, whose source is `code`, makes them of its journal; kept
        until the journal, its records or the parsers change.
        """
        content = _content(self.journal_path(run))
        keys = dict.fromkeys(re.findall(rb'"key": ?"([0-9a-f]{64})"', content))
        records = (_content(self.record_path(key.decode())) for key in keys)
        made_of = hashlib.sha256(self.parsers.version.encode())
        for each in (code, content, _content(self.progress_path(run)), *records):
            made_of.update(hashlib.sha256(each).hexdigest().encode())
        name = f"{self.runs.name}/{run}"
        if kept := self._index.get("rows", name, made_of.hexdigest()):
            return kept
        found = make(self.journal(run))
        self._index.put("rows", name, made_of.hexdigest(), found)
        return found


def _content(path: Path) -> bytes:
    """What a file has; nothing where it is not there, which is said when it is read for good."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _boards_of(cell: Cell) -> object:
    """What says which boards and links a cell is measured on."""
    return cell.topology, cell.link_rate_bit_s, tuple(sorted(cell.profiles.items()))
