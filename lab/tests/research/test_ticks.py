# SPDX-License-Identifier: Apache-2.0
"""CPU use read with ticks beside the exact one, and how much of a deviation that explains."""

from collections.abc import Iterable

import pytest

from firesteel.analysis.compare import compare, place
from firesteel.analysis.rows import Result, read_results
from firesteel.model.figure import Figure, Parameter
from firesteel.replication.causes import Cause
from firesteel.table import figures_frame
from research.evidence import Evidence, findings
from research.ticks import Instrument, Sort, instrument

NO_TUNNEL = ("none", "none", "none", "software")
IPSEC = ("ipsec", "aes-256-cbc", "sha256")
PUBLISHED = {NO_TUNNEL: 7.16, (*IPSEC, "software"): 74.64, (*IPSEC, "hardware"): 17.25}


def figures(of: tuple[str, ...], mebibytes: int = 8, **values: float) -> list[Figure]:
    protocol, cipher, mac, implementation = of
    return [
        Figure(
            workload="file-transfer",
            protocol=protocol,
            cipher=cipher,
            mac=mac,
            implementation=implementation,
            parameter=Parameter(file_bytes=mebibytes << 20),
            metric=metric,
            value=value,
        )
        for metric, value in values.items()
    ]


def row(of: tuple[str, ...], cpu: float, busy: float, top: float, **more: float) -> list[Figure]:
    """A window of four seconds, a thousand ticks, of which interrupts have half of the work."""
    given = {"cpu_softirq": 0.4 * cpu, "cpu_irq": 0.1 * cpu, "elapsed": 4.0} | more
    return figures(of, 8, cpu=cpu, cpu_tick_busy=busy, cpu_tick=top, **given)


def results(*rows: Iterable[Figure]) -> list[Result]:
    return read_results(figures_frame([figure for each in rows for figure in each]))


def read(*rows: Iterable[Figure], longer: Iterable[Figure] = ()) -> Instrument:
    beside = results(longer) if longer else ()
    return instrument(compare(results(*rows)), beside)


def test_a_window_is_read_in_four_ways() -> None:
    (reading,) = read(row(NO_TUNNEL, cpu=20, busy=10, top=8)).readings
    assert place(reading.result) == "no tunnel, 8 MiB"
    assert reading.exact == 20
    assert reading.sampled == pytest.approx(100 * 10 / (10 + 80)), "beside the time asleep"
    assert reading.unseen == pytest.approx(100 * 10 / (10 + 80)), "the half that is no interrupt"
    assert reading.top == 8
    assert reading.ticks == pytest.approx(125), "10 of 125 are 8 %"
    assert reading.published == PUBLISHED[NO_TUNNEL]
    assert reading.deviation(reading.published * 1.5) == pytest.approx(50)


def test_more_ticks_tell_more() -> None:
    """A thousand ticks at 20 %: a standard error of 1.26 points, of which idle time has none."""
    (short,) = read(row(NO_TUNNEL, cpu=20, busy=20, top=20)).readings
    (long,) = read(row(NO_TUNNEL, cpu=20, busy=20, top=20, elapsed=16)).readings
    assert short.error == pytest.approx(1.96 * 0.8 * 1.265, rel=1e-3)
    assert long.error == pytest.approx(short.error / 2)
    (busy,) = read(row(NO_TUNNEL, cpu=100, busy=100, top=100)).readings
    assert busy.error == 0


def test_longer_transfers_stand_for_shorter_ones() -> None:
    longer = figures(
        NO_TUNNEL, 32, cpu=21, cpu_tick_busy=19, cpu_tick=19, elapsed=12, throughput=11
    )
    (reading,) = read(row(NO_TUNNEL, cpu=20, busy=10, top=8), longer=longer).readings
    assert (place(reading.result), reading.exact, reading.seconds) == ("no tunnel, 32 MiB", 21, 12)
    assert reading.published == PUBLISHED[NO_TUNNEL]


def test_longer_ones_of_other_code_do_not() -> None:
    """What is beside published software is ours as it is installed, where there is that."""
    installed = (*IPSEC, "software-as-installed")
    longer = figures((*IPSEC, "software"), 32, cpu=50, cpu_tick_busy=50, cpu_tick=50, elapsed=12)
    fast = row((*IPSEC, "software"), cpu=60, busy=60, top=60)
    (reading,) = read(fast, row(installed, cpu=90, busy=90, top=90), longer=longer).readings
    assert (reading.exact, reading.seconds) == (90, 4)


