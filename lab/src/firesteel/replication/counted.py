# SPDX-License-Identifier: Apache-2.0
"""What operations did on a board, by classes of instructions and by events, beside what they cost
the real processor.

A board whose profile says `counted` has these counts in its marks.  The window of an operation has
its program's start and end in it, too: of `openssl speed` 4 % at 1 GHz.  So a row's counts are the
window's, scaled so that they cost what the operation was measured to cost.  That is exact at the
costs that the board had, and the better elsewhere, the less of the window is not the operation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesteel.analysis.results import Results
from firesteel.base.errors import FiresteelError
from firesteel.board.processor import EVENTS, INSTRUCTIONS, UNITS
from firesteel.board.profile import Cpu
from firesteel.board.result import Mark, NodeResult
from firesteel.replication.calibration import in_unit
from firesteel.replication.processor import Cost, Processor
from firesteel.store.record import Record
from firesteel.store.store import Store

NAMES = INSTRUCTIONS + EVENTS
"""All that is counted, in the emulator's order."""

_AGAIN = "`firesteel run calibration` measures one"


@dataclass(frozen=True)
class Row:
    """A published row, with what its operation does on the board; of an operation on memory, what
    it does for a byte.
    """

    cost: Cost
    counts: tuple[float, ...]
    """How often each of `NAMES` comes."""
    published: float
    """Cycles that it costs the real processor, at the board's frequency."""
    ours: float
    """Cycles that it cost the board."""

    def predicted(self, cycles: Mapping[str, float]) -> float:
        """Cycles that it would cost the board if its classes and events cost these."""
        pairs = zip(NAMES, self.counts, strict=True)
        return sum(count * cycles[name] for name, count in pairs)

    def deviation(self, cycles: Mapping[str, float]) -> float:
        """How much longer the board would take, as a share."""
        return self.predicted(cycles) / self.published - 1


@dataclass(frozen=True)
class Counted:
    """The rows of a run, and the board that they were measured on."""

    board: str
    cpu: Cpu
    processor: str
    """The name of its processor, of a file in `board/processors/`."""
    hertz: int
    rows: tuple[Row, ...]


def counted(processor: Processor, results: Results, store: Store) -> Counted:
    """The rows of a processor that a run of the calibration has counts for.

    Raises `FiresteelError` when the run has none.
    """
    record = _record(results)
    board, cpu = results.measured_cpus[0]
    name = results.journal.name
    if cpu is None or cpu.costs is None or cpu.processor is None or cpu.hertz is None:
        raise FiresteelError(
            f"The clock of {board} in {name} counts instructions; a fit needs a board whose "
            'profile has `clock = "cycles"` and `counted = true`, such as am437x.'
        )
    run = store.observations(record.key)
    if not cpu.counted:
        raise FiresteelError(
            f"The record of {name} has no counts of instructions; a fit needs a board whose "
            "profile has `counted = true`, such as am437x."
        )
    node = run.nodes[record.inputs.cell.measured]
    units = _units(name, node, cpu.costs)
    rows = tuple(_rows(processor, _values(results), node, units, cpu.hertz))
    if not rows:
        raise FiresteelError(
            f"No figure of {name} is of an operation that published/{processor.name} has costs of; "
            f"{_AGAIN} for all."
        )
    return Counted(board, cpu, cpu.processor, cpu.hertz, rows)


def _record(results: Results) -> Record:
    found = results.records
    if len(found) != 1 or not found[0].measurement.setup:
        raise FiresteelError(
            f"The run {results.journal.name} has {len(found)} finished cells; a fit needs one, on "
            f"one board; {_AGAIN}."
        )
    return found[0]


def _units(run: str, node: NodeResult, table: str) -> dict[str, int]:
    """What each class and event cost the board, from the table that its emulator was told."""
    told = dict(entry.split(":", 1) for entry in table.split("/"))
    counted_names = set(node.marks[-1].cycles or ()) - {"units"}
    for names, of in ((set(told), "costs"), (counted_names, "counts")):
        if missing := sorted(set(NAMES) - names):
            raise FiresteelError(
                f"The record of {run} has no {of} of `{missing[0]}`, as its emulator was another; "
                f"{_AGAIN} with this one."
            )
    return {name: int(told[name]) for name in NAMES}


def _values(results: Results) -> dict[str, dict[str, float]]:
    """Figures by the text of the parameter, then by metric."""
    found: dict[str, dict[str, float]] = {}
    for result in results.means:
        parameter = result.identity.parameter
        if parameter.operation is not None:
            found.setdefault(parameter.text, {})[result.metric] = result.value
    return found


def _rows(
    processor: Processor,
    values: Mapping[str, Mapping[str, float]],
    node: NodeResult,
    units: Mapping[str, int],
    hertz: int,
) -> Iterator[Row]:
    marks = {mark.name: mark for mark in node.marks}
    for cost in processor.costs:
        ours = in_unit(cost, values.get(cost.parameter.text, {}), hertz)
        begin, end = marks.get(f"{cost.window}.begin"), marks.get(f"{cost.window}.end")
        if ours is None or begin is None or end is None:
            continue
        window = _between(begin, end)
        spent = sum(window[name] * units[name] for name in NAMES) / UNITS
        cycles = _cycles(cost, ours, hertz)
        counts = tuple(window[name] * cycles / spent for name in NAMES)
        yield Row(cost, counts, _cycles(cost, cost.at(hertz), hertz), cycles)


def _between(begin: Mark, end: Mark) -> dict[str, int]:
    before, after = begin.cycles or {}, end.cycles or {}
    return {name: after[name] - before[name] for name in NAMES}


def _cycles(cost: Cost, value: float, hertz: int) -> float:
    """A figure in the row's unit as cycles at that frequency."""
    if cost.unit == "ns":
        return value * hertz / 1e9
    return hertz / (value * 1e6) if cost.unit == "MB/s" else value
