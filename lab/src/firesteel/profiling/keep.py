# SPDX-License-Identifier: Apache-2.0
"""Profiles next to their runs: existing ones, ones of another run, and new ones."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import USUAL_COMPLETION, Cell, Implementation
from firesteel.model.identity import by_key, with_partners
from firesteel.profiling.document import Profile, load, profile_path, save
from firesteel.profiling.measure import Profiler
from firesteel.run.board_runner import BoardRunner
from firesteel.run.experiment.experiment import named, select
from firesteel.store.record import Record, libcrypto_of
from firesteel.store.setup import catalog_of
from firesteel.store.store import Store
from firesteel.workloads import titles
from firesteel.workloads.cells import cell_windows

Tell = Callable[[str], None]
"""Is given a line that says what is being done."""


def path_of(store: Store, run: str, record: Record, window: str) -> Path:
    """The file of a run for the profile of a record in a window."""
    main = cell_windows(record.cell, record.figures)[0]
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
    catalog = catalog_of([(record.cell, record.setup)])
    runner = BoardRunner(catalog, libcrypto_of([record]))
    logs = store.logs(run) / f"profile-{record.key[:16]}"
    found = Profiler(runner).profile(record, window, logs, cancel or threading.Event())
    save(path_of(store, run, record, window), found)
    return found


def make_all(
    store: Store, run: str, records: Sequence[Record], labels: Sequence[str], jobs: int, tell: Tell
) -> list[FiresteelError]:
    """Makes the missing profiles of the cells with these labels and of their partners, if these are
    among the records, several at a time.

    Gives what went wrong with those that it has not.
    """
    cells = [record.cell for record in records]
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
    tell(f"    profiling {titles.of_cell(record.cell)}")
    make(store, run, record, window, cancel)


def choose_cells(
    cells: Sequence[Cell], label: str, only: Sequence[str], *, alone: bool
) -> list[Cell]:
    """The cells with that label that match `only`; without a label all that match; if the label
    names no implementation, the cells in software.  Unless `alone`, each comes with its partner,
    which differs only in the implementation.  Software comes before hardware.  If cells differ only
    in their seed, the cell with the first seed is taken.

    Raises `FiresteelError` when there is none.
    """
    if not cells:
        raise FiresteelError("No cell of this run is finished, so none can be profiled.")
    known = "; ".join(dict.fromkeys(cell.label for cell in cells))
    if not label and not only:
        raise FiresteelError(f"Name a cell, or choose cells with --only; there are: {known}.")
    found = named(cells, label) if label else list(cells)
    if not found:
        raise FiresteelError(f"This run has no finished cell `{label}`; there are: {known}.")
    found = _first_seeds(select(found, only))
    if not alone:
        found += [partner for partner, _ in _with_partners(found, cells)]
    kept = [cell for cell in cells if cell in found]
    return sorted(kept, key=lambda cell: cell.implementation != "software")


def choose_records(
    records: Sequence[Record], label: str, only: Sequence[str], *, alone: bool
) -> list[Record]:
    """The records of the cells that `choose_cells` chooses, in its order."""
    by_cell = {record.cell.model_dump_json(): record for record in records}
    cells = [record.cell for record in records]
    chosen = choose_cells(cells, label, only, alone=alone)
    return [by_cell[cell.model_dump_json()] for cell in chosen]


def choose_windows(records: Sequence[Record], wanted: str | None) -> list[str]:
    """The window of that name for each record.  Without a name, the main window among those that it
    shares with its partners, so that they can be compared.

    Raises `FiresteelError` when there is none such.
    """
    had = [_windows(record) for record in records]
    if wanted is not None:
        for record, known in zip(records, had, strict=True):
            if wanted not in known:
                raise FiresteelError(
                    f"Cell {record.cell.label}: it has no window `{wanted}`; there are: "
                    f"{', '.join(known)}."
                )
        return [wanted] * len(records)
    common: dict[str, tuple[str, ...]] = {}
    for record, known in zip(records, had, strict=True):
        key = setting(record.cell)
        common[key] = tuple(name for name in common.get(key, known) if name in known)
    return [
        (common[setting(record.cell)] or known)[0]
        for record, known in zip(records, had, strict=True)
    ]


def _windows(record: Record) -> tuple[str, ...]:
    cell = record.cell
    if known := cell_windows(cell, record.figures):
        return known
    raise FiresteelError(f"Cell {cell.label}: it measures nothing.")


def _first_seeds(cells: Sequence[Cell]) -> list[Cell]:
    first: dict[str, Cell] = {}
    for cell in sorted(cells, key=lambda cell: cell.seed):
        first.setdefault(cell.of_any_seed.model_dump_json(), cell)
    return list(first.values())


def _with_partners(found: Sequence[Cell], cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """Those that have one: the same in software, or on the cores; with the usual completion, if
    there are several.
    """
    usual_first = sorted(cells, key=lambda each: each.completion not in (None, USUAL_COMPLETION))
    among = by_key(usual_first, lambda each: (setting(each), each.implementation))

    def partner(cell: Cell) -> tuple[str, Implementation]:
        return setting(cell), "hardware" if cell.implementation == "software" else "software"

    return list(with_partners(found, partner, among))


def setting(cell: Cell) -> str:
    """What a cell has in common with its partners."""
    return cell.of_any_implementation.model_dump_json()
