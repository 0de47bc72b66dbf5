# SPDX-License-Identifier: Apache-2.0
"""Whether two runs can be compared, which cells of theirs belong together, and what differs.

Cells are paired if they differ only in the seed and in their places: the measured board, the other
boards, and the rate of links.  For each part of the place, the values that both runs have are
paired.  If the runs share no value of a part, each run must have exactly one value, or the user
chooses the values (`Choice`).  The comparison states how boards and links differ.

Runs are refused if cells of the same name differ in nodes, in the paths between them, or in sizes.
Such figures would differ for that reason, whatever else was changed.

`apart` puts the differences between records into words.  A comparison shows the effect of one
difference.  If there are several, nobody knows which difference moved a figure, so `check_allowed`
refuses them unless the user names them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

from firesteel.base.errors import RequestError
from firesteel.boards.real import is_real
from firesteel.build.artifacts import LIBCRYPTO_PACKAGE
from firesteel.judge.places import Places
from firesteel.judge.results import Results
from firesteel.judge.rows import grouped
from firesteel.model import names
from firesteel.model.cell import OWN_LINK, Cell, Place
from firesteel.model.identity import by_key
from firesteel.store.record import Record, bare, libcrypto_of, libcrypto_versions
from firesteel.store.setup import Difference, differences
from firesteel.table import configuration
from firesteel.workloads import titles
from firesteel.workloads.cells import unsteady

CHOSEN: Mapping[str, Callable[[Cell], str]] = {
    "board": lambda cell: cell.place.board,
    "link": lambda cell: cell.link or OWN_LINK,
    "topology": lambda cell: cell.topology,
}
"""Parts of a place that a user may choose, as `--only` calls them."""

_PARTS: Mapping[str, Callable[[Cell], str]] = {
    **CHOSEN,
    "other nodes": lambda cell: ", ".join(
        f"{node} {profile}" for node, profile in cell.profiles.items() if node != cell.measured
    ),
}


@dataclass(frozen=True)
class Choice:
    """Cells with one value of a part in the first run are paired with those with another value in
    the second.
    """

    part: str
    before: str
    after: str


class UnlikeError(Exception):
    """Why two runs cannot be compared."""


def choice(text: str) -> Choice:
    """What `--pair` says; `RequestError` where that is none."""
    part, _, values = text.partition("=")
    before, separator, after = values.partition(":")
    if part not in CHOSEN or not (before and separator and after) or ":" in after:
        raise RequestError(
            f"--pair {text}: allowed is KEY=A:B with one of the keys {', '.join(CHOSEN)}. It pairs "
            "the first run's cells that have the value A with the second run's cells that have "
            "the value B."
        )
    return Choice(part, before, after)


def _check(choices: Sequence[Choice], before: Sequence[Cell], after: Sequence[Cell]) -> None:
    """Raises `RequestError` for what a run does not have."""
    for each in choices:
        for value, cells, which in ((each.before, before, "first"), (each.after, after, "second")):
            there = dict.fromkeys(CHOSEN[each.part](cell) for cell in cells)
            if value not in there:
                raise RequestError(
                    f"--pair {each.part}={each.before}:{each.after}: the {which} run has no cell "
                    f"with the {each.part} {value}; there are: {', '.join(there)}."
                )


def _but_for_place(cell: Cell) -> str:
    """All that paired cells have in common, the measured node included."""
    nowhere: dict[str, Any] = {"profiles": {}, "topology": "", "link_rate_bit_s": None}
    return cell.of_any_seed.model_copy(update=nowhere).model_dump_json()


def match(
    before: Sequence[Cell], after: Sequence[Cell], choices: Sequence[Choice] = ()
) -> list[tuple[Cell, Cell]]:
    """Pairs of cells that differ only in their places, in the order of the first run.

    Raises `UnlikeError` if a run measured a cell in several places, the runs share none of them,
    and the user did not choose.
    """
    for each in choices:
        part = CHOSEN[each.part]
        before = [cell for cell in before if part(cell) == each.before]
        after = [cell for cell in after if part(cell) == each.after]
    if not before or not after:
        return []
    chosen = {each.part for each in choices}
    shared = []
    for name, part in _PARTS.items():
        one, other = (list(dict.fromkeys(map(part, cells))) for cells in (before, after))
        if name in chosen:
            continue
        if set(one) & set(other):
            shared.append(part)
        elif len(one) > 1 or len(other) > 1:
            pairing = f", or by --pair {name}={one[0]}:{other[0]}" if name in CHOSEN else ""
            raise UnlikeError(
                f"{_name(before[0])} is measured with the {name} {' and '.join(one)}, and with "
                f"{' and '.join(other)}, so the pairs are unclear; choose by --only "
                f"{name}=NAME{pairing}"
            )
    found = {tuple(part(cell) for part in shared): cell for cell in after}
    keys = [(cell, tuple(part(cell) for part in shared)) for cell in before]
    return [(cell, found[key]) for cell, key in keys if key in found]


Kind = Literal["emulator", "kernel", "openssl", "packages", "image", "boards", "jobs", "settings"]

ALL = "all"
"""The word that allows every kind of difference."""

_ALLOWED = (*(kind for kind in get_args(Kind) if kind != "settings"), ALL)
"""The words that a user may write; cells with different settings are never paired."""

_OPENSSL = (LIBCRYPTO_PACKAGE, "openssl", "openssl-provider-legacy")
"""Debian's packages of it, the library first."""

