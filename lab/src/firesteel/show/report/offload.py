# SPDX-License-Identifier: Apache-2.0
"""Tables of hardware versus software: by kind of traffic, by configuration, every row, with other
software, by cost, and over ranges of assumptions.  Also limits, and counters of the cores.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from firesteel.judge.advice.answer import Answer, Kind, speeds_of, works_of
from firesteel.judge.advice.sweep import SweepAnswer
from firesteel.judge.bound import PEER_LIMITED
from firesteel.judge.intervals import Sample
from firesteel.judge.pareto import Choice
from firesteel.judge.places import Places
from firesteel.judge.results import Coordinates
from firesteel.judge.robustness import Robustness, changes
from firesteel.judge.rows import grouped
from firesteel.judge.sensitivity import (
    Sensitivity,
    Studied,
    Swing,
    by_width,
    range_text,
    standing,
    value_text,
)
from firesteel.judge.thresholds import COLUMNS, Outcome, notes, set_on, texts, title
from firesteel.judge.verdict import SPEEDS, USE, VERDICTS, Offload, RowVerdict, worst_first
from firesteel.model import names
from firesteel.model.cell import ON_CORES
from firesteel.model.identity import Identity
from firesteel.model.names import MISSING, ratio, ratio_range
from firesteel.show.grid import Grid, Mark, Text, Tone
from firesteel.store.record import Record
from firesteel.workloads import titles

_TONES: dict[str, Tone] = {
    **dict.fromkeys(("helps", "met", "holds"), "good"),
    **dict.fromkeys(("loses", "missed"), "bad"),
    **dict.fromkeys(("mixed", "inconclusive", PEER_LIMITED), "mixed"),
    **dict.fromkeys(("not converged", "not measured"), "mixed"),
    **dict.fromkeys(("changes", "not known", "not studied"), "mixed"),
}

_KINDS_OF_SPEED = (
    ("throughput", ("throughput",)),
    ("latency", SPEEDS[2:]),
    (names.metric("connections"), ("connections",)),
)

_COUNTED = (
    ("aes_bytes", "AES, MB"),
    ("hash_bytes", "hash, MB"),
    ("pk_operations", "public-key operations"),
    ("cm_interrupts", "interrupts of CryptoMaster"),
)
"""Counters of all windows of cores together, and what they are called."""


def marked(verdict: str, said: str = "") -> Mark:
    """A verdict in its colour, with more words than its name if they are given."""
    return Mark(said or verdict, _TONES.get(verdict, "plain"))


def _ratios(judged: RowVerdict) -> dict[str, Text]:
    """Both ratios, marked where they have not converged."""
    return {
        "speed": judged.speed_mark + ratio(judged.speed),
        "CPU work": judged.work_mark + ratio(judged.work),
    }


MOST_FIRST = 8
"""Rows of the table that a report begins with."""


def first_grid(answer: Answer) -> Grid | None:
    """A few rows: those that lose, the costliest first, then of each kind of traffic the row that
    gains least.
    """

    def worst(pair: Offload) -> tuple[int, float, float]:
        # Equal rows, and all behind these, stand where their cost puts them.
        place = min(worst_first(pair.verdict), VERDICTS.index("equal"))
        return place, -pair.judged.cost, min(pair.judged.speed or 1, 1 / (pair.judged.work or 1))

    pairs = sorted(answer.all_pairs, key=worst)
    losing = [pair for pair in pairs if pair.verdict == "loses"]
    of_kinds = [min(kind.pairs, key=worst) for kind in answer.kinds]
    order = [*losing, *sorted(of_kinds, key=worst), *pairs]
    chosen = sorted(list({id(pair): pair for pair in order}.values())[:MOST_FIRST], key=worst)
    called = _names_of(chosen)
    rows: list[dict[str, Text]] = [
        {"row": called[pair.identity], **_ratios(pair.judged), "offload": marked(pair.verdict)}
        for pair in chosen
    ]
    rows_once = len(answer.pairs)
    most = f"{len(chosen)} of {rows_once} rows" if len(chosen) < rows_once else "All rows"
    return Grid.of(f"{most}, the worst first: ratios, × software", rows, wordy=("offload",))


def kinds_grid(answer: Answer, firm: Robustness | None = None) -> Grid | None:
    """For each kind of traffic the number of rows by verdict, the number of firm verdicts, and the
    ratios; kinds with rows that lose come first.
    """
    studied = firm if firm and firm.is_studied and firm.count(answer.pairs) else None
    others = [each for each in VERDICTS if each != "helps"]
    loses = any(kind.count("loses") for kind in answer.kinds)
    page_only = [each for each in others if not (loses and each == "loses")]
    rows: list[dict[str, Text]] = []
    for kind in sorted(answer.kinds, key=lambda kind: _worst(kind.pairs)):
        count = len(kind.pairs)
        firmly = {"firm": f"{studied.count(kind.pairs)} of {count}"} if studied else {}
        there = {each: kind.count(each) for each in others}
        rows.append(
            {
                "traffic": _name(kind),
                **{each: marked(each if some else "", str(some)) for each, some in there.items()},
                "rows\nhelped": f"{kind.count('helps')} of {count}",
                **firmly,
                "speed × software\nmedian (range)": speeds_of(kind),
                "CPU work\nmedian (range)": works_of(kind),
            }
        )
    return Grid.of("Hardware versus software, by kind of traffic", rows, page_only=page_only)


def _worst(found: Iterable[Offload]) -> int:
    """The place, where rows are listed, of the worst verdict of these."""
    return min(worst_first(pair.verdict) for pair in found)


def _name(kind: Kind) -> str:
    """The kind, with a note where the driver or the provider used the cores for nothing of it."""
    untouched = all(pair.judged.left_to_software for pair in kind.pairs)
    return f"{kind.name} (left to software)" if untouched else kind.name


def sweep_grid(answer: SweepAnswer) -> Grid | None:
    """A row for each kind of traffic and point: the verdict and the ratios that it is made of."""
    rows = [
        {
            "traffic": kind.name,
            **_coordinates(answer, at),
            "offload": marked(found.verdict),
            "speed,\n× software": speeds_of(found),
            "CPU work,\n× software": works_of(found),
        }
        for kind in answer.kinds
        for at in answer.points
        if (found := kind.at.get(at))
    ]
    return Grid.of("Hardware versus software, by kind of traffic and point of the sweep", rows)


def crossed_grid(answer: SweepAnswer) -> Grid | None:
    """A sweep over a number of the cores and another number.  Each row has a line for each value of
    the other number: software's result, and hardware's for each value of the cores' number.
    """
    if not answer.crossed:
        return None
    cores, path = answer.crossed
    rows: list[dict[str, Text]] = []
    for row in answer.rows:
        metric = next(iter(row.at.values())).metric
        rows.append({path.title: f"{row.name}: {names.quantity(metric)}"})
        lines: dict[float, dict[str, Text]] = {}
        for name, line in answer.by_cores(row).items():
            for x, pair in line:
                best = answer.fastest[pair.identity].pair.one
                fastest = f"{best.results[metric].value_text} {titles.of_identity(best.identity)}"
                first: dict[str, Text] = {
                    path.title: f"  {path.said(x)}",
                    "software": pair.software.value_text,
                    "fastest software": fastest,
                }
                lines.setdefault(x, first)[name] = _beside(pair)
        rows += lines.values()
    caption = f"Hardware versus software, by {path.title} and {cores.title}"
    return Grid.of(caption, rows, page_only=("fastest software",))


def _beside(pair: Offload) -> Mark:
    """What hardware reaches, how many times as fast that is as software, and the verdict; and
    whether the work was left to software.
    """
    speed = pair.judged.speed_mark + ratio(pair.judged.speed)
    left = ", left to software" if pair.judged.left_to_software else ""
    return marked(pair.verdict, f"{pair.hardware.value_text} ({speed}×, {pair.verdict}{left})")


def _coordinates(answer: SweepAnswer, at: Coordinates) -> dict[str, Text]:
    """A point of a sweep: each number that varies, and its value there."""
    pairs = zip(answer.paths, at, strict=True)
    return {path.title: MISSING if value is None else path.said(value) for path, value in pairs}


def gains_grid(answer: SweepAnswer) -> Grid | None:
    """At which values of each number of a grid offload helps, row by row."""
    rows: list[dict[str, Text]] = []
    for row in (row for kind in answer.kinds for row in answer.rows_of(kind)):
        cells = {
            f"by {path.title}": answer.where(row, axis) for axis, path in enumerate(answer.paths)
        }
        if answer.is_grid and any(cells.values()):
            rows.append({"row": row.name, **{by: it or MISSING for by, it in cells.items()}})
    by = [f"by {path.title}" for path in answer.paths]
    return Grid.of("Verdicts along each number, row by row", rows, wordy=by)


def points_grid(answer: SweepAnswer) -> Grid | None:
    """Every row of a sweep at every point."""
    rows: list[dict[str, Text]] = [
        {
            "row": row.name,
            **_coordinates(answer, at),
            "metric": names.quantity(pair.metric),
            "software": pair.software.text,
            "hardware": pair.hardware.text,
            **_ratios(pair.judged),
            "offload": marked(pair.verdict, pair.judged.said),
        }
        for row in answer.rows
        for at in answer.points
        if (pair := row.at.get(at))
    ]
    return Grid.of("Every row at every point", rows, wordy=("metric", "offload"))


def configurations_grid(found: Sequence[Offload]) -> Grid | None:
    """A row a configuration: its ratios, and its verdict over all that was measured of it; first
    those with rows that lose.

    Ranges are of the rows that have converged.
    """
    speeds = [
        (name, metrics)
        for name, metrics in _KINDS_OF_SPEED
        if any(pair.metric in metrics for pair in found)
    ]
    rows: list[dict[str, Text]] = []
    configurations = grouped(found, lambda pair: pair.label).items()
    for label, those in sorted(configurations, key=lambda each: _worst(each[1])):
        row: dict[str, Text] = {"configuration": label, "offload": _verdicts(those)}
        for name, metrics in speeds:
            there = (pair for pair in those if pair.metric in metrics)
            row[f"speed|{name}"] = ratio_range(
                (pair.judged.speed, pair.judged.speed_converged) for pair in there
            )
        judged = (pair.judged for pair in those)
        row["CPU work"] = ratio_range((each.work, each.work_converged) for each in judged)
        rows.append(row)
    caption = "Hardware versus software, by configuration: ratios, × software"
    return Grid.of(caption, rows, wordy=("offload",))


def _verdicts(found: Sequence[Offload]) -> Mark:
    """The verdict of all rows of a configuration; where they differ, of how many and of which."""
    by_verdict = grouped(found, lambda pair: pair.verdict)
    there = [verdict for verdict in (*VERDICTS, PEER_LIMITED) if verdict in by_verdict]
    worst = there[0]
    if len(there) == 1:
        return marked(worst)
    parts = []
    for verdict in there:
        those = by_verdict[verdict]
        where = f" ({' · '.join(pair.at for pair in those)})"
        parts.append(f"{verdict} in {len(those)}{where * (verdict in ('loses', 'mixed'))}")
    tone = _TONES.get(worst, "good" if "helps" in there else "plain")
    return Mark("; ".join(parts), tone)


def rows_grid(found: Sequence[Offload]) -> Grid | None:
    """Every pair with its figures; first those that lose."""
    rows: list[dict[str, Text]] = []
    for pair in sorted(found, key=lambda each: worst_first(each.verdict)):
        both, of = (pair.pair.one, pair.pair.other), pair.identity
        uses = [row.results[USE].text + " %" if pair.pair.has(USE) else MISSING for row in both]
        judged = _ratios(pair.judged)
        rows.append(
            {
                "configuration": pair.label,
                "measured": names.listed(titles.experiment(of.workload), of.parameter.text),
                "metric": names.quantity(pair.metric),
                "software": pair.software.text,
                "hardware": pair.hardware.text,
                "speed": judged["speed"],
                "CPU, software": uses[0],
                "CPU, hardware": uses[1],
                "CPU work": judged["CPU work"],
                "limit, software": both[0].bound or MISSING,
                "limit, hardware": both[1].bound or MISSING,
                "offload": marked(pair.verdict, pair.judged.said),
            }
        )
    caption = "Hardware versus software, every row"
    return Grid.of(caption, rows, wordy=("measured", "metric", "offload"))


def alternatives_grid(found: Sequence[Offload]) -> Grid | None:
    """Each row in hardware with the best other software; rows that lose come first."""
    rows: list[dict[str, Text]] = [
        {
            "configuration": each.label,
            "of": names.listed(titles.experiment(each.identity.workload), each.at),
            "best other software": each.software_name,
            **_ratios(each.judged),
            "offload": marked(each.judged.verdict, each.judged.said),
        }
        for each in sorted(found, key=lambda each: worst_first(each.judged.verdict))
    ]
    caption = "Hardware beside the best other software: ratios, × that software"
    return Grid.of(caption, rows, wordy=("of", "best other software", "offload"))


def choices_grid(group: Sequence[Choice]) -> Grid | None:
    """Costs and results of boards for one kind of traffic, from the cheapest row on."""
    numbers = {id(each.row): number for number, each in enumerate(group, 1)}
    speed = names.quantity(group[0].speed[0])
    work = next((names.quantity(each.work[0]) for each in group if each.work), "CPU work")
    rows: list[dict[str, Text]] = [
        {
            "configuration": f"{numbers[id(each.row)]}. {each.row.label}",
            "cost": f"{each.cost:.4g}",
            speed: _given(each.speed),
            work: _given(each.work) if each.work else MISSING,
            "for its cost": f"beaten by {numbers[id(each.beaten_by.row)]}"
            if each.beaten_by
            else Mark("best", "good"),
        }
        for each in group
    ]
    return Grid.of(f"What boards cost and give: {group[0].traffic}", rows)


def _given(figure: tuple[str, Sample]) -> str:
    metric, sample = figure
    return f"{names.mark(converged=sample.converged)}{names.number(sample.value, metric)}"


def limits_grids(found: Iterable[Outcome]) -> Iterator[tuple[Grid, list[str]]]:
    """For each two configurations the limits that were measured, and whether they are met; and in
    sentences why some are not.  The day on which limits were set stands in the title, or in each
    row where there are several.
    """
    for name, group in groupby(found, title):
        those, rows = list(group), []
        days = set_on(those)
        for outcome in those:
            what, *cells, verdict = texts(outcome)
            if len(days) > 1:
                what = names.listed(what, *(f"set {day}" for day in set_on([outcome])))
            row: dict[str, Text] = {"metric": what, **dict(zip(COLUMNS, cells, strict=False))}
            tone = "near" if outcome.near else outcome.verdict
            rows.append(row | {COLUMNS[-1]: marked(tone, verdict)})
        grid = Grid.of(f"{name}, limits of {days[0]}" if len(days) == 1 else name, rows)
        if grid and any(outcome.value is not None for outcome in those):
            yield grid, notes(those)


def proof_grid(records: Sequence[Record], places: Places) -> Grid | None:
    """A row a cell, with what shows that its work went the way it was meant to go."""
    caption = "Counters of the cores and the tunnel, over all measurements"
    rows = (_checked(record, places) for record in records)
    return Grid.of(caption, rows, wordy=("result",))


def _checked(record: Record, places: Places) -> dict[str, Text]:
    cell, proof = record.cell, record.proof
    own = {name: count for name, count in proof.items() if name.startswith("cores.")}
    sums: Counter[str] = Counter()
    for name, count in own.items():
        sums[name.rpartition(".")[2]] += count
    busy = sums["cm_busy_ns"] + sums["pk_busy_ns"]
    carried = proof.get("tunnel_rx_bytes", 0) + proof.get("tunnel_tx_bytes", 0)
    share = MISSING
    if carried and cell.implementation in ON_CORES:
        share = f"{100 * sums['aes_bytes'] / carried:.0f} % of it"
    return {
        "cell": places.of_cell(cell),
        **{head: _counted(name, sums[name]) if own else MISSING for name, head in _COUNTED},
        "cores busy, ms": f"{busy / 1e6:.1f}" if own else MISSING,
        "tunnel carried, MB": f"{carried / 1e6:.2f}" if carried else MISSING,
        "AES on the cores": share,
        "result": _result(cell.implementation, own),
    }


def _counted(name: str, count: int) -> str:
    return f"{count / 1e6:.2f}" if name.endswith("_bytes") else str(count)


def _result(implementation: str, own: Mapping[str, int]) -> Mark:
    worked = any(own.values())
    if implementation in ON_CORES:
        return Mark("on the cores", "good") if worked else Mark("not on the cores")
    if worked:
        return Mark("cores took part", "bad")
    if not own:
        return Mark("this board has no cores")
    return Mark("in software; all counters of the cores are zero")


def sensitivity_of(firm: Robustness) -> Sensitivity | None:
    """What studies say of these verdicts, each called as here; None if that is nothing."""
    found = Sensitivity.of_all(filter(None, map(firm.studied, firm.pairs)))
    if found is None:
        return None
    called = _names_of(firm.pairs)
    rows = (row.model_copy(update={"name": called[row.identity]}) for row in found.rows)
    return found.model_copy(update={"rows": tuple(rows)})


def _names_of(pairs: Sequence[Offload]) -> dict[Identity, str]:
    """What rows are called; those that would be called alike, with what was measured."""
    called = {pair.identity: names.listed(pair.in_short, pair.at) for pair in pairs}
    counts = Counter(called.values())
    return {
        of: names.listed(name, titles.experiment(of.workload).lower()) if counts[name] > 1 else name
        for of, name in called.items()
    }


def verdicts_grid(firm: Robustness) -> Grid | None:
    """A line for each verdict, the worst first: whether it holds, the change that needs the
    smallest factor, and the verdict on the other clock, if there is one.
    """
    called = _names_of(firm.pairs)
    rows = []
    for pair in sorted(firm.pairs, key=lambda each: worst_first(each.verdict)):
        row = {"row": called[pair.identity], **_standing(pair, firm.studied(pair))}
        if firm.other:
            there = firm.on_other_clock(pair)
            same = there == pair.verdict
            row[f"clock {firm.other.clock}"] = marked(there or MISSING, "the same" * same)
        rows.append(row)
    caption = "Verdicts that hold over the whole range of every assumption, and those that do not"
    return Grid.of(caption, rows, wordy=("offload", "changes first with"))


def _standing(pair: Offload, studied: Studied | None) -> dict[str, Text]:
    """What becomes of a verdict, and where it changes first, if it does; nothing is known if the
    studies have another one for the board itself.
    """
    found = "not known" if studied else "not studied"
    if studied and studied.row.nominal.verdict == pair.verdict:
        found = standing(studied.row)
    first = at = others = ""
    to: Text = ""
    if studied and found == "changes":
        (swing, flip), *more = changes(studied)
        first = studied.title_of(swing.assumption)
        at, to = _with_own(swing, flip.value), marked(flip.verdict)
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


def _with_own(swing: Swing, value: float) -> str:
    return f"{value_text(swing, value)} ({value_text(swing, swing.nominal)})"


def changes_grid(found: Sensitivity) -> Grid | None:
    """The verdicts that change: below each, every assumption with the value from which on."""
    rows: list[dict[str, Text]] = []
    for row, those in groupby(found.crossovers, lambda each: each[0]):
        rows.append({"assumption": f"{row.name}: {row.nominal.verdict}"})
        rows += (
            {
                "assumption": f"  {found.title_of(swing.assumption)}",
                "changes at\n(board's own)": _with_own(swing, flip.value),
                "range": range_text(swing),
                "to": marked(flip.verdict),
            }
            for _, swing, flip in those
        )
    return Grid.of("Verdicts that change", rows, page_only=("range",))


def swings_grid(found: Sensitivity) -> Grid | None:
    """What each assumption does to each row, that which moves a ratio most first: the ratios at
    both ends and with the board's own number.
    """
    rows: list[dict[str, Text]] = []
    for row in found.rows:
        rows.append({"assumption": f"{row.name}: {row.nominal.verdict}"})
        for swing in by_width(row):
            points = (swing.low.point, row.nominal, swing.high.point)
            line: dict[str, Text] = {
                "assumption": found.title_of(swing.assumption),
                "range": range_text(swing),
            }
            for name in row.nominal.ratios:
                line[f"{name}\nlow, own, high"] = " ".join(
                    ratio(point.ratios[name]) if point else MISSING for point in points
                )
            rows.append(line | {"verdict": marked(standing(row, swing))})
    return Grid.of("Every row and assumption", rows)


def assumptions_grid(found: Sensitivity) -> Grid | None:
    """The varied assumptions with range and reason; the range comes from the first board with the
    assumption.
    """
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
    return Grid.of("What varied, and why in that range", rows, wordy=("why",))
