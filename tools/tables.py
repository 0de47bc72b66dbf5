# SPDX-License-Identifier: Apache-2.0
"""Answers of pages in Markdown: tables of a run's figures and of its profiles, and figures in
sentences.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from firesteel.base.errors import FiresteelError
from firesteel.boards.numbers import base_of, board_in_words
from firesteel.judge.advice.answer import by_verdict
from firesteel.judge.places import Places
from firesteel.judge.rows import Result, grouped
from firesteel.judge.thresholds import break_even
from firesteel.judge.verdict import LOSSES, Offload, worst_first
from firesteel.model import names
from firesteel.model.figure import Parameter
from firesteel.model.identity import Identity
from firesteel.model.names import MISSING, ratio
from firesteel.show.report.profiles import code_that_ran, load_profiles
from firesteel.show.run import by_configuration
from firesteel.store.record import libcrypto_of
from firesteel.store.store import Store
from firesteel.workloads import titles
from firesteel.workloads.openssl_speed import SpeedPlan


def side_by_side(figures: Sequence[Result], metrics: Sequence[str]) -> str:
    """A row a configuration and parameter; of each metric software, hardware, and the ratio."""
    found: dict[tuple[Identity, str], dict[tuple[str, str], Result]] = {}
    for each in figures:
        if replace(each.identity, affinity="").is_usual:
            how = each.identity.implementation
            side = "hardware" if how == "hardware" else "software"
            other = "" if how in ("software", "hardware") else how
            found.setdefault((each.identity.in_software, other), {})[each.metric, side] = each
    several = len({each.at for each in figures}) > 1
    where = Places.of(figures).told
    head = ["configuration", *(["at"] if several else []), *where]
    for metric in metrics:
        head += [f"{names.quantity(metric)}: software", "hardware", "ratio"]
    rows = []
    for (of, other), cells in found.items():
        which = other or "software", "", "", of.affinity
        line = [titles.measured(of.workload, of.protocol, of.cipher, of.mac, *which)]
        line += [of.parameter.text] if several else []
        line += [f"`{of.where[part]}`" if of.where[part] else MISSING for part in where]
        for metric in metrics:
            one, two = cells.get((metric, "software")), cells.get((metric, "hardware"))
            line += [_text(one), _text(two), MISSING]
            if one and two and one.value:
                before = names.mark(converged=one.converged and two.converged)
                line[-1] = f"{before}{ratio(two.value / one.value)}\N{MULTIPLICATION SIGN}"
        rows.append(line)
    return table(head, rows)


def by_parameter(figures: Sequence[Result]) -> str:
    """A table for each metric, with a column a parameter: sizes by their order, others as found."""
    tables = []
    for metric, those in grouped(figures, lambda each: each.metric).items():
        sizes = {each.at: each.identity.parameter.size_bytes or 0 for each in those}
        parameters, places = sorted(sizes, key=lambda at: sizes[at]), Places.of(those)
        rows = []
        for part in by_configuration(those):
            by, of = {each.at: each for each in part}, part[0].identity
            label = places.label(titles.of_identity(of), of.place)
            rows.append([label, *(_text(by.get(at)) for at in parameters)])
        tables.append(table([names.quantity(metric), *parameters], rows))
    return "\n\n".join(tables)


def _text(result: Result | None) -> str:
    return result.text if result else MISSING


def per_byte(store: Store, runs: Iterable[str]) -> str:
    """Instructions per byte of `openssl speed` in software: for each profile a row for each piece
    of code that took a hundredth of them or more, and one for all code.
    """
    rows = [row for run in runs for row in _per_byte(store, run)]
    if not rows:
        raise FiresteelError(f"the runs {', '.join(runs)} have no such profiles.")
    return table(("cell", "libcrypto", "code", "instructions per byte"), rows)


def _per_byte(store: Store, run: str) -> Iterator[tuple[str, ...]]:
    for profile in load_profiles(store.runs / run / "profiles"):
        record = store.get(profile.key)
        speed = record.cell.plan(SpeedPlan) if record else None
        if profile.implementation != "software" or not record or not speed:
            continue
        size = Parameter(size_bytes=int(profile.window.removeprefix("speed-")))
        (rate,) = (
            figure.value
            for figure in record.figures
            if (figure.metric, figure.parameter) == ("throughput", size)
        )
        encrypted = rate * 1e6 * speed.seconds
        of = profile.cell, libcrypto_of([record]) or "Debian's"
        for code in code_that_ran([profile]):
            yield *of, code.function, f"{code.share * profile.instructions / encrypted:.1f}"
        yield *of, "all", f"{profile.instructions / encrypted:.1f}"


def amounts(results: Sequence[Result]) -> str:
    """Figures without their unit; before those that have not converged, of which three digits are
    shown, stands `about`, once where that goes for all.
    """
    if not any(each.converged for each in results):
        return f"about {names.all_of([_amount(each) for each in results])}"
    return names.all_of([f"{'' if of.converged else 'about '}{_amount(of)}" for of in results])


def _amount(result: Result) -> str:
    if not result.converged:
        return f"{float(f'{result.value:.3g}'):,.10g}"
    large = result.value >= 1000
    return f"{result.value:,.0f}" if large else names.number(result.value, result.metric)


def gains(pairs: Sequence[Offload], where: str = "") -> str:
    """How much traffic gains, loses, is mixed and is inconclusive: `5 of 6 rows gain and none
    loses`; `where` is behind `rows`.
    """
    verdicts = verdicts_of(pairs)
    total, helped, lost = len(verdicts), verdicts.count("helps"), verdicts.count("loses")
    rows = f"{total} {'row' if total == 1 else 'rows'}{where}"
    if helped == total:
        return f"all {rows} gain" if total > 1 else f"the {rows} gains"
    gain = f"{helped or 'none'} of {rows} gain{'' if helped > 1 else 's'}"
    other = by_verdict([each for each in verdicts if each in (*LOSSES, "inconclusive")])
    return names.all_of([gain, *([] if lost else ["none loses"]), *other])


def verdicts_of(pairs: Sequence[Offload]) -> list[str]:
    """Those of all traffic."""
    return [pair.verdict for of in _by_traffic(pairs) for pair in of.values()]


def _by_traffic(pairs: Sequence[Offload]) -> Iterator[dict[str, Offload]]:
    """The pairs of each kind and size of traffic by board.  One handshake and many are the same
    traffic: the worse verdict counts, or the verdict of many, whose CPU work was measured.
    """
    for those in grouped(pairs, lambda pair: (_traffic(pair), _at(pair))).values():
        those.sort(key=lambda each: (-worst_first(each.verdict), each.judged.work is not None))
        yield {pair.identity.board: pair for pair in those}


def verdicts(pairs: Sequence[Offload], left: str) -> str:
    """A row a kind of traffic, the worst first, and a column a board: the verdict with the ratios
    of speed and of CPU work.  `left` stands behind the ratios of work that was left to software.
    """
    boards = list(dict.fromkeys(pair.identity.board for pair in pairs))
    lines = []
    sizes = {name: {_at(each) for each in of} for name, of in grouped(pairs, _traffic).items()}
    for by in _by_traffic(pairs):
        first, *_ = by.values()
        name = _traffic(first)
        worst = min(worst_first(pair.verdict) for pair in by.values())
        least = min(pair.judged.speed or 0.0 for pair in by.values())
        cells = [_verdict(by[board], left) if board in by else MISSING for board in boards]
        at = f", {_at(first)}" if len(sizes[name]) > 1 else ""
        lines.append((worst, least, [f"{name}{at}", *cells]))
    return table(["traffic", *map(board_title, boards)], [line for *_, line in sorted(lines)])


def break_evens(figures: Sequence[Result]) -> str:
    """A row an implementation and a column a board: from which size on a request takes less time
    than software, as in `judge.thresholds`.
    """
    by_board = grouped(figures, lambda each: each.identity.board)
    rows: dict[str, dict[str, str]] = {}
    for board, those in by_board.items():
        for each in break_even(those):
            rows.setdefault(each.what, {})[board] = each.size
    lines = [[what, *(by.get(board, MISSING) for board in by_board)] for what, by in rows.items()]
    return table(["requests", *map(board_title, by_board)], lines)


def _traffic(pair: Offload) -> str:
    of = pair.identity
    return titles.measured(of.workload, of.protocol, of.cipher, of.mac)


def _at(pair: Offload) -> str:
    """The size or key, and what a disk does."""
    pattern = pair.identity.parameter.pattern
    return ", ".join(filter(None, [(pattern or "").replace("-", " "), pair.at]))


def board_title(name: str) -> str:
    """`gateway-a53` with 1 CPU, the board as code."""
    base = base_of(name)
    return board_in_words(name).replace(base, code(base), 1)


def _verdict(pair: Offload, left: str) -> str:
    """`helps: 1.66×, work 0.56×`."""
    times = "\N{MULTIPLICATION SIGN}" + (left if pair.judged.left_to_software else "")
    of, work = pair.judged, ""
    if of.work is not None:
        work = f", work {of.work_mark}{ratio(of.work)}{times}"
    return f"**{pair.verdict}**: {of.speed_mark}{ratio(of.speed or 0.0)}{times}{work}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """Text as it is typed."""
    return f"`{text}`"


def codes(texts: Iterable[object]) -> str:
    """Several of them, with commas between."""
    return ", ".join(code(str(text)) for text in texts)
