# SPDX-License-Identifier: Apache-2.0
"""A study of sensitivity: what it measures, cells as they are and on boards or links that differ in
one number, and the verdicts of all rows with each of these numbers.

1. The cells are those that verdicts are made of: hardware, the software that it is compared with,
   and the same traffic without a tunnel, which shows whether the link is the bound.
2. Each is measured at both ends of each assumption that touches it, on a board of its own in the
   catalog, `socrates+register-access-50`, or in a topology of its own.  Of boards only that of the
   measured node differs, of a topology its links.
3. A cell that an assumption cannot touch keeps its figures: the timing of the cores is nothing to a
   measured node that is given no driver for them (`workloads.overlay.nodes_with_cores`).  Nothing
   else of the guest accesses their registers; `make_study` sees to it that none did.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from firesteel.analysis.places import Places
from firesteel.analysis.results import spread_of
from firesteel.analysis.rows import read_results
from firesteel.analysis.sensitivity import Extreme, Point, Row, Study, Swing, save
from firesteel.analysis.verdict import Offload, offloads
from firesteel.base.errors import FiresteelError
from firesteel.board.assumptions import ENDS, Assumption, End, Level, Variation, name_at
from firesteel.board.catalog import Catalog
from firesteel.board.profile import Clock
from firesteel.campaign.run import OnVariedBoards
from firesteel.experiment.collection import Collection
from firesteel.experiment.experiment import Experiment, select
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE, NO_TUNNEL, USUAL_COMPLETION, Cell
from firesteel.model.identity import Identity, by_key, side_of, with_partners
from firesteel.profiling.keep import setting
from firesteel.protocols.site import site_of
from firesteel.store.journal import Journal
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.table import samples_of
from firesteel.workloads.overlay import nodes_with_cores


@dataclass(frozen=True)
class Plan:
    """`cells` are those of all boards as they are, `assumptions` those that vary, as far as they
    mean something for some board, and `left_out` the names of those that do not vary and would.
    `variations` are by board, or topology, and assumption, `varied` the cells that stand for a cell
    (by its JSON) at an end of an assumption; a cell that is not there is not touched.
    """

    subject: OnVariedBoards
    cells: tuple[Cell, ...]
    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...]
    variations: Mapping[tuple[str, str], Variation]
    varied: Mapping[tuple[str, str, End], Cell]

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """All that is measured, boards as they are first."""
        return (*self.cells, *self.varied.values())

    def at(self, cell: Cell, assumption: Assumption, end: End) -> Cell:
        """What is measured for a cell at an end of an assumption, be it the cell itself."""
        return self.varied.get((_name(cell), assumption.name, end), cell)

    def variation(self, cell: Cell, assumption: Assumption) -> Variation | None:
        """What the assumption means for the board, or the links, that the cell is measured on."""
        return self.variations.get((_varying(cell, assumption), assumption.name))

    def untouched(self) -> list[Cell]:
        """The cells whose figures stand for boards with other cores too."""
        of_cores = [each for each in self.assumptions if each.on_cores]
        return [
            cell
            for cell in self.cells
            if any(self.variation(cell, each) and not self._varies(cell, each) for each in of_cores)
        ]

    def _varies(self, cell: Cell, assumption: Assumption) -> bool:
        return any((_name(cell), assumption.name, end) in self.varied for end in ENDS)


def make_plan(
    told: Experiment | Collection,
    cells: Sequence[Cell],
    only: Sequence[str],
    known: Sequence[Assumption],
    names: Sequence[str],
) -> Plan:
    """The plan for an experiment's cells, of which the hardware is to fit `only`; `names` are the
    assumptions that vary, all that are known if there is none.

    The experiment's catalog has the varied boards afterwards.  Raises `FiresteelError` where
    nothing is compared, or nothing can vary.
    """
    chosen = _compared(cells, select(cells, only), told.name)
    boards = {name: told.catalog.profile(name) for name in dict.fromkeys(map(_board, chosen))}
    links = {cell.topology: told.catalog.topology(cell.topology) for cell in chosen}
    wanted = _named(known, names)
    variations = {
        (name, each.name): found
        for each in known
        for name, content in (links if each.on_links else boards).items()
        if (found := each.on(content))
    }
    there = {name for _, name in variations}
    _check_vary(wanted, there, bool(names), list(boards))
    varying = tuple(each for each in wanted if each.name in there)
    return Plan(
        subject=OnVariedBoards(told.name, f"Sensitivity of: {told.title}"),
        cells=tuple(chosen),
        assumptions=varying,
        left_out=tuple(each.name for each in known if each.name in there and each not in varying),
        variations=variations,
        varied=_varied(chosen, varying, variations, told.catalog),
    )


def _compared(cells: Sequence[Cell], selected: Sequence[Cell], name: str) -> list[Cell]:
    """All cells that the verdicts of the selected ones are made of, in the experiment's order."""
    among = by_key(cells, lambda cell: (setting(cell), cell.implementation))
    hardware = [cell for cell in selected if cell.implementation not in IN_SOFTWARE]
    pairs = list(with_partners(hardware, lambda cell: (setting(cell), "software"), among))
    pairs = [pair for pair in pairs if _counts(pair[1])] or pairs
    if not pairs:
        raise FiresteelError(
            f"{name}: none of the chosen cells is in hardware with its counterpart in software, so "
            "there is no verdict that could change."
        )
    kept = {_name(cell) for pair in pairs for cell in pair}
    kept |= {_name(cell) for cell in cells if any(is_clear(cell, of) for _, of in pairs)}
    return [cell for cell in cells if _name(cell) in kept]


