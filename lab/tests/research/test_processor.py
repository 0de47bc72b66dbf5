# SPDX-License-Identifier: Apache-2.0
"""Published costs of processors: the files of the checkout, and mistakes in such files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.boards.profile import EVENTS
from firesteel.judge import study
from firesteel.workloads import microbenchmarks
from firesteel.workloads.microbenchmarks import Algorithm
from research.processor import (
    ASSUMED,
    PRIORS,
    Cost,
    Prior,
    Processor,
    load_priors,
    load_processors,
)

PROCESSORS = {each.name: each for each in load_processors()}
PRIORS_TEXT = (study.STUDIES / "cortex-a9" / PRIORS).read_text()

NOT_MEASURED = {"poly1305", "poly1305-integer", "ghash-neon", "tcp", "dhrystone"}
"""What a row is of that no microbenchmark measures."""

HEAD = ",".join(Cost.model_fields)
ROW = "a-1,a,16,C,compiled,fitted,2.5,cycles/byte,,clock,page,table 1,"
FILE = """
processor = "X"
clock_hz = 500
[goals]
assembler = { each = 15, median = 6, date = 2026-11-23 }
compiled = { each = 25, date = 2026-11-23 }
kernel = { each = 20, date = 2026-11-23 }
memory = { each = 20, date = 2026-11-23 }
[sources.page]
title = "A page"
url = "https://example.org"
conditions = "at 1 Hz"
"""


def made(tmp_path: Path, row: str = ROW, file: str = FILE, head: str = HEAD) -> Processor:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "processor.toml").write_text(file)
    (folder / "costs.csv").write_text(f"{head}\n{row}\n")
    (found,) = load_processors(tmp_path)
    return found


@pytest.mark.parametrize("processor", PROCESSORS.values(), ids=list(PROCESSORS))
def test_rows_have_a_counterpart_or_are_known_to_have_none(processor: Processor) -> None:
    known = {
        *get_args(Algorithm),
        *get_args(microbenchmarks.Operation),
        *get_args(microbenchmarks.Latency),
        *get_args(microbenchmarks.Bandwidth),
    }
    assert {cost.what for cost in processor.costs} <= known | NOT_MEASURED


@pytest.mark.parametrize("processor", PROCESSORS.values(), ids=list(PROCESSORS))
def test_every_source_and_scaling_is_of_something(processor: Processor) -> None:
    file, costs = processor.file, processor.costs
    used = {cost.source for cost in costs} | {fact["source"] for fact in file.facts}
    if toml.is_there(study.STUDIES / processor.name / PRIORS):
        used |= {each.source for each in load_priors(processor).values()} - {ASSUMED}
    assert used == set(file.sources)
    assert {cost.scaled_from for cost in costs} - {""} == set(file.scalings)


def test_times_and_rates_go_with_the_clock_unless_they_are_the_memorys(tmp_path: Path) -> None:
    (cost,) = made(tmp_path).costs

    def at(**changes: object) -> float:
        return cost.model_copy(update={"clock_hz": 1000.0, "value": 100.0, **changes}).at(500)

    assert at() == 100
    assert at(unit="ns") == 200
    assert at(unit="MB/s") == 50
    assert at(unit="ns", scales="memory") == at(unit="MB/s", scales="memory") == 100


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("a-1,a", "row 2 has 2 fields; allowed are 13"),
        (ROW.replace("fitted", "used"), "row 2: `role`: .*'fitted' or 'held-out'"),
        (ROW.replace("2.5", "-2"), "row 2: `value`: .*greater than 0"),
        (ROW.replace("2.5", "nan"), "row 2: `value`"),
        (ROW.replace("cycles/byte", "ns"), "`clock_hz` is empty; a figure in ns needs one"),
        (ROW.replace("page", "book"), "row 2: `source` is `book`; allowed are page"),
        (ROW + "guess", "row 2: `scaled_from` is `guess`; allowed are none"),
        (f"{ROW}\n{ROW}", "row 3: there is a row `a-1` already"),
    ],
)
def test_a_mistake_in_a_row_is_told_with_its_place(tmp_path: Path, row: str, told: str) -> None:
    with pytest.raises(FiresteelError, match=told) as caught:
        made(tmp_path, row)
    assert "costs.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (FILE.replace("kernel = { each = 20, date = 2026-11-23 }", ""), "`goals` has no `kernel`"),
        ('boards = ["sokrates"]\n' + FILE, "there is no profile `sokrates`"),
        (FILE.replace("each = 15", "each = 0"), "goals.assembler.each"),
        (FILE.replace("median = 6", "median = 16"), "`median` is 16, and `each` is 15; allowed"),
        (FILE.replace(", date = 2026-11-23", "", 1), "goals.assembler.date` is missing"),
    ],
)
def test_a_mistake_in_the_file_is_told(tmp_path: Path, file: str, told: str) -> None:
    with pytest.raises(FiresteelError, match=told):
        made(tmp_path, file=file)


def test_other_columns_and_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match="the columns are id, what; allowed: id, what, size"):
        made(tmp_path, head="id,what")
    (tmp_path / "x" / "costs.csv").unlink()
    with pytest.raises(FiresteelError, match="cannot be read as published costs"):
        load_processors(tmp_path)
    with pytest.raises(FiresteelError, match="there is no processor"):
        load_processors(tmp_path / "x")


def made_priors(tmp_path: Path, text: str) -> Mapping[str, Prior]:
    folder = tmp_path / "cortex-a9"
    folder.mkdir()
    (folder / PRIORS).write_text(text)
    return load_priors(PROCESSORS["cortex-a9"], tmp_path)


def table(name: str) -> str:
    (found,) = re.findall(rf"^\[\w+\.{name}\]\n(?:.+\n)+", PRIORS_TEXT, re.MULTILINE)
    return str(found)


def test_what_is_memorys_has_nanoseconds_and_may_not_lose_its_cycles() -> None:
    each = load_priors(PROCESSORS["cortex-a9"])
    in_part = {name for name, prior in each.items() if prior.is_of_memory}
    assert in_part == {name for name in EVENTS if "memory" in name or "uncached" in name}
    load = each["load-memory"]
    assert load.at(1e9) == load.cycles + load.nanoseconds
    assert load.at(2e8) == pytest.approx(load.cycles + load.nanoseconds / 5)
    assert load.least_total == load.cycles
    assert each["integer"].least_total == each["integer"].least == 0.5


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (table("branch"), "", r"`branch` is missing in \[instructions\]"),
        (table("branch"), table("branch") + table("call").replace(".call", ".jump"), "`jump` in "),
        ("cycles = 15\n", "cycles = 15.1\n", "multiple of 0.125"),
        ("cycles = 15\n", "cycles = 0\n", "greater than 0"),
        ("cycles = 15\n", "cycles = 0.375\n", "least is 0.5; allowed is at most 0.375, the prior"),
        (
            'source = "7-cpu"',
            'source = "8-cpu"',
            "`load-level-2`: `source` is `8-cpu`",
        ),
        ('why = "one a cycle"\n', "", "`instructions.neon-double.why` is missing"),
    ],
)
def test_a_mistake_in_priors_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert old in PRIORS_TEXT
    with pytest.raises(FiresteelError, match=told) as caught:
        made_priors(tmp_path, PRIORS_TEXT.replace(old, new, 1))
    assert PRIORS in str(caught.value)
