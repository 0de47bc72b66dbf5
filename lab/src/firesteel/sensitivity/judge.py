# SPDX-License-Identifier: Apache-2.0
"""Makes a study of sensitivity of what was measured for its plan: judges all rows with each set of
numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from firesteel.analysis.offload import Offload, offloads
from firesteel.analysis.places import Places
from firesteel.analysis.results import spread_of
from firesteel.analysis.rows import read_results
from firesteel.base.errors import FiresteelError
from firesteel.board.assumptions import ENDS, Assumption, End
from firesteel.board.catalog import Catalog
from firesteel.board.profile import Clock
from firesteel.model import names
from firesteel.model.cell import Cell
from firesteel.model.identity import Identity
from firesteel.model.limit import side_of
from firesteel.sensitivity.plan import Plan, is_clear
from firesteel.sensitivity.study import Extreme, Point, Row, Study, Swing, save
from firesteel.store.journal import Journal
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.table import samples_of

_Rows = Mapping[Identity, Offload]
"""Pairs by what their hardware is."""


def make_study(plan: Plan, journal: Journal, store: Store, catalog: Catalog) -> Study:
    """The study of a plan whose cells were measured as the journal says; it is kept.

    Raises `FiresteelError` where figures that were to stand for boards with other cores depend on
    these.
    """
    judge = _Judge(plan, journal, store)
    for cell in plan.untouched():
        judge.check_untouched(cell)
    study = Study(
        run=journal.name,
        experiment=journal.experiment,
        title=journal.title,
        quick=journal.quick,
        started=journal.started,
        clocks=_clocks(plan, catalog),
        assumptions=plan.assumptions,
        left_out=plan.left_out,
        rows=judge.rows(),
    )
    save(store, study)
    return study


class _Judge:
    """Judges all rows of a plan whose cells were measured."""

    def __init__(self, plan: Plan, journal: Journal, store: Store) -> None:
        self._plan = plan
        self._store = store
        self._keys = {
            entry.cell.model_dump_json(): entry.key
            for entry in journal.entries
            if entry.state == "done"
        }
        self._records: dict[tuple[str, str], Record | None] = {}

    def rows(self) -> tuple[Row, ...]:
        """Every verdict of boards as they are, with its swings."""
        nominal = self._judged(lambda cell: cell)
        ends = {
            (each.name, end): self._judged(partial(self._plan.at, assumption=each, end=end))
            for each in self._plan.assumptions
            for end in ENDS
        }
        return tuple(self._row(pair, ends) for pair in nominal.values())

    def check_untouched(self, cell: Cell) -> None:
        """Raises `FiresteelError` where a cell's processor waited for registers of the cores."""
        key = self._key(cell)
        run = self._store.observations(key) if key else None
        marks = run.nodes[cell.measured].marks if run else ()
        if marks and marks[-1].stalled_ns:
            raise FiresteelError(
                f"Cell {cell.label}: its processor waited {marks[-1].stalled_ns} ns for registers "
                "of cores that it was not given, so its figures do not stand for boards with other "
                "cores; please report this as a defect."
            )

    def _judged(self, measured: Callable[[Cell], Cell]) -> _Rows:
        """All pairs, each cell with the figures of the one that was measured for it."""
        records = (self._record(cell, measured(cell)) for cell in self._plan.cells)
        figures = read_results(spread_of(samples_of(filter(None, records))))
        labelled = Places.of(figures).labelled(figures)
        return {pair.identity: pair for pair in offloads(labelled)}

    def _record(self, cell: Cell, measured: Cell) -> Record | None:
        """What was measured, as the record of the cell that it stands for."""
        key = self._key(measured)
        if key is None:
            return None
        name = cell.model_dump_json()
        if (key, name) not in self._records:
            self._records[key, name] = self._store.get(key, cell)
        return self._records[key, name]

    def _key(self, cell: Cell) -> str | None:
        """Where the record of a cell is; None of one that failed."""
        return self._keys.get(cell.model_dump_json())

    def _row(self, pair: Offload, ends: Mapping[tuple[str, End], _Rows]) -> Row:
        cells = [cell for cell in self._plan.cells if self._gives(cell, pair)]
        swings = (self._swing(pair, each, cells, ends) for each in self._plan.assumptions)
        return Row(
            identity=pair.identity,
            name=names.listed(pair.in_short, pair.at),
            metric=pair.metric,
            records=tuple(filter(None, map(self._key, cells))),
            nominal=Point.of(pair.judged),
            swings=tuple(filter(None, swings)),
        )

    def _gives(self, cell: Cell, pair: Offload) -> bool:
        """Whether the pair's figures, in hardware or in software, are of that cell: another cell
        of the same configuration may measure other workloads.
        """
        record = self._record(cell, cell)
        if record is None or not _is_of(cell, pair):
            return False
        workload = pair.identity.workload
        return any(figure.workload == workload for figure in record.measurement.figures)

    def _swing(
        self,
        pair: Offload,
        assumption: Assumption,
        cells: Sequence[Cell],
        ends: Mapping[tuple[str, End], _Rows],
    ) -> Swing | None:
        variation = self._plan.variation(cells[0], assumption)
        if variation is None:
            return None

        def extreme(end: End) -> Extreme:
            whole = self._is_whole(cells, assumption, end)
            found = ends[assumption.name, end].get(pair.identity) if whole else None
            return Extreme(
                value=variation.at(end).value, point=Point.of(found.judged) if found else None
            )

        return Swing(
            assumption=assumption.name,
            unit=variation.unit,
            nominal=variation.nominal,
            low=extreme("low"),
            high=extreme("high"),
        )

    def _is_whole(self, cells: Sequence[Cell], assumption: Assumption, end: End) -> bool:
        """Whether all was measured there that a verdict is made of as the board is: the cells
        themselves, and traffic without a tunnel, without which nobody knows what the link hides.
        """
        clear = (cell for cell in self._plan.cells if any(is_clear(cell, other) for other in cells))
        needed = (cell for cell in (*cells, *clear) if self._key(cell))
        return all(self._key(self._plan.at(cell, assumption, end)) for cell in needed)


def _is_of(cell: Cell, pair: Offload) -> bool:
    """Whether the cell is of the pair's configuration, in hardware or in software."""
    sides = (pair.pair.one.identity.side, pair.pair.other.identity.side)
    return cell.place == pair.identity.place and side_of(cell) in sides


def _clocks(plan: Plan, catalog: Catalog) -> tuple[Clock, ...]:
    boards = (catalog.profile(cell.profiles[cell.measured]) for cell in plan.cells)
    return tuple(dict.fromkeys(board.cpu.clock for board in boards))
