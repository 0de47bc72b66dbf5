# SPDX-License-Identifier: Apache-2.0
"""An experiment: a file in `experiments/` that says what to measure, and the cells it expands to.

1. `load_experiment` reads and validates the file.
2. `Experiment.cells` multiplies its lists out.  There is one cell for each configuration, seed and
   point of the sweep, in the file's order, and all cells of one seed precede the next seed's.
3. `select` keeps the cells that `--only KEY=VALUE` asks for.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, create_model, model_validator

from firesteel.base import toml
from firesteel.base.checkout import EXPERIMENTS
from firesteel.base.errors import FiresteelError, RequestError, shortened
from firesteel.base.quantity import BitRate, bits_of, read_rate
from firesteel.base.toml import Table
from firesteel.boards.catalog import Catalog
from firesteel.boards.numbers import base_of
from firesteel.boards.profile import Clock, Profile
from firesteel.boards.real import is_real
from firesteel.boards.topology import Topology
from firesteel.model.cell import (
    ABSENT,
    ON_CORES,
    OWN_LINK,
    Affinity,
    Cell,
    Completion,
    Habit,
    Implementation,
)
from firesteel.model.identity import Limit
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.registry import protocol_named, whole
from firesteel.run.experiment.sweep import NO_SWEEP, Sample, Sweep, VaryTable, sweep_of
from firesteel.run.experiment.tables import Configuration, Limits, RealNode
from firesteel.workloads import titles
from firesteel.workloads.registry import SESSIONS, WORKLOADS, sessions_for
from firesteel.workloads.workload import Session, Workload, WorkloadTable

_LARGEST_SEED = 2**31 - 1

MOST_SEEDS = 100
"""How many seeds a configuration is measured with at the most."""


class _ExperimentFile(Table):
    """What an experiment's file may say, besides the tables of workloads."""

    title: str
    """What the experiment measures, in one line."""
    topology: str
    """Boards and links: a file in `board/topologies/`."""
    measured: str
    """The device under test: the node whose figures are reported."""
    seed: Annotated[int, Field(ge=1, le=_LARGEST_SEED - MOST_SEEDS + 1)] = 1
    """Random seed of the boards (see [Seeds](../experiments.md#seeds))."""
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] = 1
    """Seeds of each configuration, from `seed` upwards."""
    profiles: dict[str, str] = Field(default_factory=dict)
    """Profile of a node; overrides the topology's."""
    nodes: dict[str, RealNode] = Field(default_factory=dict)
    """[Real machines](../real-machines.md) by node name, for all nodes or for none."""
    link: BitRate | None = None
    """Bit rate of all links; default: the topology's rates."""
    vary: VaryTable = Field(default_factory=dict)
    """Numbers of boards and links that vary, by path: lists of values, or ranges (see
    [Sweeps](../sweeps.md)). `quick` has the values for `--quick`.
    """
    sample: Sample | None = None
    """How to choose some combinations of `vary` instead of all."""
    configurations: Annotated[tuple[Configuration, ...], Field(min_length=1)]
    """What is measured: every combination of the listed values."""
    limits: Limits | None = None
    """Acceptance criteria for figures; a missed limit does not fail the run."""

    @property
    def tables(self) -> dict[Workload, WorkloadTable]:
        """The tables of workloads that the file has."""
        found = ((workload, getattr(self, workload.name)) for workload in WORKLOADS)
        return {workload: table for workload, table in found if table is not None}

    @model_validator(mode="after")
    def _varies_what_there_is(self) -> Self:
        if self.sample and not self.vary:
            raise ValueError("`sample` needs `vary`, whose combinations it samples")
        _ = self.sweep
        return self

    @property
    def sweep(self) -> Sweep:
        """What varies."""
        return sweep_of(self.vary, self.sample)

    @model_validator(mode="after")
    def _measures_something(self) -> Self:
        session = self._session()
        wanted = [each.name for each in session.workloads]
        if not self.tables and len(wanted) > 1:
            names = " or ".join(f"`{name}`" for name in wanted)
            raise ValueError(f"a table {names} is missing; at least one is needed")
        if not self.tables:
            raise ValueError(f"the table `{wanted[0]}` is missing")
        for workload in self.tables:
            if workload not in session.workloads:
                raise ValueError(
                    f"the table `{workload.name}` does not apply to these protocols; allowed "
                    f"here: {', '.join(wanted)}"
                )
        return self

    @model_validator(mode="after")
    def _tables_fit_protocols(self) -> Self:
        for each, (workload, table) in product(self.configurations, self.tables.items()):
            for protocol in map(protocol_named, each.protocol):
                if not workload.measures(protocol):
                    allowed = [other.name for other in WORKLOADS if other.measures(protocol)]
                    raise ValueError(
                        f'protocol "{protocol.name}" is not measured by the table '
                        f"`{workload.name}`; allowed here: {', '.join(allowed)}"
                    )
                table.check(protocol, each.suite)
                self._check_shared(workload, protocol)
        return self

    def _check_shared(self, workload: Workload, protocol: Protocol) -> None:
        for other in self.tables:
            if other != workload and other.servers(protocol) & workload.servers(protocol):
                raise ValueError(
                    f"the tables `{workload.name}` and `{other.name}` cannot share an experiment "
                    f'with protocol "{protocol.name}"; put each into its own'
                )

    def _session(self) -> Session:
        """In which all configurations are measured: one that all protocols have and that the file
        has a table of, or else their usual one.
        """
        names = dict.fromkeys(name for each in self.configurations for name in each.protocol)
        by_protocol = [sessions_for(protocol_named(name)) for name in names]
        for session in SESSIONS:
            given = set(session.workloads) & set(self.tables)
            if given and all(session in sessions for sessions in by_protocol):
                return session
        usual = {sessions[0].name: sessions[0] for sessions in by_protocol}
        if len(usual) > 1:
            raise ValueError(
                "`configurations` has protocols with different measurements: "
                f"{' and '.join(sorted(usual))}; put each into its own experiment"
            )
        return next(iter(usual.values()))


