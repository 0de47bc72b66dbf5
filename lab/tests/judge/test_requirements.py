# SPDX-License-Identifier: Apache-2.0
"""Which figures a requirement is of, and how they stand to it."""

from dataclasses import replace

import pytest
from made_pairs import row_of

from firesteel.base.errors import FiresteelError
from firesteel.judge.intervals import Sample
from firesteel.judge.requirements import Requirement, standings, worst
from firesteel.judge.rows import Row, Rows
from firesteel.model.figure import Parameter


def row(workload: str, implementation: str = "hardware", **figures: float) -> Row:
    """A row with these figures by metric: of a file, or of packets of 56 bytes."""
    samples = {metric: Sample.of([value]) for metric, value in figures.items()}
    parameter = Parameter(size_bytes=56) if workload == "ping" else Parameter(file_bytes=56)
    return row_of(samples, implementation, workload, parameter)


def rows_of(*rows: Row) -> Rows:
    return Rows(result for each in rows for result in each.results.values())


BOTH = rows_of(
    row("ping", cpu=80, link_use=1, rtt_mean=2),
    row("file-transfer", cpu=40, link_use=98, throughput=11),
)


def values(rows: Rows, said: str) -> dict[str, float | None]:
    """What is judged, by the kind of traffic."""
    return {each.traffic: each.value for each in standings(rows, [Requirement.read(said)])}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("file-transfer:link_use >= 95 %", {"file-transfer": 98}),
        ("ping:cpu <= 50 %", {"ping": 80}),
        ("*:cpu <= 50 %", {"ping": 80, "file-transfer": 40}),
        ("throughput >= 11", {"file-transfer": 11}),
        ("rtt_mean <= 2", {"ping": 2}),
    ],
)
def test_what_traffic_is_judged(said: str, expected: dict[str, float]) -> None:
    assert values(BOTH, said) == expected


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (
            "cpu <= 50 %",
            (
                "ping and file-transfer have the metric `cpu`; allowed is "
                '"ping:cpu <= 50 % of core" or "file-transfer:cpu <= 50 % of core", '
                'or "[*]:cpu <= 50 % of core" for all[.]$'
            ),
        ),
        (
            "ping:throughput >= 1",
            "`ping` has no metric `throughput`; .* the metric may be: file-transfer, [*][.]$",
        ),
        ("connections >= 1", "no row here has the metric `connections`; the rows have: cpu, "),
    ],
)
def test_what_is_of_no_figure_or_of_too_many(said: str, problem: str) -> None:
    with pytest.raises(FiresteelError, match=f"^--require .*: {problem}"):
        values(BOTH, said)


def test_one_kind_of_traffic_needs_no_name() -> None:
    assert values(rows_of(row("file-transfer", cpu=40)), "cpu <= 50 %") == {"file-transfer": 40}


def test_software_decides_nothing_beside_hardware() -> None:
    """Neither a figure, nor whether a metric is of several kinds of traffic."""
    rows = rows_of(row("ping", "software", cpu=99), row("file-transfer", cpu=40))
    assert values(rows, "cpu <= 50 %") == {"file-transfer": 40}


def test_the_worst_figure_says_its_traffic_where_the_requirement_does() -> None:
    wanted = Requirement.read("*:cpu <= 50 %")
    found = worst(standings(BOTH, [wanted]), wanted)
    assert found
    assert found.figure == "ping:cpu 80.0 % of core"
    plain = replace(found, requirement=Requirement.read("cpu <= 50 %"))
    assert plain.figure == "cpu 80.0 % of core"
