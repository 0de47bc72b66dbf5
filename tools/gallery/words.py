# SPDX-License-Identifier: Apache-2.0
"""Parts of the gallery's sentences: amounts, lists, how many rows gain, and what limits a row."""

from collections.abc import Mapping, Sequence

from firesteel.analysis.bound import Bound
from firesteel.analysis.offload import Offload
from firesteel.analysis.rows import Result
from firesteel.analysis.verdict import Verdict
from firesteel.model import names
from firesteel.model.names import all_of

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_LARGE = 1000
"""From here on a figure has no decimals, and its digits are in groups."""

_DIGITS = 3
"""Those of a figure that has not converged."""

LIMITS: Mapping[Bound | None, str] = {
    "CPU": "the CPU",
    "core": "the core",
    "link": "the link",
    "peer": "the peer",
    "latency": "latency",
    None: "a part that was not counted",
}
"""What limited a row, as the subject of a sentence."""


def count(number: int) -> str:
    """A small number as a word."""
    return _COUNTS[number] if number < len(_COUNTS) else f"{number:,}"


def amount(result: Result) -> str:
    """A figure without its unit; one that has not converged is `about` so much."""
    return _number(result) if result.converged else f"about {_number(result)}"


def amounts(results: Sequence[Result]) -> str:
    """Several of them; `about` is said once where it goes for all."""
    if any(each.converged for each in results):
        return all_of([amount(each) for each in results])
    return f"about {all_of([_number(each) for each in results])}"


def sizes(of_bytes: Sequence[int]) -> str:
    """`64 and 1,400 bytes`."""
    return f"{all_of([f'{each:,}' for each in of_bytes])} bytes"


def size(pair: Offload) -> int:
    """That of a row's frames, blocks or requests in bytes; 0 where it has none."""
    return pair.identity.parameter.size_bytes or 0


def less(ratio: float | None) -> str:
    """What a ratio says of an amount: `45 % less`, `3 % more`, `as much`."""
    percent = 0 if ratio is None else round((ratio - 1) * 100)
    if not percent:
        return "as much"
    return f"{-percent} % less" if percent < 0 else f"{percent} % more"


def gains(pairs: Sequence[Offload], where: str = "") -> str:
    """How many rows gain and lose: `5 of 6 rows gain and none loses`; `where` is behind `rows`."""
    verdicts: list[Verdict] = [pair.verdict for pair in pairs]
    total, helped, lost = len(verdicts), verdicts.count("helps"), verdicts.count("loses")
    rows = f"{total} {'row' if total == 1 else 'rows'}{where}"
    if helped == total:
        return f"all {rows} gain" if total > 1 else f"the {rows} gains"
    gain = f"{helped or 'none'} of {rows} gain{'' if helped > 1 else 's'}"
    lose = "none loses" if not lost else "1 loses" if lost == 1 else f"{lost} lose"
    return f"{gain} and {lose}"


def _number(result: Result) -> str:
    if not result.converged:
        return f"{float(f'{result.value:.{_DIGITS}g}'):,.10g}"
    large = result.value >= _LARGE
    return f"{result.value:,.0f}" if large else names.number(result.value, result.metric)


def limit(pair: Offload) -> str:
    """What limits hardware in a row.  The link does where it is as fast as without a tunnel."""
    return LIMITS["link"] if pair.judged.at_link else LIMITS[pair.pair.other.bound]