if TYPE_CHECKING:
    ExperimentFile = _ExperimentFile
else:
    ExperimentFile = create_model(
        "ExperimentFile",
        __base__=_ExperimentFile,
        **{
            each.name: (each.table | None, Field(None, description=each.meaning))
            for each in WORKLOADS
        },
    )


_USUAL_PEER, _FASTER_PEER = "peer", "clients"
_ENOUGH_BIT_S = 100_000_000
"""Up to this rate the usual peer takes a negligible share of a row's time."""


@dataclass(frozen=True)
class Elsewhere:
    """Replacements for values in an experiment's file: the measured board, the rate of all links,
    and the board of all other nodes.  A board is given by its name or its file.
    """

    board: str | None = None
    link: BitRate | None = None
    peer: str | None = None

    @staticmethod
    def of(
        board: str | None, link: str | None, peer: str | None, clock: Clock | None = None
    ) -> "Elsewhere":
        """As the command line says it; `FiresteelError` where there is no such board or rate, or a
        board's file lacks something that the clock needs.
        """
        for option, said in (("--board", board), ("--peer", peer)):
            _check_board(Catalog(clock if _is_file(said) else None), option, said)
        return Elsewhere(_absolute(board), _rate(link), _absolute(peer))

    def over(self, file: ExperimentFile, topology: Topology) -> ExperimentFile:
        """The experiment's file with these boards and links, if there are links.

        With a rate of links and no peer, nodes that have the usual peer get a faster one where that
        rate asks for it.
        """
        profiles = {name: node.profile for name, node in topology.nodes.items()} | file.profiles
        told = file.profiles | {name: node.name for name, node in file.nodes.items()}
        others = [name for name in topology.nodes if name != file.measured]
        if self.peer:
            told |= dict.fromkeys(others, self.peer)
        elif self.link and bits_of(self.link) > _ENOUGH_BIT_S:
            usual = [name for name in others if profiles[name] == _USUAL_PEER]
            told |= dict.fromkeys(usual, _FASTER_PEER)
        if self.board:
            told[file.measured] = self.board
        link = (self.link if topology.links else None) or file.link
        return file.model_copy(update={"profiles": told, "link": link})


NOT_ELSEWHERE = Elsewhere()
"""As the file says."""


def _is_file(said: str | None) -> bool:
    return said is not None and said.endswith(".toml")


def _absolute(said: str | None) -> str | None:
    """A file that is named on the command line is one of the working directory."""
    return str(Path(said).absolute()) if said and _is_file(said) else said


def _check_board(catalog: Catalog, option: str, said: str | None) -> None:
    if said is None:
        return
    try:
        catalog.find_profile(said, Path.cwd())
    except FiresteelError as error:
        if _is_file(said) or is_real(said):
            raise
        raise FiresteelError(
            f"{option} {shortened(said)}: {error} A file of your own ends in .toml."
        ) from None


def _rate(said: str | None) -> BitRate | None:
    """A rate as files have it."""
    try:
        return None if said is None else read_rate(said)
    except ValueError as error:
        raise FiresteelError(f"--link {shortened(said or '')}: {error}.") from None


