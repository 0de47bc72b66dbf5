# SPDX-License-Identifier: Apache-2.0
"""Profiles next to their runs: existing ones, ones of another run, and new ones.

For a new one the cell's boards run once more, with an emulator that counts.  The new record, with
figures and trace, must equal the old one to the byte; then the counts explain the record's figures.
"""

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from mmap import mmap
from pathlib import Path

from firesteel.base.errors import FiresteelError, StoreError
from firesteel.boards.command import Profiling
from firesteel.boards.files import NodeFiles
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.run import BoardFailure
from firesteel.build.products import artifact_source
from firesteel.model.cell import USUAL_COMPLETION, Cell, Implementation
from firesteel.model.identity import by_key, with_partners
from firesteel.profiling.counts import Counts, read_counts
from firesteel.profiling.document import Profile, load, profile_path, save, stacks_of
from firesteel.profiling.memory import (
    KernelMemory,
    open_memory,
    probe_properties,
    read_kernel,
    read_layout,
    read_modules,
)
from firesteel.profiling.programs import add_vdso, read_programs
from firesteel.profiling.symbols import Guest, Namer
from firesteel.run.board_runner import BoardRunner
from firesteel.run.experiment.experiment import named, select
from firesteel.store.observations import digest_of, to_text
from firesteel.store.record import Record, Versions, libcrypto_of
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
    found = profiled(runner, record, window, logs, cancel or threading.Event())
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
    found = sorted(select(found, only, alone=True), key=lambda cell: cell.seed)
    found = list(by_key(found, lambda cell: cell.of_any_seed.model_dump_json()).values())
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
    if known := cell_windows(record.cell, record.figures):
        return known
    raise FiresteelError(f"Cell {record.cell.label}: it measures nothing.")


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


def profiled(
    runner: BoardRunner, record: Record, window: str, logs: Path, cancel: threading.Event
) -> Profile:
    """The profile of a record's cell in a window.

    `logs` is for the boards' files; it is gone afterwards unless a board failed.  Raises
    `FiresteelError` when the record does not come out the same, or the sum is wrong, and
    `Cancelled` after `cancel` was set.
    """
    cell = record.cell
    runner.prepare([cell])
    check_inputs(record, runner.inputs(cell).versions)
    built = artifact_source(runner.architecture(cell))
    layout = read_layout(built.artifact("kernel-layout").file)
    profiling = Profiling(cell.measured, window, probe_properties(layout))
    with _directory(logs):
        run = runner.profile(cell, logs, cancel, profiling)
        check_same(record, run)
        files = NodeFiles(logs / "run" / cell.measured)
        if not files.profile.exists():
            raise FiresteelError(
                f"Cell {cell.label}: the node {cell.measured} never came to the window {window}."
            )
        with open_memory(files.memory) as memory:
            guest = _guest(runner, cell, memory, layout)
            counts = read_counts(files.profile, memory, guest.architecture.code)
            check_sum(counts, run.nodes[cell.measured], window)
            named = Namer(guest).name(counts)
    return Profile(
        cell=cell.label,
        key=record.key,
        implementation=cell.implementation,
        node=cell.measured,
        window=window,
        instructions=counts.instructions,
        stacks=stacks_of(named),
    )


def _guest(runner: BoardRunner, cell: Cell, memory: mmap, layout: Mapping[str, int]) -> Guest:
    architecture = runner.architecture(cell)
    kernel = read_kernel(runner.kernel(cell), architecture.code)
    seen = KernelMemory(memory, layout["page_offset"], kernel.load, architecture)
    image, job = runner.archives(cell)
    programs = read_programs(architecture.code, image.read_bytes(), job)
    add_vdso(programs, kernel, memory, architecture)
    modules = read_modules(seen, layout, architecture.code)
    return Guest(architecture, memory, programs, kernel.symbols, modules)


@contextlib.contextmanager
def _directory(logs: Path) -> Iterator[None]:
    """A directory that is gone afterwards, unless a board failed in it."""
    try:
        logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{logs}: cannot be made: {error.strerror}.") from None
    failed = False
    try:
        yield
    except BoardFailure:
        failed = True
        raise
    finally:
        if not failed:
            shutil.rmtree(logs, ignore_errors=True)
            with contextlib.suppress(OSError):
                logs.parent.rmdir()  # Empty unless a cell failed.


def check_inputs(record: Record, here: Versions) -> None:
    """Raises `FiresteelError` when a cell cannot equal its record because this checkout builds
    other products.
    """
    if differing := record.versions.differing(here):
        raise FiresteelError(
            f"Cell {record.cell.label}: its record was measured with another "
            f"{', '.join(differing)} than this checkout has, so this would not be a profile of "
            "that run; `firesteel run` measures the cell with what is here, and then it can be "
            "profiled."
        )


def check_same(record: Record, run: TopologyRun) -> None:
    """Raises `FiresteelError` when a cell did not come out as in its record."""
    same_trace = run.trace_digest == record.trace
    if same_trace and digest_of(to_text(run)) == record.observed:
        return
    what = "observations" if same_trace else "trace"
    raise FiresteelError(
        f"Cell {record.cell.label}: its {what} differs from the record's, so "
        "this would not be a profile of that run; `firesteel run` measures the cell with what this "
        "checkout builds, and then it can be profiled."
    )


def check_sum(counts: Counts, node: NodeResult, window: str) -> None:
    """Raises `FiresteelError` when the counts differ from the probe's marks."""
    begin, end = (node.mark(f"{window}.{which}").instructions for which in ("begin", "end"))
    if counts.instructions != end - begin:
        raise FiresteelError(
            f"Window {window}: {counts.instructions} instructions were counted, and {end - begin} "
            "passed between its marks; this is a defect of Firesteel."
        )
