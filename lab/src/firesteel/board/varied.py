# SPDX-License-Identifier: Apache-2.0
"""Boards and links that no file has: those of files with other numbers.

1. `Axis` is a number, by its path (`board.numbers`), and the values that it takes, as people write
   them:

       50 MHz, 100 MHz          each of these
       50..400 MHz x8           8 values from 50 to 400 MHz, as far apart each
       50..400 MHz x4 log       4 values, each so many times the one before
       50..400 MHz              any from 50 to 400 MHz: for samples alone; `log` as above

   A number without a unit has that of the next one that has one; without any, that of the key.
2. `at_point` gives a cell at a point: on a board, or in a topology, that the catalog keeps under a
   telling name, `socrates+cpu.hertz=1000000000`.
3. `origin_of` says of such a cell which one it was, and at which point.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from firesteel.base.errors import FiresteelError
from firesteel.board.catalog import Catalog, Origin
from firesteel.board.numbers import (
    Path,
    counts,
    is_costly,
    made_name,
    numbers_at,
    paths_of,
    with_checked,
    with_number,
)
from firesteel.board.profile import Profile
from firesteel.board.quantity import in_unit, split
from firesteel.board.topology import Topology
from firesteel.model.cell import Cell

Point = Mapping[str, float]
"""Numbers by their paths, each in the unit of its key."""

RATE = "rate_bit_s"
"""What a cell may also say of all its links."""

MOST_VALUES = 10_000
"""Of one number."""

_DIGITS = 4
"""Of values between the ends of a range, so that people can read them."""

_RANGE = re.compile(r"(.+?)\.\.(.+?)(?:\s*x\s*(\d+))?(\s*log)?")


@dataclass(frozen=True)
class Levels:
    """The values in their order; or else, for samples alone, all from `low` to `high`, taken by
    their logarithms if `log`.
    """

    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    def at(self, share: float) -> float:
        """The value that lies so far on the way through them, from 0 to 1."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        return _readable(_between(self.low, self.high, share, log=self.log))


@dataclass(frozen=True)
class _Item:
    """A number, or a range of `count`, 0 where it is not said."""

    ends: tuple[str, ...]
    count: int = 1
    log: bool = False


def read_levels(said: Sequence[str | float] | str | float, unit: str) -> Levels:
    """What was said of a number with that unit; ValueError where it cannot be understood."""
    texts = [said] if isinstance(said, str | int | float) else list(said)
    items = [_item(part) for text in texts for part in f"{text}".split(",")]
    if not items:
        raise ValueError("there is no value")
    numbers = iter(_in_one_unit([end for item in items for end in item.ends], unit))
    spans = [(item, [next(numbers) for _ in item.ends]) for item in items]
    for item, ends in spans:
        _check(item, ends)
    open_ended = [(item, ends) for item, ends in spans if not item.count]
    if open_ended and len(items) > 1:
        raise ValueError("a range without `xN` stands alone")
    for item, (low, high) in open_ended:
        return Levels(low=low, high=high, log=item.log)
    values = tuple(value for item, ends in spans for value in _values(item, ends))
    _check_values(values)
    return Levels(values)


def _item(text: str) -> _Item:
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return _Item((text,))
    low, high, count, log = found.groups()
    return _Item((low, high), int(count) if count else 0, bool(log))


def _in_one_unit(texts: Sequence[str], unit: str) -> list[float]:
    found: list[float] = []
    name = ""
    for text in reversed(texts):
        number, own = split(text)
        name = own or name
        found.append(in_unit(number, name, unit))
    return found[::-1]


def _check(item: _Item, ends: Sequence[float]) -> None:
    if len(ends) == 1:
        if not ends[0].is_integer():
            raise ValueError(f"{ends[0]:.15g} is not a whole number, in the unit of the key")
        return
    low, high = ends
    if low >= high:
        raise ValueError(f"the range goes from {low:.15g} to {high:.15g}; its end must be above")
    if item.log and low <= 0:
        raise ValueError("a range with `log` begins above 0")
    if item.count == 1 or item.count > MOST_VALUES:
        raise ValueError(f"a range has {item.count} values; allowed are 2 to {MOST_VALUES}")


