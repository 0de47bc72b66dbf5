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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

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


@dataclass(frozen=True)
class Plan:
    """`cells` are the cells of all boards as they are.  `assumptions` are the assumptions that vary
    and matter for some board.  `left_out` names those that would matter but do not vary.
    `variations` are by board, or topology, and assumption.  `varied` has the cells that replace a
    cell (by its JSON) at an end of an assumption; an absent cell is not affected.  `corners` are
    combinations of ends, and `cornered` the cells that stand for a cell at one of them.
    """

    subject: OnVariedBoards
    cells: tuple[Cell, ...]
    assumptions: tuple[Assumption, ...]
    left_out: tuple[str, ...]
    variations: Mapping[tuple[str, str], Variation]
    varied: Mapping[tuple[str, str, End], Cell]
    corners: tuple[Ends, ...] = ()
    cornered: Mapping[tuple[str, int], Cell] = field(default_factory=dict)

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """All that is measured, boards as they are first."""
        together = by_key(self.cornered.values(), _name)  # Software is the same at several.
        return (*self.cells, *self.varied.values(), *together.values())

    def at(self, cell: Cell, assumption: Assumption, end: End) -> Cell:
        """What is measured for a cell at an end of an assumption, be it the cell itself."""
        return self.varied.get((_name(cell), assumption.name, end), cell)

    def at_corner(self, cell: Cell, number: int) -> Cell:
        """What is measured for a cell at a combination of ends, be it the cell itself."""
        return self.cornered.get((_name(cell), number), cell)

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
            and all(self.at(cell, each, end) == cell for end in ENDS)
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
    varied: dict[tuple[str, str, End], Cell] = {}
    for each in varying:
        for end in ENDS:
            for cell in chosen:
                variation = variations.get((_varying(cell, each), each.name))
                if variation and _touches(each, cell, catalog):
                    made = _at(cell, each, variation, end, catalog)
                    if made != cell:
                        varied[_name(cell), each.name, end] = made
    corners = tuple(design([each.name for each in varying])) if together else ()
    return Plan(
        subject=OnVariedBoards(told.name, f"Sensitivity of: {told.title}"),
        cells=tuple(chosen),
        assumptions=tuple(varying),
        left_out=tuple(each.name for each in known if each.name in there and each not in varying),
        variations=variations,
        varied=varied,
        corners=corners,
        cornered={
            (_name(cell), number): made
            for number, ends in enumerate(corners)
            for cell in chosen
            if (made := _at_corner(cell, varying, ends, catalog)) != cell
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


def _at(
    cell: Cell, assumption: Assumption, variation: Variation, end: End, catalog: Catalog
) -> Cell:
    """The cell on the varied board or links, which the catalog has from now on; itself if they are
    the same.
    """
    of, level = _varying(cell, assumption), variation.at(end)
    name = name_at(of, assumption.name, level.value)
    if level.content == (catalog.topology(of) if assumption.on_links else catalog.profile(of)):
        return cell
    catalog.keep(name, level.content)
    if assumption.on_links:
        return cell.model_copy(update={"topology": name})
    return cell.model_copy(update={"profiles": {**cell.profiles, cell.measured: name}})


def _at_corner(cell: Cell, assumptions: Sequence[Assumption], ends: Ends, catalog: Catalog) -> Cell:
    """The cell on boards and links with all that touches it at these ends, which the catalog has
    from now on; itself where nothing does.
    """
    profile, topology = catalog.profile(cell.place.board), catalog.topology(cell.topology)
    board, links = profile, topology
    for each in assumptions:
        if not _touches(each, cell, catalog):
            continue
        if variation := each.on(links if each.on_links else board):
            content = variation.at(ends[each.name]).content
            if isinstance(content, Profile):
                board = content
            else:
                links = content
    made = cell
    if board != profile:
        name = _named_by(cell.place.board, board)
        catalog.keep(name, board)
        made = made.model_copy(update={"profiles": {**made.profiles, made.measured: name}})
    if links != topology:
        name = _named_by(cell.topology, links)
        catalog.keep(name, links)
        made = made.model_copy(update={"topology": name})
    return made


def _named_by(of: str, content: Profile | Topology) -> str:
    """A name for a board or topology with several numbers at ends: by what it says."""
    return f"{of}+together-{digest(content.model_dump(mode='json'))[:12]}"


def _varying(cell: Cell, assumption: Assumption) -> str:
    """The name of the topology or board that the assumption is of."""
    return cell.topology if assumption.on_links else cell.place.board


def _name(cell: Cell) -> str:
    return cell.model_dump_json()


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
        rows=tuple(map(judge.row, judge.judged(lambda cell: cell).values())),
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

    @cached_property
    def keys(self) -> dict[str, str]:
        """The records of cells that did not fail."""
        return {_name(each.cell): each.key for each in self.journal.entries if each.state == "done"}

    @cached_property
    def ends(self) -> dict[tuple[str, End], dict[Identity, Offload]]:
        """All pairs at each end of each assumption."""
        return {
            (each.name, end): self.judged(partial(self.plan.at, assumption=each, end=end))
            for each in self.plan.assumptions
            for end in ENDS
        }

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

    def judged(self, measured: Callable[[Cell], Cell]) -> dict[Identity, Offload]:
        """All pairs, each cell with the figures of the one that was measured for it."""
        records = (self._record(cell, measured(cell)) for cell in self.plan.cells)
        figures = read_results(spread_of(samples_of(filter(None, records))))
        labelled = Places.of(figures).labelled(figures)
        return {pair.identity: pair for pair in offloads(labelled)}

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

    @cached_property
    def together(self) -> list[dict[Identity, Offload]]:
        """All pairs at each combination of ends."""
        return [
            self.judged(partial(self.plan.at_corner, number=number))
            for number, _ in enumerate(self.plan.corners)
        ]

    def _corners(self, pair: Offload, cells: Sequence[Cell]) -> Iterator[Corner]:
        """A row at each combination of the ends of what varies on its board, where all was measured
        that its verdict is made of.
        """
        known = [each.name for each in self.plan.assumptions if self.plan.variation(cells[0], each)]
        needed = self._needed(cells)
        for number, ends in enumerate(self.plan.corners):
            there = all(_name(self.plan.at_corner(of, number)) in self.keys for of in needed)
            found = self.together[number].get(pair.identity) if there else None
            yield Corner(
                ends={name: ends[name] for name in known},
                point=Point.of(found.judged) if found else None,
            )

    def _needed(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells that a verdict is made of, and traffic without a tunnel, without which nobody
        knows what the link hides.
        """
        clear = (of for of in self.plan.cells if any(_is_clear(of, cell) for cell in cells))
        return [cell for cell in (*cells, *clear) if _name(cell) in self.keys]

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
        """A row at both ends, where all was measured there that its verdict is made of as the board
        is.
        """
        variation = self.plan.variation(cells[0], assumption)
        if variation is None:
            return None
        needed = self._needed(cells)
        extremes = []
        for end in ENDS:
            there = all(_name(self.plan.at(of, assumption, end)) in self.keys for of in needed)
            found = self.ends[assumption.name, end].get(pair.identity) if there else None
            point = Point.of(found.judged) if found else None
            extremes.append(Extreme(value=variation.at(end).value, point=point))
        low, high = extremes
        return Swing(
            assumption=assumption.name,
            unit=variation.unit,
            nominal=variation.nominal,
            low=low,
            high=high,
        )
