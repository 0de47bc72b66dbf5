# SPDX-License-Identifier: Apache-2.0
"""The store: records by the hash of their inputs, and the journals of runs.

    STORE/records/ab/abcdef….json     a record; never changed once written
    STORE/observations/ab/abcdef….json.xz
                                      what its boards handed out
    STORE/disputes/ab/abcdef…-….json  what differed from a record when its cell was measured again,
                                      with its observations beside it; nothing reads it
    STORE/index/                      a cache: the figures derived from observations, and which
                                      files are known to be whole (`store.index`)
    STORE/runs/NAME/run.json          a run's journal: its cells in order, and how each ended
    STORE/runs/NAME/progress.jsonl    what has happened in a run under way (`store.progress`)
    STORE/runs/NAME/report.html       its report
    STORE/runs/NAME/logs/CELL/        logs of a cell that failed
    STORE/runs/latest                 a link to the run that came to its end last
    STORE/design/NAME/answer.json    what was asked of boards, beside the journal of its last run
    STORE/sensitivity/NAME/           a study of how far assumptions may be off: the journal of what
                                      was measured for it, as a run's, and study.json

Every file of a record or a run is written beside its place, flushed to the disk and renamed, so
what is there is whole; progress alone grows line by line.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import NoReturn

from firesteel.base.envelope import read_text
from firesteel.base.errors import DisputeError, FiresteelError, StoreError
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.store import derived, observations, progress
from firesteel.store.boards import Boards
from firesteel.store.derived import Derived
from firesteel.store.index import Index
from firesteel.store.journal import Entry, Journal, Summary
from firesteel.store.record import Inputs, Record
from firesteel.store.record_file import RecordFile, damaged_observations, read_file
from firesteel.store.setup import Setup
from firesteel.store.whole import digest_of, write_whole
from firesteel.workloads import titles

__all__ = ["LATEST", "Store", "write_whole"]

_RUNS, _SENSITIVITY, _DESIGN = "runs", "sensitivity", "design"

LATEST = "latest"
"""What a run is called that stands for the one that came to its end last."""


class Store:
    """Records and runs below the directory `root`, which is made when something is written."""

    def __init__(self, root: Path, runs: str = _RUNS, index: Index | None = None) -> None:
        """`runs` is the directory with the runs, below `root`."""
        self.root = root
        self.runs = root / runs
        self._index = index or Index(root)

    @property
    def sensitivity(self) -> "Store":
        """The same records, with what was measured for studies of sensitivity as its runs."""
        return Store(self.root, _SENSITIVITY, self._index)

    @property
    def design(self) -> "Store":
        """The same records, with what was measured for questions of design as its runs."""
        return Store(self.root, _DESIGN, self._index)

    def record_path(self, key: str) -> Path:
        """Where the record of that address is, or would be."""
        return self.root / "records" / key[:2] / f"{key}.json"

    def observations_path(self, key: str) -> Path:
        """Where the observations of the record of that address are, or would be."""
        return self.root / "observations" / key[:2] / f"{key}.json.xz"

    def get(self, key: str, cell: Cell | None = None) -> Record | None:
        """The record of that address, with the figures of `cell`, or of the cell that it was first
        measured for; None when it was never written.

        Raises `FiresteelError` when it is damaged, of another format or not to be read, and
        `CellFailure` when its observations show that the measurement went wrong.
        """
        path = self.record_path(key)
        text = read_text(path)
        if text is None:
            return None
        file = read_file(key, text, str(path))
        if isinstance(file, Record):
            return file
        cell = cell or file.cell
        return file.record(cell, self._derived(key, cell, file))

    def has(self, key: str) -> bool:
        """Whether there is a record of that address, as whole as `get` needs it.

        One that was found whole is not read again while its file is as it was.  Raises what `get`
        does.
        """
        path = self.record_path(key)
        if self._index.said("record", key, path) == derived.parsers():
            return True
        if self.get(key) is None:
            return False
        with contextlib.suppress(OSError):
            self._index.keep("record", key, path.read_bytes(), derived.parsers())
        return True

    def observations(self, key: str) -> TopologyRun | None:
        """What the boards of a record handed out; None where it was not kept.

        Raises `FiresteelError` when it is damaged or gone.
        """
        text = read_text(self.record_path(key))
        file = read_file(key, text or "", str(self.record_path(key)))
        return None if isinstance(file, Record) else self._observations(key, file)

    def _observations(self, key: str, file: RecordFile) -> TopologyRun:
        path = self.observations_path(key)
        try:
            text = observations.unpack(path.read_bytes())
            if observations.digest_of(text) != file.observed:
                raise damaged_observations(str(path), "damaged (not those of the record)")
            return observations.from_text(text, file.setup, file.trace)
        except observations.DamagedError as error:
            raise damaged_observations(str(path), f"damaged ({error})") from None
        except FileNotFoundError:
            raise damaged_observations(str(path), "missing") from None
        except OSError as error:
            raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None

    def put(self, inputs: Inputs, run: TopologyRun, packages: Mapping[str, str]) -> Record:
        """Keeps what a cell's boards handed out for good, and gives the record that it makes.

        Nothing is written if the figures cannot be derived (`CellFailure`).  What is there of the
        same address must have the same observations; if it is damaged it is replaced.  Raises
        `DisputeError` when an intact one says otherwise, in which case both are kept, and
        `StoreError` when it cannot be written, in which case nothing is left behind.
        """
        found = derived.derive(inputs.cell, run)
        text = observations.to_text(run)
        file = RecordFile(
            cell=inputs.cell,
            versions=inputs.versions,
            setup=Setup.of(run),
            trace=run.trace_digest,
            observed=observations.digest_of(text),
            packages=dict(packages),
        )
        record = file.record(inputs.cell, found)
        content = file.to_json().encode()
        with self._alone(inputs.key):
            before = self._intact(inputs)
            if before is None:
                self._write(inputs.key, content, observations.pack(text))
        if before is None:
            self._index.keep("record", inputs.key, content, derived.parsers())
        elif before != record:
            self._dispute(before, file, text, record)
        self._index.keep_figures(derived.cache_name(inputs.key, file.observed, inputs.cell), found)
        return record

    @contextlib.contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Keeps others, in this process or not, from writing the record of that address meanwhile:
        of two that measured it one finds the other's.
        """
        directory = self.record_path(key).parent
        try:
            directory.mkdir(parents=True, exist_ok=True)
            lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise StoreError.of(directory, error) from None
        try:
            with contextlib.suppress(OSError):  # A file system without locks has to do.
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _dispute(self, before: Record, file: RecordFile, text: str, record: Record) -> NoReturn:
        """Keeps what was measured again and came out otherwise beside the record, and raises."""
        key = record.key
        name = f"{key}-{file.observed[:12]}"
        kept = self.root / "disputes" / key[:2] / f"{name}.json"
        write_whole(kept.with_name(f"{name}.observations.json.xz"), observations.pack(text))
        write_whole(kept, file.to_json().encode())
        raise DisputeError(
            f"{self.record_path(key)}: measured again, this record differs "
            f"({_first_difference(before, record)}), although all its inputs are the same: a cell "
            f"that is not deterministic is a defect of Firesteel, or a machine is damaged. The "
            f"stored record counts; the other one is kept as {kept}."
        )

    def adopt(self, other: "Store", key: str) -> None:
        """Takes over another store's record of that address, as it is."""
        for mine, its in (
            (self.observations_path(key), other.observations_path(key)),
            (self.record_path(key), other.record_path(key)),
        ):
            write_whole(mine, its.read_bytes())

    def _write(self, key: str, record: bytes, packed: bytes) -> None:
        """The record last, so that what it speaks of is there."""
        write_whole(self.observations_path(key), packed)
        try:
            write_whole(self.record_path(key), record)
        except StoreError:
            with contextlib.suppress(OSError):
                self.observations_path(key).unlink()
            raise

    def _intact(self, inputs: Inputs) -> Record | None:
        """The record of these inputs that is there, if it and its observations are not damaged."""
        try:
            text = read_text(self.record_path(inputs.key))
            file = read_file(inputs.key, text or "", "")
            if isinstance(file, Record):
                return None
            run = self._observations(inputs.key, file)
            return file.record(inputs.cell, derived.derive(inputs.cell, run))
        except FiresteelError:
            return None

    def _derived(self, key: str, cell: Cell, file: RecordFile) -> Derived:
        """The figures of a record, from the index if it has them."""
        name = derived.cache_name(key, file.observed, cell)
        if found := self._index.figures(name):
            return found
        found = derived.derive(cell, self._observations(key, file))
        self._index.keep_figures(name, found)
        return found

    def logs(self, run: str) -> Path:
        """Where the logs of the run's failed cells are, in a directory a cell."""
        return self.runs / run / "logs"

    def all_logs(self) -> list[Path]:
        """The directories of logs of all cells of all runs, as far as they can be read."""
        return sorted(self.runs.glob("*/logs/*"))

    def report_path(self, run: str) -> Path:
        """Where the run's report is."""
        return self.runs / run / "report.html"

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
        content = journal.to_json().encode()
        write_whole(self.journal_path(journal.name), content)
        self._keep_summary(journal, content)
        try:
            self.progress_path(journal.name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError.of(self.progress_path(journal.name), error) from None

    def journal_path(self, run: str) -> Path:
        """Where the run's journal is, but for the progress of one that is under way."""
        return self.runs / run / "run.json"

    def progress_path(self, run: str) -> Path:
        """Where a run under way says how it goes (`store.progress`)."""
        return self.runs / run / progress.FILE

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
        path, beside = self.journal_path(wanted), self.progress_path(wanted)
        since = progress.read(beside)  # First: what is in the journal by then does no harm.
        try:
            content = path.read_bytes()
            journal = Journal.from_json(content.decode(), str(path))
        except UnicodeDecodeError:
            raise FiresteelError(f"{path}: this run is damaged: it is not text.") from None
        except OSError as error:
            raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
        if journal.name != wanted:  # What is written of a run goes where its name says.
            raise FiresteelError(
                f"{path}: this run is damaged: it calls itself `{journal.name}`, not `{wanted}`."
            )
        if self._known_summary(wanted) is None:
            self._keep_summary(journal, content)
        progress.apply(journal, since.events if since else (), beside)
        return journal

    def find(self, name: str = LATEST) -> str:
        """The name of that run; `FiresteelError` when there is none, with those there are."""
        known = self.run_names()
        if not known:
            raise FiresteelError(
                f"There are no runs in {self.root} yet; `firesteel run quickstart --quick` "
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

    def summary(self, name: str) -> Summary:
        """That run in short, without reading a long journal again that is as it was.

        Raises what `journal` does.
        """
        since = progress.read(self.progress_path(name))
        known = self._known_summary(name)
        if known is None or (since and since.events and known.waiting < known.cells):
            return self.journal(name).summary
        return progress.counted(known, since.events if since else ())

    def summaries(self) -> Iterator[Summary]:
        """All runs that can be read, in short, sorted by name."""
        for name in self.run_names():
            with contextlib.suppress(FiresteelError):
                yield self.summary(name)

    def _known_summary(self, run: str) -> Summary | None:
        """What a journal's file says, without the run's progress, where that is known."""
        said = self._index.said("run", self._indexed(run), self.journal_path(run))
        try:
            return Summary(**json.loads(said)) if said else None
        except (ValueError, TypeError):
            return None

    def _keep_summary(self, journal: Journal, content: bytes) -> None:
        said = json.dumps(asdict(journal.summary))
        self._index.keep("run", self._indexed(journal.name), content, said)

    def _indexed(self, run: str) -> str:
        return f"{self.runs.name}/{run}"

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

    def records(self, journal: Journal) -> list[Record]:
        """The records of a run's finished cells, in its order, on the boards of these cells."""
        return list(self.each_record(journal, journal.entries))

    def each_record(self, journal: Journal, entries: Iterable[Entry]) -> Iterator[Record]:
        """The same one after the other, of those of the run's entries."""
        boards = Boards(journal, lambda entry: self.record(journal, entry))
        for entry in entries:
            if entry.state == "done":
                yield boards.on_its_own(self.record(journal, entry))

    def record(self, journal: Journal, entry: Entry) -> Record:
        """The record of a finished cell of a run; `FiresteelError` when it is damaged or gone."""
        record = self.get(entry.key, entry.cell)
        if record is None:
            raise FiresteelError(
                f"The record of `{titles.of_cell(entry.cell)}` of the run `{journal.name}` is "
                f"missing: {self.record_path(entry.key)}; `firesteel run` measures it again."
            )
        return record

    def as_measured(self, journal: Journal, entry: Entry) -> Record:
        """The same as the record of the cell that was measured, where it stands for others."""
        record = self.record(journal, entry)
        return (self.get(entry.key) or record) if record.stands else record

    def version(self, run: str, code: bytes) -> str:
        """A hash of all that the tidy rows of a run follow from: what its journal and its records
        say, the parsers, and the `code` that makes rows.
        """
        journal = _content(self.journal_path(run))
        keys = dict.fromkeys(re.findall(rb'"key": ?"([0-9a-f]{64})"', journal))
        records = (_content(self.record_path(key.decode())) for key in keys)
        found = hashlib.sha256(derived.parsers().encode())
        for content in (code, journal, _content(self.progress_path(run)), *records):
            found.update(digest_of(content).encode())
        return found.hexdigest()

    def kept_rows(self, run: str, version: str) -> bytes | None:
        """The tidy rows of a run as they were kept; None of another version."""
        return self._index.rows(self._indexed(run), version)

    def keep_rows(self, run: str, version: str, content: bytes) -> None:
        """Keeps the tidy rows of a run, in place of those of other versions."""
        self._index.keep_rows(self._indexed(run), version, content)

    def latest(self, known: list[str]) -> str:
        """Which of these runs came to its end last.

        It is the one that the link names.  When that is gone or leads nowhere it is the newest that
        has no cell left to measure, or else the newest.
        """
        with contextlib.suppress(OSError):
            if (name := (self.runs / LATEST).readlink().name) in known:
                return name
        newest = sorted(known, key=lambda name: (self.runs / name).stat().st_mtime_ns, reverse=True)
        return next((name for name in newest if self._is_finished(name)), newest[0])

    def _is_finished(self, name: str) -> bool:
        try:
            return not self.summary(name).waiting
        except FiresteelError:
            return False


def _content(path: Path) -> bytes:
    """What a file has; nothing where it is not there, which is said when it is read for good."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _first_difference(before: Record, after: Record) -> str:
    old = {figure: figure.value for figure in before.measurement.figures}
    for figure in after.measurement.figures:
        if figure not in old:
            return (
                f"{figure.workload} {figure.parameter.text} {figure.metric} is now {figure.value}"
            )
    if before.measurement.trace != after.measurement.trace:
        return "the trace of the links"
    if before.observed != after.observed:
        return "what the boards handed out"
    return "its metadata"
