# SPDX-License-Identifier: Apache-2.0
"""What the answer to a question of design says of measurements."""

from collections.abc import Mapping

import pytest
from made_pairs import row_of

from firesteel.judge.intervals import Sample
from firesteel.judge.requirements import Requirement, standings
from firesteel.judge.rows import Rows
from firesteel.search.design import Answer, Candidate, Trial, search

CLOCK = "cores.*.timing.clock_hz"
CPU = {"cpu": 99.0, "link_use": 40.0, "core_busy": 5.0, "peer_cpu": 1.0}
LINK = {"cpu": 70.0, "link_use": 98.0, "core_busy": 5.0, "peer_cpu": 1.0}
NOTHING = {"cpu": 30.0, "link_use": 40.0, "core_busy": 5.0, "peer_cpu": 1.0}


def answer_of(figures: Mapping[int, Mapping[str, float]], *said: str) -> Answer:
    """Of a transfer with these figures at each clock in MHz."""
    requirements = [Requirement.read(text) for text in said]
    trials = []
    for clock, each in figures.items():
        row = row_of({name: Sample.of([value]) for name, value in each.items()}, "hardware")
        found = standings(Rows(row.results.values()), requirements)
        trials.append(Trial(Candidate(text=f"{clock} MHz", value=clock * 1e6), "", tuple(found)))
    holds = {trial.candidate.text: trial.holds for trial in trials}
    searched = search([trial.candidate for trial in trials], lambda each: holds[each.text])
    return Answer("smallest", CLOCK, requirements, searched, trials)


@pytest.mark.parametrize(
    ("shares", "limit", "remedy"),
    [
        (CPU, "the CPU", "a faster CPU or less work for it"),
        (LINK, "the link", "a faster link"),
        ({**NOTHING, "core_busy": 97.0}, "the core", "a faster core or a second one"),
        (NOTHING, "latency", "shorter delays"),
    ],
)
def test_what_limits_is_told_where_nothing_is_fast_enough(
    shares: Mapping[str, float], limit: str, remedy: str
) -> None:
    figures = {50: {"throughput": 5.0, **shares}, 400: {"throughput": 6.0, **shares}}
    none, nearest, limits, tried = answer_of(figures, "throughput >= 10").sentences
    assert none == ("No clock of all cores from 50 MHz to 400 MHz meets all requirements.")
    assert nearest == (
        "The nearest is 400 MHz: throughput 6.00 MB/s (IPsec AES-256-GCM, hardware, 16 MiB, "
        f"limited by {limit})."
    )
    assert limits == (
        f"What limits the speed there is {limit}; {remedy} would change it (docs/what-limits.md)."
    )
    assert tried == "2 of 2 values were measured."


def test_all_that_a_row_misses_stands_together() -> None:
    slow = {"throughput": 5.0, **CPU}
    answer = answer_of({50: slow, 400: slow}, "throughput >= 100 Mbit/s", "cpu <= 50 %")
    assert answer.sentences[1].startswith("The nearest is ")
    assert answer.sentences[1].endswith(
        "MHz: throughput 40 Mbit/s and cpu 99.0 % of core (IPsec AES-256-GCM, hardware, 16 MiB, "
        "limited by the CPU)."
    )
