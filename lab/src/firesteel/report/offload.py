# SPDX-License-Identifier: Apache-2.0
"""Hardware versus software as tables: by kind of traffic, by configuration, every row, over links,
beside other software, by cost; limits, and what the cores counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from firesteel.advice.answer import Answer, speeds_of, works_of
from firesteel.analysis import bound
from firesteel.analysis.bound import PEER_LIMITED
from firesteel.analysis.intervals import SLACK
from firesteel.analysis.pareto import Choice
from firesteel.analysis.places import Places
from firesteel.analysis.robustness import Robustness
from firesteel.analysis.rows import grouped
from firesteel.analysis.sheet import MISSING, ratio, ratio_range
from firesteel.analysis.thresholds import COLUMNS, Outcome, texts, title
from firesteel.analysis.verdict import (
    COST_OF_CHOICE,
    SPEEDS,
    USE,
    VERDICTS,
    Alternative,
    Offload,
    RowVerdict,
    Verdict,
    over_links,
)
from firesteel.base.quantity import rate_text
from firesteel.model import names
from firesteel.model.cell import ON_CORES, Place
from firesteel.model.metrics import AT_LINK, unit_of
from firesteel.protocols.offload import UNTOUCHED
from firesteel.store.record import Record
from firesteel.terminal.grid import Grid, Mark, Text, Tone
from firesteel.workloads import titles

_TONES: dict[str, Tone] = {
    "helps": "good",
    "mixed": "mixed",
    "loses": "bad",
    PEER_LIMITED: "mixed",
    "met": "good",
    "missed": "bad",
    "not converged": "mixed",
    "not measured": "mixed",
    "holds": "good",
    "changes": "mixed",
    "not known": "mixed",
    "not studied": "mixed",
}

RULE = (
    "Each row compares hardware with software of the same configuration on the same board. Speed "
    "is the ratio of throughput or of handshakes, and for times the inverse, so more than 1 is "
    "better. CPU work is the CPU time for the same payload (for pings, CPU use times round-trip "
    "time), so less than 1 is better. Offload helps where one of the two is better by more than "
    f"{SLACK * 100:g}\xa0% and neither is worse by more than that. It loses in the reverse case, "
    "is mixed where one is better and the other worse, and otherwise makes no difference. A row "
    f"is left to software where it would lose, but the cores did at most {UNTOUCHED:g}\xa0% of the "
    "payload or the handshakes and it takes at most "
    f"{COST_OF_CHOICE * 100:g}\xa0% longer, which is the cost of choosing. A difference within the "
    "noise between seeds counts as none: zero is then in the 95\xa0% interval of the differences "
    "seed by seed (Student’s t), or of the difference of the means (Welch) where the seeds of both "
    "sides differ. So does a lower speed at line rate, which "
    f"is {AT_LINK * 100:g}\xa0% of the throughput without a tunnel. A row is limited by the peer, "
    "and gets no verdict, where the other nodes’ CPUs may have taken more than "
    f"{bound.PEER_SHARE:g}\xa0% of its time. Where a configuration "
    "was measured with several ways to wait for the cores (completion), the driver’s own choice "
    "(adaptive) counts."
)

_KINDS_OF_SPEED = (
    ("throughput", ("throughput",)),
    ("latency", SPEEDS[2:]),
    (names.metric("connections"), ("connections",)),
)

_SHOWN: tuple[Verdict, ...] = ("helps", "loses", "mixed", "left to software", "makes no difference")
"""In the order of a table that is cut off at its right on a phone."""

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


def speed_of(judged: RowVerdict) -> str:
    """The ratio of speeds, marked where it has not converged."""
    return judged.speed_mark + ratio(judged.speed)


def work_of(judged: RowVerdict) -> str:
    """The ratio of CPU work, marked likewise."""
    return judged.work_mark + ratio(judged.work)


def kinds_grid(answer: Answer, firm: Robustness | None = None) -> Grid | None:
    """How many rows of each kind of traffic have each verdict, how many verdicts are firm where
    that was studied, and how large the ratios are.
    """
    studied = firm if firm and firm.is_studied else None
    rows: list[dict[str, Text]] = []
    for kind in answer.kinds:
        counts = {verdict: kind.count(verdict) for verdict in _SHOWN}
        firmly = f"{studied.count(kind.pairs)} of {len(kind.pairs)}" if studied else ""
        rows.append(
            {
                "traffic": kind.name,
                **({"verdicts|firm": firmly} if studied else {}),
                **{
                    f"rows in which offload|{verdict}": marked(verdict if count else "", str(count))
                    for verdict, count in counts.items()
                },
                "speed, × software|median (range)": speeds_of(kind),
                "CPU work, × software|median (range)": works_of(kind),
            }
        )
    return Grid.of("Hardware versus software, by kind of traffic", rows)


def configurations_grid(found: Sequence[Offload]) -> Grid | None:
    """A row a configuration: its ratios, and its verdict over all that was measured of it.

    Ranges are of the rows that have converged.
    """
    speeds = [
        (name, metrics)
        for name, metrics in _KINDS_OF_SPEED
        if any(pair.metric in metrics for pair in found)
    ]
    rows: list[dict[str, Text]] = []
    for label, those in grouped(found, lambda pair: pair.label).items():
        ranges = {
            f"speed|{name}": ratio_range(
                (pair.speed, pair.judged.speed_converged)
                for pair in those
                if pair.metric in metrics
            )
            for name, metrics in speeds
        }
        work = ratio_range((pair.work, pair.judged.work_converged) for pair in those)
        rows.append(
            {"configuration": label, "offload": _verdicts(those), **ranges, "CPU work": work}
        )
    caption = "Hardware versus software, by configuration: ratios, × software"
    return Grid.of(caption, rows, wordy=("offload",))


def _verdicts(found: Sequence[Offload]) -> Mark:
    """The verdict of all rows of a configuration; where they differ, of how many and of which."""
    verdicts = [pair.verdict for pair in found]
    there = [verdict for verdict in (*VERDICTS, PEER_LIMITED) if verdict in verdicts]
    worst = there[-1]
    if len(there) == 1:
        return marked(worst)
    parts = []
    for verdict in there:
        where = [pair.at for pair in found if pair.verdict == verdict]
        named = f" ({' · '.join(where)})" if verdict in ("loses", "mixed") else ""
        parts.append(f"{verdict} in {len(where)}{named}")
    tone = _TONES.get(worst, "good" if "helps" in there else "plain")
    return Mark("; ".join(parts), tone)


def rows_grid(found: Sequence[Offload]) -> Grid | None:
    """Every pair with its figures."""
    rows: list[dict[str, Text]] = []
    for pair in found:
        software, hardware = _uses(pair)
        of = pair.identity
        rows.append(
            {
                "configuration": pair.label,
                "measured": names.listed(titles.experiment(of.workload), of.parameter.text),
                "metric": names.quantity(pair.metric),
                "software": pair.software.text,
                "hardware": pair.hardware.text,
                "speed": speed_of(pair.judged),
                "CPU, software": software,
                "CPU, hardware": hardware,
                "CPU work": work_of(pair.judged),
                "limit, software": pair.pair.one.bound or MISSING,
                "limit, hardware": pair.pair.other.bound or MISSING,
                "offload": marked(pair.verdict, pair.judged.said),
            }
        )
    caption = "Hardware versus software, every row"
    return Grid.of(caption, rows, wordy=("measured", "metric", "offload"))


def _uses(each: Offload) -> tuple[str, str]:
    """Both CPU uses, where both were measured."""
    if not each.pair.has(USE):
        return MISSING, MISSING
    one, other = (row.results[USE].text for row in (each.pair.one, each.pair.other))
    return f"{one} %", f"{other} %"


def alternatives_grid(found: Sequence[Alternative]) -> Grid | None:
    """Each row in hardware beside the best other software."""
    rows: list[dict[str, Text]] = [
        {
            "configuration": each.offload.label,
            "of": names.listed(titles.experiment(each.offload.identity.workload), each.offload.at),
            "best other software": each.software_name,
            "speed": speed_of(each.judged),
            "CPU work": work_of(each.judged),
            "offload": marked(each.judged.verdict, each.judged.said),
        }
        for each in found
    ]
    caption = "Hardware beside the best other software: ratios, × that software"
    return Grid.of(caption, rows, wordy=("of", "best other software", "offload"))


def links_grid(
    pairs: Iterable[Offload], places: Places, rates: Mapping[Place, tuple[int, ...]]
) -> Grid | None:
    """A row a transfer, with its speed at each rate of links and whether the link hides it; None
    where all have one rate.
    """
    groups = over_links(pairs)
    heads = sorted({rates.get(pair.identity.place, ()) for group in groups for pair in group})
    if len(heads) < 2:
        return None
    rows: list[dict[str, Text]] = []
    for group in groups:
        by_rate = {rates.get(pair.identity.place, ()): pair for pair in group}
        line: dict[str, Text] = {"configuration": _transfer(group[0], places)}
        for head in heads:
            there = by_rate.get(head)
            line[f"{_rates(head)}|software"] = there.software.text if there else MISSING
            line[f"{_rates(head)}|hardware"] = there.hardware.text if there else MISSING
            line[f"{_rates(head)}|ratio"] = speed_of(there.judged) if there else MISSING
        at = [_rates(each) for each, pair in sorted(by_rate.items()) if pair.judged.at_link]
        hidden = f"hides the gain at {' and '.join(at)}"
        line["the link"] = Mark(hidden, "mixed") if at else MISSING
        rows.append(line)
    caption = f"File transfers by the rate of the links, {names.unit(unit_of('throughput'))}"
    return Grid.of(caption, rows, wordy=("the link",))


def _rates(of_links: tuple[int, ...]) -> str:
    return " and ".join(map(rate_text, of_links)) or "unknown rate"


def _transfer(pair: Offload, places: Places) -> str:
    name = titles.of_identity(replace(pair.identity, implementation="software", completion=""))
    where = replace(pair.identity.place, link="")
    return names.listed(places.label(name, where), pair.at)


def choices_grid(group: Sequence[Choice]) -> Grid | None:
    """What boards cost against what they give for one traffic, from the cheapest row on."""
    numbers = {id(each.row): number for number, each in enumerate(group, 1)}
    speed = names.quantity(group[0].speed[0])
    work = next((names.quantity(each.work[0]) for each in group if each.work), "CPU work")
    rows: list[dict[str, Text]] = [
        {
            "configuration": f"{numbers[id(each.row)]}. {each.row.label}",
            "cost": f"{each.cost:.4g}",
            speed: _given(each, each.speed),
            work: _given(each, each.work) if each.work else MISSING,
            "for its cost": f"beaten by {numbers[id(each.beaten_by.row)]}"
            if each.beaten_by
            else Mark("best", "good"),
        }
        for each in group
    ]
    return Grid.of(f"What boards cost and give: {group[0].traffic}", rows)


def _given(choice: Choice, figure: tuple[str, float]) -> str:
    metric, value = figure
    mark = names.mark(converged=choice.row.results[metric].converged)
    return f"{mark}{names.number(value, metric)}"


def limits_grid(found: Sequence[Outcome]) -> Grid | None:
    """What the experiment's limits are, and whether they are met; the missed ones first."""
    order = {"missed": 0, "not converged": 1, "not measured": 2, PEER_LIMITED: 2}
    rows: list[dict[str, Text]] = []
    for outcome in sorted(found, key=lambda outcome: order.get(outcome.verdict, 3)):
        what, *cells, verdict = texts(outcome)
        said = f"{verdict}: {outcome.note}" if outcome.note else verdict
        rows.append(
            {
                "configuration": title(outcome),
                "metric": what,
                **dict(zip(COLUMNS[:-1], cells, strict=True)),
                COLUMNS[-1]: marked(outcome.verdict, said),
            }
        )
    return Grid.of("Limits", rows, wordy=("metric", COLUMNS[-1]))


