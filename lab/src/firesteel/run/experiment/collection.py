# SPDX-License-Identifier: Apache-2.0
"""A collection: an experiment whose file refers to others, all of which make one run.

1. `load` reads either kind of file.
2. `Collection.cells` are the cells of its parts, one part after the other; a cell in two parts is
   measured once.
3. `Collection.limits` are the parts' limits, if their cells are in the run.  Each limit applies
   only at its part's place.
4. A part may be measured on other boards, with another rate of links and with other numbers than
   its file says, so one experiment may appear several times.
5. One rate for all links can make cells of several parts alike.  Then the first of them is
   measured, as long as it has all workloads of the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from firesteel.base import toml
from firesteel.base.checkout import EXPERIMENTS
from firesteel.base.errors import FiresteelError, RequestError
from firesteel.base.quantity import BitRate
from firesteel.base.toml import Many, Table, pattern
from firesteel.boards.catalog import Catalog
from firesteel.boards.profile import Clock
from firesteel.build.artifacts import Libcrypto
from firesteel.model.cell import Cell, Place
from firesteel.model.identity import Limit, Side, side_of
from firesteel.run.experiment.experiment import (
    MOST_SEEDS,
    NOT_ELSEWHERE,
    SELECTORS,
    Elsewhere,
    Experiment,
    ExperimentFile,
    load_experiment,
    named,
    narrowed,
    values_of,
)
from firesteel.run.experiment.sweep import NO_SWEEP, Sweep, VaryTable, sweep_of

_SELECTOR = pattern(
    rf"^({'|'.join(SELECTORS)})=[A-Za-z0-9./ :-]+$",
    f'KEY=VALUE with one of the keys {", ".join(SELECTORS)}, as "protocol=ipsec"',
)

Selector = Annotated[str, Field(pattern=_SELECTOR)]
"""Which cells, as `--only` takes it: `protocol=ipsec`."""


class QuickPart(Table):
    """Cells that are left out only with `--quick`."""

    without: Many[Selector]
    """Also leaves out cells that match one of these."""


class Part(Table):
    """An experiment, by its name, without the cells that fit one of the selectors; on other boards
    or with another rate of links than its file says.
    """

    experiment: str
    """A name in `experiments/`."""
    profiles: dict[str, str] = Field(default_factory=dict)
    """Profile of a node; overrides the experiment's."""
    boards: Many[str] | None = None
    """Profiles of the measured board; the part is measured on each."""
    link: BitRate | None = None
    """Bit rate of all links; overrides the experiment's."""
    vary: VaryTable | None = None
    """Numbers that vary (see [Sweeps](../sweeps.md)); replaces the experiment's."""
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] | None = None
    """Number of seeds; overrides the experiment's."""
    without: Many[Selector] | None = None
    """Leaves out cells that match one of these selectors."""
    short: bool = False
    """Whether full runs also use the values for `--quick`."""
    quick: QuickPart | None = None
    """Further cells that `--quick` leaves out."""

    @model_validator(mode="after")
    def _varies_what_there_is(self) -> Self:
        sweep_of(self.vary or {}, None)
        return self

    def measured_there(self, board: str | None, experiment: ExperimentFile) -> ExperimentFile:
        """The experiment's file with one of the boards, the rate, the seeds and what varies in this
        part.
        """
        measured = {experiment.measured: board} if board else {}
        own = {
            "profiles": experiment.profiles | self.profiles | measured,
            "link": self.link or experiment.link,
            "seeds": self.seeds or experiment.seeds,
            "vary": experiment.vary if self.vary is None else self.vary,
        }
        return experiment.model_copy(update=own)

    def leaves_out(self, cell: Cell, quick: bool) -> bool:
        """Whether a cell of the experiment is not measured."""
        return any(_fits(cell, selector) for selector in self.left_out(quick))

    def left_out(self, quick: bool) -> tuple[str, ...]:
        """The selectors of the cells that are not measured."""
        more = self.quick.without if quick and self.quick else ()
        return (*(self.without or ()), *more)


class Profiles(Table):
    """Cells by their labels whose profiles the report has; of the quick run others, or none."""

    cells: Annotated[tuple[str, ...], Field(min_length=1)]
    """Labels, as for `firesteel profile`; the same cells in software or hardware are profiled, too.
    """
    quick: tuple[str, ...] = ()
    """Labels for `--quick`."""


