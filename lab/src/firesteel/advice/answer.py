# SPDX-License-Identifier: Apache-2.0
"""The answer of a run: a headline, a row for each kind of traffic, and four sentences.

1. The headline counts kinds of traffic, each once (`advice.kinds`).
2. One sentence counts all rows, by verdict.
3. Two name the best and the worst row.
4. One says where the link hides a gain in speed, with what these rows gain over a faster link as
   far as that was measured; one how many rows the peer limited, and one of how many rows a ratio
   has not converged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.advice.kinds import Kind, kinds
from firesteel.analysis.bound import LINK_USE, PEER_LIMITED
from firesteel.analysis.clocks import offloads_of
from firesteel.analysis.offload import Offload, answering
from firesteel.analysis.over_links import hidden, repeats, transfers
from firesteel.analysis.results import Results
from firesteel.analysis.sheet import ratio
from firesteel.analysis.verdict import VERDICTS, Verdict, counted
from firesteel.model import names
from firesteel.workloads import titles

_NAMED = 3
"""How many rows a sentence names at most."""

_VERBS: Mapping[Verdict, tuple[str, str]] = {
    "helps": ("gains", "gain"),
    "makes no difference": ("shows no difference", "show no difference"),
    "left to software": ("was left to software", "were left to software"),
    "mixed": ("is mixed", "are mixed"),
    "loses": ("loses", "lose"),
}
"""What a row does, and what several do."""


@dataclass(frozen=True)
class Answer:
    """Whether offload helps; without pairs of software and hardware there are no kinds.

    `peer_limited` is how many pairs were left out because the peer limited them.  `repeats` are
    pairs that are there over links of another rate too: they are told beside these and make no
    kinds, so that one row counts once; but a loss is a loss over any link.
    """

    pairs: tuple[Offload, ...]
    kinds: tuple[Kind, ...]
    peer_limited: int = 0
    repeats: tuple[Offload, ...] = ()
    quick: bool = False
    """Whether it is of a quick run, which settles less than a full one."""

    @property
    def all_pairs(self) -> tuple[Offload, ...]:
        """Those over all links."""
        return (*self.pairs, *self.repeats)

    @property
    def question(self) -> str:
        """The heading above the answer."""
        return "Does offload help?" if self.pairs else "The result"

    @property
    def headline(self) -> str:
        """Yes or no, by kinds of traffic."""
        if not self.kinds and self.peer_limited:
            return "The peer limited every row, so none tells anything about the board."
        if not self.kinds:
            return "Nothing was measured both in software and in hardware."
        rows = len(self.all_pairs)
        losing = f"in {self._lost} of {rows} rows" if self._lost else "in no row"
        kinds_of = "kind" if len(self.kinds) == 1 else "kinds"
        where = f"for {self._helped} of {len(self.kinds)} {kinds_of} of traffic"
        return f"{self.word}: {where}; offload loses {losing}."

    @property
    def word(self) -> str:
        """The headline's first word: `Yes`, `Mostly`, `Partly` or `No`."""
        if not self._helped:
            return "No"
        if self._helped == len(self.kinds) and not self._lost:
            return "Yes"
        return "Mostly" if self._helped > len(self.kinds) / 2 else "Partly"

    @property
    def _helped(self) -> int:
        """The kinds that offload helps."""
        return sum(kind.verdict == "helps" for kind in self.kinds)

    @property
    def _lost(self) -> int:
        """The rows that lose, over any link."""
        return sum(pair.verdict == "loses" for pair in self.all_pairs)

    @property
    def sentences(self) -> list[str]:
        """What else is to be said of the rows, a sentence each."""
        return [sentence for paragraph in self.paragraphs for sentence in paragraph]

    @property
    def paragraphs(self) -> list[list[str]]:
        """The same, what belongs together in one."""
        if not self.pairs:
            return []
        said = [
            [self._rows()],
            self._extremes(),
            self._rates(),
            self._link(),
            self._peer(),
            self._unconverged(),
        ]
        return [sentences for sentences in said if sentences]

    def _rows(self) -> str:
        verdicts = [pair.verdict for pair in self.pairs]
        said = ", ".join(by_verdict(verdicts))
        return f"Of {len(verdicts)} row{'s' if len(verdicts) > 1 else ''}: {said}."

    def _extremes(self) -> list[str]:
        """The best row and the worst, of those that have converged."""
        if len(self.pairs) == 1:
            return [f"The row: {_described(self.pairs[0])}."]
        sure = [pair for pair in self.pairs if pair.judged.converged]
        if not sure:
            return []
        best, worst = max(sure, key=_gain), max(sure, key=_badness)
        if len(sure) == 1:
            return [f"The only converged row: {_described(best)}."]
        if best is worst:
            return [f"The row: {_described(best)}."]
        return [f"Best: {_described(best)}.", f"Worst: {_described(worst)}."]

    def _rates(self) -> list[str]:
        """How fast files are, in software and in hardware, and the share of the link that is."""
        told = [_rate(pair) for pair in transfers(self.pairs)]
        if not told:
            return []
        return [f"File transfers, MB/s (share of the link): {names.first_of(told, _NAMED, '; ')}."]

    def _link(self) -> list[str]:
        """In which transfers the link, not the configuration, is the bound, and what these gain
        over a faster one.
        """
        there = transfers(self.pairs)
        found = [each for each in hidden(self.all_pairs) if each.pair in there]
        if not found:
            return []
        named = _by_protocol([each.pair for each in found], there)
        told = [f"The link hides gains in {len(found)} of {len(there)} file transfers: {named}."]
        faster = [(each.pair, each.faster[-1]) for each in found if each.faster]
        if faster:
            gains = names.first_of([_gains(one, other) for one, other in faster], _NAMED)
            told.append(f"Over a faster link: {gains}.")
        return told

    def _peer(self) -> list[str]:
        """How many rows say nothing of the board."""
        rows = f"{self.peer_limited} row{'s' if self.peer_limited > 1 else ''}"
        return [f"No verdict: {rows} {PEER_LIMITED}."] if self.peer_limited else []

    def _unconverged(self) -> list[str]:
        """Of how many rows a ratio is no figure yet."""
        count = sum(not pair.judged.converged for pair in self.pairs)
        if not count:
            return []
        rows, ratios = (f"{count} rows", "ratios") if count > 1 else ("1 row", "a ratio")
        mend = "; run without --quick" if self.quick else ""
        return [f"Not converged ({names.UNCONVERGED}): {ratios} in {rows}{mend}."]