@dataclass(frozen=True)
class Experiment:
    """A validated experiment.  `profiles` maps each node of its topology to the name of its
    profile, and `catalog` resolves these names.  `sweep` is what varies, from the file and from
    options.
    """

    name: str
    path: Path
    file: ExperimentFile
    profiles: dict[str, str]
    catalog: Catalog = field(compare=False)
    sweep: Sweep = NO_SWEEP

    @property
    def title(self) -> str:
        """What is measured, in words."""
        return self.file.title

    @property
    def varied(self) -> tuple[str, ...]:
        """The paths of what varies."""
        return self.sweep.paths

    @property
    def sampled(self) -> bool:
        """Whether not all combinations of what varies are measured."""
        return self.sweep.method is not None

    def cells(
        self, quick: bool = False, seeds: int | None = None, only: Sequence[str] = ()
    ) -> tuple[Cell, ...]:
        """Every configuration, in the order of the file, with the first seed, then with the next.

        `seeds` is how many there are, the file's number if it is not given.  So a run that is
        stopped early has measured all configurations with equally many seeds.  Cells that `only`
        excludes are created only as far as `select` needs them, and take no room in a sample.
        """
        return self.at_points(narrowed(self.configurations(quick), only), seeds, quick=quick)

    def at_points(
        self, cells: Sequence[Cell], seeds: int | None = None, beside: int = 0, quick: bool = False
    ) -> tuple[Cell, ...]:
        """Some of the configurations with all seeds, at all points of the sweep; a sample has room
        for so many other cells `beside` them at each point.
        """
        first = self.file.seed
        numbers = range(first, first + (seeds or self.file.seeds))
        found = self.sweep.when(quick).expanded(cells, self.catalog, len(numbers), beside)
        return tuple(cell.model_copy(update={"seed": seed}) for seed in numbers for cell in found)

    def configurations(self, quick: bool) -> tuple[Cell, ...]:
        """Each once, on boards and links as they are, with the first seed."""
        return tuple(self._cells(quick))

    def _cells(self, quick: bool) -> tuple[Cell, ...]:
        file = self.file
        return tuple(
            Cell(
                topology=file.topology,
                profiles=self.profiles,
                measured=file.measured,
                protocol=protocol,
                cipher=cipher,
                mac=mac,
                implementation=implementation,
                completion=completion,
                as_in_2015=habits,
                link_rate_bit_s=bits_of(file.link) if file.link else None,
                affinity=affinity,
                plans=plans,
                seed=file.seed,
            )
            for (
                *(protocol, cipher, mac, implementation, completion, habits, affinity),
            ) in _configurations(file)
            for plans in product(
                *(table.plans(protocol_named(protocol), quick) for table in file.tables.values())
            )
        )

    def limits(self, quick: bool = False) -> tuple[Limit, ...]:
        """What the figures of all cells are held against, quick or not; where boards vary only
        limits that name two of them, as others are for a single board.

        Raises `ValueError` when that cannot be.
        """
        if self.file.limits is None:
            return ()
        found = self.file.limits.of_cells(self._cells(quick=False))
        one_board = self.sweep.when(quick).is_point
        return tuple(each for each in found if each.board or one_board)


def experiment_names() -> list[str]:
    """The names of all experiments of the checkout, sorted."""
    return toml.names_in(EXPERIMENTS)


def load_experiment(
    name: str,
    directory: Path = EXPERIMENTS,
    catalog: Catalog | None = None,
    changed: Callable[[ExperimentFile], ExperimentFile] = lambda file: file,
    sweep: Sweep = NO_SWEEP,
    elsewhere: Elsewhere = NOT_ELSEWHERE,
) -> Experiment:
    """The experiment of that name, or in that file if the name ends in `.toml`.  `changed` and
    `elsewhere` modify what the file says, and `sweep` adds numbers that vary.

    Raises `FiresteelError` when it is not there or says something that is not allowed.
    """
    if name.endswith(".toml"):
        path = Path(name)
        file = toml.read_model(path, ExperimentFile)
    else:
        path = directory / f"{name}.toml"
        _check_name(name, directory)
        file = toml.read_named("experiment", name, directory, ExperimentFile)
    catalog = catalog or Catalog()
    file = changed(file)
    file = file.model_copy(update={"topology": _topology(path, file, catalog)})
    own = file.profiles.get(file.measured)
    file = elsewhere.over(file, catalog.topology(file.topology))
    _check_link(path, file, catalog)
    profiles = _profiles(path, file, catalog)
    if own and elsewhere.board:
        _check_storage(path, own, elsewhere.board, lambda: catalog.profile(profiles[file.measured]))
    _check_distinct(path, file)
    experiment = Experiment(path.stem, path, file, profiles, catalog, sweep.over(file.sweep))
    try:
        experiment.limits()
    except ValueError as error:
        raise FiresteelError(f"{path}: {error}.") from None
    return experiment