def _values(item: _Item, ends: Sequence[float]) -> Iterator[float]:
    if len(ends) == 1:
        yield ends[0]
        return
    low, high = ends
    yield float(round(low))
    for number in range(1, item.count - 1):
        yield _readable(_between(low, high, number / (item.count - 1), log=item.log))
    yield float(round(high))


def _check_values(values: Sequence[float]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{value:.15g} is there more than once")
        seen.add(value)


def _between(low: float, high: float, share: float, *, log: bool) -> float:
    if log:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
    return low + (high - low) * share


def _readable(value: float) -> float:
    """A whole number of few digits."""
    return float(round(float(f"{value:.{_DIGITS}g}")))


@dataclass(frozen=True)
class Axis:
    """A number that varies."""

    path: str
    levels: Levels

    @staticmethod
    def read(path: str, said: Sequence[str | float] | str | float) -> "Axis":
        """An axis as people write it; ValueError where there is no such number, or its values
        cannot be understood.
        """
        found = Path.of(path.strip())
        found.check()
        return Axis(path.strip(), read_levels(said, found.unit))


def at_point(cell: Cell, point: Point, catalog: Catalog) -> Cell:
    """The cell with these numbers, on boards and links that the catalog has from now on; itself
    where they are what it has anyway.

    Raises `FiresteelError` where a board or link lacks a number, or may not have a value of it.
    """
    make = Maker(catalog)
    for path in point:
        make.check(cell, path)
    return make.at(cell, point)


def origin_of(cell: Cell, catalog: Catalog) -> tuple[Cell, dict[str, float]]:
    """The cell whose boards and topology have files of their own, and the point at which this one
    is of it.
    """
    topology = catalog.origin(cell.topology)
    boards = {node: catalog.origin(board) for node, board in cell.profiles.items()}
    bases = {node: origin.base for node, origin in boards.items()}
    found = cell.model_copy(update={"topology": topology.base, "profiles": bases})
    return found, {**topology.numbers, **boards[cell.measured].numbers}


class Maker:
    """Makes boards and topologies, each once, and keeps them in the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: dict[tuple[str, tuple[tuple[str, float], ...]], str] = {}
        self._costs: dict[
            tuple[str, tuple[tuple[str, float], ...]], tuple[Profile, dict[str, float]]
        ] = {}
        self._allowed: set[tuple[str, str, float]] = set()
        self._checked: set[tuple[str, str, str, tuple[str, ...]]] = set()

    def at(self, cell: Cell, point: Point) -> Cell:
        """The cell at a point, whose numbers have been checked."""
        return cell.model_copy(update=self.update(cell, point))

    def update(self, cell: Cell, point: Point) -> dict[str, object]:
        """What the cell has otherwise at a point."""
        profiles, elsewhere = dict(cell.profiles), dict[str, float]()
        for node, numbers in _by_node(cell, point).items():
            profiles[node] = self._board(cell.profiles[node], numbers)
            if node != cell.measured and profiles[node] != cell.profiles[node]:
                elsewhere |= {f"{node}:{keys}": value for keys, value in numbers.items()}
        update: dict[str, object] = {"profiles": profiles}
        links = {path: value for path, value in point.items() if Path.of(path).on_links}
        if cell.link_rate_bit_s and any(path.endswith(RATE) for path in links):
            links = {f"links.*.{RATE}": float(cell.link_rate_bit_s), **links}
            update["link_rate_bit_s"] = None
        if links or elsewhere:
            update["topology"] = self._topology(cell.topology, links, elsewhere)
        return update

    def check(self, cell: Cell, path: str) -> None:
        """Raises `FiresteelError` unless the number is there, and matters."""
        key = (path, cell.topology, cell.measured, tuple(cell.profiles.values()))
        if key in self._checked:
            return
        self._checked.add(key)
        of, topology = Path.of(path), self._catalog.topology(cell.topology)
        node = of.node or cell.measured
        if node not in topology.nodes:
            known = ", ".join(topology.nodes)
            raise FiresteelError(f"{path}: there is no node `{node}`; the nodes are: {known}.")
        name = cell.profiles[node]
        board = self._catalog.profile(name)
        if not numbers_at(path, topology, {node: board}, node):
            where = f"topology `{cell.topology}`" if of.on_links else f"board `{name}`"
            raise FiresteelError(f"{path}: the {where} has no such number.")
        if not of.on_links and not counts(board.cpu, of.keys):
            counted = "cycles" if board.cpu.clock == "cycles" else "instructions"
            raise FiresteelError(
                f"{path}: it makes no difference to the board `{name}`, whose clock counts "
                f"{counted} (docs/virtual-time.md)."
            )

    def check_apart(self, cell: Cell, paths: Sequence[str]) -> None:
        """Raises `FiresteelError` where two of the paths lead to one number of the cell."""
        known: dict[tuple[str, str], str] = {}
        for path in paths:
            of = Path.of(path)
            node = "" if of.on_links else of.node or cell.measured
            part = self._catalog.profile(cell.profiles[node]) if node else None
            for keys in paths_of(part or self._catalog.topology(cell.topology), of.keys):
                other = known.setdefault((node, keys), path)
                if other != path:
                    where = f"node `{node}`" if node else f"topology `{cell.topology}`"
                    raise FiresteelError(
                        f"{path}: that is the same number as {other}, `{keys}` of the {where}; "
                        "allowed is one of these paths."
                    )

    def _board(self, name: str, numbers: Point) -> str:
        """What a board is called that has these numbers."""
        key = (name, tuple(numbers.items()))
        if key not in self._made:
            base = self._catalog.origin(name)
            wanted = sorted({**base.numbers, **numbers}.items())
            costly = tuple(each for each in wanted if is_costly(each[0]))
            profile, changes = self._with_costs(base.base, costly)
            for path, value in wanted:
                if not is_costly(path):
                    self._check_value(base.base, path, value)
                    made = with_checked(profile, path, value)
                    if made != profile:
                        profile, changes[path] = made, value
            self._made[key] = self._kept(base.base, changes, profile)
        return self._made[key]

    def _with_costs(
        self, base: str, costly: tuple[tuple[str, float], ...]
    ) -> tuple[Profile, dict[str, float]]:
        """A board with numbers that costs follow from, which takes long, and those that it has
        otherwise than before.
        """
        if (base, costly) not in self._costs:
            profile, changes = self._catalog.profile(base), dict[str, float]()
            for path, value in costly:
                made = with_number(profile, path, value)
                if made != profile:
                    profile, changes[path] = made, value
            self._costs[base, costly] = profile, changes
        profile, changes = self._costs[base, costly]
        return profile, dict(changes)

    def _check_value(self, base: str, path: str, value: float) -> None:
        """Raises `FiresteelError` where the board may not have that number; what it has besides
        does not matter to that.
        """
        if (base, path, value) not in self._allowed:
            with_number(self._catalog.profile(base), path, value)
            self._allowed.add((base, path, value))

    def _topology(self, name: str, links: Point, elsewhere: Point) -> str:
        """What a topology is called whose links have these numbers, and boards that are not
        measured the others.
        """
        key = (name, (*links.items(), *elsewhere.items()))
        if key not in self._made:
            base = self._catalog.origin(name)
            topology, changes = self._catalog.topology(base.base), {}
            for path, value in sorted({**base.numbers, **links}.items()):
                of = Path.of(path)
                made = with_number(topology, path, value) if of.on_links else topology
                if of.node or made != topology:
                    topology, changes[path] = made, value
            self._made[key] = self._kept(base.base, {**changes, **elsewhere}, topology)
        return self._made[key]

    def _kept(self, base: str, changes: Point, content: Topology | Profile) -> str:
        if not changes:
            return base
        name = made_name(base, changes)
        self._catalog.keep(name, content, Origin(base, changes))
        return name


def _by_node(cell: Cell, point: Point) -> dict[str, dict[str, float]]:
    """The numbers of boards, by node, with their paths in its profile."""
    found: dict[str, dict[str, float]] = {}
    for path, value in point.items():
        of = Path.of(path)
        if not of.on_links:
            found.setdefault(of.node or cell.measured, {})[of.keys] = value
    return found
