# SPDX-License-Identifier: Apache-2.0
"""A study of sensitivity.  It measures cells as they are, and on boards or links that differ in one
number, and judges all rows for each of these numbers.

1.  Verdicts need these cells: hardware, the software that it is compared with, and the same traffic
   without a tunnel, which shows whether the link is the bound.
2.  Each is measured at both ends of each assumption that touches it, on a separate board of the
   catalog, `socrates+register-access-50`, or in a separate topology.  Only the measured node's
   board or the topology's links differ.
3. With `together` each is also measured with all assumptions at ends at once, in combinations of a
   small design (`judge.together`).
4. A cell that an assumption cannot touch keeps its figures: the timing of the cores is nothing to a
   measured node that is given no driver for them (`workloads.cells.nodes_with_cores`).  Nothing
   else of the guest accesses their registers; `make_study` sees to it that none did.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from firesteel.base.envelope import digest
from firesteel.base.errors import FiresteelError
from firesteel.boards.assumptions import ENDS, Assumption, End, Variation, name_at
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import Profile
from firesteel.boards.topology import Topology
from firesteel.judge.places import Places
from firesteel.judge.results import spread_of
from firesteel.judge.rows import grouped, read_results
from firesteel.judge.sensitivity import Corner, Extreme, Point, Row, Study, Swing, save
from firesteel.judge.together import Ends, design
from firesteel.judge.verdict import Offload, offloads, on_usual_cpus
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE, NO_TUNNEL, USUAL_COMPLETION, Cell
from firesteel.model.identity import Identity, by_key, side_of, with_partners
from firesteel.profiling.keep import setting
from firesteel.protocols.site import site_of
from firesteel.run.experiment.collection import Collection
from firesteel.run.experiment.experiment import Experiment, select
from firesteel.run.loop import OnVariedBoards
from firesteel.store.journal import Journal
from firesteel.store.record import Record
from firesteel.store.store import Store
from firesteel.table import samples_of
from firesteel.workloads.cells import nodes_with_cores

Key = frozenset[tuple[str, End]]
"""An end for each of some assumptions, by their names, as a key."""


@dataclass(frozen=True)
class Plan:
    """`cells` are the cells of all boards as they are.  `assumptions` are the assumptions that vary
    and matter for some board.  `left_out` names those that would matter but do not vary.
    `variations` are by board, or topology, and assumption.  `corners` are combinations of ends.
    `varied` has the cells that replace a cell (by its JSON) at an end of an assumption, or at a
    corner; an absent cell is not affected.
    """

    subject: OnVariedBoards
    cells: tuple[Cell, ...]
    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...]
    variations: Mapping[tuple[str, str], Variation]
    corners: tuple[Ends, ...]
    varied: Mapping[tuple[str, Key], Cell]

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """All that is measured, boards as they are first."""
        varied = by_key(self.varied.values(), _name)  # Software is the same at several corners.
        return (*self.cells, *varied.values())

    def at(self, cell: Cell, ends: Ends) -> Cell:
        """What is measured for a cell with assumptions at these ends, be it the cell itself."""
        return self.varied.get((_name(cell), _key(ends)), cell)

    def variation(self, cell: Cell, assumption: Assumption) -> Variation | None:
        """What the assumption means for the board, or the links, that the cell is measured on."""
        return self.variations.get((_varying(cell, assumption), assumption.name))

    def untouched(self) -> list[Cell]:
        """The cells whose figures stand for boards with other cores too."""
        return [
            cell
            for cell in self.cells
            for each in self.assumptions
            if each.on_cores
            and self.variation(cell, each)
            and all(self.at(cell, {each.name: end}) == cell for end in ENDS)
        ]


def make_plan(
    told: Experiment | Collection,
    cells: Sequence[Cell],
    only: Sequence[str],
    known: Sequence[Assumption],
    names: Sequence[str],
    *,
    together: bool = False,
) -> Plan:
    """The plan for an experiment's cells, of which the hardware is to fit `only`; `names` are the
    assumptions that vary, all that are known if there is none.  They vary `together` too, if asked.

    The experiment's catalog has the varied boards afterwards.  Raises `FiresteelError` where
    nothing is compared, or nothing can vary.
    """
    catalog = told.catalog
    chosen = _compared(cells, select(cells, only), told.name)
    variations: dict[tuple[str, str], Variation] = {}
    for each in known:
        for of in dict.fromkeys(_varying(cell, each) for cell in chosen):
            found = each.on(catalog.topology(of) if each.on_links else catalog.profile(of))
            if found:
                variations[of, each.name] = found
    there = {name for _, name in variations}
    _check(names, [each.name for each in known], there, chosen)
    varying = [each for each in known if each.name in (names or there) and each.name in there]
    corners = tuple(design([each.name for each in varying])) if together else ()
    singly: list[Ends] = [{each.name: end} for each in varying for end in ENDS]
    return Plan(
        subject=OnVariedBoards(told.name, f"Sensitivity of: {told.title}"),
        cells=tuple(chosen),
        assumptions=tuple(varying),
        left_out=tuple(each.name for each in known if each.name in there and each not in varying),
        variations=variations,
        corners=corners,
        varied={
            (_name(cell), _key(ends)): made
            for ends in (*singly, *corners)
            for cell in chosen
            if (made := _at(cell, varying, ends, catalog)) != cell
        },
    )


def _compared(cells: Sequence[Cell], selected: Sequence[Cell], name: str) -> list[Cell]:
    """All cells that the verdicts of the selected ones are made of, in the experiment's order."""
    among = by_key(cells, lambda cell: (setting(cell), cell.implementation))
    hardware = [cell for cell in selected if cell.implementation not in IN_SOFTWARE]
    pairs = list(with_partners(hardware, lambda cell: (setting(cell), "software"), among))
    pairs = _counted(pairs) or pairs
    if not pairs:
        raise FiresteelError(
            f"{name}: none of the chosen cells is in hardware with its counterpart in software, so "
            "there is no verdict that could change."
        )
    kept = {_name(cell) for pair in pairs for cell in pair}
    kept |= {_name(cell) for cell in cells if any(_is_clear(cell, of) for _, of in pairs)}
    return [cell for cell in cells if _name(cell) in kept]