_KERNEL = "linux-image"
"""How the names of packages with kernels begin."""

_MOST_PACKAGES = 3
"""How many packages a difference names."""


@dataclass(frozen=True)
class Apart:
    """A difference between records: its kind, by which a user allows it, and what it is."""

    kind: Kind
    words: str


def words_of(found: Iterable[Apart]) -> str:
    """Differences in a list that a sentence ends with."""
    return "; ".join(each.words for each in found)


def apart(one: Sequence[Record], other: Sequence[Record]) -> tuple[Apart, ...]:
    """The differences in software between two groups of records, of whatever cells; none where a
    group is empty.

    If packages differ, the image is not named as a further difference.
    """
    return tuple(_software(one, other, _changed_packages(one, other))) if one and other else ()


def _software(
    one: Sequence[Record], other: Sequence[Record], packages: Mapping[str, tuple[str, str]]
) -> Iterator[Apart]:
    def keys(name: str) -> list[str]:
        return [", ".join(sorted({getattr(each.versions, name) for each in of})) for of in both]

    both = (one, other)
    before, after = keys("qemu")
    if before != after:
        yield Apart("emulator", f"emulator (QEMU, build {before[:7]} → {after[:7]})")
    kernels = [name for name in packages if name.startswith(_KERNEL)]
    before, after = keys("kernel")
    if kernels:  # The name of a kernel's package has its version, the meta-package's has not.
        yield Apart("kernel", f"kernel ({_change(packages[kernels[-1]])})")
    elif before != after:
        yield Apart("kernel", f"kernel (build {before[:7]} → {after[:7]})")
    openssl = [name for name in packages if name in _OPENSSL]
    if openssl:
        yield Apart("openssl", f"OpenSSL ({_change(packages[openssl[0]])})")
    others = [
        f"{name} {_change(versions)}"
        for name, versions in packages.items()
        if name not in kernels and name not in openssl
    ]
    if others:
        count = f"{len(others)} package{'s' if len(others) > 1 else ''}"
        yield Apart("packages", f"{count} ({names.first_of(others, _MOST_PACKAGES)})")
    before, after = keys("image")
    if before != after and not packages:
        yield Apart("image", f"image (equal packages, build {before[:7]} → {after[:7]})")


def _change(versions: tuple[str, str]) -> str:
    return " → ".join(version or "none" for version in versions)


def _changed_packages(one: Sequence[Record], other: Sequence[Record]) -> dict[str, tuple[str, str]]:
    """The versions of packages that are not the same, by name, sorted."""
    first, second = (_versions(records) for records in (one, other))
    return {
        name: (first.get(name, ""), second.get(name, ""))
        for name in sorted(first.keys() | second.keys())
        if first.get(name) != second.get(name)
    }