def _counts(cell: Cell) -> bool:
    """Whether the answer counts it (`analysis.verdict.Offload.counts`)."""
    usual = cell.completion in (None, USUAL_COMPLETION) and not cell.as_in_2015
    return usual and cell.implementation == "hardware"


def is_clear(cell: Cell, of: Cell) -> bool:
    """Whether it is the same traffic without a tunnel."""
    plain = cell.protocol == NO_TUNNEL and cell.implementation == "software"
    same = (cell.place, cell.seed, cell.profiles) == (of.place, of.seed, of.profiles)
    shared = {plan.workload for plan in cell.plans} & {plan.workload for plan in of.plans}
    return plain and same and not cell.as_in_2015 and bool(shared)


def _named(known: Sequence[Assumption], names: Sequence[str]) -> list[Assumption]:
    there = {each.name: each for each in known}
    for name in names:
        if name not in there:
            raise FiresteelError(
                f"--assumption {name}: there is no such assumption; there are: {', '.join(there)}."
            )
    return [each for each in known if not names or each.name in names]


def _check_vary(
    wanted: Sequence[Assumption], there: set[str], named: bool, boards: Sequence[str]
) -> None:
    """Raises `FiresteelError` where an assumption was named in vain, or none means anything."""
    missing = [each.name for each in wanted if each.name not in there]
    those = ", ".join(boards)
    why = "what it is of is not there, or the clock counts something else (docs/sensitivity.md)."
    if named and missing:
        raise FiresteelError(
            f"--assumption {missing[0]}: it means nothing for the board {those}: {why}"
        )
    if len(missing) == len(wanted):
        raise FiresteelError(f"No assumption means anything for the board {those}: {why}")


def _varied(
    cells: Sequence[Cell],
    assumptions: Sequence[Assumption],
    variations: Mapping[tuple[str, str], Variation],
    catalog: Catalog,
) -> dict[tuple[str, str, End], Cell]:
    found: dict[tuple[str, str, End], Cell] = {}
    for assumption in assumptions:
        for end in ENDS:
            for cell in cells:
                variation = variations.get((_varying(cell, assumption), assumption.name))
                if variation and _touches(assumption, cell, catalog):
                    level = variation.at(end)
                    made = _at(cell, assumption, level, catalog)
                    if made is not None:
                        found[_name(cell), assumption.name, end] = made
    return found


def _touches(assumption: Assumption, cell: Cell, catalog: Catalog) -> bool:
    if not assumption.on_cores:
        return True
    return cell.measured in nodes_with_cores(cell, site_of(cell, catalog))


def _at(cell: Cell, assumption: Assumption, level: Level, catalog: Catalog) -> Cell | None:
    """The cell on the varied board or links, which the catalog has from now on; None if they are
    the same.
    """
    of = _varying(cell, assumption)
    there = catalog.topology(of) if assumption.on_links else catalog.profile(of)
    if level.content == there:
        return None
    name = name_at(of, assumption.name, level.value)
    catalog.keep(name, level.content)
    if assumption.on_links:
        return cell.model_copy(update={"topology": name})
    return cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: name}})


def _varying(cell: Cell, assumption: Assumption) -> str:
    """The name of the topology or board that the assumption is of."""
    return cell.topology if assumption.on_links else _board(cell)


def _board(cell: Cell) -> str:
    return cell.profiles[cell.measured]


def _name(cell: Cell) -> str:
    return cell.model_dump_json()


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
