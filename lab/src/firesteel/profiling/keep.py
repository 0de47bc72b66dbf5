# SPDX-License-Identifier: Apache-2.0
"""Profiles beside their runs: those that are there, those that another run has, and new ones."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.campaign.board_runner import BoardRunner
from firesteel.experiment.experiment import named
from firesteel.profiling.choose import choose_records, choose_windows
from firesteel.profiling.document import Profile, load, profile_path, save
from firesteel.profiling.measure import Profiler
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.setup import catalog_of
from firesteel.store.store import Store
from firesteel.workloads import titles
from firesteel.workloads.cells import cell_windows

Tell = Callable[[str], None]
"""Is given a line that says what is being done."""


def path_of(store: Store, run: str, record: Record, window: str) -> Path:
    """Where a run has the profile of a record in a window, or would have it."""
    main = cell_windows(record.inputs.cell, record.measurement.figures)[0]
    return profile_path(store, run, record.key, window, main)


def find(store: Store, run: str, record: Record, window: str) -> Profile | None:
    """The profile of a record in a window that the run has, or another run of the store.

    Raises `FiresteelError` when its file is damaged.
    """
    path = path_of(store, run, record, window)
    if found := load(path):
        return found
    for other in sorted(store.runs.glob(f"*/profiles/{path.name}")):
        if found := load(other):
            save(path, found)
            return found
    return None


def make(
    store: Store, run: str, record: Record, window: str, cancel: threading.Event | None = None
) -> Profile:
    """Profiles a record's cell, and keeps what came of it.

    Raises `FiresteelError` when that fails, and `Cancelled` after `cancel` was set.
    """
    store.check_writable()
    catalog = catalog_of([(record.inputs.cell, record.measurement.setup)])
    runner = BoardRunner(catalog, libcrypto_of([record]))
    logs = store.logs(run) / f"profile-{record.key[:16]}"
    found = Profiler(runner).profile(record, window, logs, cancel or threading.Event())
    save(path_of(store, run, record, window), found)
    return found


def make_all(
    store: Store, run: str, records: Sequence[Record], labels: Sequence[str], jobs: int, tell: Tell
) -> list[FiresteelError]:
    """Sees to it that a run has the profiles of the cells of these labels and of their partners, as
    far as they are among the records; so many are made side by side.

    Gives what went wrong with those that it has not.
    """
    cells = [record.inputs.cell for record in records]
    chosen = {
        record.key: record
        for label in labels
        if named(cells, label)
        for record in choose_records(records, label, [], alone=False)
    }
    wanted = list(chosen.values())
    cancel = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        futures = [
            pool.submit(_find_or_make, store, run, record, window, tell, cancel)
            for record, window in zip(wanted, choose_windows(wanted, None), strict=True)
        ]
        try:
            problems = [future.exception() for future in futures]
        except KeyboardInterrupt:
            cancel.set()
            raise
    for problem in problems:
        if problem and not isinstance(problem, FiresteelError):
            raise problem
    return [problem for problem in problems if isinstance(problem, FiresteelError)]


def _find_or_make(
    store: Store, run: str, record: Record, window: str, tell: Tell, cancel: threading.Event
) -> None:
    if cancel.is_set() or find(store, run, record, window):
        return
    tell(f"    profiling {titles.of_cell(record.inputs.cell)}")
    make(store, run, record, window, cancel)