def _versions(records: Iterable[Record]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for packages in {id(each.packages): each.packages for each in records}.values():
        for name, version in packages.items():
            found.setdefault(bare(name), set()).add(version)
    return {name: ", ".join(sorted(versions)) for name, versions in found.items()}


def disagreement(records: Iterable[Record]) -> str:
    """A sentence that says that records in one table were measured with different software, or that
    a real machine's clock changed during the measurement; empty if neither is true.

    Boards of different architectures always have different software, so they are not compared.
    """
    records = list(records)
    return " ".join(
        filter(None, (unsteady(record.proof for record in records), _other_software(records)))
    )


def _other_software(records: Sequence[Record]) -> str:
    if len({_software_key(each) for each in records}) < 2:
        return ""
    for of_one in grouped(records, _architectures).values():
        first, *others = grouped(of_one, _software_key).values()
        for other in others:
            if found := apart(first, other):
                return (
                    "These records were not measured with the same software, and a ratio between "
                    f"two records may come from this difference: {words_of(found)}. `firesteel run "
                    "EXPERIMENT --fresh` measures all of them again."
                )
    return ""


def _architectures(record: Record) -> tuple[str, ...]:
    """Those of the measured board and of all boards."""
    own = record.setup.profiles[record.cell.measured].architecture_name
    return own, *sorted(record.setup.architectures)


def _software_key(record: Record) -> tuple[str, ...]:
    of = record.versions
    return of.qemu, of.kernel, of.image, *libcrypto_versions(record)


def runs_apart(before: Results, after: Results) -> tuple[Apart, ...]:
    """All differences between two runs in what both measured at the same places."""

    def key(record: Record) -> tuple[object, ...]:
        return (_kind(record.cell), record.cell.place, record.cell.seed)

    first, second = (by_key(run.records, key) for run in (before, after))
    both = [(first[cell], second[cell]) for cell in first if cell in second]
    paths = (each.path for pair in both for each in _parameters_apart(*pair))
    found = [*apart(before.records, after.records), *_paths_apart(paths)]
    settings = dict.fromkeys(
        text for one, other in both for text in _settings(one.cell, other.cell, " → ")
    )
    if before.journal.quick != after.journal.quick:
        sizes = ("quick" if each.journal.quick else "full" for each in (before, after))
        settings = {f"{' → '.join(sizes)} sizes": None}
    if settings:
        words = names.first_of(list(settings), _MOST_PACKAGES, "; ")
        return (*found, Apart("settings", f"settings of the experiment ({words})"))
    return (*found, *_jobs_apart(both, found))


def _parameters_apart(one: Record, other: Record) -> tuple[Difference, ...]:
    """None where both were measured on equal boards, whatever boards they stand for."""
    if one.cell.place == other.cell.place and one.versions.boards == other.versions.boards:
        return ()
    return differences(one.setup, other.setup, one.cell.measured)


def _paths_apart(paths: Iterable[str]) -> tuple[Apart, ...]:
    """The parameters at these paths as one difference; none where there is none."""
    if not (there := sorted(set(paths))):
        return ()
    return (Apart("boards", f"boards or links ({names.first_of(there, _MOST_PACKAGES)})"),)


def _jobs_apart(
    pairs: Iterable[tuple[Record, Record]], besides: Collection[Apart]
) -> tuple[Apart, ...]:
    """Whether guests were sent other files, by cells of equal seeds.

    A patched libcrypto is one of these files: where it differs, so do the jobs.
    """
    differing = [pair for pair in pairs if pair[0].versions.jobs != pair[1].versions.jobs]
    patched = {libcrypto_of([record]) for pair in differing for record in pair}
    if not differing or (len(patched) > 1 and any(each.kind == "openssl" for each in besides)):
        return ()
    of_cores = all(one.cell.implementation == "hardware" for one, _ in differing)
    return (
        Apart("jobs", "driver or provider" if of_cores else "scripts, driver, provider or keys"),
    )


def check_allowed(runs: Sequence[Results], found: Sequence[Apart], allowed: Sequence[str]) -> None:
    """Raises `RequestError` where more than one difference is not allowed by name, and for a name
    that no difference has.
    """
    for name in allowed:
        if name not in _ALLOWED:
            raise RequestError(
                f"--allow-difference {name}: no kind of difference has that name; allowed are "
                f"{', '.join(_ALLOWED)}."
            )
    others = [each for each in found if each.kind not in allowed]
    if len(others) < 2 or ALL in allowed:
        return
    called = " and ".join(dict.fromkeys(run.journal.name for run in runs))
    options = " ".join(f"--allow-difference {each.kind}" for each in others[1:])
    raise RequestError(
        f"The runs {called} differ in {len(others)} things, so the cause of a changed figure "
        f"would be unknown: {words_of(others)}. Remove the differences and measure again, or allow "
        f"all differences but one, for example with {options}."
    )


@dataclass(frozen=True)
class Boards:
    """Where a cell is measured in both runs, and the parameters that are not the same there."""

    before: Place
    after: Place
    differences: tuple[Difference, ...] = ()

    @property
    def are_same(self) -> bool:
        """Whether neither names nor parameters differ."""
        return self.before == self.after and not self.differences


@dataclass(frozen=True)
class CellPair:
    """A configuration of the first run and one of the second, as `Results.samples` names them."""

    before: str
    after: str
    boards: Boards


@dataclass(frozen=True)
class Pairing:
    """The cells that two runs share, and the differences between the runs.

    `cells` are the cells that both runs measured, and `differences` the differences between their
    records.  `gone` are cells that the first run measured and that the second run planned but did
    not measure.  `only_before` and `only_after` are cells that the other run did not plan.
    """

    cells: tuple[CellPair, ...]
    differences: tuple[Apart, ...]
    gone: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]

    @property
    def boards(self) -> list[Boards]:
        """Places that are not the same in both runs, each once."""
        found = dict.fromkeys(cell.boards for cell in self.cells)
        return [boards for boards in found if not boards.are_same]