def offload_check_grid(records: Sequence[Record], places: Places) -> Grid | None:
    """A row a cell, with what shows that its work went the way it was meant to go."""
    caption = "Counters of the cores and the tunnel, over all measurements"
    rows = (_checked(record, places) for record in records)
    return Grid.of(caption, rows, wordy=("result",))


def counters(record: Record) -> list[tuple[str, int]]:
    """All counters of a cell that are not zero, by name."""
    return sorted((name, count) for name, count in record.measurement.proof.items() if count)


def _checked(record: Record, places: Places) -> dict[str, Text]:
    cell, proof = record.inputs.cell, record.measurement.proof
    own = {name: count for name, count in proof.items() if name.startswith("cores.")}
    sums = {
        name: sum(count for _, count in those)
        for name, those in groupby(
            sorted((name.rpartition(".")[2], count) for name, count in own.items()),
            lambda each: each[0],
        )
    }
    busy = sums.get("cm_busy_ns", 0) + sums.get("pk_busy_ns", 0)
    carried = proof.get("tunnel_rx_bytes", 0) + proof.get("tunnel_tx_bytes", 0)
    share = MISSING
    if carried and cell.implementation in ON_CORES:
        share = f"{100 * sums.get('aes_bytes', 0) / carried:.0f} % of it"
    return {
        "cell": places.of_cell(cell),
        **{head: _counted(name, sums.get(name, 0)) if own else MISSING for name, head in _COUNTED},
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
