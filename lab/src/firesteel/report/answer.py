# SPDX-License-Identifier: Apache-2.0
"""The report's first words: whether offload helps here, by how much, and for which rows."""

from collections.abc import Sequence
from statistics import median
from typing import Any

import polars as pl

from firesteel import names
from firesteel.compare import is_told
from firesteel.judging import AT_LINK, SLACK
from firesteel.report.boards import LABEL, is_usual
from firesteel.report.losses import Loss
from firesteel.report.pairs import Pair, counted
from firesteel.report.sheet import ratio, value

_SPEEDS = (
    ("throughput", "Throughput"),
    ("rtt_mean", "Round trips in a given time"),
    ("connections", "Handshakes a minute"),
)

_TRANSFER = "file-transfer"

_NAMED = 4
"""How many rows a sentence names at most."""


def answer(comparison: pl.DataFrame, found: Sequence[Pair], losses: Sequence[Loss]) -> list[str]:
    """The result in a few sentences."""
    if comparison.is_empty():
        return ["This run has no figures."]
    told = [*_offload(found), *_at_link(found)] or _cost(comparison)
    return [*told, *_turned(losses), *_nearness(comparison)]


def reservations(found: Sequence[Pair], counted: Sequence[Pair], seeds: int) -> list[str]:
    """What of all pairs the answer did not count, and what it does not know."""
    told = []
    if others := sorted({pair.label for pair in found} - {pair.label for pair in counted}):
        told.append(f"Measured for comparison and not counted: {_some(others)}.")
    if counted and seeds == 1:
        told.append(
            "All figures are of one seed, so that nothing is known of their spread; "
            f"{SLACK * 100:g}\xa0% of difference are taken for none."
        )
    return told


def question(found: Sequence[Pair]) -> str:
    """The heading above the answer."""
    return "Does offload help here?" if found else "The result"


def _offload(found: Sequence[Pair]) -> list[str]:
    if not found:
        return []
    helped = sum(pair.verdict == "helps" for pair in found)
    lost = [pair for pair in found if pair.verdict == "loses"]
    word = "Yes" if helped and not lost else "Mostly" if helped > len(found) / 2 else "Partly"
    told = [f"{word if helped else 'No'}: offload {counted(found)}."]
    if lost:
        told.append(f"It loses in {_some([_named(pair) for pair in lost])}.")
    return [*told, *_left(found), *_gains(found)]


def _at_link(found: Sequence[Pair]) -> list[str]:
    """In how many transfers nothing could be faster, because the link is the bound."""
    those = [pair for pair in found if (pair.experiment, pair.metric) == (_TRANSFER, "throughput")]
    bound = sum(pair.judgement.at_link for pair in those)
    if not bound:
        return []
    told = f"In {bound} of {len(those)} file transfers hardware reaches {AT_LINK * 100:g}\xa0%"
    bounded = "there the link is the bound, and the gain is in CPU work"
    return [f"{told} of what the link carries without a tunnel; {bounded}."]


def _left(found: Sequence[Pair]) -> list[str]:
    """Which rows software was left to do, and what that costs."""
    those = [pair for pair in found if pair.verdict == "left to software"]
    if not those:
        return []
    named = [f"{pair.what} (costs {pair.judgement.cost_in_percent})" for pair in those]
    return [f"Left to software, as the cores would take longer: {_some(named)}."]


def _named(pair: Pair) -> str:
    parts = [f"speed {_times(pair.speed)}"]
    if pair.work is not None:
        parts.append(f"CPU work {_times(pair.work)}")
    return f"{pair.what} ({', '.join(parts)})"


def _times(number: float | None) -> str:
    return f"{ratio(number)}\N{MULTIPLICATION SIGN}"


def _some(texts: Sequence[str]) -> str:
    more = len(texts) - _NAMED
    told = "; ".join(texts[:_NAMED])
    return f"{told}; and {more} more" if more > 0 else told


def _gains(found: Sequence[Pair]) -> list[str]:
    """By how much: the middle and the best of each kind of speed, and of the CPU's work."""
    told = []
    for metric, what in _SPEEDS:
        speeds = {pair: pair.speed for pair in found if pair.metric == metric and pair.speed}
        if speeds:
            best = max(speeds, key=lambda pair: speeds[pair])
            told.append(_gain(what, list(speeds.values()), best, speeds[best]))
    works = {pair: pair.work for pair in found if pair.work is not None}
    if works:
        best = min(works, key=lambda pair: works[pair])
        told.append(_gain("CPU work for the same payload", list(works.values()), best, works[best]))
    return told


def _gain(what: str, numbers: Sequence[float], best: Pair, extreme: float) -> str:
    middle = f"{what}: {_times(median(numbers))} software’s"
    if len(numbers) == 1:
        return f"{middle} ({best.what})."
    return f"{middle} in the median, {_times(extreme)} at best ({best.what})."


def _turned(losses: Sequence[Loss]) -> list[str]:
    """What became of the rows in which the published work lost."""
    here = [loss for loss in losses if loss.ours]
    if not here:
        return []
    counts = [
        f"{count} {words}"
        for state, words in (
            ("better", "better than software"),
            ("equal", "equal to it"),
            ("worse", "still worse"),
        )
        if (count := sum(loss.state == state for loss in here))
    ]
    told = f"Of {len(here)} figures in which the published hardware was worse than its software"
    return [f"{told}, hardware here is {', '.join(counts)}."]


def _cost(comparison: pl.DataFrame) -> list[str]:
    """Where nothing was offloaded: what the costliest tunnel takes, seen from none at all."""
    part = comparison.filter(pl.col("experiment") == _TRANSFER)
    rates = part.filter(pl.col("metric") == "throughput")
    cpu = part.filter(pl.col("metric") == "cpu")
    busy = dict(zip(cpu[LABEL], cpu["value"], strict=True))
    clear = rates.filter(pl.col("protocol") == "none").to_dicts()
    tunnels = rates.filter(
        (pl.col("protocol") != "none") & (pl.col("implementation") == "software")
    ).sort("value", descending=True, maintain_order=True)
    sentences = []
    if clear:
        sentences.append(f"Without a tunnel the board receives {_rate(clear[0], busy)}.")
    if not tunnels.is_empty():
        fast, slow = tunnels.row(0, named=True), tunnels.row(-1, named=True)
        text = f"In software, the slowest tunnel is {slow[LABEL]} with {_rate(slow, busy)}"
        if tunnels.height > 1:
            text += f"; the fastest is {fast[LABEL]} with {_rate(fast, busy)}"
        sentences.append(text + ".")
    return sentences


def _rate(row: dict[str, Any], busy: dict[str, float]) -> str:
    cpu = busy.get(row[LABEL])
    return f"{value(row)} {names.unit(row['unit'])}" + (
        "" if cpu is None else f" at {cpu:.0f} % CPU"
    )


def _nearness(comparison: pl.DataFrame) -> list[str]:
    usual = [row for row in comparison.iter_rows(named=True) if is_usual(row)]
    off = sorted(
        abs(row["deviation_percent"])
        for row in usual
        if row["deviation_percent"] is not None and is_told(row)
    )
    if not off:
        return ["None of these figures has a published counterpart."]
    told = f"{len(off)} figures have a published counterpart; half of them are within"
    return [f"{told} {median(off):.0f}\xa0% of it, the farthest is {off[-1]:.0f}\xa0% off."]