def answer_of_pairs(found: Sequence[Offload]) -> Answer:
    """The answer of the pairs that count; of all that can be judged where none does."""
    usual = answering(found)
    limited = sum(pair.judged.peer_limited for pair in found)
    again = tuple(repeats(usual))
    once = tuple(pair for pair in usual if pair not in again)
    return Answer(once, tuple(kinds(once)), limited, again)


def answer_of(results: Results) -> Answer:
    """The answer of a run."""
    return replace(answer_of_pairs(offloads_of(results)), quick=results.journal.quick)


def times(number: float | None) -> str:
    """A ratio with its sign: `1.35×`."""
    return f"{ratio(number)}\N{MULTIPLICATION SIGN}"


def _described(pair: Offload) -> str:
    parts = [f"speed {pair.judged.speed_mark}{times(pair.speed)}"]
    if pair.work is not None:
        parts.append(f"work {pair.judged.work_mark}{times(pair.work)}")
    said = "" if pair.verdict == "helps" else f", {pair.verdict}"
    return f"{names.listed(pair.in_short, pair.at)}: {', '.join(parts)}{said}"


def _rate(pair: Offload) -> str:
    """`IPsec AES-256-GCM 11.67 (94 %) → 25.70 (22 %)`."""
    rates = []
    for row in (pair.pair.one, pair.pair.other):
        found = row.results[pair.metric]
        text = names.mark(converged=found.converged) + names.number(found.value, pair.metric)
        use = row.results.get(LINK_USE)
        rates.append(text if use is None else f"{text} ({use.value:.0f} %)")
    return f"{pair.in_short} {' → '.join(rates)}"


def _by_protocol(pairs: Sequence[Offload], among: Sequence[Offload]) -> str:
    """Pairs by name, each protocol once: `all of IPsec; SSH AES-256-GCM, AES-256-CTR:none`."""
    told = []
    for protocol in dict.fromkeys(pair.identity.protocol for pair in pairs):
        its = [pair for pair in pairs if pair.identity.protocol == protocol]
        title = titles.protocol(protocol)
        if len(its) > 1 and len(its) == sum(pair.identity.protocol == protocol for pair in among):
            told.append(f"all of {title}")
        else:
            suites = (pair.in_short.removeprefix(f"{title} ") for pair in its)
            told.append(f"{title} {', '.join(dict.fromkeys(suites))}")
    return "; ".join(told)


def _gains(one: Offload, other: Offload) -> str:
    """What a pair gains over a faster link, and over the slower one."""
    return f"{other.in_short} {times(other.speed)} (was {times(one.speed)})"


def by_verdict(verdicts: Sequence[Verdict]) -> list[str]:
    """What rows of these verdicts do, the best first: `36 gain`, `1 was left to software`."""
    return [f"{count} {_VERBS[verdict][count > 1]}" for verdict, count in counted(verdicts).items()]


def _gain(pair: Offload) -> float:
    return pair.speed or 0.0


def _badness(pair: Offload) -> tuple[int, float, float]:
    """The worst verdict first, then the highest cost, then the smallest gain."""
    speed, work = pair.judged.counted
    gain = max(speed, 1 / work if work else speed)
    return VERDICTS.index(pair.verdict), pair.judged.cost, -gain
