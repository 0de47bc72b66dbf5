# SPDX-License-Identifier: Apache-2.0
"""A run beside the same one on the other clock: whether verdicts hang on what clocks count.

The clock `flat` charges each instruction alike, `cycles` what it costs a processor
(docs/virtual-time.md).  Neither is the truth, and they err in opposite ways, so a verdict that both
give does not come from the clock.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.analysis.places import Places
from firesteel.analysis.results import MOST, Results, load_results
from firesteel.analysis.verdict import Offload, Verdict, answering, offloads
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Clock, Cpu
from firesteel.model import names
from firesteel.model.identity import Identity
from firesteel.store.journal import Journal, Summary
from firesteel.store.store import Store


@dataclass(frozen=True)
class OtherClock:
    """What the same run on the other clock says of a run's rows.

    `same` counts the rows of a run's answer whose verdict is the same; `changed` are those whose
    verdict differs, this run's first; `missing` is how many of them the other run does not have.
    """

    run: str
    clock: Clock
    same: int
    changed: tuple[tuple[Offload, Offload], ...]
    missing: int
    verdicts: Mapping[Identity, Verdict] = field(default_factory=dict)
    """The other run's, of all rows."""
    recorded: bool = False
    """Whether the other run is one that comes with the checkout."""

    @property
    def sentence(self) -> str:
        """How many verdicts both clocks give, and which they do not."""
        count = self.same + len(self.changed)
        if not count:
            return f"No row was measured on the clock `{self.clock}` too."
        said = f"On the clock `{self.clock}` {self.same} of {count} verdicts are the same"
        if not self.changed:
            return f"{said}."
        others = "; ".join(
            f"{names.listed(own.in_short, own.at)}: {other.verdict} there, {own.verdict} here"
            for own, other in self.changed
        )
        return f"{said}; not those of {others}."


def other_clock(store: Store, results: Results, recorded: Store | None = None) -> OtherClock | None:
    """The newest run in the store that differs from this one in its clock alone, compared with it;
    None where there is none, or nothing was offloaded.

    Where the store has none, those of the store `recorded` count, if the run's very records are
    those of a run in it: then its twin is this one's too.
    """
    own = offloads_of(results)
    if not own:
        return None
    for place in filter(None, (store, recorded)):
        is_own = place.root == store.root
        if (is_own or _has_same(place, results)) and (found := next(_twins(place, results), None)):
            clock = next(cpu.clock for _, cpu in found.measured_cpus if cpu)
            compared = _compared(found.journal.name, clock, own, offloads_of(found))
            return replace(compared, recorded=not is_own)
    return None


def _has_same(store: Store, results: Results) -> bool:
    """Whether a run there is made of the records that this one is made of, or of more."""
    keys = {record.key for record in results.records}
    like = (each.name for each in store.summaries() if _is_like(each, results.journal))
    return any(
        keys <= {entry.key for entry in store.journal(name).entries if entry.state == "done"}
        for name in like
    )


def offloads_of(results: Results) -> list[Offload]:
    """All pairs of a run, each called so that boards and links tell them apart."""
    return offloads(Places.of(results.means).labelled(results.means))


def _compared(
    run: str, clock: Clock, own: Sequence[Offload], others: Iterable[Offload]
) -> OtherClock:
    by_row = {_row(each): each for each in others}
    pairs = [(each, by_row[_row(each)]) for each in own if _row(each) in by_row]
    verdicts = {two.identity: two.verdict for _, two in pairs}
    judged = answering(own)
    both = [(one, two) for one, two in pairs if one in judged]
    changed = tuple((one, two) for one, two in both if one.verdict != two.verdict)
    missing = len(judged) - len(both)
    return OtherClock(run, clock, len(both) - len(changed), changed, missing, verdicts)


def _row(each: Offload) -> tuple[Identity, str]:
    return each.identity, each.metric


def _twins(store: Store, results: Results) -> Iterator[Results]:
    """Runs like this one on another clock, the newest first; damaged ones are none."""
    like = [
        each
        for each in store.summaries()
        if _is_like(each, results.journal) and each.name != results.journal.name
    ]
    for run in sorted(like, key=lambda each: each.started, reverse=True):
        try:
            found = load_results(store, run.name, MOST)
        except FiresteelError:
            continue
        if differ_in_clock(results.measured_cpus, found.measured_cpus):
            yield found


def _is_like(one: Summary, other: Journal) -> bool:
    return (one.experiment, one.quick) == (other.experiment, other.quick)


def differ_in_clock(
    ours: Sequence[tuple[str, Cpu | None]], theirs: Sequence[tuple[str, Cpu | None]]
) -> bool:
    """Whether the boards are the same but for their clocks, which all differ."""
    one, two = dict(ours), dict(theirs)
    return one.keys() == two.keys() and all(_is_twin(one[name], two[name]) for name in one)


def _is_twin(one: Cpu | None, two: Cpu | None) -> bool:
    if one is None or two is None or one.clock == two.clock:
        return False
    return one.on_clock("flat") == two.on_clock("flat")
