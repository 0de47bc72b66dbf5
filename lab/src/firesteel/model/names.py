# SPDX-License-Identifier: Apache-2.0
"""How metrics, units, numbers and ratios are written for people."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from firesteel.model.figure import CONVERGED
from firesteel.model.metrics import METRICS, UNITS

_NOTHING = 1e-12
"""Of a value, what is left of nothing when numbers are rounded."""


def metric(name: str) -> str:
    """A metric's name, in words."""
    known = METRICS.get(name)
    words = (known.name if known else "") or name.replace("_", " ")
    for small, right in (("rtt", "RTT"), ("cpu", "CPU"), (" mb", " MB")):
        words = words.replace(small, right)
    return words


def unit(name: str) -> str:
    """A unit, short."""
    return UNITS[name].short if name in UNITS else name


def unit_of(metric_name: str) -> str:
    """The unit of a metric, short; nothing where there is no such metric."""
    return unit(METRICS[metric_name].unit) if metric_name in METRICS else ""


def listed(*words: str) -> str:
    """Words with commas between them, without those that say nothing: not every figure has a
    parameter.
    """
    return ", ".join(filter(None, words))


def all_of(texts: Sequence[str], between: str = ", ", last: str = " and ") -> str:
    """All of them: `a, b and c`."""
    return last.join(filter(None, (between.join(texts[:-1]), *texts[-1:])))


def first_of(texts: Sequence[str], most: int, between: str = ", ", last: str = " and ") -> str:
    """The first ones, so many `most`, and how many more there are."""
    more = len(texts) - most
    return between.join(texts[:most]) + (f"{last}{more} more" if more > 0 else "")


def quantity(metric_name: str, at: str = "") -> str:
    """What a figure is: metric, where it was measured if that is known, and unit, as
    `throughput, 8 MiB, MB/s`; a unit that the metric's words have is not said again.
    """
    words, short = metric(metric_name), unit_of(metric_name)
    return listed(words, at, "" if short in words.split() else short)


def number(value: float, metric: str) -> str:
    """A value with as many decimals as its unit deserves, so that columns line up.

    A percentile of round-trip times has those that ping printed, for it is a single reply's time.
    """
    decimals = _decimals(value, metric)
    if decimals is None:
        return f"{value:.6g}"
    return f"{value:.{decimals}f}"


UNCONVERGED = "\N{ALMOST EQUAL TO}"
"""Stands before a figure that has not converged."""

UNCONVERGED_MEANS = (
    f"{UNCONVERGED} marks a figure that has not converged: within its measurement window, half of "
    f"the 95 % interval is more than {CONVERGED * 100:g} % of the figure. Limits ignore such "
    "figures."
)
"""Stated where there is such a figure."""


def mark(*, converged: bool) -> str:
    """What stands before a figure."""
    return "" if converged else UNCONVERGED


def spread(half: float, metric: str, value: float) -> str:
    """Half the width of an interval around `value`: `±0.02`, with the value's decimals, or with as
    many as show something of it.
    """
    if half <= abs(value) * _NOTHING:
        return "±0"
    decimals = _decimals(value, metric)
    if decimals is None:
        return f"±{half:.2g}"
    return f"±{half:.{max(decimals, -math.floor(math.log10(half)))}f}"


def ping_decimals(milliseconds: float) -> int:
    """Ping gives three significant digits, but no fraction of a µs, and whole ms from 100 on."""
    return next((n for least, n in ((100, 0), (10, 1), (1, 2)) if milliseconds >= least), 3)


_TIMES = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
"""Seconds of units of time, the largest first."""


def duration(seconds: float) -> str:
    """A wall time in its two largest units: `47 s`, `3 min 20 s`, `17 h 05 min` or `5 d 02 h`."""
    whole = round(seconds)
    for (large, name), (small, below) in pairwise(_TIMES):
        if whole >= large:
            return f"{whole // large} {name} {whole % large // small:02d} {below}"
    return f"{whole} s"


def _decimals(value: float, metric: str) -> int | None:
    if metric.startswith("rtt_p"):
        return ping_decimals(value)
    return UNITS[METRICS[metric].unit].decimals if metric in METRICS else None


MISSING = "–"
"""In the place of a number."""


def ratio(number: float | None) -> str:
    """A ratio, with enough digits to distinguish it from 0."""
    if number is None:
        return MISSING
    return f"{number:.{1 if number >= 10 else 2 if number >= 0.1 else 3}f}"


def ratio_range(numbers: Iterable[tuple[float | None, bool]], median_too: bool = False) -> str:
    """The range of ratios that have converged, each with whether it has: `1.02–5.60`, or with their
    median before it, `1.35 (1.02–5.60)`.  Where none has, the median of all, marked.
    """
    there = [(number, converged) for number, converged in numbers if number is not None]
    if not there:
        return MISSING
    sure = sorted(number for number, converged in there if converged)
    if not sure:
        return f"{UNCONVERGED}{ratio(median(number for number, _ in there))}"
    low, high = ratio(sure[0]), ratio(sure[-1])
    if low == high:
        return low
    span = f"{low}\N{EN DASH}{high}"
    return f"{ratio(median(sure))} ({span})" if median_too else span
