# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs, as tables for a terminal."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console

from firesteel.analysis.changes import (
    VERDICTS,
    Change,
    Changed,
    Condition,
    figures_of_one,
    places_of,
)
from firesteel.analysis.pairing import Boards, Pairing
from firesteel.analysis.places import Places
from firesteel.analysis.results import Results
from firesteel.analysis.rows import grouped
from firesteel.board.numbers import board_in_words
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.figure import CONFIDENCE
from firesteel.model.metrics import unit_of
from firesteel.replication.method import method
from firesteel.store.differences import Difference
from firesteel.terminal.grid import Grid, say, show
from firesteel.workloads import titles

_SHOWN = {"worse": "Worse", "better": "Better", "changed": "Changed"}
"""Verdicts whose figures are shown one by one; the others are counted."""

_MOST = 5
"""Things of one kind that a remark names; the others are counted."""


def show_changes(
    console: Console,
    before: Results,
    after: Results,
    pairing: Pairing,
    found: Sequence[Changed],
) -> None:
    """In what boards differ, every figure that changed beyond the noise, and what both runs have in
    common.
    """
    show_boards(console, pairing.boards)
    places = places_of(before, after, found)
    for verdict, title in _SHOWN.items():
        tables: dict[tuple[str, str], list[Changed]] = {}
        for each in found:
            if each.change.verdict == verdict:
                tables.setdefault((each.identity.workload, each.metric), []).append(each)
        for (experiment, metric), those in tables.items():
            what = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
            show(console, Grid.of(f"{title}: {what}", (row(each, places) for each in those)))
    for line in remarks(before, after, pairing, found):
        say(console, line)
    say(console, method((*before.measured_cpus, *after.measured_cpus)), "dim")


def show_boards(console: Console, boards: Sequence[Boards]) -> None:
    """The parameters in which places differ, those of several that differ alike together."""
    for differing, those in grouped(boards, lambda each: each.differences).items():
        told = "; ".join(dict.fromkeys(map(_places, those)))
        if not differing:
            say(console, f"No parameter differs: {told}.")
            console.print()
        rows = [{"": each.path, **_values(each)} for each in differing]
        show(console, Grid.of(f"Parameters that differ: {told}", rows))


def _places(boards: Boards) -> str:
    """Both by name, once if it is the same."""
    return " → ".join(dict.fromkeys(map(_place, (boards.before, boards.after))))


def _place(place: Place) -> str:
    return names.listed(board_in_words(place.board), place.link)


def _values(difference: Difference) -> dict[str, str]:
    factor = difference.factor
    return {
        "before": difference.text(difference.before),
        "after": difference.text(difference.after),
        "factor": "" if factor is None else f"×{factor:.3g}",
    }


def offence(failed: Condition, changed: Changed, places: Places) -> str:
    """A figure that fails a comparison, in a line."""
    of, change, metric = changed.identity, changed.change, changed.metric
    what = names.listed(titles.experiment(of.workload), of.parameter.text, names.metric(metric))
    before, after = _numbers(changed)
    values = f"{before} → {after} {names.unit(unit_of(metric))}".rstrip()
    how = f"({_change(change)}; noise {_noise(change)})"
    return f"{failed}: {called(changed, places)}, {what}: {values} {how}"


def called(changed: Changed, places: Places) -> str:
    """The row, with its place where there are several."""
    return places.label(titles.of_identity(changed.identity), changed.identity.place)


def row(changed: Changed, places: Places) -> dict[str, str]:
    """What it is of, its parameter, both figures, the change and the noise."""
    before, after = _numbers(changed)
    return {
        "": called(changed, places),
        "at": changed.identity.parameter.text,
        "before": before,
        "after": after,
        "change": _change(changed.change),
        "noise": _noise(changed.change),
    }


def _numbers(changed: Changed) -> tuple[str, str]:
    """Before and after."""
    change, metric = changed.change, changed.metric
    return names.number(change.before, metric), names.number(change.after, metric)


def _change(change: Change) -> str:
    percent = change.change_percent
    return "was 0" if percent is None else f"{percent:+.2f} %"


def _noise(change: Change) -> str:
    """By how much the means may differ by chance, if that is known."""
    percent = change.noise_percent
    if change.noise == "unknown" or percent is None:
        return "unknown" if change.noise == "unknown" else "–"
    assumed = " assumed" if change.noise == "assumed" else ""
    return f"±{percent:.2g} %{assumed}"


def remarks(
    before: Results, after: Results, pairing: Pairing, found: Sequence[Changed]
) -> Iterator[str]:
    """Sentences on all figures: verdicts, noise, versions, and what is missing."""
    counts = Counter(each.change.verdict for each in found)
    told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if name in counts)
    cells = len(pairing.cells)
    yield (
        f"{before.journal.name} → {after.journal.name}: of {len(found)} figures of {cells} "
        f"{'cell' if cells == 1 else 'cells'}: {told or 'none'}."
    )
    yield from _of_noise(found)
    if pairing.versions:
        yield f"Changed between the runs: {', '.join(pairing.versions)}."
    else:
        other = "other " if pairing.boards else ""
        yield f"No {other}input of the cells changed between the runs."
    if pairing.packages:
        packages = [
            f"{name} {old or 'none'} → {new or 'none'}" for name, old, new in pairing.packages
        ]
        yield f"Packages: {_first(packages)}."
    yield from _of_what_is_missing(before, after, pairing)


def _of_what_is_missing(before: Results, after: Results, pairing: Pairing) -> Iterator[str]:
    for results in (before, after):
        if missing := results.missing:
            count = len(results.journal.entries)
            yield f"In {results.journal.name}, {missing} of {count} cells have no figures."
    for word, cells in (
        (f"No longer measured in {after.journal.name}", pairing.gone),
        (f"Only in {before.journal.name}", pairing.only_before),
        (f"Only in {after.journal.name}", pairing.only_after),
    ):
        if cells:
            yield f"{word}: {_first(cells)}."
    if alone := figures_of_one(before, after, pairing):
        yield f"Cells in both runs have {alone} figures that only one of the runs has."


def _of_noise(found: Sequence[Changed]) -> Iterator[str]:
    """How it is known what noise is."""
    kinds = {each.change.noise for each in found}
    measured = [
        each for each in found if each.change.noise == "measured" and each.change.verdict != "same"
    ]
    if measured:
        chance = round(len(measured) * (1 - CONFIDENCE))
        before = _range(each.seeds_before for each in measured)
        after = _range(each.seeds_after for each in measured)
        yield (
            f"Figures are means of {before} and of {after} seeds; noise is the 95 % interval "
            f"of their difference. If nothing had changed, about {chance} of the {len(measured)} "
            "that differ would exceed it by chance."
        )
    if "assumed" in kinds:
        yield "One seed on both sides: the noise is assumed (--noise)."
    if "unknown" in kinds:
        yield (
            "One seed on both sides: figures are exact and their noise is unknown; several seeds "
            "(`firesteel run --seeds 5`) measure it, --noise assumes it."
        )


def _range(numbers: Iterable[int]) -> str:
    told = sorted(set(numbers))
    return str(told[0]) if len(told) == 1 else f"{told[0]} to {told[-1]}"


def _first(things: Sequence[str]) -> str:
    more = len(things) - _MOST
    return "; ".join(things[:_MOST]) + (f"; and {more} more" if more > 0 else "")
