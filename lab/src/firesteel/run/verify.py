# SPDX-License-Identifier: Apache-2.0
"""Whether cells of a run, measured again on this machine, give the same records to the last byte.

1. All records of the run are read; one that is damaged or gone ends it.
2. A sample of its cells is chosen (`choose`).
3. The runner makes ready what they need.  Where this differs from what they were measured with,
   nothing can be verified: that is no failure.
4.  The others are measured into a separate store, so that nothing is taken from the run's store,
   and nothing goes there.
5. The records are compared: all that boards handed out, and all figures.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from firesteel.base.errors import FiresteelError
from firesteel.run.estimate import Eta
from firesteel.run.loop import Here, Options, Runner, Watcher, measure
from firesteel.store.journal import Entry, Journal
from firesteel.store.record import Record, first_difference
from firesteel.store.store import Store

Verdict = Literal["same", "different", "failed", "not comparable"]

USUAL_SAMPLE = 3
"""How many cells are measured again if nothing else is said."""

_INPUTS = {
    "qemu": "the emulator",
    "kernel": "the guest's kernel",
    "image": "the guest's image",
    "boards": "topology or profiles",
    "commands": "how the emulator is started",
    "jobs": "what each node runs, in hardware with driver and provider",
}
"""What the fields of `Versions` are hashes of, in words."""


@dataclass(frozen=True)
class Outcome:
    """What became of one cell; `reason` is a clause without its full stop, empty for the same."""

    entry: Entry
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True)
class Sample:
    """Cells to measure again, and how they were chosen, in words."""

    entries: tuple[Entry, ...]
    how: str


def choose(
    store: Store,
    entries: Sequence[Entry],
    count: int | None = USUAL_SAMPLE,
    seed: int | None = None,
) -> Sample:
    """`count` of these finished cells of a run, all if None, in the run's order.

    Without a seed the fastest cells of the last measurement are taken (cells of unknown time come
    last); with a seed random ones.
    """
    if count is None or count >= len(entries):
        return Sample(tuple(entries), "all")
    if seed is None:
        eta = Eta([store])
        took = {entry.key: eta.known(entry.cell) for entry in entries}
        unknown = float("inf")
        ranked = sorted(entries, key=lambda entry: took[entry.key] or unknown)
        how = "the fastest to measure"
    else:
        ranked = random.Random(seed).sample(entries, count)
        how = f"chosen at random with the seed {seed}"
    kept = {entry.key for entry in ranked[:count]}
    return Sample(tuple(entry for entry in entries if entry.key in kept), how)


def verify(
    store: Store,
    journal: Journal,
    entries: Iterable[Entry],
    runner: Runner,
    scratch: Store,
    watcher: Watcher,
    jobs: int,
) -> list[Outcome]:
    """Measures these finished cells of a run again, into the empty store `scratch`.

    Raises `FiresteelError` when a record cannot be read, or what cells need cannot be built, and
    `Interrupted` after a Ctrl-C.
    """
    records = {entry.key: store.as_measured(journal, entry) for entry in entries}
    for key in records:
        store.observations(key)  # Which must not be damaged, though figures may be cached.
    cells = [record.cell for record in records.values()]
    runner.prepare(cells)
    again = journal.model_copy(
        update={
            "name": f"{journal.name}-again",
            "title": f"Run {journal.name} again",
            "limits": (),
            "entries": [
                Entry(cell=record.cell, key=key)
                for key, record in records.items()
                if not differing(record, runner)
            ],
        }
    )
    if again.entries:
        scratch.save(again)
        options = Options(fresh=True, jobs=jobs)
        measure(again, runner, scratch, watcher, Here(jobs), options)
    measured = {entry.key: entry for entry in again.entries}
    return [
        _outcome(scratch, measured[key], record)
        if key in measured
        else _not_comparable(key, record, runner)
        for key, record in records.items()
    ]


def differing(record: Record, runner: Runner) -> dict[str, tuple[str, str]]:
    """The hashes of inputs that are not the record's: its own, and the one here, by name."""
    return record.versions.differing(runner.inputs(record.cell).versions)


def _outcome(scratch: Store, entry: Entry, stored: Record) -> Outcome:
    if entry.state != "done":
        reason = entry.problem.splitlines()[0] if entry.problem else "not measured"
        return Outcome(entry, "failed", reason.rstrip("."))
    again = scratch.get(entry.key, entry.cell)
    if again is None:  # Written a moment ago.
        raise FiresteelError(f"{scratch.record_path(entry.key)} disappeared meanwhile.")
    if again == stored:
        return Outcome(entry, "same")
    return Outcome(entry, "different", first_difference(stored, again))


def _not_comparable(key: str, record: Record, runner: Runner) -> Outcome:
    parts = [
        f"{name} ({_INPUTS[name]}) is {there[:12]} in the record and {here[:12]} here"
        for name, (there, here) in differing(record, runner).items()
    ]
    entry = Entry(cell=record.cell, key=key)
    return Outcome(entry, "not comparable", "; ".join(parts))