def _check_name(name: str, directory: Path) -> None:
    """Raises `FiresteelError` when the word is meant for a file, not for an experiment's name."""
    kind = toml.kind_of(Path(name)) if name else ""
    if name in toml.names_in(directory) or not (kind or "/" in name):
        return
    what = f"is {kind}" if kind else "is no file"
    raise FiresteelError(
        f"{shortened(Path(name))}: {what}; allowed is an experiment's name, or a TOML file whose "
        "name ends in `.toml`."
    )


_VALUES: Mapping[str, Callable[[Cell], tuple[str | None, ...]]] = {
    "protocol": lambda cell: (cell.protocol,),
    "suite": lambda cell: (f"{cell.cipher}:{cell.mac}",),
    "cipher": lambda cell: (cell.cipher,),
    "mac": lambda cell: (cell.mac,),
    "implementation": lambda cell: (cell.implementation,),
    "completion": lambda cell: (cell.completion,),
    "as_in_2015": lambda cell: cell.as_in_2015 or (ABSENT,),
    "affinity": lambda cell: (cell.pinned or ABSENT,),
    "board": lambda cell: _with_base(cell.profiles[cell.measured]),
    "topology": lambda cell: _with_base(cell.topology),
    "node": lambda cell: (cell.measured,),
    "link": lambda cell: (cell.link or OWN_LINK,),
    "by": lambda cell: tuple(workload.brought_by(cell) for workload in WORKLOADS),
}

SELECTORS = tuple(_VALUES)
"""Keys that `--only` takes."""


def _with_base(name: str) -> tuple[str, ...]:
    """A board or topology, and in a sweep the one that it is made of."""
    return tuple(dict.fromkeys((name, base_of(name))))


def values_of(cell: Cell, key: str) -> tuple[str, ...]:
    """What a cell has for a key of `--only`; a cell with two habits is chosen by either."""
    return tuple(value for value in _VALUES[key](cell) if value is not None)


def select(cells: Sequence[Cell], only: Iterable[str], *, alone: bool = False) -> tuple[Cell, ...]:
    """The cells that fit every `KEY=VALUE`; of several values of one key any will do.  A
    `completion` also keeps the software that is compared with its hardware, unless `alone`.

    Raises `FiresteelError` for an unknown key, for a value that no cell has, and when nothing is
    left.
    """
    wanted: dict[str, set[str]] = {}
    for text in only:
        key, separator, value = text.partition("=")
        if not separator or key not in SELECTORS:
            raise FiresteelError(
                f"--only {text}: allowed is KEY=VALUE with one of the keys {', '.join(SELECTORS)}."
            )
        there = sorted({value for cell in cells for value in values_of(cell, key)})
        value = _as_cells_have_it(key, value, there)
        if value not in there:
            known = ", ".join(there) or "none"
            raise FiresteelError(f"--only {text}: no cell has that {key}; there are: {known}.")
        wanted.setdefault(key, set()).add(value)
    kept = [cell for cell in cells if _fits(cell, wanted)]
    if not kept:
        raise FiresteelError(f"--only {' --only '.join(only)}: no cell matches all of these.")
    if alone or "completion" not in wanted:
        return tuple(kept)
    hardware = (cell for cell in kept if cell.on_cores)
    settings = {cell.of_any_implementation.model_dump_json() for cell in hardware}
    return tuple(
        cell
        for cell in cells
        if _fits(cell, wanted)
        or (_fits(cell, wanted, unset=True) and cell.model_dump_json() in settings)
    )


def _fits(cell: Cell, wanted: Mapping[str, set[str]], *, unset: bool = False) -> bool:
    """Whether a cell has one of the values of each key; or, if `unset` counts, none at all."""
    there = ((set(values_of(cell, key)), values) for key, values in wanted.items())
    return all(own & values or (unset and not own) for own, values in there)


