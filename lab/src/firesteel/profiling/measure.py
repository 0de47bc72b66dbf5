# SPDX-License-Identifier: Apache-2.0
"""Making a profile: the cell's boards run once more, with an emulator that counts.

The new record, with figures and trace, must equal the old one to the byte; then the counts explain
the record's figures.
"""

import contextlib
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from firesteel.base.errors import FiresteelError, StoreError
from firesteel.boards.command import Profiling
from firesteel.boards.files import NodeFiles
from firesteel.boards.result import NodeResult, TopologyRun
from firesteel.boards.run import BoardFailure
from firesteel.build.products import artifact_source
from firesteel.model.cell import Cell
from firesteel.profiling.counts import Counts, read_counts
from firesteel.profiling.document import Profile, stacks_of
from firesteel.profiling.memory import (
    KernelMemory,
    Memory,
    probe_properties,
    read_kernel,
    read_layout,
    read_modules,
)
from firesteel.profiling.programs import add_vdso, read_programs
from firesteel.profiling.symbols import Guest, Namer
from firesteel.run.board_runner import BoardRunner
from firesteel.store.observations import digest_of, to_text
from firesteel.store.record import Record, Versions


class Profiler:
    """Profiles cells whose records are there; builds what it needs at first need."""

    def __init__(self, runner: BoardRunner) -> None:
        self._runner = runner

    def profile(self, record: Record, window: str, logs: Path, cancel: threading.Event) -> Profile:
        """The profile of a record's cell in a window.

        `logs` is for the boards' files; it is gone afterwards unless a board failed.  Raises
        `FiresteelError` when the record does not come out the same, or the sum is wrong, and
        `Cancelled` after `cancel` was set.
        """
        cell = record.cell
        self._runner.prepare([cell])
        check_inputs(record, self._runner.inputs(cell).versions)
        built = artifact_source(self._runner.architecture(cell))
        layout = read_layout(built.artifact("kernel-layout").file)
        profiling = Profiling(cell.measured, window, probe_properties(layout))
        with _directory(logs):
            run = self._runner.profile(cell, logs, cancel, profiling)
            check_same(record, run)
            files = NodeFiles(logs / "run" / cell.measured)
            node = run.nodes[cell.measured]
            return self._read(record, window, files, node, layout)

    def _read(
        self,
        record: Record,
        window: str,
        files: NodeFiles,
        node: NodeResult,
        layout: Mapping[str, int],
    ) -> Profile:
        cell = record.cell
        if not files.profile.exists():
            raise FiresteelError(
                f"Cell {cell.label}: the node {cell.measured} never came to the window {window}."
            )
        with Memory(files.memory) as memory:
            guest = self._guest(cell, memory, layout)
            counts = read_counts(files.profile, memory, guest.architecture.code)
            check_sum(counts, node, window)
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

    def _guest(self, cell: Cell, memory: Memory, layout: Mapping[str, int]) -> Guest:
        architecture = self._runner.architecture(cell)
        kernel = read_kernel(self._runner.kernel(cell), architecture.code)
        seen = KernelMemory(memory, layout["page_offset"], kernel.load, architecture)
        image, job = self._runner.archives(cell)
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
