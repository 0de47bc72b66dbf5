# SPDX-License-Identifier: Apache-2.0
"""The store: records by the hash of their inputs, and the journals of runs.

    STORE/records/ab/abcdef….json     a record; never changed once written
    STORE/observations/ab/abcdef….json.xz
                                      what its boards handed out
    STORE/figures/ab/abcdef…-….json   a cache of the figures derived from that
    STORE/runs/NAME/run.json          a run's journal: its cells in order, and how each ended
    STORE/runs/NAME/report.html       its report
    STORE/runs/NAME/logs/CELL/        logs of a cell that failed
    STORE/runs/latest                 a link to the run that came to its end last
    STORE/sensitivity/NAME/           a study of how far assumptions may be off: the journal of what
                                      was measured for it, as a run's, and study.json

Every file is written beside its place, flushed to the disk and renamed, so what is there is whole.
"""

import contextlib
import errno
import os
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from firesteel.base.envelope import read_text
from firesteel.base.errors import FiresteelError, StoreError
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.store import derived, observations
from firesteel.store.derived import Derived
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Inputs, Record, on_their_boards
from firesteel.store.record_file import RecordFile, damaged_observations, read_file
from firesteel.store.setup import Setup
from firesteel.workloads import titles

_RUNS, _SENSITIVITY, _DESIGN = "runs", "sensitivity", "design"

LATEST = "latest"
"""What a run is called that stands for the one that came to its end last."""


class Store:
    """Records and runs below the directory `root`, which is made when something is written."""

    def __init__(self, root: Path, runs: str = _RUNS) -> None:
        """`runs` is the directory with the runs, below `root`."""
        self.root = root
        self.runs = root / runs

    @property
    def sensitivity(self) -> "Store":
        """The same records, with what was measured for studies of sensitivity as its runs."""
        return Store(self.root, _SENSITIVITY)

    @property
    def design(self) -> "Store":
        """The same records, with what was measured for questions of design as its runs."""
        return Store(self.root, _DESIGN)

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
        `FiresteelError` when an intact one says otherwise, and `StoreError` when it cannot be
        written, in which case nothing is left behind.
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
        before = self._intact(inputs)
        if before is None:
            self._write(inputs.key, file, observations.pack(text))
        elif before != record:
            raise FiresteelError(
                f"{self.record_path(inputs.key)}: measured again, this record differs "
                f"({_first_difference(before, record)}), although all its inputs are the same; the "
                "stored one is kept."
            )
        self._cache(inputs.key, inputs.cell, found)
        return record

    def adopt(self, other: "Store", key: str) -> None:
        """Takes over another store's record of that address, as it is."""
        for mine, its in (
            (self.observations_path(key), other.observations_path(key)),
            (self.record_path(key), other.record_path(key)),
        ):
            write_whole(mine, its.read_bytes())

    def _write(self, key: str, file: RecordFile, packed: bytes) -> None:
        """The record last, so that what it speaks of is there."""
        write_whole(self.observations_path(key), packed)
        try:
            write_whole(self.record_path(key), file.to_json().encode())
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
        """The figures of a record, from the cache if it has them."""
        path = self._cache_path(key, cell)
        if found := derived.cached(path):
            return found
        found = derived.derive(cell, self._observations(key, file))
        self._cache(key, cell, found)
        return found

    def _cache(self, key: str, cell: Cell, found: Derived) -> None:
        """Keeps figures, if that is possible: they can always be derived again."""
        path = self._cache_path(key, cell)
        with contextlib.suppress(StoreError):
            write_whole(path, found.to_json().encode())

    def _cache_path(self, key: str, cell: Cell) -> Path:
        return self.root / "figures" / key[:2] / derived.cache_name(key, cell)

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
                raise StoreError(_cannot_write(directory, error)) from None

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
                raise StoreError(_cannot_write(self.runs / name, error)) from None

    def save(self, journal: Journal) -> None:
        """Writes a run's journal as it stands now."""
        write_whole(self.runs / journal.name / "run.json", journal.to_json().encode())

    def make_latest(self, name: str) -> None:
        """Makes that run the one meant by `latest`."""
        temporary = self.runs / f".{LATEST}.{os.getpid()}.tmp"
        try:
            temporary.unlink(missing_ok=True)
            temporary.symlink_to(name)
            temporary.replace(self.runs / LATEST)
        except OSError as error:
            raise StoreError(_cannot_write(self.runs / LATEST, error)) from None

    def run_names(self) -> list[str]:
        """All runs that have a journal, sorted by name.

        Raises `FiresteelError` when there is no telling which there are.
        """
        return sorted(name for name in self._directories() if self._has_journal(name))

    def journal(self, name: str = LATEST) -> Journal:
        """The journal of that run.

        Raises `FiresteelError` when there is none, with the runs there are, or it is damaged.
        """
        known = self.run_names()
        if not known:
            raise FiresteelError(
                f"There are no runs in {self.root} yet; `firesteel run quickstart --quick` "
                "makes one."
            )
        wanted = self.latest(known) if name == LATEST else name
        if wanted not in known and wanted in self._directories():
            raise FiresteelError(
                f"The run `{wanted}` has no journal: {self.runs / wanted / 'run.json'} is missing, "
                "so its cells are unknown; their records are still in the store, and `firesteel "
                "run` takes them from there."
            )
        if wanted not in known:
            raise FiresteelError(f"There is no run `{name}`; there are: {', '.join(known)}.")
        path = self.runs / wanted / "run.json"
        try:
            journal = Journal.from_json(path.read_text(encoding="utf-8"), str(path))
        except UnicodeDecodeError:
            raise FiresteelError(f"{path}: this run is damaged: it is not text.") from None
        except OSError as error:
            raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
        if journal.name != wanted:  # What is written of a run goes where its name says.
            raise FiresteelError(
                f"{path}: this run is damaged: it calls itself `{journal.name}`, not `{wanted}`."
            )
        return journal

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
            (self.runs / name / "run.json").stat()
        except FileNotFoundError:
            return False
        except OSError:
            return True  # What is wrong with it is said when it is read.
        return True

    def records(self, journal: Journal) -> list[Record]:
        """The records of a run's finished cells, in its order, on the boards of these cells."""
        done = (entry for entry in journal.entries if entry.state == "done")
        return on_their_boards(self.record(journal, entry) for entry in done)

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
            return not self.journal(name).count("waiting")
        except FiresteelError:
            return False


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that, whatever happens, it is either whole or as it was.

    Raises `StoreError` when it cannot be written.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _flush_directory(path.parent)
    except OSError as error:
        raise StoreError(_cannot_write(path, error)) from None


def _flush_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot_write(path: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"{path}: not written, because the disk is full; finished cells are kept, and the same "
            "command continues from there once there is space."
        )
    return f"{path}: cannot be written: {error.strerror}."


def _first_difference(before: Record, after: Record) -> str:
    old = {figure: figure.value for figure in before.measurement.figures}
    for figure in after.measurement.figures:
        if figure not in old:
            return (
                f"{figure.workload} {figure.parameter.text} {figure.metric} is now {figure.value}"
            )
    if before.measurement.trace != after.measurement.trace:
        return "the trace of the links"
    return "its metadata"