def narrowed(cells: Sequence[Cell], only: Iterable[str]) -> tuple[Cell, ...]:
    """The cells that `select` may keep at some point of a sweep, before they are put at its points.

    A value that matches no cell is allowed here, because it may match a board at a point of the
    sweep.  Errors are reported later by `select`.
    """
    told: dict[str, list[str]] = {}
    for text in only:
        told.setdefault(text.partition("=")[0], []).append(text)
    kept = tuple(cells)
    for texts in told.values():
        with contextlib.suppress(FiresteelError):
            kept = select(kept, texts)
    return kept


def _as_cells_have_it(key: str, value: str, there: Sequence[str]) -> str:
    if key == "suite":
        return whole(value, there)
    return value.removesuffix(":gcm") if key == "cipher" else value


def named(cells: Sequence[Cell], label: str) -> list[Cell]:
    """The cells with that label or name; if the name does not say what computes, the cells in
    software.  If no cell has the label, its cells at other rates of links count.
    """

    def those(said: Callable[[Cell], str]) -> list[Cell]:
        return [
            cell
            for cell in cells
            if label in (said(cell), said(cell).replace(" software", "", 1), titles.of_cell(cell))
        ]

    return those(lambda cell: cell.label) or those(lambda cell: cell.configuration)


_Habits = tuple[Habit, ...] | None
_Configuration = tuple[str, str, str, Implementation, Completion | None, _Habits, Affinity | None]


def _configurations(file: ExperimentFile) -> Iterable[_Configuration]:
    for each in file.configurations:
        for protocol, suite, implementation in product(
            each.protocol, each.suite, each.implementation
        ):
            cipher, mac = suite.split(":")
            completions = each.completion if implementation in ON_CORES else (None,)
            for completion, affinity in product(completions, each.affinity):
                how = (implementation, completion, each.as_in_2015)
                yield protocol, cipher, mac, *how, affinity if affinity.given else None


def _topology(path: Path, file: ExperimentFile, catalog: Catalog) -> str:
    """The name of the topology, which may lie elsewhere."""
    try:
        return catalog.find_topology(file.topology, path.parent)
    except FiresteelError as error:
        raise FiresteelError(f"{path}: key `topology`: {error}") from None


def _check_link(path: Path, file: ExperimentFile, catalog: Catalog) -> None:
    """Raises `FiresteelError` when a rate is said of links that are not there."""
    if file.link and not catalog.topology(file.topology).links:
        raise FiresteelError(
            f'{path}: key `link` is "{file.link}"; the topology `{file.topology}` has no links.'
        )


def _profiles(path: Path, file: ExperimentFile, catalog: Catalog) -> dict[str, str]:
    """The profile of every node: the topology's, unless the experiment names another."""
    topology = catalog.topology(file.topology)
    nodes = ", ".join(topology.nodes)
    if file.measured not in topology.nodes:
        raise FiresteelError(
            f'{path}: key `measured` is "{file.measured}"; '
            f"allowed is a node of the topology `{file.topology}`: {nodes}."
        )
    for node in file.profiles:
        if node not in topology.nodes:
            raise FiresteelError(
                f"{path}: key `{_table_of(file, node)}.{node}` is unknown; "
                f"allowed here are the nodes of the topology `{file.topology}`: {nodes}."
            )
    said = {name: node.profile for name, node in topology.nodes.items()} | file.profiles
    found = {}
    for node, profile in said.items():
        try:
            found[node] = catalog.find_profile(profile, path.parent)
        except FiresteelError as error:
            raise FiresteelError(f"{path}: key `{_table_of(file, node)}.{node}`: {error}") from None
    return found


def _check_storage(path: Path, own: str, said: str, board: Callable[[], Profile]) -> None:
    """Raises `RequestError` where the experiment's own board has storage and the other has none:
    memory would be measured by the storage's name.
    """
    catalog = Catalog()
    if catalog.profile(catalog.find_profile(own, path.parent)).storage and not board().storage:
        raise RequestError(
            f"--board {shortened(said)}: {path.stem} measures the storage of a board, and this one "
            f"has none; allowed are boards with a table `storage` in their file, such as {own}."
        )


def _table_of(file: ExperimentFile, node: str) -> str:
    return "nodes" if node in file.nodes else "profiles"


def _check_distinct(path: Path, file: ExperimentFile) -> None:
    seen = set()
    for configuration in _configurations(file):
        if configuration in seen:
            protocol, cipher, mac, *how, habits, affinity = configuration
            pinned = affinity.text if affinity else None
            words = (protocol, f"{cipher}:{mac}", *how, *(habits or ()), pinned)
            told = " ".join(filter(None, words))
            raise FiresteelError(
                f"{path}: key `configurations` gives {told} more than once; "
                "a cell is measured once."
            )
        seen.add(configuration)
