# SPDX-License-Identifier: Apache-2.0
"""Whether two runs can be compared, and what they have in common.

Cells are the same when they differ in nothing but the seed.  Runs whose cells have the same names
and differ otherwise, in boards, links or sizes, are refused: their figures differ for that reason,
whatever else was changed.  Where a cell is measured in several places, one that both runs have is
enough.  Versions may differ: what these do is what a comparison is to show.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.analysis.places import Places
from firesteel.analysis.results import Results, configuration
from firesteel.base.errors import RequestError
from firesteel.model import names
from firesteel.model.cell import Cell
from firesteel.model.place import Place
from firesteel.store.record import Record
from firesteel.workloads import titles

_VERSIONS = ("qemu", "kernel", "image", "commands", "jobs")
"""Versions that may differ, as records call them; `jobs` is of the cell with its seed."""


@dataclass(frozen=True)
class Pairing:
    """What two runs have in common, and what differs.

    `cells` are the configurations that both have measured, as `Results.samples` names them.
    `versions` are the names of what was changed in between, `packages` the guest's packages that
    were: name, version before and after, empty if it was not there.  `gone` are cells that the
    first run has measured, and that the second was to measure too and has not; `only_before` and
    `only_after` are those that the other run never was to measure.
    """

    cells: tuple[str, ...]
    versions: tuple[str, ...]
    packages: tuple[tuple[str, str, str], ...]
    gone: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def pair(before: Results, after: Results) -> Pairing:
    """What the two runs have in common.

    Raises `RequestError` when they cannot be compared.
    """
    first, second = _planned(before), _planned(after)
    _check_plans(before, after, first, second)
    done = [_measured(results) for results in (before, after)]
    places = Places.of_cells((*first.values(), *second.values()))

    def called(chosen: Iterable[Cell]) -> tuple[str, ...]:
        return tuple(places.of_cell(cell.of_any_seed) for cell in chosen)

    cells = tuple(cell for cell in done[0] if cell in done[1])
    gone = [cell for cell in done[0] if cell in second and cell not in done[1]]
    if not cells and not gone:
        raise _refusal(before, after, "no cell has figures in both")
    _check_boards(before, after, cells, done)
    return Pairing(
        cells=cells,
        versions=_changed_versions(cells, *done),
        packages=_changed_packages(cells, *done),
        gone=called(first[cell] for cell in gone),
        only_before=called(cell for name, cell in first.items() if name not in second),
        only_after=called(cell for name, cell in second.items() if name not in first),
    )


def _planned(results: Results) -> dict[str, Cell]:
    """The run's cells by configuration, one for all of its seeds."""
    cells: dict[str, Cell] = {}
    for entry in results.journal.entries:
        cells.setdefault(configuration(entry.cell), entry.cell)
    return cells


def _measured(results: Results) -> dict[str, list[Record]]:
    """The records of each configuration."""
    records: dict[str, list[Record]] = {}
    for record in results.records:
        records.setdefault(configuration(record.inputs.cell), []).append(record)
    return records


def _name(cell: Cell) -> str:
    return titles.of_cell(cell.of_any_seed)


def _kind(cell: Cell) -> tuple[str, ...]:
    """What is measured of a cell: packets and handshakes of OpenVPN have nothing in common."""
    return (cell.configuration, *(plan.label(cell.protocol) for plan in cell.plans))


def _check_plans(
    before: Results, after: Results, first: dict[str, Cell], second: dict[str, Cell]
) -> None:
    """Cells of one name are measured alike in both runs, in one place at least, and there are
    some.
    """
    named = [_by_kind(cells.values()) for cells in (first, second)]
    both = [kind for kind in named[0] if kind in named[1]]
    if not both:
        told = f"one measures {_some(first.values())}, the other {_some(second.values())}"
        raise _refusal(before, after, f"they have no cell in common: {told}")
    same = {(_kind(cell), cell.place) for name, cell in first.items() if name in second}
    for kind in both:
        one, other = (cells[kind] for cells in named)
        shared = [place for place in one if place in other]
        pairs = [(place, place) for place in shared] or [(next(iter(one)), next(iter(other)))]
        for here, there in pairs:
            if (kind, here) not in same or here != there:
                raise _refusal(before, after, _difference(before, after, one[here], other[there]))


