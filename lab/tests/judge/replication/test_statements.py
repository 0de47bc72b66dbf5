# SPDX-License-Identifier: Apache-2.0
"""Every published statement that is of no table is answered by our figures, or has a reason; each
form that a statement may have is computed, and so is its verdict.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from made_results import results_in

from firesteel.base.checkout import RECORDED
from firesteel.judge.compare import load_published
from firesteel.judge.intervals import claim_of
from firesteel.judge.replication.statements import (
    NOT_MEASURED,
    UNEXPLAINED,
    Answer,
    answered,
    answers,
    summary,
)
from firesteel.judge.results import load_results
from firesteel.judge.rows import Result
from firesteel.judge.study import (
    Named,
    OurFigures,
    Statement,
    Study,
    Versus,
    load_studies,
)
from firesteel.store.store import Store

MADE = Path(__file__).parents[2] / "made_studies"
GATEWAYS = ("socrates", "host-gateway-gateway-host", "gateway-a")
THREE = ("socrates", "three-hosts-gateway-host", "gateway")


def figure(
    of: str,
    value: float,
    *,
    parameter: str = "4 MiB",
    at: tuple[str, str, str] = GATEWAYS,
    completion: str | None = None,
) -> Result:
    """A figure by `experiment protocol implementation metric`."""
    experiment, protocol, implementation, metric = of.split()
    none = protocol == "none"
    usual = "adaptive" if implementation == "hardware" else ""
    row = {
        "experiment": experiment,
        "protocol": protocol,
        "cipher": "none" if none else "aes-256-gcm",
        "mac": "none" if none else "gcm",
        "implementation": implementation,
        "parameter": parameter,
        "metric": metric,
        "unit": "1",
        "value": value,
        "completion": usual if completion is None else completion,
        "as_in_2015": "",
        **dict(zip(("board", "topology", "node"), at, strict=True)),
    }
    return results_in(pl.DataFrame([row]))[0]


def asked(study: Study, metric: str, **changes: object) -> Study:
    """The study with that statement alone, and what is otherwise of it."""
    (found,) = (each for each in study.statements if each.metric == metric)
    return study.model_copy(update={"statements": (found.model_copy(update=changes),)})


@pytest.fixture
def study() -> Study:
    (found,) = load_studies(MADE)
    return found


def told(study: Study, metric: str, figures: Sequence[Result]) -> Answer:
    """What these figures say of the statement that has this metric."""
    (found,) = (each for each in answers(study, figures) if each.row["metric"] == metric)
    return found


_WORKLOADS = {"file": "file-transfer {} throughput", "rtt": "ping {} rtt_mean"}
_WHO = {"ipsec": "ipsec software", "core": "ipsec hardware", "none": "none software"}


def figures(text: str) -> list[Result]:
    """Figures by their metric and by who has them: `rtt ipsec@56=2.0 core@56@three=1.5`, with sizes
    in bytes, and gateways unless there are three hosts.
    """
    found, of = [], ""
    for word in text.split():
        if "=" not in word:
            of = _WORKLOADS.get(word, f"file-transfer {{}} {word}")
            continue
        name, value = word.split("=")
        who, *where = name.split("@")
        size = next((f"{each} B" for each in where if each.isdigit()), "4 MiB")
        at = THREE if "three" in where else GATEWAYS
        found.append(figure(of.format(_WHO[who]), float(value), parameter=size, at=at))
    return found


ORDER = "file ipsec=4 none=11"
ANOTHER_ORDER = "file ipsec=4 none=3"
BEST_OVER_WORST = "rtt none@56=1 ipsec@56=2 none@100=1 ipsec@100=1.9"

CASES = [
    ("order_of_throughput", ORDER, "plain, IPsec", "confirmed"),
    ("order_of_throughput", ANOTHER_ORDER, "IPsec, plain", "not confirmed"),
    ("order_of_throughput", "file ipsec=4 none=4.05", "plain = IPsec", "not confirmed"),
    ("order_of_throughput", "file ipsec=4", "", "not measured"),
    # In each place by itself:
    ("order_of_throughput", "file ipsec@three=12 ipsec=4 none=11", "plain, IPsec", "confirmed"),
    ("best_to_worst", BEST_OVER_WORST, "1.9 (1.9–2.0)", "confirmed"),
    (
        "best_to_worst",
        "rtt none@56=1 ipsec@56=2 none@56@three=5 ipsec@56@three=9",
        "1.9 (1.8–2.0)",
        "confirmed",
    ),
    ("best_to_worst", "rtt none@56=1 ipsec@56@three=2", "", "not measured"),
    # It is of small sizes:
    ("best_to_worst", "rtt none@1024=1 ipsec@1024=2", "", "not measured"),
    ("odd_size", "rtt ipsec@56=1 ipsec@100=3 ipsec@1024=2", "50 % above", "confirmed"),
    ("odd_size", "rtt ipsec@56=1 ipsec@100=0.5 ipsec@1024=2", "50 % below", "confirmed"),
    ("odd_size", "rtt ipsec@1024=2 ipsec@56=1 ipsec@100=1.5", "in range", "not confirmed"),
    ("odd_size", "rtt ipsec@56=1 ipsec@100=3", "", "not measured"),
    ("limit", "cpu ipsec=99.9", "CPU", "confirmed"),
    ("limit", "cpu ipsec=50 link_use ipsec=99.9", "link", "not confirmed"),
    ("throughput_ratio_to_three_hosts", "file core=10 core@three=8", "1.25", "confirmed"),
    ("throughput_ratio_to_three_hosts", "file core=10 core@three=2", "5.00", "not confirmed"),
    (
        "rtt_ratio_to_software",
        "rtt ipsec@1024=2 core@1024=1.5 core@56=9 ipsec@56=1",
        "0.75",
        "confirmed",
    ),
    ("gain_by_size", "rtt ipsec@56=2 ipsec@1024=8 core@56=1.6 core@1024=2", "3.2", "confirmed"),
    ("gain_by_size", "rtt ipsec@1024=8 core@1024=2 ipsec@56=1", "", "not measured"),
    ("left_over", "cpu core=30", "70", "confirmed"),
    ("left_over", "cpu core=50", "50", "not confirmed"),
    ("rtt_change_with_hardware", "rtt ipsec@56=2 core@56=1.6", "-20", "confirmed"),
    ("rtt_change_with_hardware", "rtt ipsec@56=2 core@56=2.4", "+20", "not confirmed"),
    ("rtt_of_sizes", "rtt ipsec@56=2 ipsec@1024=3", "2.5 (2.0–3.0)", "confirmed"),
    ("rtt_of_sizes", "rtt ipsec@56=2 ipsec@1024=3.3", "2.6 (2.0–3.3)", "not confirmed"),
]


@pytest.mark.parametrize(("metric", "those", "ours", "verdict"), CASES)
def test_a_statement_is_computed(
    study: Study, metric: str, those: str, ours: str, verdict: str
) -> None:
    found = told(study, metric, figures(those))
    assert (found.ours, found.verdict) == (ours, verdict)


def test_every_form_of_a_statement_has_a_case(study: Study) -> None:
    tried = {metric for metric, *_ in CASES}
    forms = {each.form for each in study.statements if each.metric in tried}
    others = {"hardware over software", "software over hardware", "value"}
    every = set(Statement.model_json_schema()["properties"]["form"]["enum"])
    assert forms | others == every


def test_only_places_of_the_study_count(study: Study) -> None:
    moved = [
        replace(each, identity=replace(each.identity, topology="host-host", node="board"))
        for each in figures(ORDER)
    ]
    assert told(study, "order_of_throughput", moved).verdict == "not measured"
    assert any(each.ours for each in answers(study, moved, everywhere=True))


def test_only_the_usual_completion_counts(study: Study) -> None:
    waiting = figure("file-transfer ipsec hardware cpu", 99.0, completion="poll")
    usual = figure("file-transfer ipsec hardware cpu", 30.0)
    assert told(study, "left_over", [waiting]).verdict == "not measured"
    assert told(study, "left_over", [waiting, usual]).ours == "70"
    choice = OurFigures.model_validate({"metric": ("cpu",), "completion": ("poll",)})
    of_polling = asked(study, "left_over", figure=choice)
    assert told(of_polling, "left_over", [usual, waiting]).ours == "1"


def test_what_brought_a_file_tells_figures_apart(study: Study) -> None:
    by_scp = figure("file-transfer ipsec software throughput", 4.0)
    by_sftp = figure("file-transfer ipsec software throughput", 5.0, parameter="4 MiB, by sftp")
    choice = OurFigures.model_validate({"metric": ("throughput",), "by": ("sftp",)})
    versus = Versus(by=("",))
    changed = asked(study, "rtt_of_sizes", figure=choice, versus=versus, form="figure over versus")
    assert told(changed, "rtt_of_sizes", [by_scp, by_sftp]).ours == "1.2"


def test_another_topology_may_have_another_link(study: Study) -> None:
    """But its own link counts first."""
    here, own, other = figures("file core=10 core@three=8 core@three=2")
    there = replace(other, identity=replace(other.identity, link="1 Gbit/s"))
    of = "throughput_ratio_to_three_hosts"
    for those, ours in (([here, there], "5.00"), ([here, there, own], "1.25")):
        found = {each.row["metric"]: each for each in answers(study, those, everywhere=True)}
        assert found[of].ours == ours


def test_a_reason_holds_for_the_boards_that_it_names(study: Study) -> None:
    metric, measured = "order_of_throughput", figures(ANOTHER_ORDER)
    for why, reason in (
        ({"socrates": "here", "freescale": "there"}, "here"),
        ({"freescale": "there"}, UNEXPLAINED),
    ):
        assert told(asked(study, metric, why=why), metric, measured).why == reason


def test_places_are_compared_that_a_statement_names(study: Study) -> None:
    among = (
        Named.model_validate({"name": "two", "topology": (GATEWAYS[1],)}),
        Named.model_validate({"name": "three", "topology": (THREE[1],)}),
    )
    choice = OurFigures(metric=("throughput",), implementation=("hardware",))
    changed = asked(study, "best_to_worst", figure=choice, among=among)
    assert told(changed, "best_to_worst", figures("file core@three=8 core=10")).ours == "1.2"


@pytest.mark.parametrize(
    ("software", "hardware", "ours", "verdict"),
    [
        (0.5, 3.2, "50 % below to 60 % above", "confirmed"),
        (1.5, 3.2, "60 % above; 1 of 2 in range", "not confirmed"),
        (1.5, 1.5, "in range", "not confirmed"),
    ],
)
def test_each_configuration_is_asked_for_its_outlier(
    study: Study, software: float, hardware: float, ours: str, verdict: str
) -> None:
    choice = OurFigures(experiment=("ping",), metric=("rtt_mean",))
    changed = asked(study, "odd_size", figure=choice, over="each")
    odds = {"ipsec": software, "core": hardware}
    those = (f"rtt {who}@56=1 {who}@100={odd} {who}@1024=2" for who, odd in odds.items())
    found = told(changed, "odd_size", figures(" ".join(those)))
    assert (found.ours, found.verdict) == (ours, verdict)


def test_neighbours_of_an_outlier_are_those_of_the_study_s_list(study: Study) -> None:
    """Between far sizes a figure is in range whatever it is."""
    choice = OurFigures(experiment=("ping",), metric=("rtt_mean",), size=("several",))
    changed = asked(study, "odd_size", figure=choice)
    several = {"sizes": {"several": ("56 B", "80 B", "100 B", "1 KiB")}}
    changed = changed.model_copy(update=several)
    measured = figures("rtt ipsec@56=1 ipsec@100=3 ipsec@1024=2")
    assert told(changed, "odd_size", measured).verdict == "not measured"
    assert told(changed, "odd_size", [*measured, *figures("rtt ipsec@80=1")]).ours == "50 % above"


def test_a_reason_is_that_of_its_verdict(study: Study) -> None:
    swapped = told(study, "order_of_throughput", figures(ANOTHER_ORDER))
    assert swapped.why == "here is another order"
    assert summary([swapped]).endswith("so they are exploratory.")
    unexplained = told(
        asked(study, "order_of_throughput", why=None), "order_of_throughput", figures(ANOTHER_ORDER)
    )
    assert unexplained.why == UNEXPLAINED
    assert summary([unexplained]) == "Of 1 statements, 1 was not confirmed."
    assert told(study, "order_of_throughput", []).why == NOT_MEASURED
    unknown = told(study, "cost_of_a_prime", [])
    assert (unknown.said, unknown.why) == ("A prime costs something", "nobody knows what")
    assert told(study, "best_to_worst", figures(BEST_OVER_WORST)).why == (
        "of two ways to a round trip"
    )


@pytest.mark.parametrize(
    ("text", "same", "inside", "outside"),
    [
        ("2", 0.0, (1.6, 2.4), (1.5, 2.5)),
        ("-2", 0.0, (-1.6, -2.4), (-1.5, 2.0)),
        (">2", 0.0, (2.1, 1e9), (2.0, -5.0)),
        ("<0.5", 0.0, (0.4, -1.0), (0.5, 1.0)),
        ("0.2..2.4", 0.0, (0.2, 2.4), (0.1, 2.5)),
        # More than another figure is more than no difference.
        (">1", 0.02, (1.03,), (1.01,)),
        ("<1", 0.02, (0.97,), (0.99,)),
        (">2", 0.02, (2.01,), (2.0,)),
    ],
)
def test_a_claim_holds_or_does_not(
    text: str, same: float, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    claim = claim_of(text, within=20.0, same=same)
    assert claim
    assert all(map(claim.holds, inside))
    assert not any(map(claim.holds, outside))


def test_no_published_row_is_left_out() -> None:
    found = [each for study in load_studies() for each in answers(study, [])]
    assert len(found) > 10
    assert all(each.verdict == "not measured" and each.why for each in found)
    stated = {each.row["metric"] for each in found}
    assert not stated & {each.result.metric for each in load_published()}


def test_what_records_do_not_confirm_has_a_reason() -> None:
    store = Store(RECORDED)
    for run in store.run_names():
        for study, found in answered(load_results(store, run)).items():
            for each in found:
                # Another board may fail to confirm a statement for a reason that nobody knows.
                if each.verdict == "not confirmed" and run != "relative-costs-2002":
                    assert UNEXPLAINED not in each.why, (
                        f"{study}: `why` of {each.said!r}, by the run {run}"
                    )
