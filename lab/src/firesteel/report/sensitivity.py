# SPDX-License-Identifier: Apache-2.0
"""How far verdicts may be trusted: sentences of the answer, and the section on assumptions with a
line for each verdict and tornados.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from firesteel.analysis.offload import Offload
from firesteel.analysis.sheet import MISSING, ratio
from firesteel.analysis.verdict import Verdict
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.report.offload import marked
from firesteel.sensitivity.firm import Firm, Studied
from firesteel.sensitivity.flips import MEASURES, Measure, by_width, ratio_of, standing
from firesteel.sensitivity.study import Row, Swing
from firesteel.sensitivity.summary import Sensitivity, range_text, value_text
from firesteel.sensitivity.words import changes
from firesteel.terminal.grid import Grid, Text
from firesteel.workloads import titles


@dataclass(frozen=True)
class Sureness:
    """What the answer says: `firm` by both clocks and all assumptions, then by each of these; and
    what studies `found`, if anything.
    """

    firm: str
    by_clock: str
    by_assumption: str
    found: Sensitivity | None
    verdicts: Grid | None


def sureness(firm: Firm) -> Sureness:
    """All that is known of the verdicts of a run."""
    found = sensitivity_of(firm)
    return Sureness(
        firm=" ".join(filter(None, [firm.sentence, firm.source])),
        by_clock=firm.other.sentence if firm.other else "",
        by_assumption=sensitivity_sentence(found, firm.pairs),
        found=found,
        verdicts=verdicts_grid(firm) if found else None,
    )


def sensitivity_of(firm: Firm) -> Sensitivity | None:
    """What studies say of these verdicts, each called as here; None if that is nothing."""
    studied = {pair.identity: firm.studied(pair) for pair in firm.pairs}
    found = Sensitivity.of_all(filter(None, studied.values()))
    if found is None:
        return None
    called = names_of(firm.pairs)
    rows = (row.model_copy(update={"name": called[row.identity]}) for row in found.rows)
    return replace(found, rows=tuple(rows))


def sensitivity_sentence(found: Sensitivity | None, pairs: Sequence[Offload]) -> str:
    """How many verdicts hold over the whole range of every assumption, and which do not; or that
    nobody looked; nothing where there is no verdict.
    """
    judged = [pair for pair in pairs if not pair.judged.peer_limited]
    if not judged:
        return ""
    if found is None:
        return (
            "How far assumptions about the board may be off before a verdict changes was not "
            "studied (firesteel sensitivity)."
        )
    left = len(judged) - len(found.judged)
    more = f" {left} other verdict{'s were' if left > 1 else ' was'} not studied." if left else ""
    return f"Sensitivity: {found.sentence}{more}"


def names_of(pairs: Sequence[Offload]) -> dict[Identity, str]:
    """What rows are called; those that would be called alike, with what was measured."""
    called = {pair.identity: names.listed(pair.in_short, pair.at) for pair in pairs}
    counts = Counter(called.values())
    return {
        of: names.listed(name, titles.experiment(of.workload).lower()) if counts[name] > 1 else name
        for of, name in called.items()
    }


def verdicts_grid(firm: Firm) -> Grid | None:
    """A line for each verdict: whether it holds, and the change that needs the smallest factor."""
    called = names_of(firm.pairs)
    caption = "Verdicts that hold over the whole range of every assumption, and those that do not"
    rows = (
        {"row": called[pair.identity], **_standing(pair, firm.studied(pair)), **_clock(firm, pair)}
        for pair in firm.pairs
    )
    return Grid.of(caption, rows, wordy=("offload", "changes first with"))


def _standing(pair: Offload, studied: Studied | None) -> dict[str, Text]:
    """What becomes of a verdict, and where it changes first, if it does."""
    found = studied.standing_of(pair.verdict) if studied else "not studied"
    first = at = others = ""
    to: Text = ""
    if studied and found == "changes":
        (swing, flip), *more = changes(studied)
        first = studied.title_of(swing.assumption)
        at = f"{value_text(swing, flip.value)} ({value_text(swing, swing.nominal)})"
        to = marked(flip.verdict)
        count = len({each.assumption for each, _ in more} - {swing.assumption})
        others = f"{count} other{'s' if count > 1 else ''}" if count else ""
    return {
        "whole range": marked(found),
        "offload": marked(pair.verdict),
        "changes first with": first,
        "at (the board’s own)": at,
        "to": to,
        "also with": others,
    }


def _clock(firm: Firm, pair: Offload) -> dict[str, Text]:
    """The verdict on the other clock, if there is one."""
    if not firm.other:
        return {}
    there: Verdict | None = firm.on_other_clock(pair)
    same: Text = "the same" if there == pair.verdict else marked(there) if there else MISSING
    return {f"clock {firm.other.clock}": same}


def changes_grid(found: Sensitivity) -> Grid | None:
    """The verdicts that change: below each, every assumption with the value from which on."""
    return Grid.of(
        "Verdicts that change",
        _below(
            (
                row,
                {
                    "assumption": f"  {found.title_of(swing.assumption)}",
                    "changes at\n(board's own)": f"{value_text(swing, flip.value)} "
                    f"({value_text(swing, swing.nominal)})",
                    "range": range_text(swing),
                    "to": marked(flip.verdict),
                },
            )
            for row, swing, flip in found.flips
        ),
        page_only=("range",),
    )


def swings_grid(found: Sensitivity) -> Grid | None:
    """What each assumption does to each row, that which moves a ratio most first: the ratios at
    both ends and with the board's own number.
    """
    return Grid.of(
        "Every row and assumption",
        _below(
            (
                row,
                {
                    "assumption": found.title_of(swing.assumption),
                    "range": range_text(swing),
                    **{
                        f"{measure}\nlow, own, high": _ratios(row, swing, measure)
                        for measure in MEASURES
                    },
                    "verdict": marked(standing(row, swing)),
                },
            )
            for row in found.rows
            for swing in by_width(row)
        ),
    )


def _below(lines: Iterable[tuple[Row, dict[str, Text]]]) -> list[dict[str, Text]]:
    """Lines below the row that they are of."""
    rows: list[dict[str, Text]] = []
    for row, those in groupby(lines, lambda each: each[0]):
        rows.append({"assumption": f"{row.name}: {row.nominal.verdict}"})
        rows += [line for _, line in those]
    return rows


def _ratios(row: Row, swing: Swing, measure: Measure) -> str:
    points = (swing.low.point, row.nominal, swing.high.point)
    return " ".join(ratio(ratio_of(point, measure)) if point else MISSING for point in points)


def assumptions_grid(found: Sensitivity) -> Grid | None:
    """What varied, in which range, and why; the range is that of the first board that has it."""
    first: dict[str, Swing] = {}
    for row in found.rows:
        for swing in row.swings:
            first.setdefault(swing.assumption, swing)
    rows = (
        {
            "assumption": each.title,
            "the board has": value_text(at, at.nominal),
            "range": range_text(at),
            "why": " ".join(each.why.split()),
        }
        for each in found.assumptions
        if (at := first.get(each.name))
    )
    return Grid.of("Assumptions", rows, wordy=("why",))