def _by_kind(cells: Iterable[Cell]) -> dict[tuple[str, ...], dict[Place, Cell]]:
    """The cells of each kind, by where they are measured."""
    found: dict[tuple[str, ...], dict[Place, Cell]] = {}
    for cell in cells:
        found.setdefault(_kind(cell), {})[cell.place] = cell
    return found


def _difference(before: Results, after: Results, one: Cell, other: Cell) -> str:
    """Why the same configuration is another cell."""
    what = _name(one)
    if one.topology != other.topology:
        return f"{what} is measured on the topology `{one.topology}` and on `{other.topology}`"
    if one.measured != other.measured:
        return f"{what} is measured at node `{one.measured}` and at `{other.measured}`"
    if one.link != other.link:
        rates = [cell.link or "the links' own rates" for cell in (one, other)]
        return f"{what} is measured at {rates[0]} and at {rates[1]}"
    for node, profile in one.profiles.items():
        if other.profiles.get(node) != profile:
            return (
                f"{what} is measured with the profile `{profile}` and with "
                f"`{other.profiles.get(node)}` of node `{node}`"
            )
    sizes = [_sizes(results) for results in (before, after)]
    if sizes[0] != sizes[1]:
        return f"{what} is measured with {sizes[0]} sizes and with {sizes[1]} ones"
    planned = [{plan.workload: plan for plan in cell.plans} for cell in (one, other)]
    names = dict.fromkeys(name for plans in planned for name in plans)
    plans = [name for name in names if planned[0].get(name) != planned[1].get(name)]
    return f"{what} is measured otherwise: {_told(plans, one)}; and: {_told(plans, other)}"


def _sizes(results: Results) -> str:
    return "quick" if results.journal.quick else "full"


def _told(plans: Sequence[str], cell: Cell) -> str:
    planned = {plan.workload: plan for plan in cell.plans}
    told = [planned.get(plan) for plan in plans]
    return ", ".join(f"{plan} {value}" for plan, value in zip(plans, told, strict=True))


def _check_boards(
    before: Results,
    after: Results,
    cells: Sequence[str],
    done: Sequence[dict[str, list[Record]]],
) -> None:
    """The boards are the same, not only their names."""
    for cell in cells:
        boards = [{record.inputs.versions.boards for record in each[cell]} for each in done]
        if boards[0] != boards[1]:
            inputs = done[0][cell][0].inputs.cell
            profiles = ", ".join(f"`{name}`" for name in dict.fromkeys(inputs.profiles.values()))
            raise _refusal(
                before,
                after,
                f"{_name(inputs)} is measured on other boards, though their names are the same: "
                f"the topology `{inputs.topology}` or a profile ({profiles}) was changed in "
                "between",
            )


def _changed_versions(
    cells: Sequence[str], before: dict[str, list[Record]], after: dict[str, list[Record]]
) -> tuple[str, ...]:
    changed = set()
    for cell in cells:
        first, second = _by_seed(before[cell]), _by_seed(after[cell])
        for name in _VERSIONS:
            if name == "jobs":
                seeds = [seed for seed in first if seed in second]
                pairs = [(first[seed], second[seed]) for seed in seeds]
            else:
                pairs = [(one, other) for one in first.values() for other in second.values()]
            if any(getattr(one, name) != getattr(other, name) for one, other in pairs):
                changed.add(name)
    return tuple(name for name in _VERSIONS if name in changed)


def _by_seed(records: Sequence[Record]) -> dict[int, Any]:
    return {record.inputs.cell.seed: record.inputs.versions for record in records}


def _changed_packages(
    cells: Sequence[str], before: dict[str, list[Record]], after: dict[str, list[Record]]
) -> tuple[tuple[str, str, str], ...]:
    first, second = (
        dict(item for cell in cells for record in done[cell] for item in record.packages.items())
        for done in (before, after)
    )
    return tuple(
        (name, first.get(name, ""), second.get(name, ""))
        for name in sorted(first.keys() | second.keys())
        if first.get(name) != second.get(name)
    )


def _some(cells: Iterable[Cell]) -> str:
    """The first cells by name, and how many more there are."""
    return names.first_of([_name(cell) for cell in cells], 2)


def _refusal(before: Results, after: Results, reason: str) -> RequestError:
    return RequestError(
        f"The runs {before.journal.name} and {after.journal.name} cannot be compared: {reason}."
    )