def _counted(pairs: Sequence[tuple[Cell, Cell]]) -> list[tuple[Cell, Cell]]:
    """The pairs that the answer counts (`judge.verdict.answering`)."""
    alike = grouped((hardware for _, hardware in pairs), _on_any_cpus)
    return [pair for pair in pairs if _counts(pair[1], alike[_on_any_cpus(pair[1])])]


def _on_any_cpus(cell: Cell) -> str:
    return _name(cell.model_copy(update={"affinity": None}))


def _counts(cell: Cell, alike: Sequence[Cell]) -> bool:
    usual = cell.completion in (None, USUAL_COMPLETION) and not cell.as_in_2015
    on_usual = on_usual_cpus(cell.affinity, (each.affinity for each in alike))
    return usual and on_usual and cell.implementation == "hardware"


def _is_clear(cell: Cell, of: Cell) -> bool:
    """Whether it is the same traffic without a tunnel."""
    plain = cell.protocol == NO_TUNNEL and cell.implementation == "software"
    parts = ("place", "seed", "profiles", "affinity")
    same = all(getattr(cell, part) == getattr(of, part) for part in parts)
    shared = {plan.workload for plan in cell.plans} & {plan.workload for plan in of.plans}
    return plain and same and not cell.as_in_2015 and bool(shared)


def _check(
    asked: Sequence[str], known: Sequence[str], there: set[str], cells: Sequence[Cell]
) -> None:
    """Raises `FiresteelError` where an assumption was named in vain, or none means anything."""
    boards = ", ".join(dict.fromkeys(cell.place.board for cell in cells))
    why = "what it is of is not there, or the clock counts something else (docs/sensitivity.md)."
    for name in asked:
        if name not in known:
            raise FiresteelError(
                f"--assumption {name}: there is no such assumption; there are: {', '.join(known)}."
            )
        if name not in there:
            raise FiresteelError(
                f"--assumption {name}: it means nothing for the board {boards}: {why}"
            )
    if not there:
        raise FiresteelError(f"No assumption means anything for the board {boards}: {why}")


def _touches(assumption: Assumption, cell: Cell, catalog: Catalog) -> bool:
    if not assumption.on_cores:
        return True
    return cell.measured in nodes_with_cores(cell, site_of(cell, catalog))


def _at(cell: Cell, assumptions: Sequence[Assumption], ends: Ends, catalog: Catalog) -> Cell:
    """The cell on a board and links with all that touches it at these ends, which the catalog has
    from now on; itself where nothing does.
    """
    board, links = catalog.profile(cell.place.board), catalog.topology(cell.topology)
    own: dict[bool, Profile | Topology] = {False: board, True: links}
    made, value = dict(own), 0.0
    for each in assumptions:
        touched = each.name in ends and _touches(each, cell, catalog)
        if touched and (variation := each.on(made[each.on_links])):
            level = variation.at(ends[each.name])
            made[each.on_links], value = level.content, level.value
    moved = cell
    for on_links, content in made.items():
        if content != own[on_links]:
            of = cell.topology if on_links else cell.place.board
            name = name_at(of, next(iter(ends)), value)
            if len(ends) > 1:  # By what it says.
                name = f"{of}+together-{digest(content.model_dump(mode='json'))[:12]}"
            catalog.keep(name, content)
            boards = {**cell.profiles, cell.measured: name}
            changed = {"topology": name} if on_links else {"profiles": boards}
            moved = moved.model_copy(update=changed)
    return moved


def _varying(cell: Cell, assumption: Assumption) -> str:
    """The name of the topology or board that the assumption is of."""
    return cell.topology if assumption.on_links else cell.place.board


def _name(cell: Cell) -> str:
    return cell.model_dump_json()


def _key(ends: Ends) -> Key:
    return frozenset(ends.items())


