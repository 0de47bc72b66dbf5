# SPDX-License-Identifier: Apache-2.0
"""What a study of sensitivity measures: cells as they are, and on boards or links that
differ in one number.

1. The cells are those that verdicts are made of: hardware, the software that it is compared with,
   and the same traffic without a tunnel, which shows whether the link is the bound.
2. Each is measured at both ends of each assumption that touches it, on a board of its own in the
   catalog, `socrates+register-access-50`, or in a topology of its own.  Of boards only that of the
   measured node differs, of a topology its links.
3. A cell that an assumption cannot touch keeps its figures: the timing of the cores is nothing to a
   measured node that is given no driver for them (`workloads.overlay.nodes_with_cores`).  Nothing
   else of the guest accesses their registers; `judge` sees to it that none did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.assumptions import ENDS, Assumption, End, Level, Variation, name_at
from firesteel.board.catalog import Catalog
from firesteel.campaign.run import OnVariedBoards
from firesteel.experiment.collection import Collection
from firesteel.experiment.experiment import Experiment, select
from firesteel.model.cell import IN_SOFTWARE, NO_TUNNEL, USUAL_COMPLETION, Cell
from firesteel.model.partners import by_key, with_partners
from firesteel.profiling.choose import setting
from firesteel.protocols.site import site_of
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
    """Whether the answer counts it (`analysis.offload.Offload.counts`)."""
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
