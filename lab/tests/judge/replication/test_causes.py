# SPDX-License-Identifier: Apache-2.0
"""What shows a cause is computed, and so are the figures of its text."""

import shutil
from datetime import date
from pathlib import Path

import pytest
from made_pairs import result_of

from firesteel.base.errors import FiresteelError
from firesteel.judge.replication.causes import FILE, Cause, Named, load_causes
from firesteel.judge.study import load_studies
from firesteel.show.report.published import causes_said

NAMED = Named(experiment="causes", committed=date(2026, 11, 22))

(STUDY,) = (study for study in load_studies() if study.name == "delhaye2015")


def load_cause(folder: Path, text: str) -> None:
    """Loads one cause of the study with these lines."""
    shutil.copy(STUDY.folder / "figures.csv", folder)
    (folder / FILE).write_text(f"[[cause]]\n{text}\n")
    load_causes(STUDY.model_copy(update={"folder": folder}))


def test_figures_of_causes_are_the_published_ones() -> None:
    told = " ".join(cause.why + (cause.tested_by or "") for cause in load_causes(STUDY))
    assert "{" not in told
    assert "5.18 MB/s, although the CPU was 57 % idle" in told  # 42.6 % are used
    assert "added 0.6 ms" in told  # 2.066 and 1.444 ms
    assert "2.5 s of CPU" in told  # 81.97 % of 60 s for 19.6


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ('published("ping ipsec none none software 57 B", "rtt_mean")', "0 published rows"),
        ('published("ping ipsec", "rtt_mean")', r"\d+ published rows"),
        ("pubished()", "'pubished'"),
        ("published()", "missing"),
        ("1 / 0", "division"),
    ],
)
def test_a_published_figure_that_is_not_there_is_named(
    tmp_path: Path, asked: str, message: str
) -> None:
    with pytest.raises(FiresteelError, match=f"{FILE}: .*{message}"):
        load_cause(tmp_path, f"why = '{{{{ {asked} }}}}'")


def test_a_cause_is_of_its_side_alone() -> None:
    cause = Cause(why="slow then", metric=("throughput",), side="above")
    fast, slow = (result_of("throughput", value, published=1.0) for value in (2.0, 0.5))
    busy = result_of("cpu", 2.0, published=1.0)
    assert cause.fits(fast)
    assert not cause.fits(slow)
    assert not cause.fits(busy)
    assert Cause(why="other", metric=("cpu",)).fits(busy)


def test_a_cause_is_told_with_when_it_was_found() -> None:
    far = result_of("throughput", 2.0, published=1.0)
    after = Cause(why="slow then", metric=("throughput",))
    before = after.model_copy(update={"found": NAMED})
    said = [list(causes_said([far], {far.source: [cause]})) for cause in (after, before)]
    (one,), (other,) = said
    assert one.endswith(
        "slow then (supposed, without a test; exploratory: found after the figures were seen)"
    )
    assert other.endswith(
        "slow then (supposed, without a test; named by the experiment causes on 2026-11-22)"
    )


@pytest.mark.parametrize(
    ("evidence", "outcome", "told"),
    [
        ("cores", "not shown", "not shown by its test"),
        ("cores", None, "tested"),
        ("published", None, "follows from published rows"),
    ],
)
def test_a_cause_is_told_with_what_its_test_shows(
    evidence: str, outcome: str | None, told: str
) -> None:
    made = {"why": "w", "tested_by": "x", "evidence": evidence, "outcome": outcome}
    assert Cause.model_validate(made).standing.startswith(f"{told}; ")


def test_what_was_not_tested_has_no_outcome() -> None:
    with pytest.raises(ValueError, match="`outcome` is only for evidence"):
        Cause.model_validate({"why": "w", "outcome": "shown"})


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ('"before"', "found"),
        ('{ experiment = "nonesuch", committed = 2026-11-22 }', "causes-hardware"),
        ('{ experiment = "causes" }', "committed"),
    ],
)
def test_a_cause_is_named_by_an_experiment_that_there_is(
    tmp_path: Path, found: str, message: str
) -> None:
    with pytest.raises(FiresteelError, match=message):
        load_cause(tmp_path, f"why = 'x'\nfound = {found}")