class Parts(Table):
    """What a collection's file may say."""

    title: str
    """What the collection measures, in one line."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    """The experiments that make up one run."""
    profiles: Profiles | None = None
    """Cells that are profiled after the run, for the report."""
    libcrypto: Libcrypto | None = None
    """The measured board's libcrypto; default: Debian 13's. The builds `debian-flags`,
    `debug-flags` (without optimization) and `neon-ghash` (see
    [NEON](../profiles.md#what-neon-would-give)) have Debian 13's source. `unstable` and
    `experimental` are newer packages of Debian; only the program `openssl` loads `experimental`.
    """


@dataclass(frozen=True)
class Collection:
    """Experiments that are measured together, each with the part of the file that names it."""

    name: str
    path: Path
    file: Parts
    experiments: tuple[tuple[Part, Experiment], ...]
    catalog: Catalog = field(compare=False)
    link: BitRate | None = None
    """The rate of all links in place of those that the parts say."""

    @property
    def title(self) -> str:
        """What is measured, in words."""
        return self.file.title

    @property
    def varied(self) -> tuple[str, ...]:
        """The paths of what varies in some part."""
        paths = (path for _, experiment in self.experiments for path in experiment.varied)
        return tuple(dict.fromkeys(paths))

    @property
    def sampled(self) -> bool:
        """Whether of some part not all combinations of what varies are measured."""
        return any(experiment.sampled for _, experiment in self.experiments)

    @property
    def libcrypto(self) -> Libcrypto | None:
        """The libcrypto of the measured node; none for Debian's own."""
        return self.file.libcrypto

    def cells(
        self, quick: bool = False, seeds: int | None = None, only: Sequence[str] = ()
    ) -> tuple[Cell, ...]:
        """The cells of all parts, in their order, each once; `only` as for an experiment's."""
        kept = self._kept(quick, seeds, only)
        return tuple({cell.model_dump_json(): cell for cell in kept}.values())

    def configurations(self, quick: bool) -> tuple[Cell, ...]:
        """Those of all parts, on boards and links as they are, with the first seed."""
        return tuple(cell for *_, cells in self._parts(quick) for cell in cells)

    def profiled(self, quick: bool = False) -> tuple[str, ...]:
        """The labels of the cells that are profiled when all are measured."""
        profiles = self.file.profiles
        return (profiles.quick if quick else profiles.cells) if profiles else ()

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:
        """Those of the parts' limits both sides of which are measured."""
        there: dict[tuple[str, Place, bool], set[Side]] = {}
        limits: dict[tuple[str, Place, bool], tuple[Limit, ...]] = {}
        for _, experiment, cells in self._parts(quick):
            is_point = experiment.sweep.when(quick).is_point
            try:
                first = experiment.at_points(cells[:1], 1, quick=quick) if is_point else cells[:1]
            except FiresteelError:
                continue  # A board lacks the number; `cells` has said so unless `only` excludes it.
            for cell in first:
                of = experiment.name, cell.place, is_point
                there.setdefault(of, set()).update(map(side_of, cells))
                limits.setdefault(of, experiment.limits(quick))
        several = len({of[1:] for of in there}) > 1
        return tuple(
            limit.model_copy(update={"place": of[1] if several and not limit.board else None})
            for of, its in limits.items()
            for limit in its
            if {limit.of, limit.beside} <= there[of]
        )

    def _kept(self, quick: bool, seeds: int | None, only: Sequence[str] = ()) -> Iterator[Cell]:
        """Of samples all parts have the same points: as many as there is room for, with the cells
        of all parts at each.
        """
        parts = self._parts(quick)
        fitting = set(map(id, narrowed([cell for *_, cells in parts for cell in cells], only)))
        chosen = [
            (part, each, [cell for cell in cells if id(cell) in fitting])
            for part, each, cells in parts
        ]
        sizes = [
            len(cells) * (seeds or experiment.file.seeds) if experiment.sampled else 0
            for _, experiment, cells in chosen
        ]
        for (part, experiment, cells), size in zip(chosen, sizes, strict=True):
            if cells:
                for cell in experiment.at_points(cells, seeds, sum(sizes) - size, quick):
                    if not part.leaves_out(cell, quick):
                        yield cell

    def _parts(self, quick: bool) -> list[tuple[Part, Experiment, list[Cell]]]:
        """The parts with what is measured of them, on boards as they are."""
        found = []
        first: dict[tuple[str, Place], Cell] = {}
        for part, each in self.experiments:
            cells = each.configurations(quick or part.short)
            kept = [cell for cell in cells if not part.leaves_out(cell, quick)]
            if self.link:
                kept = [_in_place(first.setdefault((c.label, c.place), c), c) for c in kept]
            found.append((part, each, kept))
        return found


def load(
    name: str,
    directory: Path = EXPERIMENTS,
    clock: Clock | None = None,
    sweep: Sweep = NO_SWEEP,
    elsewhere: Elsewhere = NOT_ELSEWHERE,
) -> Experiment | Collection:
    """The experiment or collection of that name, or in that file if the name ends in `.toml`.
    `clock` replaces the boards' clocks (`boards.catalog`).  `sweep` adds to or replaces the numbers
    that vary in the files, and `elsewhere` replaces boards and links.

    Raises `FiresteelError` when it is not there or says something that is not allowed.
    """
    path = Path(name) if name.endswith(".toml") else directory / f"{name}.toml"
    if not toml.is_there(path) or "parts" not in toml.read_table(path):
        alone = load_experiment(name, directory, Catalog(clock), sweep=sweep, elsewhere=elsewhere)
        _check_links(elsewhere, [alone])
        return alone
    file = toml.read_model(path, Parts)
    catalog = Catalog(clock)
    experiments = tuple(
        (part, _experiment(path, part, board, directory, catalog, sweep, elsewhere))
        for part in file.parts
        for board in part.boards or (None,)
    )
    _check_links(elsewhere, [each for _, each in experiments])
    collection = Collection(path.stem, path, file, experiments, catalog, elsewhere.link)
    for number, (part, experiment) in enumerate(experiments, 1):
        _check_selectors(f"{path}: key `parts[{number}]", part, experiment)
    for quick in (False, True):
        _check_cells(collection, collection.configurations(quick))
        _check_profiles(path, collection, quick)
    return collection


def _check_links(elsewhere: Elsewhere, experiments: Sequence[Experiment]) -> None:
    """Raises `RequestError` for a rate of links where no experiment has any."""
    topologies = {each.file.topology: each.catalog for each in experiments}
    if elsewhere.link and not any(of.topology(name).links for name, of in topologies.items()):
        names = " and ".join(f"`{name}`" for name in topologies)
        raise RequestError(f"--link {elsewhere.link}: there are no links in {names}.")


def _experiment(
    path: Path,
    part: Part,
    board: str | None,
    directory: Path,
    catalog: Catalog,
    sweep: Sweep,
    elsewhere: Elsewhere,
) -> Experiment:
    if part.experiment.endswith(".toml") or "/" in part.experiment:
        raise FiresteelError(
            f"{path}: key `parts` refers to `{part.experiment}`; allowed is an experiment's name."
        )
    there = partial(part.measured_there, board)
    try:
        return load_experiment(part.experiment, directory, catalog, there, sweep, elsewhere)
    except FiresteelError as error:
        raise FiresteelError(f"{path}: key `parts`: {error}") from None


def _check_selectors(key: str, part: Part, experiment: Experiment) -> None:
    """A selector that fits nothing is a mistake of spelling."""
    for selector in part.left_out(quick=True):
        if not any(_fits(cell, selector) for cell in experiment.configurations(quick=False)):
            raise FiresteelError(f"{key}.without`: no cell of {experiment.name} has {selector}.")


def _in_place(first: Cell, cell: Cell) -> Cell:
    """The first of two cells that a rate of links makes alike, if it has all of the workloads."""
    measured = {plan.workload for plan in first.plans}
    return first if measured.issuperset(plan.workload for plan in cell.plans) else cell


def _check_cells(collection: Collection, cells: tuple[Cell, ...]) -> None:
    """Figures are told apart by what their cells are called, and by where they are measured."""
    path, link = collection.path, collection.link
    if not cells:
        raise FiresteelError(f"{path}: key `parts` leaves out all cells.")
    first: dict[tuple[str, Place, int], Cell] = {}
    for cell in cells:
        other = first.setdefault((cell.label, cell.place, cell.seed), cell)
        if other != cell and link:
            raise RequestError(
                f"--link {link}: a part of {path.stem} measures more than a part before it that "
                f"differs only in its links ({cell.label}); put it first, or leave the option out."
            )
        if other != cell:
            raise FiresteelError(
                f"{path}: key `parts` gives {cell.label} twice, measured in two ways; "
                "allowed is one of them."
            )


def _check_profiles(path: Path, collection: Collection, quick: bool) -> None:
    """A label that no cell has is a mistake of spelling."""
    cells = collection.configurations(quick)
    key = f"profiles.{'quick' if quick else 'cells'}"
    for label in collection.profiled(quick):
        if not named(cells, label):
            known = "; ".join(dict.fromkeys(cell.label for cell in cells))
            raise FiresteelError(
                f"{path}: key `{key}`: there is no cell `{label}`; there are: {known}."
            )


def _fits(cell: Cell, selector: str) -> bool:
    key, _, value = selector.partition("=")
    return value in values_of(cell, key)
