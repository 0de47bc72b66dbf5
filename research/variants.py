# SPDX-License-Identifier: Apache-2.0
"""Cells that work as in 2015 in something (`model.cell.Habit`), beside the same ones without them.

A variant is such a cell, or one whose measured board has another profile than its
topology names.  It tests why a figure is far from the published one: with the right variant it
comes nearer.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from firesteel.analysis.compare import as_published, compare, is_told, published_at, published_of
from firesteel.analysis.results import Results, spread_of
from firesteel.analysis.rows import Result, Rows, find, read_results, with_itself
from firesteel.analysis.study import Study
from firesteel.board.topology import load_topology
from firesteel.model.cell import IN_SOFTWARE, USUAL_COMPLETION, Cell, Place
from firesteel.model.identity import Identity
from firesteel.protocols.habits import HARDWARE_HABITS
from firesteel.replication.fit_file import FitFile, load_fit
from firesteel.replication.ratios import Ratio, ratios
from firesteel.workloads import titles


@dataclass(frozen=True)
class Variant:
    """A cell that works as in 2015; `words` say in what, `comparison` holds its figures beside the
    published ones, and `fit` says by which of these the amount of a variant was chosen.
    """

    cell: Cell
    words: tuple[str, ...]
    comparison: tuple[Result, ...]
    fit: FitFile

    @property
    def name(self) -> str:
        """What the variant is called: `af-alg, irq`."""
        return ", ".join(self.words)

    def is_fitted(self, of: Result | Ratio) -> bool:
        """Whether its amount was chosen by that row, of a ratio by the one in hardware."""
        return self.fit.chose(self.words, of.columns)


@dataclass(frozen=True)
class Change:
    """A figure without and with a variant, both beside the published one, with their deviations
    from it in percent.
    """

    variant: Variant
    without: Result
    with_it: Result
    deviation: float
    deviation_with: float

    @property
    def converged(self) -> bool:
        """Whether both figures have converged."""
        return self.without.converged and self.with_it.converged

    @property
    def name(self) -> str:
        """The configuration, and where it was measured without the variant."""
        identity = replace(self.without.identity, completion="")
        return f"{titles.of_identity(identity)}, {self.without.at}"

    @property
    def changed(self) -> str:
        """With the variant, and of what size where that is another one."""
        text, size = self.with_it.value_text, self.with_it.at
        return text if size == self.without.at else f"{text} ({size})"

    @property
    def is_fitted(self) -> bool:
        """Whether the amount of the variant was chosen by this row."""
        return self.variant.is_fitted(self.without)


def variants(runs: Iterable[Results], study: Study) -> list[Variant]:
    """All variants of the runs, in order, beside a study's figures; of several seeds the means."""
    fit = load_fit(study)
    return [
        Variant(cell, words, _beside(_figures(run, cell), cell, study), fit)
        for run in runs
        for cell in _cells(run)
        if (words := _words(cell))
    ]


def _beside(figures: Sequence[Result], cell: Cell, study: Study) -> tuple[Result, ...]:
    """The variant may be another board than the published figures are of."""
    place = Place(_usual_board(cell), cell.topology, cell.measured, cell.link)
    published = published_at([place], published_of(study))
    return tuple(as_published(compare(figures, published, variants=True)))


def _usual_board(cell: Cell) -> str:
    return load_topology(cell.topology).nodes[cell.measured].profile


def changes(comparison: Iterable[Result], found: Iterable[Variant]) -> list[Change]:
    """Published rows of the variants beside those of the comparison; transfers whatever their
    sizes.
    """
    results = as_published(comparison)
    usual = (each for each in results if each.identity.completion in ("", USUAL_COMPLETION))
    without = Rows(usual, alike=_alike)
    return [change for variant in found for change in _changes(without, variant)]


def variant_ratios(
    comparison: Sequence[Result], found: Sequence[Variant]
) -> list[tuple[Variant, Ratio]]:
    """Hardware with a variant over software with as much of it as software can have."""
    told: list[tuple[Variant, Ratio]] = []
    for variant in found:
        if not variant.cell.on_cores:
            continue
        software = _software(comparison, variant, found)
        if software is not None:
            both = map(_comparable, (*software, *variant.comparison))
            told += [(variant, ratio) for ratio in ratios(both, anywhere=True)]
    return told


def _alike(identity: Identity) -> Identity:
    """What a figure has in common with that of a variant, and of a file of any size."""
    return replace(identity.comparable.anywhere, completion="", variant="")


def _changes(without: Rows, variant: Variant) -> Iterator[Change]:
    then = Rows(variant.comparison, alike=_alike)
    for pair in find(without, with_itself, then):
        for metric in filter(pair.has, pair.other.results):
            one, other = pair.other.results[metric], pair.one.results[metric]
            if one.deviation is not None and other.deviation is not None and is_told(one):
                yield Change(variant, one, other, one.deviation, other.deviation)


def _software(
    comparison: Iterable[Result], variant: Variant, found: Sequence[Variant]
) -> Sequence[Result] | None:
    """What a variant in hardware stands beside; nothing where that was not measured."""
    shared = set(variant.cell.as_in_2015 or ()) - HARDWARE_HABITS
    suite = _suite(variant.cell)
    if not shared:
        return [
            each
            for each in as_published(comparison)
            if each.identity.implementation == "software" and _suite(each.identity) == suite
        ]
    for other in found:
        in_software = other.cell.implementation in IN_SOFTWARE
        same = in_software and _suite(other.cell) == suite
        if same and set(other.cell.as_in_2015 or ()) == shared:
            return other.comparison
    return None


def _suite(of: Cell | Identity) -> tuple[str, str, str]:
    return of.protocol, of.cipher, of.mac


def _comparable(result: Result) -> Result:
    """A transfer of any size at the same place, and hardware however it waits."""
    return replace(result, identity=replace(result.identity.comparable, completion=""))


def _cells(run: Results) -> list[Cell]:
    """The run's finished cells, of several seeds the first."""
    cells: dict[str, Cell] = {}
    for record in run.records:
        cells.setdefault(_of_any_seed(record.inputs.cell), record.inputs.cell)
    return list(cells.values())


def _figures(run: Results, cell: Cell) -> list[Result]:
    """The figures of a cell, of several seeds the means."""
    return read_results(spread_of(run.samples.filter(cell=_of_any_seed(cell))))


def _of_any_seed(cell: Cell) -> str:
    return cell.of_any_seed.model_dump_json()


def _words(cell: Cell) -> tuple[str, ...]:
    """Habits, another board, and how the driver waits; nothing for a cell with neither."""
    words: list[str] = list(cell.as_in_2015 or ())
    board = cell.profiles[cell.measured]
    if board != _usual_board(cell):
        words.append(board)
    if words and cell.completion not in (None, USUAL_COMPLETION):
        words.append(cell.completion)
    return tuple(words)
