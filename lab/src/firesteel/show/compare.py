# SPDX-License-Identifier: Apache-2.0
"""Comparisons on a terminal: of a run with published figures, ratios and statements, and with
another run.  What matters most comes first, so that the first lines do for most.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.console import Console

from firesteel.boards.numbers import board_in_words
from firesteel.boards.profile import Clock
from firesteel.judge.changes import VERDICTS, Change, Condition, figures_of_one, places_of
from firesteel.judge.pairing import Boards, Pairing, words_of
from firesteel.judge.places import Places
from firesteel.judge.replication.causes import load_causes
from firesteel.judge.replication.method import method
from firesteel.judge.replication.ratios import left_out, ratios
from firesteel.judge.replication.statements import NOT_MEASURED, Answer, compared, summary
from firesteel.judge.results import Results
from firesteel.judge.rows import Result, grouped
from firesteel.model import names
from firesteel.model.figure import CONFIDENCE
from firesteel.model.metrics import unit_of
from firesteel.show.grid import Grid, say, show
from firesteel.show.report.published import (
    causes_said,
    conditions,
    deviations_grid,
    kind_of,
    kinds_grid,
    nearness,
    ratio_medians_grid,
    ratios_grid,
    statements_grid,
)
from firesteel.show.run import by_configuration, show_remarks, show_setups
from firesteel.workloads import titles

MOST_LINES = 40
"""How much is shown unless all is asked for."""

_SHOWN = {"worse": "Worse", "better": "Better", "changed": "Changed"}
"""Verdicts whose figures are shown one by one; the others are counted."""

_MOST = 5
"""Things of one kind that a remark names; the others are counted."""


@contextmanager
def limited(console: Console, *, everything: bool) -> Iterator[Console]:
    """Of what is shown inside, the first `MOST_LINES` lines, unless `everything`."""
    with console.capture() as captured:
        yield console
    lines = captured.get().splitlines()
    if len(lines) > MOST_LINES and not everything:
        lines[MOST_LINES - 1 :] = ["This is a part of it; `--all` shows everything."]
    for line in lines:
        console.file.write(f"{line}\n")


def show_comparison(console: Console, results: Results, comparison: Sequence[Result]) -> None:
    """How far each kind of figure is from the published ones, then every figure that has a
    published counterpart.
    """
    places = Places.of(results.means)
    comparison = places.labelled(comparison)
    paired = [each for each in comparison if each.beside]
    notes = [nearness(comparison), *conditions(compared(comparison))]
    sizes = dict.fromkeys(each.size_note for each in comparison if each.size_note)
    notes += [f"File transfer: {note}." for note in sizes]
    if alone := len(comparison) - len(paired):
        notes.append(
            f"{alone} figures have no published counterpart; `firesteel show` prints them."
        )
    for line in filter(None, notes):
        say(console, line)
    console.print()
    show(console, kinds_grid(comparison))
    for (experiment, metric), part in grouped(paired, kind_of).items():
        heading = f"{titles.experiment(experiment)}: {names.quantity(metric)}"
        rows = [each for those in by_configuration(part) for each in those]
        show(console, deviations_grid(rows, heading))
    causes = {study.name: load_causes(study) for study in compared(comparison)}
    for line in causes_said(paired, causes):
        say(console, line)
    show_setups(console, results)
    show_remarks(console, results)


def show_ratios(
    console: Console, comparison: Sequence[Result], clocks: Mapping[str, Clock] | None = None
) -> None:
    """How near the ratios of each kind come to the published ones, on boards of these clocks, then
    every pair; nothing without a pair.
    """
    found = ratios(comparison, clocks)
    for line in conditions(compared(comparison)):
        say(console, line)
    medians = ratio_medians_grid(found)
    if told := "" if medians else left_out(found):
        say(console, told)
    show(console, medians)
    show(console, ratios_grid(found, Places.of(comparison)))


def show_statements(console: Console, found: Mapping[str, Sequence[Answer]]) -> None:
    """How many statements of each study are confirmed and why others are not, then a table of
    them.
    """
    for those in found.values():
        say(console, f"{those[0].study.cite}: {summary(those)}")
        for each in those:
            if each.verdict == "not confirmed":
                say(console, f"- not confirmed: {each.said}: {each.why}")
    console.print()
    for those in found.values():
        show(console, statements_grid(those))
        for each in those:
            if each.verdict == "not measured" and each.why not in ("", NOT_MEASURED):
                say(console, f"- {each.said}: {each.why}.")


def show_changes(
    console: Console, before: Results, after: Results, pairing: Pairing, found: Sequence[Change]
) -> None:
    """Differences of boards, every figure that changed beyond the noise, with the largest changes
    first, and the common part of both runs.
    """
    show_boards(console, pairing.boards)
    counts, *others = remarks(before, after, pairing, found)
    say(console, counts)
    if apart := [each for each in pairing.differences if each.kind != "boards"]:
        also = "also " if pairing.boards else ""
        say(console, f"The runs {also}differ in: {words_of(apart)}.", "yellow")
    console.print()
    places = places_of(before, after, found)
    for verdict, title in _SHOWN.items():
        those = [each for each in found if each.verdict == verdict]
        rows = [_row(each, places) for each in sorted(those, key=_size, reverse=True)]
        show(console, Grid.of(f"{title}, the largest change first", rows))
    for line in others:
        say(console, line)
    say(console, method((*before.measured_cpus, *after.measured_cpus)), "dim")


def show_boards(console: Console, boards: Sequence[Boards]) -> None:
    """The parameters in which places differ; equal differences of several places are shown
    together.
    """
    for differing, those in grouped(boards, lambda each: each.differences).items():
        told = "; ".join(dict.fromkeys(map(_places, those)))
        if not differing:
            say(console, f"No parameter differs: {told}.")
            console.print()
        rows = [
            {
                "": each.path,
                "before": each.text(each.before),
                "after": each.text(each.after),
                "factor": "" if each.factor is None else f"×{each.factor:.3g}",
            }
            for each in differing
        ]
        show(console, Grid.of(f"Parameters that differ: {told}", rows))


def _places(boards: Boards) -> str:
    """Both by name, once if it is the same."""
    both = (boards.before, boards.after)
    called = (names.listed(board_in_words(each.board), each.link) for each in both)
    return " → ".join(dict.fromkeys(called))


def offence(failed: Condition, changed: Change, places: Places) -> str:
    """A figure that fails a comparison, in a line."""
    of, row = changed.identity, _row(changed, places)
    metric, unit = names.metric(changed.metric), names.unit(unit_of(changed.metric))
    what = names.listed(titles.experiment(of.workload), of.parameter.text, metric)
    values = f"{row['before']} → {row['after']} {unit}".rstrip()
    label = places.label(titles.of_identity(of), of.place)
    return f"{failed}: {label}, {what}: {values} ({row['change']}; noise {row['noise']})"


def _row(changed: Change, places: Places) -> dict[str, str]:
    """What it is of, its place where there are several, both figures, the change and the noise."""
    of, metric, percent = changed.identity, changed.metric, changed.change_percent
    what = f"{titles.experiment(of.workload)}, {names.metric(metric)}"
    return {
        "": f"{places.label(titles.of_identity(of), of.place)}, {what}",
        "at": of.parameter.text,
        "before": names.number(changed.before, metric),
        "after": names.number(changed.after, metric),
        "change": "was 0" if percent is None else f"{percent:+.2f} %",
        "noise": _noise(changed),
    }


def _size(changed: Change) -> float:
    percent = changed.change_percent
    return float("inf") if percent is None else abs(percent)


def _noise(change: Change) -> str:
    """By how much the means may differ by chance, if that is known."""
    percent = change.noise_percent
    if change.noise == "unknown" or percent is None:
        return "unknown" if change.noise == "unknown" else "–"
    assumed = " assumed" if change.noise == "assumed" else ""
    return f"±{percent:.2g} %{assumed}"


def remarks(
    before: Results, after: Results, pairing: Pairing, found: Sequence[Change]
) -> Iterator[str]:
    """Sentences on all figures: verdicts, noise, versions, and what is missing."""
    counts = Counter(each.verdict for each in found)
    told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if name in counts)
    cells = len(pairing.cells)
    yield (
        f"{before.journal.name} → {after.journal.name}: of {len(found)} figures of {cells} "
        f"{'cell' if cells == 1 else 'cells'}: {told or 'none'}."
    )
    yield from _of_noise(found)
    for results in (before, after):
        if missing := results.missing:
            count = len(results.journal.entries)
            yield f"In {results.journal.name}, {missing} of {count} cells have no figures."
    for word, those in (
        (f"No longer measured in {after.journal.name}", pairing.gone),
        (f"Only in {before.journal.name}", pairing.only_before),
        (f"Only in {after.journal.name}", pairing.only_after),
    ):
        if those:
            more = f"; and {len(those) - _MOST} more" if len(those) > _MOST else ""
            yield f"{word}: {'; '.join(those[:_MOST])}{more}."
    if alone := figures_of_one(before, after, pairing):
        yield f"Cells in both runs have {alone} figures that only one of the runs has."


def _of_noise(found: Sequence[Change]) -> Iterator[str]:
    """How it is known what noise is."""
    kinds = {each.noise for each in found}
    measured = [each for each in found if each.noise == "measured" and each.verdict != "same"]
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
            "One seed on both sides: the noise of some figures is unknown, so their changes are "
            "inconclusive; several seeds (`firesteel run --seeds 5`) measure it, --noise assumes "
            "it."
        )


def _range(numbers: Iterable[int]) -> str:
    told = sorted(set(numbers))
    return str(told[0]) if len(told) == 1 else f"{told[0]} to {told[-1]}"
