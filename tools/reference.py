# SPDX-License-Identifier: Apache-2.0
"""The pages of the reference that are made from the code."""

from collections.abc import Callable, Mapping

from firesteel.board.assumptions import Assumption, Assumptions, load_assumptions
from firesteel.board.parameters import FACTOR, in_words, unit_of
from firesteel.board.processor import EVENTS, INSTRUCTIONS, MEANINGS, Processor
from firesteel.board.profile import Profile
from firesteel.board.topology import Topology
from firesteel.board.trace import LARGE_FRAME
from firesteel.experiment.collection import Parts
from firesteel.experiment.experiment import ExperimentFile
from firesteel.model import names
from firesteel.model.figure import Figure
from firesteel.model.metrics import METRICS
from firesteel.protocols.registry import PROTOCOLS
from firesteel.store import record
from firesteel.store.record_file import RecordFile
from tools.command_line import command_line_page
from tools.markdown import code, codes, page, table
from tools.models import COLLECTION, JSON, TOML, meaning_of, sections

_COLLECTION = """\
## Experiments together

A file with `parts` has nothing else but a `title`: it refers to other experiments, which then make
[one run](../experiments.md#experiments-together).
"""

_MISTAKES = """\
A key that is not here is a mistake, and so is a value of another kind: `"5"` is no number. A
mistake is reported in one sentence: file, key, what was found, what is allowed.
"""


def experiment_page() -> str:
    """What a file of `experiments/` may say."""
    introduction = f"""\
A file `experiments/NAME.toml`. How one is written: [add an experiment](../add-an-experiment.md);
what its words mean: [experiments, runs and records](../experiments.md).

{_MISTAKES}"""
    rows = [
        (code(each.name), codes(each.suites), codes(each.implementations)) for each in PROTOCOLS
    ]
    protocols = table(("protocol", "suites", "implementations"), rows)
    told = f"""\
## Protocols

{protocols}

`none:none` encrypts nothing and is measured in software alone; `virtio-crypto` has `cbc` alone."""
    return page(
        "The file of an experiment",
        introduction,
        told,
        *sections(ExperimentFile, TOML),
        _COLLECTION,
        *sections(Parts, COLLECTION),
    )


def profile_page() -> str:
    """What a file of `board/profiles/` may say."""
    introduction = f"""\
A file `board/profiles/NAME.toml`: what a board is. How one is written:
[add a profile](../add-a-profile.md).

{_MISTAKES}"""
    return page("The file of a profile", introduction, *sections(Profile, TOML))


def processor_page() -> str:
    """What a file of `board/processors/` may say."""
    introduction = f"""\
A file `board/processors/NAME.toml`: the caches of a processor, and what its instructions and misses
cost on boards whose [clock counts cycles](../virtual-time.md). A profile names it as `processor`.
[Calibration](../calibration.md) fits the costs to published figures and writes them.

{_MISTAKES}"""
    instructions, events = (
        table(("name", "meaning"), [(code(name), MEANINGS[name]) for name in names])
        for names in (INSTRUCTIONS, EVENTS)
    )
    return page(
        "The file of a processor",
        introduction,
        *sections(Processor, TOML),
        f"## Instructions that cost {{ #instructions-that-cost }}\n\n{instructions}",
        f"## Events that cost {{ #events-that-cost }}\n\n{events}",
    )


def topology_page() -> str:
    """What a file of `board/topologies/` may say."""
    introduction = f"""\
A file `board/topologies/NAME.toml`: boards and the links between them. Addresses follow from the
order of both: [boards, topologies and their runs](../boards.md).

{_MISTAKES}"""
    return page("The file of a topology", introduction, *sections(Topology, TOML))


