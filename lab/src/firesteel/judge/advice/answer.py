# SPDX-License-Identifier: Apache-2.0
"""The answer of a run: a headline, a row for each kind of traffic, and some sentences.

The headline counts each kind of traffic once.  If rows were counted, pings would decide, because a
flood ping has a row for each size and a file transfer has one row.  The rows of one experiment
through one protocol, at one place, make a `Kind`.
"""

import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.base.checkout import RECORDED
from firesteel.judge.bound import LINK_USE, PEER_LIMITED
from firesteel.judge.intervals import Gain, most_false
from firesteel.judge.places import Places
from firesteel.judge.results import MOST, Results, load_results
from firesteel.judge.rows import Rows, grouped
from firesteel.judge.verdict import (
    LOSSES,
    VERDICTS,
    Offload,
    Verdict,
    alternatives,
    answering,
    hidden,
    over_any_link,
    repeats,
    transfers,
    verdict_of,
    worst_first,
)
from firesteel.model import names
from firesteel.model.cell import Place
from firesteel.model.identity import Identity
from firesteel.model.names import ratio, ratio_range
from firesteel.store.store import Store
from firesteel.workloads import titles


@dataclass(frozen=True)
class Kind:
    """One kind of traffic and its rows, at least one."""

    name: str
    pairs: tuple[Offload, ...]

    @property
    def gains(self) -> tuple[Gain, Gain]:
        """The geometric means of the rows' gains in speed and CPU work, and of the ends of their
        intervals.  The result is the widest interval, because it assumes that chance moves all rows
        in the same direction.
        """
        speeds, works = zip(*(pair.judged.gains for pair in self.pairs), strict=True)
        return _mean(speeds), _mean(works)

    @property
    def verdict(self) -> Verdict:
        """The rule of a row, applied to the means of what its rows count.  A kind that gains on the
        whole is mixed if one of its rows is worse: large blocks do not make up for small ones.
        """
        left = all(pair.judged.left_to_software for pair in self.pairs)
        verdict = verdict_of(*self.gains, by_cores=not left)
        worse = any(pair.verdict in LOSSES for pair in self.pairs)
        return "mixed" if verdict == "helps" and worse else verdict

    def count(self, verdict: Verdict) -> int:
        """The number of rows with that verdict."""
        return sum(pair.verdict == verdict for pair in self.pairs)


def kinds(pairs: Sequence[Offload]) -> list[Kind]:
    """The kinds of these pairs, in the order in which they come; where one is measured in several
    places, its names say where.
    """
    places = Places.of(pair.hardware for pair in pairs)
    found = []
    for name, of_kind in grouped(pairs, kind_of).items():
        there = grouped(of_kind, lambda pair: pair.identity.place)
        for place, those in there.items():
            called = places.label(name, place) if len(there) > 1 else name
            found.append(Kind(called, tuple(those)))
    return found


def kind_of(pair: Offload) -> str:
    """The name of a pair's kind: `File transfer, IPsec`."""
    kind, protocol = (
        titles.experiment(pair.identity.workload),
        titles.protocol(pair.identity.protocol),
    )
    return kind if protocol.lower() in kind.lower() else f"{kind}, {protocol}"


def speeds_of(kind: Kind) -> str:
    """The speeds of its rows: `1.35 (1.02–5.60)`."""
    those = ((pair.judged.speed, pair.judged.speed_converged) for pair in kind.pairs)
    return ratio_range(those, median_too=True)


def works_of(kind: Kind) -> str:
    """The CPU work of its rows, in the same form as `speeds_of`."""
    those = ((pair.judged.work, pair.judged.work_converged) for pair in kind.pairs)
    return ratio_range(those, median_too=True)


def _mean(gains: Sequence[Gain]) -> Gain:
    """Of those that are above 0 and end somewhere; nothing is known of its interval where that of
    one of them is unknown.
    """
    there = [gain for gain in gains if 0 < gain.value < math.inf] or [Gain()]
    if not all(gain.is_known for gain in there):
        return Gain.of(statistics.geometric_mean(gain.value for gain in there), None)
    ends = zip(*((gain.value, gain.low, gain.high) for gain in there), strict=True)
    return Gain(*map(statistics.geometric_mean, ends))


_NAMED = 3
"""How many rows a sentence names at most."""