def make_study(plan: Plan, journal: Journal, store: Store, catalog: Catalog) -> Study:
    """The study of a plan whose cells were measured as the journal says; it is kept.

    Raises `FiresteelError` where figures that were to stand for boards with other cores depend on
    these.
    """
    judge = _Judge(plan, journal, store)
    judge.check_untouched()
    boards = (catalog.profile(cell.place.board) for cell in plan.cells)
    study = Study(
        run=journal.name,
        experiment=journal.experiment,
        title=journal.title,
        quick=journal.quick,
        started=journal.started,
        clocks=tuple(dict.fromkeys(board.cpu.clock for board in boards)),
        assumptions=plan.assumptions,
        left_out=plan.left_out,
        rows=tuple(map(judge.row, judge.judged({}).values())),
    )
    save(store, study)
    return study


@dataclass(frozen=True)
class _Judge:
    """Judges all rows of a plan whose cells were measured."""

    plan: Plan
    journal: Journal
    store: Store
    records: dict[tuple[str, str], Record | None] = field(default_factory=dict)
    pairs: dict[Key, dict[Identity, Offload]] = field(default_factory=dict)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The records of cells that did not fail."""
        return {_name(each.cell): each.key for each in self.journal.entries if each.state == "done"}

    def check_untouched(self) -> None:
        """Raises `FiresteelError` where a cell's processor waited for registers of the cores."""
        for cell in self.plan.untouched():
            key = self.keys.get(_name(cell))
            marks = self.store.observations(key).nodes[cell.measured].marks if key else ()
            if marks and marks[-1].stalled_ns:
                raise FiresteelError(
                    f"Cell {cell.label}: its processor waited {marks[-1].stalled_ns} ns for "
                    "registers of cores that it was not given, so its figures do not stand for "
                    "boards with other cores; please report this as a defect."
                )

    def judged(self, ends: Ends) -> dict[Identity, Offload]:
        """All pairs, each cell with the figures of the one that was measured at these ends."""
        if (key := _key(ends)) not in self.pairs:
            records = (self._record(cell, self.plan.at(cell, ends)) for cell in self.plan.cells)
            figures = read_results(spread_of(samples_of(filter(None, records))))
            labelled = Places.of(figures).labelled(figures)
            self.pairs[key] = {pair.identity: pair for pair in offloads(labelled)}
        return self.pairs[key]

    def _record(self, cell: Cell, measured: Cell) -> Record | None:
        """What was measured, as the record of the cell that it stands for; None if it failed."""
        key, name = self.keys.get(_name(measured)), _name(cell)
        if key and (key, name) not in self.records:
            self.records[key, name] = self.store.get(key, cell)
        return self.records[key, name] if key else None

    def row(self, pair: Offload) -> Row:
        """A verdict of boards as they are, with its swings."""
        cells = [cell for cell in self.plan.cells if self._gives(cell, pair)]
        swings = (self._swing(pair, each, cells) for each in self.plan.assumptions)
        return Row(
            identity=pair.identity,
            name=names.listed(pair.in_short, pair.at),
            metric=pair.metric,
            records=tuple(self.keys[_name(cell)] for cell in cells),
            nominal=Point.of(pair.judged),
            swings=tuple(filter(None, swings)),
            corners=tuple(self._corners(pair, cells)),
        )

    def _corners(self, pair: Offload, cells: Sequence[Cell]) -> Iterator[Corner]:
        """A row at each combination of the ends of what varies on its board."""
        known = [each.name for each in self.plan.assumptions if self.plan.variation(cells[0], each)]
        for ends in self.plan.corners:
            point = self._point(pair, cells, ends)
            yield Corner(ends={name: ends[name] for name in known}, point=point)

    def _point(self, pair: Offload, cells: Sequence[Cell], ends: Ends) -> Point | None:
        """A row at these ends, where all was measured there that its verdict is made of: these
        cells, and traffic without a tunnel, without which nobody knows what the link hides.
        """
        clear = (of for of in self.plan.cells if any(_is_clear(of, cell) for cell in cells))
        needed = [cell for cell in (*cells, *clear) if _name(cell) in self.keys]
        there = all(_name(self.plan.at(of, ends)) in self.keys for of in needed)
        found = self.judged(ends).get(pair.identity) if there else None
        return Point.of(found.judged) if found else None

    def _gives(self, cell: Cell, pair: Offload) -> bool:
        """Whether the pair's figures, in hardware or in software, are of that cell: another cell
        of the same configuration may measure other workloads.
        """
        sides = (pair.pair.one.identity.side, pair.pair.other.identity.side)
        if cell.place != pair.identity.place or side_of(cell) not in sides:
            return False
        record = self._record(cell, cell)
        figures = record.figures if record else ()
        return any(figure.workload == pair.identity.workload for figure in figures)

    def _swing(self, pair: Offload, assumption: Assumption, cells: Sequence[Cell]) -> Swing | None:
        """A row at both ends; None where the assumption means nothing for its board."""
        variation = self.plan.variation(cells[0], assumption)
        if variation is None:
            return None
        low, high = (
            Extreme(
                value=variation.at(end).value,
                point=self._point(pair, cells, {assumption.name: end}),
            )
            for end in ENDS
        )
        return Swing(
            assumption=assumption.name,
            unit=variation.unit,
            nominal=variation.nominal,
            low=low,
            high=high,
        )