def assumptions_page() -> str:
    """What the file `board/assumptions.toml` may say."""
    introduction = f"""\
The file `board/assumptions.toml`: numbers of boards that nobody has measured, each with the range
in which it may lie. What is done with it: [how far assumptions may be off](../sensitivity.md).

{_MISTAKES}"""
    rows = [
        (
            code(each.name),
            code(each.parameter) + (f": {codes(each.classes)}" if each.classes else ""),
            *(_end(each, value) for value in (each.low, each.high)),
            codes(f"{path} = {value}" for path, value in (each.needs or {}).items()),
            " ".join(each.why.split()),
        )
        for each in load_assumptions()
    ]
    there = table(("name", "parameter", "low", "high", "needs", "why"), rows)
    return page(
        "The file of assumptions",
        introduction,
        *sections(Assumptions, TOML),
        f"## Those of this checkout\n\n{there}",
    )


def _end(assumption: Assumption, value: float) -> str:
    """An end of a range, as a factor or with its unit."""
    unit = FACTOR if assumption.relative else unit_of(assumption.parameter)
    return in_words(value, unit)


def record_page() -> str:
    """What a file of the store's `records/` says."""
    introduction = f"""\
What was observed of one cell, in two files of the store. `records/ab/abcdef….json` says what was
measured with what: JSON in UTF-8, keys sorted, indented by one. It holds no time of day, host name
or path, so the same cell gives the same bytes on every machine. It is never changed. Beside the
keys below, the object has

| key | meaning |
|---|---|
| `format` | {record.FORMAT}; a newer one is refused with a sentence |
| `digest` | SHA-256 in hexadecimal of all the rest, so that damage is noticed |

The file's name is the SHA-256 of `{{"format": {record.FORMAT}, "seed": …, "versions": …}}`. Both
digests are of the JSON text in UTF-8 with sorted keys, without spaces, characters as they are and
not escaped. What a store holds besides: [the store](../experiments.md#the-store)."""
    observations = f"""\
## Observations

`observations/ab/abcdef….json.xz` is what the boards handed out: JSON, packed by xz.
`{{"nodes": {{NAME: …}}}}` has for each node

| key | meaning |
|---|---|
| `marks` | instants that the guest named ([the probe](../probe.md)); the last is `power-off` |
| `data` | what the guest handed out, by name: a text, or `{{"base64": …}}` |
| `frames` | when frames of {LARGE_FRAME} bytes and more arrived, in ns: the first, then steps |

A mark has `name`, `time_ns`, `instructions`, `idle_ns`, `stalled_ns`, `user_ns`; and the counters
of each network port and each window of cores since power-on, in `ports` and `cores`. Where the
clock counts cycles, `cycles` has `units`, which are eighths of a cycle, and how often each
[event](processor.md#events-that-cost) came; and each
[class of instructions](processor.md#instructions-that-cost), where the profile says `counted`."""
    described = sections(RecordFile, JSON)
    return page("The format of a record", introduction, *described, observations)


def figures_page() -> str:
    """What figures mean."""
    introduction = """\
A figure is a number with the words that say what it is. `firesteel show --format csv` prints one a
row. **All times are virtual**: they [approximate the cycles of a processor, or count
instructions](../virtual-time.md#two-clocks), as the board's profile says. Use figures to compare
configurations with each other; [calibration](../calibration.md) says how far boards that count
cycles are from published figures."""
    columns = table(
        ("column", "meaning"),
        [(code(name), meaning_of(Figure, name)) for name in Figure.model_fields],
    )
    metrics = table(
        ("metric", "shown as", "unit", "meaning"),
        [
            (code(name), names.metric(name), metric.unit, metric.meaning)
            for name, metric in METRICS.items()
        ],
    )
    return page(
        "Figures",
        introduction,
        f"## Columns\n\n{columns}",
        f"## Metrics\n\n{metrics}",
        "Each kind of measurement describes its own figures in full: "
        "[programs](../programs.md), [the kernel's crypto API](../cryptobench.md), "
        "[disks](../disk.md).",
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/command-line.md": command_line_page,
    "reference/experiment.md": experiment_page,
    "reference/profile.md": profile_page,
    "reference/processor.md": processor_page,
    "reference/topology.md": topology_page,
    "reference/assumptions.md": assumptions_page,
    "reference/record.md": record_page,
    "reference/figures.md": figures_page,
}
"""What makes each page, by its path in the site's source."""