_VERBS: Mapping[Verdict, tuple[str, str]] = {
    "loses": ("loses", "lose"),
    "mixed": ("is mixed", "are mixed"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "equal": ("is equal", "are equal"),
    "helps": ("gains", "gain"),
}
"""What a row does, and what several do."""


@dataclass(frozen=True)
class Answer:
    """Whether offload helps; without pairs of software and hardware there are no kinds.

    `peer_limited` is how many pairs were left out because the peer limited them.  `repeats` are
    pairs that were also measured over links of another rate.  They make no kinds, so each row
    counts once, but a loss over any link counts as a loss.  `mark` says which rows of an experiment
    the answer covers, and `recorded` is the answer of all rows.
    """

    pairs: tuple[Offload, ...]
    kinds: tuple[Kind, ...]
    peer_limited: int = 0
    repeats: tuple[Offload, ...] = ()
    quick: bool = False
    """Whether it is of a quick run, which settles less than a full one."""
    mark: str = ""
    recorded: "Answer | None" = None

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
        """Yes or no, by kinds of traffic; rows that lose come first, by name."""
        if not self.kinds and self.peer_limited:
            return "The peer limited every row, so no row says anything about the board."
        if not self.kinds:
            return "Nothing was measured both in software and in hardware."
        of = f"{len(self.kinds)} kind{'s' if len(self.kinds) > 1 else ''} of traffic"
        helps = f"helps {self._helped or 'none'} of {of}"
        losing, mixed = self._rows("loses"), self._rows("mixed")
        unsure = self._rows("inconclusive")
        told = [
            f"{does} {len(those)}"
            for does, those in (
                ("loses in", losing),
                ("is mixed in", mixed),
                ("is inconclusive in", unsure),
            )
            if those
        ]
        word = f"{self.word}{f' ({self.mark})' if self.mark else ''}"
        rows = f"{len(self.pairs)} row{'s' if len(self.pairs) > 1 else ''}"
        if not losing and not mixed:
            but = f" ({len(unsure)} inconclusive)" if unsure else ""
            return f"{word}: offload {helps} and loses in none of {rows}{but}."
        told[0] += f" of {rows}"
        if losing:
            called = [f"{pair.in_short} at {pair.at}" for pair in losing]
            told[0] += f" ({names.first_of(called, _NAMED)})"
        if self.word == "Mostly":
            return f"{word}, but offload {names.all_of(told)}. Offload {helps}."
        return f"{word}: offload {names.all_of([*told, helps])}."

    @property
    def word(self) -> str:
        """The headline's first words: `Yes`, `Mostly`, `Partly`, `No`, or `Not shown` where nothing
        gains and something may.
        """
        if not self._helped:
            found = {kind.verdict for kind in self.kinds}
            if "mixed" in found:
                return "Partly" if self._rows("helps") else "No"
            return "Not shown" if "inconclusive" in found else "No"
        bad = self._rows("loses") + self._rows("mixed")
        if self._helped == len(self.kinds) and not bad:
            return "Yes"
        return "Mostly" if self._helped > len(self.kinds) / 2 else "Partly"

    @property
    def _helped(self) -> int:
        """The kinds that offload helps."""
        return sum(kind.verdict == "helps" for kind in self.kinds)

    def _rows(self, verdict: Verdict) -> list[Offload]:
        """The rows of that verdict, each once, with the worst that it has over any link; the
        costliest first.
        """
        each = grouped(self.all_pairs, over_any_link).values()
        worst = (max(those, key=_badness) for those in each)
        those = [pair for pair in worst if pair.verdict == verdict]
        return sorted(those, key=lambda pair: -pair.judged.cost)

    @property
    def paragraphs(self) -> list[list[str]]:
        """What else is to be said of the rows, sentences that belong together in one."""
        if not self.pairs:
            return []
        verdicts = [pair.verdict for pair in self.pairs]
        rows = f"Of {len(verdicts)} row{'s' if len(verdicts) > 1 else ''}"
        first = [f"{rows}: {', '.join(by_verdict(verdicts))}.", *self._by_chance()]
        said = [first, self._extremes(), self._files()]
        if self.peer_limited:
            rows = f"{self.peer_limited} row{'s' if self.peer_limited > 1 else ''}"
            said.append([f"No verdict: {rows} {PEER_LIMITED}."])
        if count := sum(not pair.judged.converged for pair in self.pairs):
            rows = f"ratios in {count} rows" if count > 1 else "a ratio in 1 row"
            mend = "; run without --quick" if self.quick else ""
            said.append([f"Not converged ({names.UNCONVERGED}): {rows}{mend}."])
        return [sentences for sentences in said if sentences]

    def _by_chance(self) -> list[str]:
        """How many of the rows that gain may do so by chance, as far as that is known."""
        known = [
            (pair.judged.p_value, pair.verdict == "helps")
            for pair in self.pairs
            if pair.judged.p_value is not None
        ]
        share = most_false([chance for chance, _ in known], [helps for _, helps in known])
        if not share or len(known) == 1:
            return []
        apart = len(self.pairs) - len(known)
        without = f" ({apart} of unknown interval not counted)" if apart else ""
        told = f"By chance: at most {max(math.ceil(100 * share), 1)} % of those that gain"
        return [f"{told}{without}."]

    def _extremes(self) -> list[str]:
        """The worst row and the best, of those that have converged."""
        if len(self.pairs) == 1:
            return [f"The row: {_described(self.pairs[0])}."]
        sure = [pair for pair in self.pairs if pair.judged.converged]
        if not sure:
            return []
        best, worst = max(sure, key=lambda pair: pair.judged.speed or 0.0), max(sure, key=_badness)
        if len(sure) == 1:
            return [f"The only converged row: {_described(best)}."]
        if best is worst:
            return [f"Fastest: {_described(best)}."]
        return [f"Worst: {_described(worst)}.", f"Best: {_described(best)}."]

    def _files(self) -> list[str]:
        """How fast the fastest files on the cores are, there and in software, and the share of the
        link that is; or in which transfers the link, not the configuration, is the bound, and what
        these gain over a faster one.
        """
        there = transfers(self.pairs)
        found = [each for each in hidden(self.all_pairs) if each[0] in there]
        if not found:
            fastest = max(there, key=lambda pair: pair.hardware.value, default=None)
            return [f"Fastest files: {_rate(fastest)}."] if fastest else []
        pairs = [pair for pair, _ in found]
        named = names.first_of([pair.in_short for pair in pairs], _NAMED)
        counts = f"{len(found)} of {len(there)} file transfers"
        told = [f"The link{_fullest(pairs)} hides gains in {counts}: {named}."]
        gains = [
            f"{other.in_short} {times(other.judged.speed)} (was {times(pair.judged.speed)})"
            for pair, other in found
            if other
        ]
        return [*told, *([f"Faster link: {names.first_of(gains, _NAMED)}."] if gains else [])]


def answer_of_pairs(found: Sequence[Offload]) -> Answer:
    """The answer of the pairs that count; of all that can be judged where none does."""
    usual = answering(found)
    limited = sum(pair.judged.peer_limited for pair in found)
    again = tuple(repeats(usual))
    once = tuple(pair for pair in usual if pair not in again)
    return Answer(once, tuple(kinds(once)), limited, again)


def answer_of(results: Results) -> Answer:
    """The answer of a run.  For a quick run, the answer also says how many rows of the experiment
    were measured, and includes the recorded answer of all rows.
    """
    quick = results.journal.quick
    answer = replace(answer_of_pairs(results.offloads), quick=quick)
    if not quick or not answer.kinds:
        return answer
    whole, rows = recorded_answer(results), len(answer.pairs)
    total = len(whole.pairs) if whole else rows
    of = f"{rows} of {total}" if whole else str(rows)
    return replace(answer, mark=f"quick: {of} row{'s' if total > 1 else ''}", recorded=whole)


def recorded_answer(results: Results, store: Store | None = None) -> Answer | None:
    """The answer of a run's whole experiment.  It comes from the newest recorded run that is
    complete, neither quick nor a choice of cells, and uses the same boards on the same clocks.  The
    run contains at least this run's cells.  None if there is no such run.
    """
    store = store or Store(RECORDED)
    for summary in store.runs_of(results.journal.experiment, quick=False):
        if any(option == "--only" for option, _ in store.journal(summary.name).options):
            continue
        whole = load_results(store, summary.name, MOST)
        same = results.clocks.items() <= whole.clocks.items()
        if not whole.missing and same and _cells(results) <= _cells(whole):
            answer = answer_of_pairs(whole.offloads)
            return replace(answer, mark=f"recorded: all {len(answer.pairs)} rows")
    return None


def _cells(results: Results) -> set[tuple[str, Place]]:
    """What is measured, without seeds and sizes."""
    return {(entry.cell.label, entry.cell.place) for entry in results.journal.entries}


def times(number: float | None) -> str:
    """A ratio with its sign: `1.35×`."""
    return f"{ratio(number)}\N{MULTIPLICATION SIGN}"


def _described(pair: Offload) -> str:
    parts = [f"speed {pair.judged.speed_mark}{times(pair.judged.speed)}"]
    if pair.judged.work is not None:
        parts.append(f"work {pair.judged.work_mark}{times(pair.judged.work)}")
    said = "" if pair.verdict == "helps" else f", {pair.verdict}"
    return f"{names.listed(pair.in_short, pair.at)}: {', '.join(parts)}{said}"


def _rate(pair: Offload) -> str:
    """`IPsec AES-256-GCM, 11.67 → 11.70 MB/s (94 → 98 % of the link)`."""
    rates = f"{pair.software.value_text} → {pair.hardware.value_text} {names.unit_of(pair.metric)}"
    share = ""
    if pair.pair.has(LINK_USE):
        uses = (row.results[LINK_USE].value for row in (pair.pair.one, pair.pair.other))
        share = f" ({' → '.join(f'{use:.0f}' for use in uses)} % of the link)"
    return f"{pair.in_short}, {rates}{share}"


def _fullest(pairs: Sequence[Offload]) -> str:
    """` (99 % full at 11.72 MB/s)`, in parentheses: the most of the link that files on the cores
    take; nothing where that was not measured.
    """
    rows = [(pair.pair.other.results.get(LINK_USE), pair.hardware) for pair in pairs]
    uses = [(use.value, rate) for use, rate in rows if use]
    if not uses:
        return ""
    use, rate = max(uses, key=lambda each: each[0])
    text = f"{names.number(rate.value, rate.metric)} {names.unit_of(rate.metric)}"
    return f" ({use:.0f} % full at {text})"


def by_verdict(verdicts: Sequence[Verdict]) -> list[str]:
    """What rows of these verdicts do, the worst first: `1 loses`, `36 gain`."""
    counts = ((verdict, verdicts.count(verdict)) for verdict in VERDICTS)
    return [f"{count} {_VERBS[verdict][count > 1]}" for verdict, count in counts if count]


def _badness(pair: Offload) -> tuple[int, float, float]:
    """The worst verdict first, then the highest cost, then the smallest gain."""
    gain = max(gain.value for gain in pair.judged.gains)
    return -worst_first(pair.verdict), pair.judged.cost, -gain


OF_EQUAL = "software of equal protection"
"""What alternatives are: other software, of another protocol, suite or key."""

_ALTERNATIVES_NAMED = 2
"""How many alternatives that hardware loses to are named."""


def unneeded_in_short(found: Sequence[Offload]) -> str:
    """How many rows need no accelerator, as other software does better; empty where none does."""
    lost = sum(each.judged.verdict == "loses" for each in found)
    rows = f"{lost} of {len(found)} row{'s' if len(found) > 1 else ''}"
    return f"No accelerator is needed in {rows}: other {OF_EQUAL} does better." if lost else ""


def alternatives_sentence(found: Sequence[Offload]) -> str:
    """How many rows in hardware gain and lose, and to what software."""
    parts = _counted(found)
    rows = f"{len(found)} row{'s' if len(found) > 1 else ''} in hardware"
    lost = Counter(each.software_name for each in found if each.judged.verdict == "loses")
    most = names.all_of([name for name, _ in lost.most_common(_ALTERNATIVES_NAMED)])
    to = f" ({'most ' if len(lost) > _ALTERNATIVES_NAMED else ''}to {most})" if most else ""
    told = f"of {rows}, {names.all_of(parts)}{to}."
    return f"Compared with the best other {OF_EQUAL}: {told}"


def alternatives_in_short(found: Sequence[Offload]) -> str:
    """Only the verdicts, in one line; the report gives the rest."""
    return f"Against the best other {OF_EQUAL}: {', '.join(_counted(found))}."


def _counted(found: Sequence[Offload]) -> list[str]:
    return by_verdict([each.judged.verdict for each in found])


def alternatives_in(
    store: Store, run: str, identities: Collection[Identity]
) -> tuple[Offload, ...]:
    """Those of rows in hardware, among all software of one run; of a very large one, of the part
    that is drawn from it.
    """
    results = load_results(store, run, MOST)
    wanted = [pair for pair in results.offloads if pair.identity in identities]
    return tuple(alternatives(wanted, Rows(results.means)))
