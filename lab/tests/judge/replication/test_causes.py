# SPDX-License-Identifier: Apache-2.0
"""What shows a cause is computed, and so are the figures of its text."""

import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
from made_pairs import result_of

from firesteel.base.checkout import CHECKOUT, RECORDED
from firesteel.base.errors import FiresteelError
from firesteel.judge.replication.causes import FILE, Cause, Named, load_causes
from firesteel.judge.study import load_studies
from firesteel.show.report.published import causes_said
from firesteel.store.journal import Journal
from firesteel.store.store import Store

NAMED = Named(experiment="causes", committed=date(2026, 11, 22))

(STUDY,) = (study for study in load_studies() if study.name == "delhaye2015")


CLAIMED = sorted(
    {
        (cause.found.experiment, cause.found.committed)
        for study in load_studies()
        for cause in load_causes(study)
        if isinstance(cause.found, Named)
    }
)
"""The experiments that name causes of the studies, and when they are said to have come."""


def runs_of(experiment: str) -> list[Journal]:
    """The recorded ones."""
    store = Store(RECORDED)
    journals = map(store.journal, store.run_names())
    return [each for each in journals if each.experiment == experiment]


def commits(path: str) -> list[tuple[str, int]]:
    """The date and the second of each commit that added a file there, the first one first."""
    command = ["git", "log", "--reverse", "--diff-filter=A", "--format=%as %at", "--", path]
    done = subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return [(day, int(second)) for day, second in lines]


@pytest.mark.parametrize(("experiment", "committed"), CLAIMED)
def test_no_record_of_an_experiment_is_older_than_the_date_of_its_causes(
    experiment: str, committed: date
) -> None:
    runs = runs_of(experiment)
    assert runs, "the pages say that it was named before it was run"
    assert all(committed.isoformat() <= run.started[:10] for run in runs)


@pytest.mark.parametrize(("experiment", "committed"), CLAIMED)
def test_history_has_the_experiment_on_the_date_of_its_causes_and_before_its_records(
    experiment: str, committed: date
) -> None:
    """Records that were measured anew are younger than the first ones, so only history can tell."""
    git = CHECKOUT / ".git"
    if not git.exists() or not (came := commits(f"experiments/{experiment}.toml")):
        pytest.skip("this source tree has no history")
    day, second = came[0]
    assert day == committed.isoformat()
    for run in runs_of(experiment):
        kept = commits(f"recorded/runs/{run.name}")
        assert not kept or second < kept[0][1]


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