Select = Callable[[Sequence[Cell], Sequence[str]], Iterable[Cell]]
"""The cells that fit `--only`."""


def pair(
    before: Results,
    after: Results,
    choices: Sequence[Choice] = (),
    only: Sequence[str] = (),
    select: Select = lambda cells, _: cells,
) -> Pairing:
    """What the two runs have in common, of the cells that `select` says fit `only`.

    Raises `RequestError` when they cannot be compared.
    """
    runs = (before, after)
    try:
        first, second = _planned(runs, only, select)
        _check(choices, first, second)
        return _pairing(runs, first, second, _pairs(runs, first, second, choices))
    except UnlikeError as unlike:
        called = " and ".join(run.journal.name for run in runs)
        software = words_of(apart(*(run.records for run in runs)))
        besides = f"; they also differ in: {software}" if software else ""
        raise RequestError(f"The runs {called} cannot be compared: {unlike}{besides}.") from None


def _planned(
    runs: tuple[Results, Results], only: Sequence[str], select: Select
) -> list[list[Cell]]:
    """The cells of both runs that fit, one for all of their seeds."""
    cells = [[entry.cell for entry in run.journal.entries] for run in runs]
    fitting = set(map(configuration, select([*cells[0], *cells[1]], only)))
    found = []
    for run, those in zip(runs, cells, strict=True):
        found.append([one for key, one in by_key(those, configuration).items() if key in fitting])
        if only and not found[-1]:
            said = " --only ".join(only)
            raise UnlikeError(f"{run.journal.name} has no cell that matches --only {said}")
    return found


def _pairing(
    runs: tuple[Results, Results],
    first: Sequence[Cell],
    second: Sequence[Cell],
    planned: Sequence[tuple[Cell, Cell]],
) -> Pairing:
    done = [grouped(run.records, lambda each: configuration(each.cell)) for run in runs]
    named = [(configuration(one), configuration(other)) for one, other in planned]
    both = [(one, other) for one, other in named if one in done[0] and other in done[1]]
    gone = {one for one, other in named if one in done[0] and other not in done[1]}
    if not both and not gone:
        raise UnlikeError("no cell has figures in both")
    records = [(done[0][one], done[1][other]) for one, other in both]
    places = Places.of_cells((*first, *second))
    paired = [set(those) for those in zip(*named, strict=True)]

    def called(cells: Iterable[Cell], wanted: Callable[[str], bool]) -> tuple[str, ...]:
        those = (cell.of_any_seed for cell in cells if wanted(configuration(cell)))
        return tuple(places.of_cell(cell) for cell in those)

    found = tuple(
        CellPair(*cells, _boards(of_one[0], of_other[0]))
        for cells, (of_one, of_other) in zip(both, records, strict=True)
    )
    return Pairing(
        cells=found,
        differences=tuple(_differences(found, records)),
        gone=called(first, gone.__contains__),
        only_before=called(first, lambda name: name not in paired[0]),
        only_after=called(second, lambda name: name not in paired[1]),
    )