def test_rows_without_ticks_or_a_published_figure_are_left_out() -> None:
    without = figures(NO_TUNNEL, cpu=20, elapsed=4)
    unpublished = row(("wireguard", "chacha20-poly1305", "poly1305", "software"), 50, 50, 50)
    found = read(without, unpublished)
    assert (found.readings, found.ratios, found.sorts) == ([], [], [])


def test_rows_of_which_interrupts_are_not_known_have_no_bound() -> None:
    known = figures(NO_TUNNEL, cpu=20, cpu_tick_busy=20, cpu_tick=20, elapsed=4)
    found = read(known)
    assert [each.unseen for each in found.readings] == [None]
    assert (found.bounded, found.beyond) == ([], [])
    assert found.sorts[0].unseen is None


def test_published_figures_below_every_such_reading_are_told() -> None:
    """Half of the work is in interrupts. Without them 20 % are 11.1 %, more than the published
    7.2 %, and 80 % are 66.7 %, less than the published 74.6 %.
    """
    found = read(row(NO_TUNNEL, cpu=20, busy=10, top=8), row((*IPSEC, "software"), 80, 80, 80))
    assert len(found.bounded) == 2
    assert [place(each.result) for each in found.beyond] == ["no tunnel, 8 MiB"]


def test_a_ratio_is_read_with_the_same_instrument() -> None:
    software = row((*IPSEC, "software"), cpu=90, busy=90, top=90, throughput=6)
    hardware = row((*IPSEC, "hardware"), cpu=60, busy=20, top=20, throughput=12)
    (pair,) = read(software, hardware).ratios
    assert pair.exact.name == "IPsec AES-256-CBC:SHA-256"
    assert pair.exact.ours == pytest.approx(60 / 12 / (90 / 6))
    assert pair.sampled.ours == pytest.approx((100 * 20 / 60) / 12 / (90 / 6))
    assert pair.exact.published == pair.sampled.published
    one, other = read(software, hardware).readings
    relative = (one.error / one.sampled, other.error / other.sampled)
    expected = pair.sampled.ours * sum(each**2 for each in relative) ** 0.5
    assert pair.error == pytest.approx(expected)


def test_sorts_have_the_busy_time_that_ticks_saw() -> None:
    """Twelve seconds of four busy ones in all, of which ticks tell of three."""
    rows = [
        row(NO_TUNNEL, cpu=10, busy=5, top=5),
        row((*IPSEC, "software"), cpu=80, busy=65, top=65),
        row((*IPSEC, "hardware"), cpu=10, busy=5, top=5),
    ]
    found = {sort.name: sort for sort in read(*rows).sorts}
    assert {name: sort.rows for name, sort in found.items()} == {
        "all": 3,
        "software": 2,
        "light": 1,
        "hardware": 1,
    }
    assert found["all"].seen is not None
    assert found["all"].seen[0] == pytest.approx(75)
    variance = 4 * (0.1 * 0.9 + 0.8 * 0.2 + 0.1 * 0.9) / 250
    assert found["all"].seen[1] == pytest.approx(100 * 1.96 * variance**0.5 / 4)


@pytest.mark.parametrize(
    ("sampled", "error", "explanation"),
    [
        (50, 0, "explains it"),
        (51, 0, "explains a part"),
        (75, 0, "explains a part"),
        (76, 0, "does not explain it"),
        (90, 10, "does not explain it"),
        (90, 20, "does not explain it (at most a part)"),
        (60, 20, "explains a part (at most it all, at least not at all)"),
        (45, 10, "explains it (at least a part)"),
    ],
)
def test_what_is_left_by_ticks_says_what_they_explain(
    sampled: float, error: float, explanation: str
) -> None:
    assert Sort("all", 3, exact=100, sampled=sampled, error=error).explanation == explanation


@pytest.mark.parametrize(("busy", "outcome"), [(8, "shown"), (19, "not shown")])
def test_a_cause_is_shown_by_ticks(busy: float, outcome: str) -> None:
    cause = Cause(
        why="It is the instrument.",
        evidence="ticks",
        tested_by="ticks",
        protocol=("none",),
        metric=("cpu",),
        side="above",
    )
    rows = (row(NO_TUNNEL, cpu=20, busy=busy, top=busy), row((*IPSEC, "hardware"), 80, 10, 10))
    ((_, found),) = findings([cause], Evidence([], [], read(*rows)))
    assert (found.outcome, found.rows) == (outcome, 1)


def test_such_a_cause_says_what_tests_it() -> None:
    with pytest.raises(ValueError, match="`tested_by` is missing"):
        Cause(why="It is the instrument.", evidence="ticks")
