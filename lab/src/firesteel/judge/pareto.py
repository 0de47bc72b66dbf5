# SPDX-License-Identifier: Apache-2.0
"""The cost of boards against their speed and CPU work: which rows of a run no other row beats.

The user defines costs.  A cost applies to each unit of a number, summed over all numbers to which
its path leads, or to a board by its name.  A row is beaten if another of the same traffic costs no
more, is as fast, and takes as little of the CPU, and is better in one of these.  Figures are as
good where the rule of verdicts calls them equal; one that may be worse beats nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.base.errors import FiresteelError
from firesteel.base.quantity import in_unit, split
from firesteel.boards.numbers import Path
from firesteel.judge.intervals import Comparison, Sample
from firesteel.judge.results import Results
from firesteel.judge.rows import Row, Rows, grouped
from firesteel.judge.verdict import COSTS, SPEEDS
from firesteel.model import names
from firesteel.model.cell import IN_SOFTWARE, Place
from firesteel.model.identity import by_key
from firesteel.store.record import Record
from firesteel.workloads import titles

_PER = " per "


@dataclass(frozen=True)
class Price:
    """Either the cost of one unit of a number, whose path may lead to several numbers, or the cost
    of a board and of all boards derived from it.
    """

    of: str
    each: float

    @staticmethod
    def read(text: str) -> "Price":
        """`PATH=COST [per UNIT]` or `BOARD=COST`; `FiresteelError` where that cannot be read."""
        of, equals, said = text.partition("=")
        number, _, per = said.partition(_PER)
        path = Path.of(of.strip())
        try:
            if not (equals and of.strip()):
                raise ValueError("allowed is PATH=COST per UNIT, or BOARD=COST")
            cost, unit = split(number)
            if cost < 0:
                raise ValueError("a cost is 0 or more")
            if unit:
                raise ValueError(f'"{unit}" follows a cost; allowed is a number')
            if "." in path.keys:
                path.check()
                return Price(of.strip(), cost / (in_unit(1.0, per.strip(), path.unit)))
            if per:
                raise ValueError("a board has no units")
        except ValueError as error:
            raise FiresteelError(f"--cost {text}: {error}.") from None
        return Price(of.strip(), cost)

    @property
    def is_of_number(self) -> bool:
        """Whether it is of a number, not of a board."""
        return "." in self.of


def prices_of(texts: Iterable[str]) -> list[Price]:
    """The prices in these; `FiresteelError` where one cannot be read, or two are of the same."""
    found: dict[str, Price] = {}
    for text in texts:
        price = Price.read(text)
        if found.setdefault(price.of, price) is not price:
            raise FiresteelError(f"--cost {text}: {price.of} has a cost already.")
    return list(found.values())


@dataclass(frozen=True)
class Choice:
    """A row as something to choose: its cost, its speed and its CPU work, by these metrics."""

    row: Row
    cost: float
    speed: tuple[str, Sample]
    work: tuple[str, Sample] | None
    beaten_by: "Choice | None" = None

    @property
    def traffic(self) -> str:
        """What is measured, for people."""
        identity = self.row.identity.in_software
        return names.listed(titles.of_identity(identity), identity.parameter.text)

    @property
    def figures(self) -> list[tuple[str, Sample]]:
        """The figures that are weighed against its cost."""
        return [self.speed, *([self.work] if self.work else [])]

    def beats(self, other: "Choice") -> bool:
        """Whether nothing of it is or may be worse, and something is better."""
        found = [
            Comparison(metric, its, mine).standing
            for (metric, mine), (_, its) in zip(self.figures, other.figures, strict=True)
        ]
        if self.cost > other.cost or not {"better", "equal"}.issuperset(found):
            return False
        return self.cost < other.cost or "better" in found


def choices(results: Results, prices: Sequence[Price]) -> list[list[Choice]]:
    """The rows of a run, grouped by traffic and sorted by cost, each with a row that beats it, if
    there is one.

    The rows of a group differ only in their places and in what computes, and have equal metrics.
    Raises `FiresteelError` if a price applies to nothing in the run, or if only some of the run's
    boards have prices.
    """
    costs = _costs(results, prices)
    rows = [row for row in Rows(results.means, first=True) if not row.peer_limited]
    made = [found for row in rows if (found := _choice(row, costs))]

    def traffic(each: Choice) -> tuple[object, ...]:
        return each.row.identity.in_software.anywhere, *(metric for metric, _ in each.figures)

    return [_judged(those) for those in grouped(made, traffic).values()]


def _judged(those: Iterable[Choice]) -> list[Choice]:
    """From the cheapest on.  Software that is the same on boards with other cores is there once."""
    once = by_key(
        those,
        lambda each: (
            (each.cost, *each.figures)
            if each.row.identity.implementation in IN_SOFTWARE
            else id(each)
        ),
    )
    ordered = sorted(once.values(), key=lambda each: each.cost)
    front = [each for each in ordered if not any(other.beats(each) for other in ordered)]
    among = (*front, *ordered)
    return [
        replace(each, beaten_by=next((other for other in among if other.beats(each)), None))
        for each in ordered
    ]


def _choice(row: Row, costs: Mapping[Place, tuple[float, float]]) -> Choice | None:
    """The row with its cost; None where it has no speed."""
    figures = {metric: (metric, sample) for metric, sample in row.samples.items()}
    speed, work = (next(filter(None, map(figures.get, those)), None) for those in (SPEEDS, COSTS))
    whole, without_cores = costs[row.identity.place]
    software = row.identity.implementation in IN_SOFTWARE
    return Choice(row, without_cores if software else whole, speed, work) if speed else None


def _costs(results: Results, prices: Sequence[Price]) -> dict[Place, tuple[float, float]]:
    """What each place costs, with the cores' numbers and without them: software needs no core."""
    places = by_key(results.records, lambda record: record.cell.place)
    _check_boards({place.board for place in places}, prices)
    found = {}
    for place, record in places.items():
        costs = [(price, _cost(record, price)) for price in prices]
        without = [cost for price, cost in costs if not Path.of(price.of).on_cores]
        found[place] = sum(cost for _, cost in costs), sum(without)
    return found


def _cost(record: Record, price: Price) -> float:
    """What a record's board costs by that price: of all numbers that its path leads to."""
    place = record.cell.place
    if not price.is_of_number:
        return price.each if price.of in _called(place.board) else 0.0
    numbers = record.setup.numbers(place.node, price.of)
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers):
        raise FiresteelError(
            f"--cost {price.of}: the file of the board `{place.board}` does not give this number, "
            "or does not give it everywhere."
        )
    return sum(known) * price.each


def _check_boards(boards: Collection[str], prices: Sequence[Price]) -> None:
    """Raises `FiresteelError` unless each price of a board is of one of these, and, if there are
    such prices, each of these has one.
    """
    priced = {price.of for price in prices if not price.is_of_number}
    known = {name for board in boards for name in _called(board)}
    for name in sorted(priced - known):
        there = ", ".join(sorted({_called(board)[-1] for board in boards}))
        raise FiresteelError(
            f"--cost {name}: nothing was measured on such a board; there are: {there}."
        )
    without = sorted({_called(board)[-1] for board in boards if not priced & {*_called(board)}})
    if priced and without:
        raise FiresteelError(
            f"--cost {sorted(priced)[0]}: other boards of the run have no price, so they would be "
            f"free; give a price to each of: {', '.join(without)}."
        )


def _called(board: str) -> tuple[str, str]:
    """What a board is called, and the one that it is made of, whose price it has."""
    return board, board.partition("+")[0]
