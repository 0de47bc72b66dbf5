# SPDX-License-Identifier: Apache-2.0
"""What shows a cause is computed, and so are the figures of its text."""

import re
import shutil
from pathlib import Path

import pytest

from firesteel.analysis.study import load_studies
from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.replication.causes import FILE, Cause, Causes, Deviations, finding, load_causes

(STUDY,) = (study for study in load_studies() if study.name == "delhaye2015")

_NAMES = re.compile(r"(AES|SHA|RSA)-\d+(-[A-Z]+)?|Linux [\d.]+|of 2015|32 bits|published\([^)]*\)")
"""Numbers that name something; a published figure is looked up by its row."""

_FIGURE = re.compile(r"\d+(\.\d+)?\s*(%|ms|s|MB/s|MIPS|µs|x|×|/)(?![\w-])")


def test_no_figure_of_a_cause_is_typed() -> None:
    for cause in toml.read_model(STUDY.folder / FILE, Causes).cause:
        text = re.sub(
            r"\{\{.*?\}\}", "", cause.why + " " + (cause.tested_by or ""), flags=re.DOTALL
        )
        assert not _FIGURE.search(_NAMES.sub("", text)), text


def test_figures_of_causes_are_the_published_ones() -> None:
    told = " ".join(cause.why + (cause.tested_by or "") for cause in load_causes(STUDY))
    assert "{" not in told
    assert "5.18 MB/s with 57 %" in told  # 42.6 % are used
    assert "0.6 ms longer" in told  # 2.066 and 1.444 ms
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
    shutil.copy(STUDY.folder / "figures.csv", tmp_path)
    (tmp_path / FILE).write_text(f"[[cause]]\nwhy = '{{{{ {asked} }}}}'\n")
    with pytest.raises(FiresteelError, match=f"{FILE}: .*{message}"):
        load_causes(STUDY.model_copy(update={"folder": tmp_path}))


@pytest.mark.parametrize(
    ("claimed", "others", "outcome"),
    [
        ([(100, 40), (50, -20)], [(5, 8)], "shown"),
        ([(100, 60)], [], "shown in part"),
        ([(200, 0), (100, -10), (20, 30), (10, 20)], [], "shown in part"),
        ([(100, -80)], [], "not shown"),
        ([(100, 10)], [(5, 60)], "shown in part"),
        ([], [(5, 60)], "supposed"),
    ],
)
def test_a_test_shows_a_cause_by_what_is_left_of_the_deviation(
    claimed: list[tuple[float, float]], others: list[tuple[float, float]], outcome: str
) -> None:
    rows = [Deviations(*pair) for pair in claimed] + [Deviations(*pair, False) for pair in others]
    cause = Cause(why="then", evidence="variants", tested_by="x", variant=("no-neon",))
    found = finding(cause, rows)
    assert found.outcome == outcome
    assert found.is_shown == (outcome == "shown")


def test_what_follows_from_published_rows_needs_no_cells() -> None:
    assert finding(Cause(why="arithmetic", evidence="published"), []).is_shown