def _pairs(
    runs: tuple[Results, Results],
    first: Sequence[Cell],
    second: Sequence[Cell],
    choices: Sequence[Choice],
) -> list[tuple[Cell, Cell]]:
    """The cells that belong together, in the order of the first run.

    Raises `UnlikeError` where there are none, where cells of one name are measured otherwise, and
    where it is not clear which belong together.
    """
    theirs = grouped(second, _but_for_place)
    found = [
        pair
        for key, cells in grouped(first, _but_for_place).items()
        for pair in match(cells, theirs.get(key, []), choices)
    ]
    kinds = grouped(second, _kind)
    if not any(_kind(cell) in kinds for cell in first):
        some = ", the other ".join(
            names.first_of(list(map(_name, cells)), 2) for cells in (first, second)
        )
        raise UnlikeError(f"they have no cell in common: one measures {some}")
    paired = {_kind(cell) for cell, _ in found}
    for cell in first:
        others = {other.place: other for other in kinds.get(_kind(cell), [])}
        other = others.get(cell.place)
        if not (other or choices or _kind(cell) in paired):
            other = next(iter(others.values()), None)
        if other and _but_for_place(cell) != _but_for_place(other):
            raise UnlikeError(_difference(runs, cell, other))
    if not found:
        told = "no cell of the first run is in the second run, on any board"
        raise UnlikeError(f"{told}; choose cells with --only or --pair")
    return found


def _name(cell: Cell) -> str:
    return titles.of_cell(cell.of_any_seed)


def _kind(cell: Cell) -> tuple[str, ...]:
    """What is measured of a cell: packets and handshakes of OpenVPN have nothing in common."""
    return (cell.configuration, *(plan.label(cell.protocol) for plan in cell.plans))


def _difference(runs: tuple[Results, Results], one: Cell, other: Cell) -> str:
    """Why the same configuration is another cell."""
    what = f"{_name(one)} is measured"
    if one.measured != other.measured:
        if one.topology != other.topology:
            return f"{what} on the topology `{one.topology}` and on `{other.topology}`"
        return f"{what} at node `{one.measured}` and at `{other.measured}`"
    sizes = ["quick" if results.journal.quick else "full" for results in runs]
    if sizes[0] != sizes[1]:
        return f"{what} with {sizes[0]} sizes in one run, with {sizes[1]} sizes in the other"
    return f"{what} with other settings: {'; '.join(_settings(one, other, ' and '))}"


def _settings(one: Cell, other: Cell, between: str) -> list[str]:
    """The settings of workloads that are not the same, each with both values."""
    mine, its = (
        {
            f"{plan.workload}: {key.replace('_', ' ')}": getattr(plan, key)
            for plan in cell.plans
            for key in type(plan).model_fields
        }
        for cell in (one, other)
    )
    return [
        f"{key} {_value(mine.get(key))}{between}{_value(its.get(key))}"
        for key in mine | its
        if mine.get(key) != its.get(key)
    ]


def _value(value: object) -> str:
    """A number or a text of a plan, or several of them."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _boards(first: Record, second: Record) -> Boards:
    """The places of a pair, and what differs between them.

    Raises `UnlikeError` where nodes or ways differ.
    """
    cells = [record.cell for record in (first, second)]
    real = [is_real(cell.place.board) for cell in cells]
    if real[0] != real[1]:
        raise UnlikeError(
            f"{_name(cells[0])} is measured on {cells[0].place.board} and on "
            f"{cells[1].place.board}, a real machine and a virtual board: compare only the ratios "
            "in each run's answer"
        )
    if first.setup.shape != second.setup.shape:
        topologies = " and on ".join(dict.fromkeys(f"`{cell.topology}`" for cell in cells))
        raise UnlikeError(
            f"{_name(cells[0])} is measured on the topology {topologies}, whose nodes or paths "
            "differ between the runs"
        )
    return Boards(cells[0].place, cells[1].place, _parameters_apart(first, second))


def _differences(
    cells: Iterable[CellPair], records: Sequence[tuple[Sequence[Record], Sequence[Record]]]
) -> Iterator[Apart]:
    """Those between the records of paired cells."""
    one, other = (list(chain.from_iterable(each[side] for each in records)) for side in (0, 1))
    software = apart(one, other)
    yield from software
    boards = _paths_apart(each.path for cell in cells for each in cell.boards.differences)
    yield from boards
    told = bool(boards) or any(each.kind == "emulator" for each in software)
    commands = ([{each.versions.commands for each in of} for of in pair] for pair in records)
    if not told and any(first != second for first, second in commands):
        yield Apart("emulator", "emulator (how it is started)")
    comparable = (  # Jobs follow from links, by addresses and rates.
        (mine, its)
        for first, second in records
        for mine in first
        for its in second
        if mine.cell.seed == its.cell.seed and mine.setup.topology.links == its.setup.topology.links
    )
    yield from _jobs_apart(comparable, software)
